import type { Config } from '../../src/types'

/** Options of all test pages. */
export const OPTIONS = {
  defaults: '2026-01-30',
  // Test browsers identify themselves as automated.
  opt_out_useragent_filter: true,
  request_queue_config: { flush_interval_ms: 250 },
  // A page whose flags or surveys are late has none for five minutes. A busy machine may need longer than the default.
  feature_flag_request_timeout_ms: 60_000,
  surveys_request_timeout_ms: 60_000,
} satisfies Partial<Config>
