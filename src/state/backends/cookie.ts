import Cookies from 'js-cookie'
import { toJson } from '../../lib/json'
import { uuidv7 } from '../../lib/uuid'
import { type Backend, parseObject } from './backend'

export interface CookieOptions {
  /** 0: until the browser closes. */
  days: number
  secure: boolean
  crossSubdomain: boolean
}

/** The text of a cookie; undefined also where the page may have none, as in a sandboxed frame. */
export const readCookie = (name: string): string | undefined => {
  try {
    return Cookies.get(name)
  } catch {
    return undefined
  }
}

let widest: string | undefined

/**
 * The widest domain that this page may set a cookie for; '' for the host alone. Found by trying, since which suffixes
 * are public is a list of 10,000 that only the browser has.
 */
const widestDomain = (): string => {
  if (widest !== undefined) return widest
  const host = location.hostname
  const labels = host.split('.').slice(-8)
  // An address or a single name (localhost) takes no domain.
  if (labels.length < 2 || /^[\d.]+$|:/.test(host)) return (widest = '')
  const probe = `dmn_chk_${uuidv7()}`
  for (let from = labels.length - 1; from >= 0; from--) {
    const domain = `.${labels.slice(from).join('.')}`
    document.cookie = `${probe}=1;domain=${domain};path=/;max-age=3`
    if (!document.cookie.includes(probe)) continue
    document.cookie = `${probe}=;domain=${domain};path=/;max-age=0`
    return (widest = domain)
  }
  return (widest = '')
}

/** A cookie of its own, its value JSON. */
export const cookieBackend = (name: string, { days, secure, crossSubdomain }: CookieOptions): Backend => {
  const domain = crossSubdomain ? widestDomain() : ''
  const place = { path: '/', domain }
  let written: string | undefined
  return {
    read: () => parseObject(readCookie(name)),
    write: (values) => {
      const text = toJson(values)
      if (text === written) return true
      try {
        Cookies.set(name, text, { ...place, expires: days || undefined, sameSite: 'Lax', secure })
      } catch {
        // A page may have frozen what js-cookie builds on.
        return false
      }
      // A cookie that is too large, or not wanted, is refused without a word.
      const kept = readCookie(name) === text
      written = kept ? text : undefined
      return kept
    },
    clear: () => {
      written = undefined
      // A cookie is told apart by its domain: both that may be there go.
      try {
        Cookies.remove(name, place)
        Cookies.remove(name, { path: '/' })
      } catch {
        // No cookies, nothing to clear.
      }
    },
  }
}
