import { expected } from '../../lib/expected'
import { isoTime } from '../../lib/isoTime'
import { isPlainObject } from '../../lib/json'
import { objectOf } from '../../lib/objects'
import { serialize } from '../../lib/serialize'
import { isKey } from '../../state/keys'
import { resetAt } from '../../state/newest'
import type { Store } from '../../state/store'
import type { Bootstrap } from '../../types'
import type { Context } from '../createContext'

export interface ResetOptions {
  /** Whether the device gets a new id too. */
  resetDeviceID?: boolean
  /** The next visitor's identity and flags, if they are known. */
  bootstrap?: Bootstrap
}

const forget = (store: Store, isPersonal: (name: string) => boolean = () => true) =>
  store.set(objectOf(Object.keys(store.all()).filter(isPersonal), () => undefined))

/**
 * Creates `reset`; `applyReset`, which applies what another tab has stored; and `forgetVisit`, which clears what the page
 * knows about the previous person.
 */
export const createReset = (
  { log, store, tabStore, session, identity, attribution, person }: Context,
  onReset: (bootstrap?: Bootstrap) => void,
) => {
  let seen = person()
  /** Clears what this page knows about the person outside the store. */
  const forgetVisit = (bootstrap?: Bootstrap) => {
    seen = person()
    forget(tabStore)
    attribution.forget()
    onReset(bootstrap)
  }
  /** Applies what other tabs have stored, and clears the previous person if it is another person's. */
  const applyReset = (): void => {
    store.sync()
    if (person() !== seen) forgetVisit()
  }
  return {
    applyReset,
    forgetVisit,
    reset: (options: boolean | ResetOptions = {}): void => {
      // Copied first: a value that throws must not end a reset halfway.
      const copy = serialize(options)
      const { resetDeviceID, bootstrap } = isPlainObject(copy) ? copy : { resetDeviceID: copy, bootstrap: undefined }
      const isValid = isPlainObject(bootstrap)
      if (bootstrap && !isValid) log.error(expected('bootstrap', 'object', bootstrap, 'It is ignored'))
      const next: Bootstrap = isValid ? bootstrap : {}
      applyReset()
      forget(store, (name) => !isKey(name, 'browser'))
      session.end()
      identity.renew(resetDeviceID === true, next)
      // Later than the previous reset, even if the clock was set back.
      store.set({ $last_posthog_reset: isoTime(new Date(Math.max(Date.now(), resetAt(store.all()) + 1))) })
      store.flush()
      forgetVisit(next)
    },
  }
}
