import type { PartName } from '../parts'
import type { Feature } from './feature'

/** The methods and options of each part that has some; an option's name with a value, as `name: value`. Only builds that can leave out parts contain this table. */
export const PART_MEMBERS: Partial<Record<PartName, RegExp>> = {
  autocapture: /^(autocapture|mask_all_.*)$/,
  bots: /^custom_blocked_useragents$/,
  campaign: /^(save_campaign_params|save_referrer|custom_campaign_params)$/,
  clicks: /^(rageclick|capture_dead_clicks|mask_all_.*)$/,
  consent:
    /^(opt_(in|out)_capturing(_by_default|_cookie_prefix)?|clear_opt_in_out_capturing|opt_out_persistence_by_default|cookieless_mode|consent_persistence_name|respect_dnt)$/,
  cookies:
    /^(persistence: .*cookie|(cross_subdomain|secure)_cookie|cookie_expiration|opt_out_capturing_persistence_type)$/,
  device: /^detect_google_search_app$/,
  exceptions: /^(.*Exception.*|capture_exceptions|error_tracking)$/,
  flags:
    /^(featureFlags\..*|isFeatureEnabled|.*(Flags?|FlagPayload|FlagResult)|.*EarlyAccess.*|feature_flag_.*|flags_api_host|evaluation_contexts|remote_config_.*|advanced_.*(only|dedup).*)$/,
  groups: /^(group|(get|reset)Groups)$/,
  heatmaps: /^(enable|capture)_heatmaps$/,
  pageleaves: /^capture_pageleave$/,
  people:
    /^(identify|alias|.*PersonPropert(y|ies)|createPersonProfile|setInternalOrTestUser|captureTrace.*|people\..*)$/,
  recording:
    /^(.*SessionRecording|sessionRecording(Started|\..*)|(disable_)?session_recording|enable_recording_console_log)$/,
  pageviews: /^(capture_pageview|getPageViewId|scroll_root_selector)$/,
  surveys: /^(?!advanced_only).*survey|^override_display/i,
  toolbar: /toolbar/i,
  vitals: /^capture_performance$/,
}

/**
 * Returns the missing import of a method or an option with a value, as `needs trailmark/flags`; undefined if none is
 * missing.
 */
export type Missing = (name: string, value?: unknown) => string | undefined

/** Returns a function that names the missing import of a member, given `features`. A member of several parts works with any of them. */
export const missingParts =
  (features: readonly Feature[]): Missing =>
  (name, value) => {
    const named = typeof value === 'string' ? [name, `${name}: ${value}`] : [name]
    const parts = Object.entries(PART_MEMBERS).flatMap(([part, members]) =>
      named.some((each) => members.test(each)) ? part : [],
    )
    return !parts.length || features.some((each) => parts.includes(each.name))
      ? undefined
      : `needs ${parts.map((part) => `trailmark/${part}`).join(' or ')}`
  }
