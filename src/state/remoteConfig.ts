import { isPlainObject } from '../lib/json'
import { createListeners } from '../lib/listeners'
import { has, pick } from '../lib/objects'
import type { ExceptionAutocapture, PerformanceConfig, Stop } from '../types'
import type { Store } from './store'

/** Remote configuration, under the service's names (docs/reference/protocol.md#4.7). Unset items were not received. */
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

/**
 * An item: whether a value is well-formed, and the stored name of one that applies from the start of the next page, before
 * its configuration is received. Members of objects may be anything: those that read them check them.
 */
export type RemoteRow = readonly [isValid: (value: unknown) => boolean, key?: string]
export type RemoteRows = Readonly<Record<string, RemoteRow>>

/** The items of the core. Features bring theirs. */
const ITEMS: RemoteRows = {
  supportedCompression: [Array.isArray],
  // Appended to the host. Without its slash it would be part of the host name.
  analytics: [(value) => isPlainObject(value) && /^\//.test((value.endpoint ?? '/') as string)],
}

/**
 * Creates the configuration that the service sends. `ofFeatures`: the items of features. `onMalformed` receives the names
 * of items that are ignored. null is a value of every item: it turns the item off, or means its default.
 */
export const createRemoteConfig = (
  store: Store,
  ofFeatures: RemoteRows,
  onMalformed: (names: string[]) => void,
): RemoteConfig => {
  const rows = { ...ITEMS, ...ofFeatures }
  const stored = Object.entries(rows).flatMap(([name, [, key]]) => (key ? [[name, key] as const] : []))
  const items: RemoteItems = Object.fromEntries(stored.map(([name, key]) => [name, store.get(key)]))
  const listeners = createListeners<[]>()
  return {
    items,
    hasFailed: false,
    // `gzip-js` is the protocol's name for gzip.
    acceptsGzip: () =>
      !Array.isArray(items.supportedCompression) || items.supportedCompression.some((name) => /^gzip/.test(name)),
    apply: (body) => {
      if (!body || !('supportedCompression' in body || 'autocapture_opt_out' in body || 'sessionRecording' in body))
        return false
      const malformed = Object.keys(rows).filter((name) => (body[name] ?? null) !== null && !rows[name]![0](body[name]))
      if (malformed.length) onMalformed(malformed)
      const received: RemoteItems = pick(body, (name) => has(rows, name) && !malformed.includes(name))
      Object.assign(items, received)
      for (const [name, key] of stored) if (name in received) store.set({ [key]: !!received[name] })
      listeners.emit()
      return true
    },
    onChange: listeners.add,
  }
}
