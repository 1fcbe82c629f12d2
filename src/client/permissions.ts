import { asksNotToBeTracked } from '../browser/page'
import { storageOf } from '../browser/storage'
import { readCookie } from '../state/backends/cookie'
import { type Consent, createConsent } from '../state/consent'
import type { Config } from '../types'

/** What the visitor and the site together allow. Asked each time: options, consent and the browser's wishes change. */
export interface Permissions {
  consent: Consent
  /** Under which name the visitor's word is kept. */
  consentName: string
  /** Events are captured, but without anything that tells one visitor from another (protocol.md §8.7). */
  isCookieless(): boolean
  /** Nothing is captured. */
  isOptedOut(): boolean
  /** Whether anything may be kept in the browser. */
  mayStore(): boolean
}

export const createPermissions = (config: Config, token: string): Permissions => {
  const consentName = config.consent_persistence_name || `__ph_opt_in_out_${token}`
  const consent = createConsent(
    consentName,
    storageOf('localStorage'),
    readCookie,
    () => config.opt_out_capturing_by_default || config.cookieless_mode === 'on_reject',
    () => config.respect_dnt && asksNotToBeTracked(),
  )
  const isCookieless = () =>
    config.cookieless_mode === 'always' || (config.cookieless_mode === 'on_reject' && consent.explicit() === 'denied')
  const isOptedOut = () => !isCookieless() && consent.isOptedOut()
  const waitsForConsent = () => config.opt_out_persistence_by_default || config.cookieless_mode === 'on_reject'
  return {
    consent,
    consentName,
    isCookieless,
    isOptedOut,
    mayStore: () =>
      !config.disable_persistence && !isCookieless() && !(waitsForConsent() && consent.explicit() !== 'granted'),
  }
}
