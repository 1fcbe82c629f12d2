/** Options of trailmark and posthog-js, which have the same names: defaults, without limits that would drop events. */
export const optionsOf = (collector) => ({
  api_host: collector,
  defaults: '2026-01-30',
  opt_out_useragent_filter: true,
  rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e6 },
})
