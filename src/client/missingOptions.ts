import { type Check, type MissingOption, type OptionRules } from '../config/settings'
import { has } from '../lib/objects'

/** Options by part. `name: value` matches an option with this value. */
export const PART_OPTIONS: Readonly<Record<string, RegExp>> = {
  autocapture: /^(autocapture|mask_all_.*)$/,
  bots: /^custom_blocked_useragents$/,
  campaign: /^(save_campaign_params|save_referrer|custom_campaign_params)$/,
  clicks: /^(rageclick|capture_dead_clicks|mask_all_.*)$/,
  consent: /^(opt_out_.*(default|prefix)|cookieless_mode|consent_persistence_name|respect_dnt)$/,
  cookies:
    /^(persistence: .*cookie|(cross_subdomain|secure)_cookie|cookie_expiration|opt_out_capturing_persistence_type)$/,
  device: /^detect_google_search_app$/,
  exceptions: /^(capture_exceptions|error_tracking)$/,
  flags: /^(feature_flag_.*|flags_api_host|evaluation_contexts|remote_config_.*|advanced_.*(only|dedup).*)$/,
  heatmaps: /^(enable|capture)_heatmaps$/,
  pageleaves: /^capture_pageleave$/,
  pageviews: /^(capture_pageview|scroll_root_selector)$/,
  recording: /^((disable_)?session_recording|enable_recording_console_log)$/,
  surveys: /^(?!advanced_only).*survey|^override_display/,
  toolbar: /toolbar/,
  vitals: /^capture_performance$/,
}

/** Returns a function that names the missing import of an option, by the options that a build has. An option of several parts works with any. */
export const missingOptions =
  (rows: OptionRules['rows']): MissingOption =>
  (name, value) => {
    const isCookie = name === 'persistence' && String(value).endsWith('cookie')
    if (has(rows, isCookie ? 'secure_cookie' : name)) return undefined
    const named = isCookie ? `${name}: ${String(value)}` : name
    const parts = Object.entries(PART_OPTIONS).filter(([, options]) => options.test(named))
    return parts.length ? `needs ${parts.map(([part]) => `trailmark/${part}`).join(' or ')}` : undefined
  }

/** Makes a check name the imports that options need. */
export const withMissing =
  (check: Check): Check =>
  (input, current, log, rules) =>
    check(input, current, log, { ...rules, missing: missingOptions(rules.rows) })
