import type { RecorderParts } from '../../host'
import type { ExtensionHost } from '../contract'
import { attempt } from './page'
import type { PropertyCondition } from './conditions'
import type { RemoteMasking } from './sanitize/policy'

/** A flag that must be on, or have a variant; `any`: any of its variants. */
type Flag = string | { flag: string; variant?: string }

/** A group of triggers. */
export interface RemoteGroup {
  id: string
  sampleRate?: string | number
  minDurationMs?: number
  conditions?: {
    matchType?: 'any' | 'all'
    events?: { name?: unknown; properties?: PropertyCondition[] }[]
    urls?: { url?: unknown }[]
    flag?: Flag
    /** Conditions on properties of the person or of an event. */
    properties?: PropertyCondition[]
  }
}

/** The project's settings of recordings (docs/reference/protocol.md#14.2), as `settingsOf` returns them. */
export interface RemoteSettings {
  /** The path that chunks are sent to. */
  endpoint?: string
  consoleLogRecordingEnabled?: boolean
  sampleRate?: string | number
  minimumDurationMilliseconds?: number
  linkedFlag?: Flag
  urlTriggers?: { url?: unknown }[]
  urlBlocklist?: { url?: unknown }[]
  eventTriggers?: string[]
  triggerMatchType?: 'any' | 'all'
  networkPayloadCapture?: { recordBody?: boolean; recordHeaders?: boolean }
  masking?: RemoteMasking
  recordCanvas?: boolean
  version?: number
  triggerGroups?: RemoteGroup[]
}

type Json = Record<string, unknown>

const isMissing = (value: unknown) => value === undefined || value === null
const isObject = (value: unknown): value is Json => typeof value === 'object' && !!value && !Array.isArray(value)
const listOf = (value: unknown): unknown[] => (isMissing(value) ? [] : [value].flat())
const objectsOf = (value: unknown): Json[] => listOf(value).filter(isObject)
const nonEmpty = <T>(list: T[]): T[] | undefined => (list.length ? list : undefined)

/** Returns a number of 0 or more, which may be text; undefined for anything else. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() ? Number(value) : value
  return typeof number === 'number' && number >= 0 ? number : undefined
}

/** Returns a rate between 0 and 1; undefined for anything else. */
export const rateOf = (value: unknown): number | undefined => {
  const rate = numberOf(value)
  return rate === undefined || rate > 1 ? undefined : rate
}

/** Whether a setting that allows something does: if it is malformed, it does not. */
const allows = (value: unknown): boolean => isMissing(value) || value === true
/** Whether a setting that masks something is on: if it is malformed, it is. */
const masks = (value: unknown): boolean => !isMissing(value) && value !== false

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const textsOf = (value: unknown): string[] => listOf(value).filter(isText)
const flagOf = (value: unknown): Flag | undefined => {
  if (isText(value)) return value
  const { flag, variant } = isObject(value) ? value : ({} as Json)
  return isText(flag) ? { flag, variant: isText(variant) ? variant : undefined } : undefined
}
const patternsOf = (value: unknown) => nonEmpty(listOf(value).map((each) => (isObject(each) ? each : { url: each })))
const matchTypeOf = (value: unknown) => (value === 'all' ? 'all' : 'any')

const groupOf = ({ id, sampleRate, minDurationMs, conditions }: Json): RemoteGroup => {
  const { matchType, events, urls, flag, properties } = isObject(conditions) ? conditions : ({} as Json)
  return {
    id: String(id),
    sampleRate: rateOf(sampleRate),
    minDurationMs: numberOf(minDurationMs),
    conditions: {
      matchType: matchTypeOf(matchType),
      events: objectsOf(events).map((each) => ({ name: each.name, properties: objectsOf(each.properties) })),
      urls: patternsOf(urls),
      flag: flagOf(flag),
      properties: objectsOf(properties),
    },
  }
}

/**
 * How each setting is read, whatever its value is: the service may be PostHog's, and of an earlier or later release. A
 * setting that is missing or malformed has its default, which is undefined. What masks falls to the stricter side.
 */
const SETTINGS: { [K in keyof RemoteSettings]-?: (value: unknown) => RemoteSettings[K] } = {
  // Appended to the host. Without its slash it would be part of the host name.
  endpoint: (value) => (isText(value) && value[0] === '/' ? value : undefined),
  consoleLogRecordingEnabled: (value) => value === true,
  sampleRate: rateOf,
  minimumDurationMilliseconds: numberOf,
  linkedFlag: flagOf,
  urlTriggers: patternsOf,
  urlBlocklist: patternsOf,
  eventTriggers: (value) => nonEmpty(textsOf(value)),
  triggerMatchType: matchTypeOf,
  networkPayloadCapture: (value) =>
    isObject(value)
      ? { recordBody: allows(value.recordBody), recordHeaders: allows(value.recordHeaders) }
      : { recordBody: isMissing(value), recordHeaders: isMissing(value) },
  masking: (value) =>
    isObject(value)
      ? {
          ...value,
          maskAllInputs: masks(value.maskAllInputs),
          maskAllElementAttributes: masks(value.maskAllElementAttributes),
        }
      : { isStrict: masks(value) },
  recordCanvas: allows,
  version: numberOf,
  triggerGroups: (value) => nonEmpty(objectsOf(value).map(groupOf)),
}

/** Returns the settings in remote configuration: `true` means recording without further settings. Undefined: recording is off. */
export const settingsOf = (item: unknown): RemoteSettings | undefined => {
  const all = item === true ? {} : item
  return isObject(all) && all.enabled !== false
    ? (Object.fromEntries(Object.entries(SETTINGS).map(([name, read]) => [name, read(all[name])])) as RemoteSettings)
    : undefined
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
const storedAt = (item: unknown) => (item as { cache_timestamp?: unknown } | null | undefined)?.cache_timestamp

/** Whether settings in remote configuration are stored ones of more than an hour ago, or of an unknown time. */
export const isStale = (item: unknown): boolean =>
  storedAt(item) !== undefined && !(Math.abs(Date.now() - Number(storedAt(item))) <= MAX_CACHE_MS)

/** Stores the project's settings for the next pages, on which recording begins before the service responds. */
export const rememberSettings = ({ store, remote }: ExtensionHost & RecorderParts): void => {
  const item = remote.items.sessionRecording
  if (!item) store.set({ [CACHE]: undefined })
  else if (storedAt(item) === undefined) store.set({ [CACHE]: { ...item, cache_timestamp: Date.now() } })
}
