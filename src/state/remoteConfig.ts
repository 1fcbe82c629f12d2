import { isPlainObject } from '../lib/json'
import { createListeners } from '../lib/listeners'
import { has, objectOf, pick } from '../lib/objects'
import type { ExceptionAutocapture, PerformanceConfig, Stop } from '../types'
import type { Store } from './store'

/** Remote configuration, under the service's names (docs/reference/protocol.md#4.7). Absent: not received. */
export interface RemoteItems {
  supportedCompression?: string[]
  autocapture_opt_out?: boolean
  analytics?: { endpoint?: string }
  heatmaps?: boolean
  surveys?: boolean | unknown[]
  capturePerformance?: boolean | PerformanceConfig
  autocaptureExceptions?: boolean | ExceptionAutocapture
  errorTracking?: { autocaptureExceptions?: unknown; suppressionRules?: unknown; captureExtensionExceptions?: unknown }
  [item: string]: unknown
}

export interface RemoteConfig {
  /** The items received on this page, and those stored by an earlier one. */
  readonly items: RemoteItems
  /** Whether the latest request for the configuration failed. */
  hasFailed: boolean
  /** Whether the service accepts gzip; undefined if not known. */
  acceptsGzip(): boolean
  /** Applies the configuration in a response body. Returns false if the body has none, as `/flags` of newer services. */
  apply(body: Record<string, unknown> | undefined): boolean
  /** Calls back after each configuration that was applied. */
  onChange(listener: () => void): Stop
}

/** The stored names of items that apply from the start of the next page, before its configuration is received. */
const STORED = {
  autocapture_opt_out: '$autocapture_disabled_server_side',
  autocaptureExceptions: '$exception_capture_enabled_server_side',
} as const

const isBoolean = (value: unknown) => value === !!value
const isToggle = (value: unknown) => isBoolean(value) || isPlainObject(value)

/**
 * The items that the SDK uses, and whether a value is well-formed. null is for all: it turns the item off, or means its
 * default. Members of objects may be anything: those that read them check them.
 */
const ITEMS: Record<string, (value: unknown) => boolean> = {
  supportedCompression: Array.isArray,
  autocapture_opt_out: isBoolean,
  heatmaps: isBoolean,
  surveys: (value) => isBoolean(value) || Array.isArray(value),
  capturePerformance: isToggle,
  // Appended to the host. Without its slash it would be part of the host name.
  analytics: (value) => isPlainObject(value) && /^\//.test((value.endpoint ?? '/') as string),
  sessionRecording: isToggle,
  autocaptureExceptions: isToggle,
  errorTracking: isPlainObject,
}

/** Creates the configuration that the service sends. `onMalformed` receives the names of items that are ignored. */
export const createRemoteConfig = (store: Store, onMalformed: (names: string[]) => void): RemoteConfig => {
  const items: RemoteItems = objectOf(Object.keys(STORED), (name) => store.get(STORED[name as keyof typeof STORED]))
  const listeners = createListeners<[]>()
  return {
    items,
    hasFailed: false,
    // `gzip-js` is the protocol's name for it.
    acceptsGzip: () =>
      !Array.isArray(items.supportedCompression) || items.supportedCompression.some((name) => /^gzip/.test(name)),
    apply: (body) => {
      if (!body || !('supportedCompression' in body || 'autocapture_opt_out' in body || 'sessionRecording' in body))
        return false
      const malformed = Object.keys(ITEMS).filter((name) => (body[name] ?? null) !== null && !ITEMS[name]!(body[name]))
      if (malformed.length) onMalformed(malformed)
      const received: RemoteItems = pick(body, (name) => has(ITEMS, name) && !malformed.includes(name))
      Object.assign(items, received)
      for (const [name, key] of Object.entries(STORED)) if (name in received) store.set({ [key]: !!received[name] })
      listeners.emit()
      return true
    },
    onChange: listeners.add,
  }
}
