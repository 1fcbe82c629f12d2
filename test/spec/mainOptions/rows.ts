/** The rows of the specification's table "Main options", by the file with their tests. */
export const MAIN_OPTIONS = {
  startup: [
    'api_host',
    'ui_host',
    'flags_api_host',
    'xhr_headers',
    'bootstrap',
    'defaults',
    'loaded',
    'evaluation_contexts',
    'external_scripts_inject_target',
    'disable_surveys',
    'disable_session_recording',
    'enable_recording_console_log',
    'enable_heatmaps',
    'session_recording',
  ],
  capture: [
    'autocapture',
    'capture_pageview',
    'capture_pageleave',
    'capture_dead_clicks',
    'mask_all_text',
    'mask_all_element_attributes',
    'rageclick',
  ],
  events: [
    'before_send',
    'custom_blocked_useragents',
    'opt_out_useragent_filter',
    'person_profiles',
    'property_denylist',
    'rate_limiting',
  ],
  storage: [
    'cross_subdomain_cookie',
    'disable_persistence',
    'opt_out_capturing_by_default',
    'opt_out_persistence_by_default',
    'persistence',
    'session_idle_timeout_seconds',
  ],
} as const

/** A page with something to click. */
export const BUTTON = '<button id="b" data-kind="k">Buy</button>'

/** The name of the visitor's stored entry. */
export const ENTRY = 'ph_token_posthog'

/** Whether each storage of the browser has the visitor. */
export const holds = (entry = ENTRY) => ({
  localStorage: !!localStorage.getItem(entry),
  sessionStorage: !!sessionStorage.getItem(entry),
  cookie: document.cookie.includes(`${entry}=`),
})
