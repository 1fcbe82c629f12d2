import type { Config } from '../types'

/** Defaults that changed, by date: a `defaults` option selects every row dated on or before it. */
export const DATED_DEFAULTS: readonly (readonly [since: string, changes: Partial<Config>])[] = [
  ['2025-05-24', { capture_pageview: 'history_change' }],
  ['2025-11-30', { session_recording: { strictMinimumDuration: true }, rageclick: { content_ignorelist: true } }],
  ['2026-01-30', { external_scripts_inject_target: 'head' }],
]

/** A date that selects every row. */
export const LATEST = '9999-12-31'

/** Whether this is a day of the calendar in the form YYYY-MM-DD. */
export const isDate = (text: unknown): text is string => {
  const time = typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN
  return !isNaN(time) && new Date(time).toISOString().startsWith(text as string)
}

/** The changed defaults that a `defaults` date selects; none for 'unset'. Dates of this form sort as text. */
export const datedDefaults = (date: string): Partial<Config> =>
  isDate(date)
    ? Object.assign({}, ...DATED_DEFAULTS.filter(([since]) => since <= date).map(([, changes]) => changes))
    : {}
