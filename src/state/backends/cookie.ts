import { elapsed } from '../../lib/elapsed'
import Cookies from 'js-cookie'
import { onPageRestored } from '../../browser/pageExit'
import { createSignal, listen } from '../../browser/signal'
import type { KeyValueStorage } from '../../browser/storage'
import { attempt } from '../../lib/guard'
import { oncePerTask } from '../../lib/oncePerTask'
import { uuidv7 } from '../../lib/uuid'
import type { Properties } from '../../types'
import { idsOf } from '../keys'
import { newest } from '../newest'
import type { Backend } from './backend'
import { bothBackends } from './both'
import { domains, readCookies, writeCookie } from './cookieText'
import { textBackend } from './textBackend'

export interface CookieOptions {
  /** Lifetime in days; 0 if the cookie ends with the browser session. */
  days: number
  secure: boolean
  crossSubdomain: boolean
}

/** Returns every path that a cookie of this page can have, `/` first. */
const paths = (): string[] =>
  location.pathname.split('/').flatMap((_, index, names) => {
    const path = names.slice(0, index + 1).join('/')
    // Browsers ignore a longer path and use the page's path. https://www.rfc-editor.org/rfc/rfc6265bis
    return path.length < 1000 ? [path || '/', `${path}/`] : []
  })

let widest: string | undefined

/** Returns the widest domain that this page may set a cookie for. Tries each, because only the browser has the list of public suffixes. */
const findWidestDomain = (): string => {
  const probe = `dmn_chk_${uuidv7()}`
  const isAccepted = (domain: string) => {
    writeCookie(`${probe}=1;domain=${domain};path=/;max-age=3`)
    if (!readCookies().includes(probe)) return false
    writeCookie(`${probe}=;domain=${domain};path=/;max-age=0`)
    return true
  }
  return domains().find((domain) => !domain || isAccepted(domain))!
}

const decode = (text: string) => text.replace(/^"|"$/g, '').replace(/(%[\da-f]{2})+/gi, decodeURIComponent)

/**
 * Returns the values of each name, decoded like js-cookie, whose `get` would read `document.cookie` again and returns the
 * first only. A cookie that cannot be decoded is left out.
 */
const parse = (text: string): Map<string, string[]> => {
  const found = new Map<string, string[]>()
  for (const cookie of text.split('; '))
    attempt(() => {
      const [name, value] = cookie.split(/=(.*)/).map(decode)
      if (value !== undefined) found.set(name!, [...(found.get(name!) ?? []), value])
    })
  return found
}

// Maximum age of cookies while the browser reports changes, in case it does not report one.
const MAX_AGE_MS = 5000

let text: string
let cookies = new Map<string, string[]>()
let readAt = -Infinity
/** Whether the browser reports changes of cookies. */
let isWatched = false
// Each read is a call to another process of the browser. Decoded again only if a cookie has changed.
const current = oncePerTask(() => {
  const read = readCookies()
  if (text !== read) cookies = parse(read)
  text = read
  readAt = elapsed()
  return cookies
})
const renew = () => {
  current.renew()
  readAt = -Infinity
}

/**
 * Fires when another tab or the page has changed a cookie. Never fires in browsers without the Cookie Store API, and on
 * pages that are not secure: there, cookies are read in each task that needs one.
 */
export const onCookieChange = createSignal<void>((emit) => {
  const { cookieStore } = self as { cookieStore?: EventTarget }
  const check = () => {
    const known = text
    renew()
    attempt(current)
    // The browser also reports what the SDK has set.
    if (text !== known) emit()
  }
  isWatched = !!cookieStore
  // A page in the back/forward cache receives no reports.
  const stops = [listen(cookieStore, ['change'], check), onPageRestored(check)]
  return () => {
    isWatched = false
    stops.forEach((stop) => stop())
  }
})

/** Cookies of one name. Browsers keep one for each domain and path, and do not tell a script which is which. */
export interface CookieStorage extends KeyValueStorage {
  /** Returns the values of all cookies of this name that the page can see. */
  getItems(name: string): readonly string[]
}

/**
 * Cookies as a storage that never throws. A sandboxed frame may not read or set them, and workers have none. `choose` returns
 * which of several values is valid. The first read stores that one where the options say, and removes the others. `isCopy`: local
 * storage has the values too, where tabs of the same host find changes at once. Then cookies are read again only after a
 * change that the browser reports.
 */
export const cookieStorage = (
  options: CookieOptions,
  choose: (values: readonly string[]) => string,
  isCopy = false,
): CookieStorage => {
  // The page may have set one in this task.
  renew()
  let isOpened = false
  const read = () => (isCopy && isWatched && elapsed() - readAt < MAX_AGE_MS ? cookies : current())
  const valuesOf = (name: string): readonly string[] => attempt(() => read().get(name)) ?? []
  const set = (name: string, value: string, attributes: Cookies.CookieAttributes) => {
    renew()
    return Cookies.set(name, value, { sameSite: 'Lax', ...attributes })
  }
  /** Removes all cookies of this name but the one that `setAt` has set at `kept`. */
  const remove = (name: string, kept?: string) => {
    for (const path of paths()) {
      for (const domain of domains())
        if (path !== '/' || domain !== kept)
          // A page that is not secure may not use the attribute, and some names require it.
          attempt(() => set(name, '', { path, domain, expires: -1, secure: location.protocol === 'https:' }))
      // Most cookies are at `/`.
      if (valuesOf(name).length < (kept === undefined ? 1 : 2)) return
    }
  }
  /** Sets the cookie for a domain. Removes the others if there were some and this is one more. */
  const setAt = (domain: string, name: string, value: string): boolean => {
    const before = valuesOf(name)
    attempt(() => set(name, value, { path: '/', domain, expires: options.days || undefined, secure: options.secure }))
    const after = valuesOf(name)
    if (before.length && after.length > before.length) remove(name, domain)
    // The browser rejects a cookie without an error, for example if it is too large. Any other text is another tab's later write.
    return after.includes(value) || (after.length > 0 && String(after) !== String(before))
  }
  /** Sets the cookie for the domain of the options, or a narrower one if the server has one there that scripts cannot replace. */
  const put = (name: string, value: string): boolean => {
    const all = attempt(domains) ?? []
    const from = options.crossSubdomain ? all.indexOf((widest ??= attempt(findWidestDomain) ?? '')) : -1
    return all.slice(from).some((domain) => setAt(domain, name, value))
  }
  const getItems = (name: string) => {
    const values = valuesOf(name)
    if (isOpened) return values
    isOpened = true
    if (values.length < 2) return values
    const valid = choose(values)
    // Removes all, because the browser may refuse to replace the cookie at this domain and path.
    remove(name)
    put(name, valid)
    return [valid]
  }
  return {
    getItems,
    getItem: (name) => {
      const values = getItems(name)
      return values.length > 1 ? choose(values) : (values[0] ?? null)
    },
    setItem: put,
    removeItem: (name) => {
      if (valuesOf(name).length) remove(name)
    },
  }
}

/**
 * Stores the values in one cookie. Browsers reject one over 4 kB: then the cookie has the ids, and all other values stay
 * in memory.
 */
export const cookieBackend = (name: string, options: CookieOptions, isCopy = false): Backend => {
  const cookie = textBackend(cookieStorage(options, newest, isCopy), name)
  let rest: Properties = {}
  return {
    ...cookie,
    read: (missing) => {
      const stored = cookie.read()
      // Values that did not fit belong to the person they were written with.
      const isOurs = stored?.$last_posthog_reset === rest.$last_posthog_reset
      return stored ? { ...(isOurs ? rest : {}), ...stored } : missing
    },
    write: (values) => {
      rest = {}
      if (cookie.write(values)) return true
      const isStored = cookie.write(idsOf(values))
      // If the ids were not stored, the values would be mixed with the ids of an earlier visitor.
      if (isStored) rest = values
      return isStored
    },
  }
}

/** Cookies as the rest of the SDK uses them. A build without them stores everything in local storage. */
export const COOKIES = {
  storage: cookieStorage,
  backend: cookieBackend,
  /** Stores everything in `local`, and the ids in a cookie too. */
  besides: (local: Backend, name: string, options: CookieOptions): Backend =>
    bothBackends(cookieBackend(name, options, true), local),
  onChange: onCookieChange,
}

export type Cookies = typeof COOKIES
