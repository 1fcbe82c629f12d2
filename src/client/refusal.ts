import { hasPage } from '../browser/page'
import { storageOf } from '../browser/storage'
import { attempt } from '../lib/attempt'
import { readCookies } from '../state/backends/cookieText'
import type { Config } from '../types'
import { consentName } from './consentName'
import type { Permissions } from './permissions'

const nothing = () => {}

/**
 * Returns the permissions of a build without consent. Everything is allowed, unless the visitor has refused in another
 * build or version, or an option demands consent.
 */
export const obeyRefusal = (config: Config, token: string): Permissions => {
  const name = consentName(config, token)
  const cookies = (hasPage() && attempt(readCookies)) || ''
  const stored = [
    storageOf('localStorage')?.getItem(name),
    ...cookies.split('; ').map((each) => each.split(`${name}=`)[1]),
  ]
  const isRefused = stored.some((text) => /^(0|false|no)$/i.test(text ?? ''))
  const isOptedOut = () =>
    isRefused || !!(config.opt_out_capturing_by_default || config.cookieless_mode || config.respect_dnt)
  return {
    consent: {
      explicit: () => (isOptedOut() ? 'denied' : 'pending'),
      isOptedOut,
      decide: nothing,
      renew: nothing,
      keep: nothing,
    },
    isCookieless: () => false,
    isOptedOut,
    mayStore: () => !config.disable_persistence && !isOptedOut() && !config.opt_out_persistence_by_default,
    anonymize: (event) => event,
  }
}
