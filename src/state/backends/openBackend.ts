import { hasPage } from '../../browser/page'
import { storageOf, type KeyValueStorage } from '../../browser/storage'
import type { PersistenceKind } from '../../types'
import type { Backend } from './backend'
import type { CookieOptions, Cookies } from './cookie'
import { memoryBackend } from './memory'
import { textBackend } from './textBackend'

const PROBE = '__trailmark__'

/** Whether `storage` can be used: it has the entry already, or accepts a new one. */
const isUsable = (storage: KeyValueStorage, name: string): boolean => {
  if (storage.getItem(name) !== null) return true
  const isStored = storage.setItem(PROBE, PROBE)
  storage.removeItem(PROBE)
  return isStored
}

/** Returns the backend that `persistence` selects, or the nearest that the page allows; memory if none is. */
export const openBackend = (
  kind: PersistenceKind,
  name: string,
  options: CookieOptions,
  cookies: Cookies | undefined,
): Backend => {
  if (kind === 'memory') return memoryBackend()
  const storage = storageOf(kind === 'sessionStorage' ? kind : 'localStorage')
  const backend = storage && isUsable(storage, name) && textBackend(storage, name)
  // A worker has no cookies.
  if (!hasPage() || !cookies) return backend || memoryBackend()
  if (!backend || kind === 'cookie') return cookies.backend(name, options)
  return kind === 'localStorage+cookie' ? cookies.besides(backend, name, options) : backend
}
