import { hasPage } from '../../browser/page'
import { attempt } from '../../lib/guard'
import type { Place } from '../consent'
import { domains, readCookies, writeCookie } from './cookieText'

/**
 * Consent cookies for a build that stores none: another build or configuration may have stored a refusal there. Read once, and
 * removed when the visitor makes a new decision.
 */
export const refusalCookie = (): Place => {
  let text = (hasPage() && attempt(readCookies)) || ''
  const valuesOf = (name: string) =>
    text.split('; ').flatMap((cookie) => (cookie.startsWith(`${name}=`) ? cookie.slice(name.length + 1) : []))
  return {
    getItems: valuesOf,
    getItem: (name) => valuesOf(name)[0] ?? null,
    setItem: () => false,
    removeItem: (name) => {
      if (!valuesOf(name).length) return
      for (const domain of domains()) attempt(() => writeCookie(`${name}=;domain=${domain};path=/;max-age=0`))
      text = ''
    },
  }
}
