import Cookies from 'js-cookie'
import { onPageRestored } from '../../browser/pageExit'
import { createSignal, listen } from '../../browser/signal'
import type { KeyValueStorage } from '../../browser/storage'
import { attempt } from '../../lib/guard'
import { has, pick } from '../../lib/objects'
import { oncePerTask } from '../../lib/oncePerTask'
import { uuidv7 } from '../../lib/uuid'
import type { Properties } from '../../types'
import { isKey } from '../keys'
import type { Backend } from './backend'
import { textBackend } from './textBackend'

export interface CookieOptions {
  /** Days; 0: until the browser closes. */
  days: number
  secure: boolean
  crossSubdomain: boolean
}

/** Whether an element named `cookie` hides the property, so that js-cookie can neither read nor set cookies. */
const isHidden = () => has(document, 'cookie') && typeof document.cookie !== 'string'
// Through the prototype, where no element hides it.
const readCookies = () => Reflect.get<Document, 'cookie'>(Document.prototype, 'cookie', document)
const writeCookie = (cookie: string) => void Reflect.set(Document.prototype, 'cookie', cookie, document)

let widest: string | undefined

/**
 * Returns the widest domain that this page may set a cookie for; '' for the host alone. It tries each, because only the
 * browser has the list of public suffixes.
 */
const findWidestDomain = (): string => {
  const host = location.hostname
  const labels = host.split('.').slice(-8)
  // Cookies of an IP address or a single name (localhost) have no domain.
  if (labels.length < 2 || /^[\d.]+$|:/.test(host)) return ''
  const probe = `dmn_chk_${uuidv7()}`
  for (let from = labels.length - 1; from >= 0; from--) {
    const domain = `.${labels.slice(from).join('.')}`
    writeCookie(`${probe}=1;domain=${domain};path=/;max-age=3`)
    if (!readCookies().includes(probe)) continue
    writeCookie(`${probe}=;domain=${domain};path=/;max-age=0`)
    return domain
  }
  return ''
}

const decode = (text: string) => text.replace(/^"|"$/g, '').replace(/(%[\da-f]{2})+/gi, decodeURIComponent)

/**
 * Returns the cookies by name, decoded like js-cookie, whose `get` would read `document.cookie` again. If two have one
 * name, the one with the longer path wins, which comes first. A cookie that cannot be decoded is left out.
 */
const parse = (text: string): Record<string, string> => {
  const pairs = text
    .split('; ')
    .reverse()
    .flatMap((cookie) => attempt(() => [cookie.split(/=(.*)/).map(decode)]) ?? [])
  return Object.fromEntries(pairs as [string, string][])
}

// Maximum age of cookies while the browser reports changes, in case it does not report one.
const MAX_AGE_MS = 5000

let text: string
let cookies: Record<string, string> = {}
let readAt = -Infinity
/** Whether the browser reports changes of cookies. */
let isWatched = false
// Each read is a call to another process of the browser. Decoded again only if a cookie has changed.
const current = oncePerTask(() => {
  const read = readCookies()
  if (text !== read) cookies = parse(read)
  text = read
  readAt = performance.now()
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

/**
 * Cookies as a storage that never throws. A sandboxed frame may not read or set them, and workers have none. `isCopy`: local
 * storage has the values too, where tabs of the same host find changes at once. Then cookies are read again only after a
 * change that the browser reports.
 */
export const cookieStorage = ({ days, secure, crossSubdomain }: CookieOptions, isCopy = false): KeyValueStorage => {
  // The page may have set one in this task.
  renew()
  const read = () => (isCopy && isWatched && performance.now() - readAt < MAX_AGE_MS ? cookies : current())
  const getItem = (name: string): string | null => attempt(() => read()[name]) ?? null
  const set = (name: string, value: string, domain: string, expires: number | undefined) => {
    renew()
    if (!isHidden()) return Cookies.set(name, value, { domain, expires, sameSite: 'Lax', secure })
    // Browsers ignore empty attributes. https://www.rfc-editor.org/rfc/rfc6265#section-5.2
    const parts = [
      `${name}=${encodeURIComponent(value)};path=/;samesite=Lax`,
      domain && `domain=${domain}`,
      expires && `max-age=${expires * 86_400}`,
      secure ? 'secure' : '',
    ]
    return writeCookie(parts.join(';'))
  }
  const domain = () => (crossSubdomain ? (widest ??= findWidestDomain()) : '')
  return {
    getItem,
    setItem: (name, value) => {
      const before = getItem(name)
      attempt(() => set(name, value, domain(), days || undefined))
      // The browser rejects a cookie without an error, for example if it is too large. Any other text is another tab's later write.
      const after = getItem(name)
      return after === value || (after !== null && after !== before)
    },
    removeItem: (name) => {
      // Cookies of different domains are different cookies, so both are removed.
      if (getItem(name) !== null) attempt(() => [domain(), ''].forEach((each) => set(name, '', each, -1)))
    },
  }
}

/**
 * Stores the values in one cookie. Browsers reject one over 4 kB: then the cookie has the ids, and all other values stay
 * in memory.
 */
export const cookieBackend = (name: string, options: CookieOptions, isCopy = false): Backend => {
  const cookie = textBackend(cookieStorage(options, isCopy), name)
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
      rest = values
      return cookie.write(pick(values, (name) => isKey(name, 'cookie')))
    },
  }
}
