import { analytics } from '../../dist/esm/main.js'

export const start = (collector) =>
  analytics.init('bench-token', {
    api_host: collector,
    defaults: '2026-01-30',
    opt_out_useragent_filter: true,
    rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e6 },
  })
export const capture = (name, properties) => analytics.capture(name, properties)
