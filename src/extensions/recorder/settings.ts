import type { RecorderParts } from '../../host'
import type { ExtensionHost } from '../contract'
import { attempt } from './page'
import type { PropertyCondition } from './conditions'
import type { RemoteMasking } from './sanitize/policy'

/** A group of triggers, as the service sends it. */
export interface RemoteGroup {
  id: string
  sampleRate?: string | number | null
  minDurationMs?: number | null
  conditions?: {
    matchType?: 'any' | 'all'
    events?: { name: string; properties?: PropertyCondition[] }[]
    urls?: { url: string }[]
    flag?: string | { flag: string; variant?: string } | null
    /** Conditions on properties of the person or of an event. */
    properties?: PropertyCondition[]
  }
}

/** The project's settings of recordings (docs/reference/protocol.md#14.2). */
export interface RemoteSettings {
  consoleLogRecordingEnabled?: boolean
  sampleRate?: string | number
  minimumDurationMilliseconds?: number
  linkedFlag?: string | { flag: string; variant?: string }
  urlTriggers?: { url: string }[]
  urlBlocklist?: { url: string }[]
  eventTriggers?: string[]
  triggerMatchType?: 'any' | 'all'
  networkPayloadCapture?: { recordBody?: boolean; recordHeaders?: boolean }
  masking?: RemoteMasking
  recordCanvas?: boolean
  version?: number
  triggerGroups?: RemoteGroup[]
}

/** Returns the settings in remote configuration: `true` means recording without further settings. Undefined: recording is off. */
export const settingsOf = (item: unknown): RemoteSettings | undefined =>
  typeof item === 'object' && item
    ? (item as { enabled?: boolean }).enabled === false
      ? undefined
      : item
    : item === true
      ? {}
      : undefined

/** Returns a rate between 0 and 1; undefined for anything else. */
export const rateOf = (value: unknown): number | undefined => {
  const rate = typeof value === 'string' && value.trim() ? Number(value) : value
  return typeof rate === 'number' && rate >= 0 && rate <= 1 ? rate : undefined
}

/**
 * Returns a function that tests whether a URL matches any of these patterns. Invalid patterns match nothing, and are
 * passed to `onInvalid`.
 */
export const urlMatcher = (patterns: unknown, onInvalid: (pattern: string) => void): ((url: string) => boolean) => {
  const expressions = (Array.isArray(patterns) ? patterns : []).flatMap((each: { url?: unknown } | null) => {
    const source = each?.url
    const expression = typeof source === 'string' && source ? attempt(() => new RegExp(source)) : undefined
    if (!expression) onInvalid(String(source))
    return expression ?? []
  })
  return (url) => expressions.some((each) => each.test(url))
}

const CACHE = '$session_recording_remote_config'
const MAX_CACHE_MS = 3_600_000

/** When the service sent stored settings, ms; undefined for settings that it sent to this page. */
const storedAt = (item: unknown) => (item as { cache_timestamp?: number } | undefined)?.cache_timestamp

/** Whether settings in remote configuration are stored ones of more than an hour ago. */
export const isStale = (item: unknown): boolean => Date.now() - (storedAt(item) ?? Infinity) > MAX_CACHE_MS

/** Stores the project's settings for the next pages, on which recording begins before the service responds. */
export const rememberSettings = ({ store, remote }: ExtensionHost & RecorderParts): void => {
  const item = remote.items.sessionRecording
  if (!item) store.set({ [CACHE]: undefined })
  else if (!storedAt(item)) store.set({ [CACHE]: { ...item, cache_timestamp: Date.now() } })
}
