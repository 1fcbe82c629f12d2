import { attempt } from '../../lib/guard'
import type { RemoteMasking } from './sanitize/policy'

/** A group of triggers, as the service sends it. */
export interface RemoteGroup {
  id: string
  sampleRate?: number
  minDurationMs?: number
  conditions: {
    matchType?: 'any' | 'all'
    events?: { name: string }[]
    urls?: { url: string }[]
    flag?: string | { flag: string; variant?: string }
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

/** Returns a function that tests whether a URL matches any of these patterns. Invalid patterns match nothing, and are passed to `onInvalid`. */
export const urlMatcher = (patterns: unknown, onInvalid: (pattern: string) => void): ((url: string) => boolean) => {
  const expressions = (Array.isArray(patterns) ? patterns : []).flatMap((each: { url?: unknown } | null) => {
    const source = each?.url
    const expression = typeof source === 'string' && source ? attempt(() => new RegExp(source)) : undefined
    if (!expression) onInvalid(String(source))
    return expression ?? []
  })
  return (url) => expressions.some((each) => each.test(url))
}
