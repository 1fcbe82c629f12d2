import type { Options } from '../../src/entries/main'

// Every option of the specification with values it accepts and one it rejects. The compiler checks them (`npm run typecheck`).
const take = (options: Options) => options

export const RIGHT: Options[] = [
  {},
  { api_host: 'https://a.example', ui_host: 'https://b.example', flags_api_host: null },
  { autocapture: true, rageclick: false, capture_pageview: true, capture_pageleave: false, capture_dead_clicks: false },
  {
    capture_pageview: 'history_change',
    flags_api_host: 'https://c.example',
    enable_heatmaps: undefined,
    evaluation_contexts: undefined,
  },
  {
    autocapture: {
      url_allowlist: ['/shop', /\/blog/],
      dom_event_allowlist: ['click'],
      element_allowlist: ['a'],
      css_selector_allowlist: ['.a'],
    },
  },
  { autocapture: { element_attribute_ignorelist: ['href'], capture_copied_text: true } },
  { rageclick: { css_selector_ignorelist: ['.a'], content_ignorelist: true } },
  { rageclick: { content_ignorelist: ['more'] } },
  { before_send: (event) => (event.event === 'x' ? null : event), loaded: (analytics) => analytics.register({ a: 1 }) },
  { bootstrap: { distinctID: 'a', isIdentifiedID: true, featureFlags: { a: true, b: 'variant' } } },
  { persistence: 'localStorage' },
  { persistence: 'sessionStorage' },
  { persistence: 'cookie' },
  { persistence: 'memory' },
  { persistence: 'localStorage+cookie' },
  { person_profiles: 'always' },
  { person_profiles: 'identified_only' },
  { external_scripts_inject_target: 'head' },
  { external_scripts_inject_target: 'body' },
  {
    rate_limiting: { events_per_second: 5 },
    session_recording: { strictMinimumDuration: true },
    session_idle_timeout_seconds: 60,
  },
  {
    fetch_options: { cache: 'no-store', next_options: { revalidate: 1 } },
    on_request_error: ({ statusCode, text, json }) => void [statusCode.toFixed(), text.trim(), json],
  },
  {
    xhr_headers: { 'X-A': '1' },
    custom_campaign_params: ['ref'],
    custom_blocked_useragents: ['bot'],
    property_denylist: ['a'],
  },
  {
    evaluation_contexts: ['web'],
    evaluation_environments: ['web'],
    advanced_disable_decide: true,
    advanced_disable_flags: true,
  },
]

const WRONG: Options[] = [
  // @ts-expect-error
  take({ api_host: 5 }),
  // @ts-expect-error
  take({ ui_host: 5 }),
  // @ts-expect-error
  take({ autocapture: 'yes' }),
  // @ts-expect-error
  take({ before_send: () => 5 }),
  // @ts-expect-error
  take({ bootstrap: { distinctID: 5 } }),
  // @ts-expect-error
  take({ bootstrap: { featureFlags: ['a'] } }),
  // @ts-expect-error
  take({ capture_pageview: 'always' }),
  // @ts-expect-error
  take({ capture_pageleave: 'always' }),
  // @ts-expect-error
  take({ capture_dead_clicks: 1 }),
  // @ts-expect-error
  take({ cross_subdomain_cookie: 'yes' }),
  // @ts-expect-error
  take({ custom_blocked_useragents: [/bot/] }),
  // @ts-expect-error
  take({ defaults: 20260130 }),
  // @ts-expect-error
  take({ disable_persistence: 'yes' }),
  // @ts-expect-error
  take({ disable_surveys: 1 }),
  // @ts-expect-error
  take({ disable_session_recording: 1 }),
  // @ts-expect-error
  take({ enable_recording_console_log: 1 }),
  // @ts-expect-error
  take({ enable_heatmaps: 'yes' }),
  // @ts-expect-error
  take({ evaluation_contexts: 'web' }),
  // @ts-expect-error
  take({ evaluation_environments: [5] }),
  // @ts-expect-error
  take({ external_scripts_inject_target: 'foot' }),
  // @ts-expect-error
  take({ flags_api_host: 5 }),
  // @ts-expect-error
  take({ loaded: 'x' }),
  // @ts-expect-error
  take({ mask_all_text: 'yes' }),
  // @ts-expect-error
  take({ mask_all_element_attributes: 1 }),
  // @ts-expect-error
  take({ opt_out_capturing_by_default: 1 }),
  // @ts-expect-error
  take({ opt_out_persistence_by_default: 1 }),
  // @ts-expect-error
  take({ opt_out_useragent_filter: 1 }),
  // @ts-expect-error
  take({ persistence: 'disk' }),
  // @ts-expect-error
  take({ property_denylist: 'a' }),
  // @ts-expect-error
  take({ person_profiles: 'sometimes' }),
  // @ts-expect-error
  take({ rate_limiting: { events_per_second: '5' } }),
  // @ts-expect-error
  take({ rate_limiting: { events_per_minute: 5 } }),
  // @ts-expect-error
  take({ session_recording: true }),
  // @ts-expect-error
  take({ session_idle_timeout_seconds: '60' }),
  // @ts-expect-error
  take({ xhr_headers: { 'X-A': 1 } }),
  // @ts-expect-error
  take({ rageclick: 'yes' }),
  // @ts-expect-error
  take({ autocapture: { url_allowlist: '/shop' } }),
  // @ts-expect-error
  take({ autocapture: { dom_event_allowlist: [5] } }),
  // @ts-expect-error
  take({ autocapture: { element_allowlist: 'a' } }),
  // @ts-expect-error
  take({ autocapture: { css_selector_allowlist: '.a' } }),
  // @ts-expect-error
  take({ autocapture: { element_attribute_ignorelist: 'href' } }),
  // @ts-expect-error
  take({ autocapture: { capture_copied_text: 'yes' } }),
  // @ts-expect-error
  take({ autocapture: { allowlist: [] } }),
  // @ts-expect-error
  take({ rageclick: { css_selector_ignorelist: '.a' } }),
  // @ts-expect-error
  take({ rageclick: { content_ignorelist: 'next' } }),
  // @ts-expect-error
  take({ advanced_disable_flags: 1 }),
  // @ts-expect-error
  take({ advanced_disable_decide: 1 }),
  // @ts-expect-error
  take({ advanced_disable_feature_flags: 1 }),
  // @ts-expect-error
  take({ advanced_disable_feature_flags_on_first_load: 1 }),
  // @ts-expect-error
  take({ advanced_only_evaluate_survey_feature_flags: 1 }),
  // @ts-expect-error
  take({ advanced_feature_flags_dedup_per_session: 1 }),
  // @ts-expect-error
  take({ feature_flag_request_timeout_ms: '3000' }),
  // @ts-expect-error
  take({ feature_flag_cache_ttl_ms: '0' }),
  // @ts-expect-error
  take({ remote_config_refresh_interval_ms: '300000' }),
  // @ts-expect-error
  take({ secure_cookie: 'yes' }),
  // @ts-expect-error
  take({ custom_campaign_params: 'ref' }),
  // @ts-expect-error
  take({ fetch_options: { cache: 'sometimes' } }),
  // @ts-expect-error
  take({ fetch_options: { next_options: 5 } }),
  // @ts-expect-error
  take({ on_request_error: 'log' }),
]

const ROWS =
  'api_host ui_host autocapture before_send bootstrap capture_pageview capture_pageleave capture_dead_clicks cross_subdomain_cookie custom_blocked_useragents defaults disable_persistence disable_surveys disable_session_recording enable_recording_console_log enable_heatmaps evaluation_contexts evaluation_environments external_scripts_inject_target flags_api_host loaded mask_all_text mask_all_element_attributes opt_out_capturing_by_default opt_out_persistence_by_default opt_out_useragent_filter persistence property_denylist person_profiles rate_limiting session_recording session_idle_timeout_seconds xhr_headers rageclick advanced_disable_flags advanced_disable_decide advanced_disable_feature_flags advanced_disable_feature_flags_on_first_load advanced_only_evaluate_survey_feature_flags advanced_feature_flags_dedup_per_session feature_flag_request_timeout_ms feature_flag_cache_ttl_ms remote_config_refresh_interval_ms secure_cookie custom_campaign_params fetch_options on_request_error'

test('each option of the specification rejects a wrong type', () => {
  const refusing = new Set(WRONG.flatMap((options) => Object.keys(options)))
  expect([...refusing].sort()).toEqual(ROWS.split(' ').sort())
})
