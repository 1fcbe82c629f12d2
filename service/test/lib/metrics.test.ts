import { createMetrics, METRICS } from '../../src/lib/metrics.ts'

test('metrics are formatted as counters, gauges and histograms for Prometheus', async () => {
  const { count, observe, gauge, text } = createMetrics()
  count('trailmark_events_refused_total', { reason: 'invalid_uuid' }, 2)
  count('trailmark_events_refused_total', { reason: 'invalid_uuid' })
  gauge('trailmark_engine_up', async () => 1)
  observe('trailmark_run_seconds', { outcome: 'ok' }, 0.02)
  observe('trailmark_run_seconds', { outcome: 'ok' }, 45)
  const lines = (await text()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      '# TYPE trailmark_events_refused_total counter',
      'trailmark_events_refused_total{reason="invalid_uuid"} 3',
      'trailmark_events_stored_total 0',
      'trailmark_engine_up 1',
      'trailmark_run_seconds_bucket{outcome="ok",le="0.01"} 0',
      'trailmark_run_seconds_bucket{outcome="ok",le="0.025"} 1',
      'trailmark_run_seconds_bucket{outcome="ok",le="30"} 1',
      'trailmark_run_seconds_bucket{outcome="ok",le="+Inf"} 2',
      'trailmark_run_seconds_sum{outcome="ok"} 45.02',
      'trailmark_run_seconds_count{outcome="ok"} 2',
    ]),
  )
})

test('each metric has one help line before its samples', async () => {
  const lines = (await createMetrics().text()).split('\n')
  for (const name of Object.keys(METRICS))
    expect(lines.filter((line) => line.startsWith(`# HELP ${name} `))).toHaveLength(1)
})

test('a metric label with quotes and line breaks is escaped', async () => {
  const { count, text } = createMetrics()
  count('trailmark_refusals_total', { code: 'a"b\\c\nd' })
  expect(await text()).toContain('trailmark_refusals_total{code="a\\"b\\\\c\\nd"} 1\n')
})
