import { AnalyticsBrowser } from '@segment/analytics-next'

const analytics = new AnalyticsBrowser()
export const start = (collector) => {
  const integrations = { 'Segment.io': { apiHost: `${new URL(collector).host}/v1`, protocol: 'http' } }
  analytics.load({ writeKey: 'bench-key', cdnURL: collector }, { integrations })
  analytics.page()
}
export const capture = (name, properties) => analytics.track(name, properties)
