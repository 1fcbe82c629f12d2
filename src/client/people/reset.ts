import { expected } from '../../lib/expected'
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

/** Creates `reset`, and `adoptReset`, which applies a reset from another tab. */
export const createReset = (
  { log, store, tabStore, session, identity, attribution }: Context,
  onReset: (bootstrap?: Bootstrap) => void,
) => {
  const latest = () => resetAt(store.all())
  let seen = latest()
  /** Clears what this page knows about the person outside the store. */
  const forgetVisit = (bootstrap?: Bootstrap) => {
    seen = latest()
    forget(tabStore)
    attribution.forget()
    onReset(bootstrap)
  }
  /** Applies what other tabs have stored. Clears the person if one of them was reset. */
  const adoptReset = (): void => {
    store.sync()
    if (latest() !== seen) forgetVisit()
  }
  return {
    adoptReset,
    reset: (options: boolean | ResetOptions = {}): void => {
      // Copied first: a value that throws must not end a reset halfway.
      const copy = serialize(options)
      const { resetDeviceID, bootstrap } = isPlainObject(copy) ? copy : { resetDeviceID: copy, bootstrap: undefined }
      const isValid = isPlainObject(bootstrap)
      if (bootstrap && !isValid) log.error(expected('bootstrap', 'object', bootstrap, 'It is ignored'))
      const next: Bootstrap = isValid ? bootstrap : {}
      adoptReset()
      forget(store, (name) => !isKey(name, 'browser'))
      session.end()
      identity.renew(resetDeviceID === true, next)
      // Later than the previous reset, even if the clock was set back.
      store.set({ $last_posthog_reset: new Date(Math.max(Date.now(), latest() + 1)).toISOString() })
      store.flush()
      forgetVisit(next)
    },
  }
}
