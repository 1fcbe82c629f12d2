export * from 'trailmark/testing/collector'
