import { storageOf, type KeyValueStorage } from '../browser/storage'
import { toJson } from '../lib/json'
import type { CookieOptions, Cookies } from '../state/backends/cookie'
import { memoryBackend } from '../state/backends/memory'
import { openBackend } from '../state/backends/openBackend'
import { textBackend } from '../state/backends/textBackend'
import { createStore } from '../state/store'
import type { Config } from '../types'

// Replaces characters that cookie names cannot contain (docs/reference/protocol.md#8.1).
const escaped = (token: string) => token.replace(/\+/g, 'PL').replace(/\//g, 'SL').replace(/=/g, 'EQ')

/** Returns the attributes of the SDK's cookies, as they are when they are read. */
export const cookieOptions = (config: Config): CookieOptions => ({
  get days() {
    return config.cookie_expiration
  },
  get secure() {
    return config.secure_cookie
  },
  get crossSubdomain() {
    return config.cross_subdomain_cookie
  },
})

/**
 * Opens the visitor's store and the tab's store, in the storage that the configuration selects. `mayStore`: whether
 * anything may be stored in the browser. `onLeave` is called before another person replaces the visitor. `align` moves
 * both after configuration or consent has changed.
 */
export const openStores = (
  token: string,
  config: Config,
  cookies: Cookies | undefined,
  mayStore: () => boolean,
  onLeave: () => void,
) => {
  const prefix = `ph_${config.persistence_name || escaped(token)}`
  const name = config.persistence_name ? prefix : `${prefix}_posthog`
  const tabKeys = [`${prefix}_window_id`, `${prefix}_primary_window_exists`, `${prefix}_session_id`] as const

  const kind = () => (mayStore() ? config.persistence : 'memory')
  /** Returns the tab's storage; undefined if nothing may be stored. */
  const tab = (): KeyValueStorage | undefined => (kind() === 'memory' ? undefined : storageOf('sessionStorage'))
  const openMain = () => openBackend(kind(), name, cookieOptions(config), cookies)
  const openTab = () => {
    const storage = tab()
    // A different name, because the main store may be in session storage too.
    return storage ? textBackend(storage, kind() === 'sessionStorage' ? `${name}_session` : name) : memoryBackend()
  }
  /** Removes what was stored under another configuration, or before consent was withdrawn. */
  const erase = () => {
    if (mayStore()) return
    for (const place of ['localStorage', 'sessionStorage'] as const)
      for (const each of [name, `${name}_session`, ...tabKeys]) storageOf(place)?.removeItem(each)
    cookies?.backend(name, cookieOptions(config)).clear()
  }

  const settings = () => toJson([kind(), cookieOptions(config)])
  let openedWith = settings()
  const align = (): void => {
    if (settings() === openedWith) return
    openedWith = settings()
    store.moveTo(openMain())
    tabStore.moveTo(openTab())
    erase()
  }
  erase()
  const store = createStore(openMain(), align, undefined, onLeave)
  // No other tab writes there.
  const tabStore = createStore(openTab(), align, 0)
  return { tabKeys, tab, store, tabStore, align }
}
