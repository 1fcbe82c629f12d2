import type { RecordingReason } from '../../../../src/types.ts'
import { cutText } from './propertyText.ts'

/**
 * Reasons why a session has no recording, or why its recording stops, by the value of `$sdk_debug_replay_stop_reason`.
 */
export const REASONS: Readonly<Record<RecordingReason, string>> = {
  // The site or the project does not record.
  opted_out: 'The visitor has opted out.',
  cookieless: 'The page is in cookieless mode, which records nothing.',
  turned_off_by_site: 'The page turns recording off: disable_session_recording or advanced_disable_flags is set.',
  turned_off_by_service: 'Recording is turned off in the settings of the project.',
  awaiting_config: 'The settings of the project had not arrived on the page.',
  missing_config: 'The page could not fetch the settings of the project.',
  // The recorder does not run.
  lazy_loading: 'The page was left before the recorder had loaded.',
  recorder_unavailable:
    'The page could not load the recorder: a content blocker, a Content Security Policy or the network prevented it.',
  another_instance: 'Another instance of the SDK records the page, and one page has one recording.',
  invalid_settings: 'A masking option is invalid, so nothing is recorded. The console of the browser names it.',
  rrweb: 'The recorder failed on the page.',
  internal_error: 'The recorder failed on the page.',
  // The session is not recorded.
  sampling: 'The session is not in the sample that is recorded.',
  trigger: 'No trigger has started the recording: no event, URL or flag that the settings name.',
  blocked_url: 'The URL of the page is excluded from recordings.',
  // It is recorded, but nothing was sent.
  no_activity: 'The visitor has not done anything on the page yet. Recordings are sent from the first activity on.',
  minimum_duration: 'The session is shorter than the minimum duration of recordings.',
  // It stops.
  idle: 'The visitor was idle. The recording continues with the next activity.',
  budget: 'The page changed too much, or the recording was too large. It ends there.',
  page_too_large: 'The page has too many elements to be recorded.',
  refused_by_service: 'The service took no more: the limit of the day was reached, or the recording was deleted.',
  before_send: 'The before_send function of the page dropped a part of the recording.',
  queue_full: 'Parts of the recording could not be sent, and more of them waited than the browser keeps.',
  expired: 'Parts of the recording waited too long to be sent.',
  page_left: 'The page was left, and the browser sends no more of it.',
}

const MAX_REASON = 100
const own = <V>(table: Readonly<Record<string, V>>, name: string): V | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** State of recording that the SDK adds to each event. */
interface RecordingProperties {
  readonly $recording_status?: unknown
  readonly $sdk_debug_replay_stop_reason?: unknown
}

const NOT_SAID =
  'No event of the session says that it was to be recorded: recording was off in the settings of the project or on the page, or the visitor did not allow it.'
const NOT_ARRIVED =
  'It was recorded. The page was left before the first part was sent, or the recording was deleted or has expired.'

/** Reasons of SDKs that send a status only. */
const BY_STATUS: Readonly<Record<string, RecordingReason>> = {
  buffering: 'trigger',
  paused: 'blocked_url',
  awaiting_config: 'awaiting_config',
  missing_config: 'missing_config',
  lazy_loading: 'lazy_loading',
  rrweb_error: 'rrweb',
}

/**
 * Says why a session has no recording, or why its recording stops before the session ends; undefined if nothing is known. `events`:
 * the properties of its events, the latest first.
 */
export const whyOf = (events: readonly RecordingProperties[], isRecorded: boolean): string | undefined => {
  if (!events.length) return undefined
  const last = events.find(({ $recording_status: status }) => typeof status === 'string')
  if (!last) return isRecorded ? undefined : NOT_SAID
  const { $recording_status: status, $sdk_debug_replay_stop_reason: sent } = last
  const reason = typeof sent === 'string' ? sent : own(BY_STATUS, status as string)
  if (reason !== undefined) return own(REASONS, reason) ?? `The SDK reports ${cutText(reason, MAX_REASON)}.`
  if (isRecorded) return undefined
  return /^(active|sampled)$/.test(status as string) ? NOT_ARRIVED : NOT_SAID
}
