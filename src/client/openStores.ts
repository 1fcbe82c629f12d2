import { toJson } from '../lib/json'
import { storageOf } from '../browser/storage'
import { memoryBackend } from '../state/backends/memory'
import { openBackend } from '../state/backends/openBackend'
import { webStorageBackend } from '../state/backends/webStorage'
import { createStore } from '../state/store'
import type { Config, PersistenceKind } from '../types'

// Other characters of a token would not survive in a cookie's name (protocol.md §8.1).
const escaped = (token: string) => token.replace(/\+/g, 'PL').replace(/\//g, 'SL').replace(/=/g, 'EQ')

/**
 * The visitor's store and the tab's own, where the configuration wants them. `mayStore`: whether anything may be kept
 * in the browser at all. `align` moves them when configuration or consent have changed.
 */
export const openStores = (token: string, config: Config, mayStore: () => boolean) => {
  const prefix = `ph_${config.persistence_name || escaped(token)}`
  const name = config.persistence_name ? prefix : `${prefix}_posthog`

  const open = (kind: PersistenceKind) =>
    openBackend(kind, name, {
      days: config.cookie_expiration,
      secure: config.secure_cookie,
      crossSubdomain: config.cross_subdomain_cookie,
    })
  const openMain = () => open(mayStore() ? config.persistence : 'memory')
  const openTab = () => {
    const storage = mayStore() && config.persistence !== 'memory' ? storageOf('sessionStorage') : undefined
    // A name of its own where the main store is in session storage too.
    return storage
      ? webStorageBackend(storage, config.persistence === 'sessionStorage' ? `${name}_session` : name)
      : memoryBackend()
  }
  // What another configuration, or consent that was taken back, has left.
  if (!mayStore()) open(config.persistence).clear()

  const settings = () =>
    toJson([
      mayStore(),
      config.persistence,
      config.cookie_expiration,
      config.secure_cookie,
      config.cross_subdomain_cookie,
    ])
  let openedWith = settings()
  const store = createStore(openMain())
  const tabStore = createStore(openTab())
  return {
    prefix,
    store,
    tabStore,
    align: (): void => {
      if (settings() === openedWith) return
      openedWith = settings()
      store.moveTo(openMain())
      tabStore.moveTo(openTab())
    },
  }
}
