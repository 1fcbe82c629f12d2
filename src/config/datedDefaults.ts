import { isoTime } from '../lib/isoTime'
import { toDate } from '../lib/serialize'
import type { Config } from '../types'

/** Defaults that changed, by date: a `defaults` option selects every row dated on or before it. */
export const DATED_DEFAULTS: readonly (readonly [since: string, changes: Partial<Config>])[] = [
  ['2025-05-24', { capture_pageview: 'history_change' }],
  ['2025-11-30', { session_recording: { strictMinimumDuration: true }, rageclick: { content_ignorelist: true } }],
  ['2026-01-30', { external_scripts_inject_target: 'head' }],
  [
    '2026-05-30',
    {
      // The built-in words, and the signs on steppers: plus, hyphen, minus, dash.
      rageclick: {
        content_ignorelist: ['next', 'previous', 'prev', '>', '<', '+', '-', '\u2212', '\u2013'],
      },
      session_recording: { strictMinimumDuration: true, canvasCapture: { resolutionScale: 0.6 } },
      detect_google_search_app: true,
    },
  ],
  [
    '2026-06-25',
    {
      session_recording: {
        strictMinimumDuration: true,
        canvasCapture: { resolutionScale: 0.6 },
        streamNetworkBody: true,
      },
      disable_capture_url_hashes: true,
    },
  ],
]

/** The date of the newest row, which `'latest'` means. */
export const NEWEST = DATED_DEFAULTS[DATED_DEFAULTS.length - 1]![0]

/** Whether this is an existing date in the form YYYY-MM-DD. */
export const isDate = (text: unknown): text is string => {
  const date = toDate(text)
  return !!date && isoTime(date).slice(0, 10) === text
}

/** Returns the changed defaults that a `defaults` date selects; none for anything else. Dates of this form sort as strings. */
export const datedDefaults = (date: unknown): Partial<Config> =>
  isDate(date)
    ? DATED_DEFAULTS.reduce((all, [since, changes]) => (since <= date ? { ...all, ...changes } : all), {})
    : {}
