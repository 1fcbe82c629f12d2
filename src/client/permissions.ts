import { anonymize } from '../pipeline/stages/anonymize'
import type { Stage } from '../pipeline/stage'
import { asksNotToBeTracked } from '../browser/page'
import { storageOf } from '../browser/storage'
import type { Cookies } from '../state/backends/cookie'
import { type Consent, createConsent, type Place, strongest } from '../state/consent'
import type { Config } from '../types'
import { consentName } from './consentName'
import { cookieOptions } from './openStores'

/** Permissions by consent, options and browser settings. Evaluated at each call, because all of them change. */
export interface Permissions {
  consent: Consent
  /** Whether events are captured without an id of the visitor (docs/reference/protocol.md#8.7). */
  isCookieless(): boolean
  /** Whether nothing is captured. */
  isOptedOut(): boolean
  /** Whether anything may be stored in the browser. */
  mayStore(): boolean
  /** Removes what identifies the visitor, if events are captured without an id. */
  anonymize: Stage
}

export const createPermissions = (
  config: Config,
  token: string,
  cookies: Cookies | undefined,
  refusalCookie: (() => Place) | undefined,
): Permissions => {
  const local = storageOf('localStorage')
  const isCookieFirst = config.opt_out_capturing_persistence_type === 'cookie'
  const places = [
    local ?? [],
    cookies?.storage(cookieOptions(config), strongest, !!local && !isCookieFirst) ?? refusalCookie?.() ?? [],
  ].flat()
  const consent = createConsent(
    consentName(config, token),
    isCookieFirst ? places.reverse() : places,
    () => config.opt_out_capturing_by_default || config.cookieless_mode === 'on_reject',
    () => config.respect_dnt && asksNotToBeTracked(),
  )
  const isCookieless = () => {
    if (config.cookieless_mode !== 'on_reject') return config.cookieless_mode === 'always'
    // Without a decision, only if an option treats that as a denial.
    return consent.explicit() === 'denied' || (config.opt_out_capturing_by_default && consent.isOptedOut())
  }
  const waitsForConsent = () => config.opt_out_persistence_by_default || config.cookieless_mode === 'on_reject'
  return {
    consent,
    isCookieless,
    anonymize: anonymize(isCookieless),
    isOptedOut: () => !isCookieless() && consent.isOptedOut(),
    mayStore: () =>
      !config.disable_persistence && !isCookieless() && !(waitsForConsent() && consent.explicit() !== 'granted'),
  }
}
