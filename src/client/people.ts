import { expected } from '../lib/expected'
import type { Log } from '../lib/log'
import { toJson } from '../lib/json'
import { objectOf, pick } from '../lib/objects'
import { type Identity, isIdentifier } from '../state/identity'
import { isKey } from '../state/keys'
import type { Session } from '../state/session'
import { resetAt, type Store } from '../state/store'
import type { Bootstrap, CapturedEvent, CaptureOptions, Config, DroppedEvent, Properties } from '../types'
import { ALIAS_IS_IDENTITY, peopleOf, tracesOf } from './compatibility'

interface Rooms {
  processesPerson(): boolean
  config: Config
  store: Store
  tabStore: Store
  identity: Identity
  session: Session
  isOptedOut(): boolean
  isCookieless(): boolean
  capture(event: string, properties?: Properties, options?: CaptureOptions): CapturedEvent | undefined
  /** A copy of properties that the site passed, safe to store and to send. */
  toProperties(value: unknown): Properties
  onDrop(dropped: DroppedEvent): void
  flags: {
    becameAnother(anonymous?: string): void
    forget(bootstrap?: Bootstrap): void
    ask(): void
    api: {
      resetGroupPropertiesForFlags(type?: string): void
      setGroupPropertiesForFlags(properties: Record<string, Properties>): void
    }
  }
  /** The page is as if it had just been arrived at. */
  forgetArrival(): void
  log: Log
}

export interface ResetOptions {
  /** The device gets a new id too. */
  resetDeviceID?: boolean
  /** Who the visitor is now, and their flags, where that is known. */
  bootstrap?: Bootstrap
}

// The service refuses events of longer ids.
const MAX_ID_LENGTH = 1000

/**
 * An id that the site passed: numbers are ids too, and halves of surrogate pairs are replaced as they will be where the id is
 * stored, so that it stays equal to itself. Undefined for what cannot be an id.
 */
const toId = (value: unknown): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const id = String(value).replace(/\p{Cs}/gu, '\ufffd')
  return isIdentifier(id) && id.length <= MAX_ID_LENGTH ? id : undefined
}

/** Who the visitor is, whom they belong to, and what is known of them: calls that change it, and the events they make. */
export const createPeople = ({
  processesPerson,
  config,
  store,
  tabStore,
  identity,
  session,
  isOptedOut,
  isCookieless,
  capture,
  toProperties,
  onDrop,
  flags,
  forgetArrival,
  log,
}: Rooms) => {
  let lastSet = ''

  /** Whether persons may be processed at all; says so where not. */
  const mayProcess = (what: string): boolean => {
    adoptReset()
    if (config.person_profiles !== 'never' && !isCookieless()) return true
    log.warn(`${what} does nothing with ${isCookieless() ? 'cookieless_mode' : "person_profiles: 'never'"}`)
    return false
  }
  const processPerson = () => store.set({ $epp: true })
  const captureSet = ($set: Properties = {}, $set_once: Properties = {}) => capture('$set', { $set, $set_once })

  /** What setting these properties would say. The order of names does not matter. */
  const wordsOf = (...properties: Properties[]) =>
    toJson([identity.distinctId(), ...properties.map((each) => Object.entries(each).sort())])
  const setPersonProperties = (set?: Properties, setOnce?: Properties): void => {
    if ((!set && !setOnce) || !mayProcess('setPersonProperties')) return
    const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
    // Setting the same again within a page is not captured.
    const words = wordsOf($set, $set_once)
    if (words === lastSet) return
    processPerson()
    if (captureSet($set, $set_once)) lastSet = words
  }

  /** The id that `method` was called with. Logs one line where it is no id, or a number, which is used as a string. */
  const idOf = (method: string, value: unknown): string | undefined => {
    const id = toId(value)
    if (!id || typeof value !== 'string')
      log[id ? 'warn' : 'error'](
        expected(`${method}()`, 'an id (string)', value, id ? 'Using it as a string' : 'Nothing changed'),
      )
    return id
  }

  const identify = (id: unknown, set?: Properties, setOnce?: Properties): void => {
    const name = idOf('identify', id)
    if (!name || !mayProcess('identify')) return
    if (isOptedOut()) return onDrop({ event: '$identify', reason: 'opted_out' })

    const { was, change } = identity.become(name)
    processPerson()
    store.flush()
    if (change === 'same') setPersonProperties(set, setOnce)
    else if (change === 'confirmed') setPersonProperties(set ?? {}, setOnce)
    else if (change === 'switched') {
      log.warn('identify() with another id needs reset() first: this visit belongs to two persons now')
      flags.becameAnother()
    } else {
      flags.becameAnother(was)
      const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
      if (
        capture('$identify', { distinct_id: name, $anon_distinct_id: was }, { $set, $set_once, send_instantly: true })
      )
        lastSet = wordsOf($set, $set_once)
    }
  }

  let seenReset = resetAt(store.all())
  /** What this page holds of the person, beside the store, is forgotten. */
  const forgetVisit = (bootstrap?: Bootstrap) => {
    seenReset = resetAt(store.all())
    forget(tabStore, Object.keys(tabStore.all()))
    forgetArrival()
    lastSet = ''
    flags.forget(bootstrap)
  }
  const forget = (from: Store, names: string[]) => from.set(objectOf(names, () => undefined))
  /** Takes over what other tabs have stored, and forgets the person where one was reset. */
  const adoptReset = () => {
    store.sync()
    if (resetAt(store.all()) !== seenReset) forgetVisit()
  }

  return {
    adoptReset,
    identify,
    setPersonProperties,
    unsetPersonProperties: (names: string | string[]): void => {
      if (!mayProcess('unsetPersonProperties')) return
      lastSet = ''
      processPerson()
      const gone = [names].flat()
      store.set({
        $stored_person_properties: pick(
          store.get<Properties>('$stored_person_properties') ?? {},
          (name) => !gone.includes(name),
        ),
      })
      capture('$set', { $unset: gone })
    },
    createPersonProfile: (): void => {
      if (!mayProcess('createPersonProfile') || processesPerson()) return
      processPerson()
      captureSet()
    },
    alias: (given: unknown, of: unknown = identity.distinctId()): CapturedEvent | -1 | undefined => {
      const [alias, original] = [idOf('alias', given), idOf('alias', of)]
      if (!alias || !original || !mayProcess('alias')) return undefined
      if (alias === original) {
        log.warn('alias with the current id is identify')
        identify(alias)
        return ALIAS_IS_IDENTITY
      }
      store.set({ __alias: alias })
      processPerson()
      return capture('$create_alias', { alias, distinct_id: original })
    },
    setInternalOrTestUser: (): void => setPersonProperties({ $internal_or_test_user: true }),
    people: peopleOf(setPersonProperties),
    ...tracesOf(capture),
    group: (givenType: unknown, givenKey: unknown, properties?: Properties): void => {
      const [type, key] = [toId(givenType), toId(givenKey)]
      if (!type || !key) {
        log.error(expected('group()', 'a type and a key', [givenType, givenKey], 'Nothing changed'))
        return
      }
      if (!mayProcess('group')) return
      const groups = store.get<Record<string, string>>('$groups') ?? {}
      const isNew = groups[type] !== key
      store.set({ $groups: { ...groups, [type]: key } })
      processPerson()
      if (isNew) {
        flags.api.resetGroupPropertiesForFlags(type)
        flags.ask()
      }
      if (properties) flags.api.setGroupPropertiesForFlags({ [type]: properties })
      if (isNew || properties)
        capture('$groupidentify', {
          $group_type: type,
          $group_key: key,
          ...(properties ? { $group_set: properties } : {}),
        })
    },
    getGroups: (): Record<string, string> => store.get('$groups') ?? {},
    resetGroups: (): void => {
      store.set({ $groups: {} })
      flags.api.resetGroupPropertiesForFlags()
      flags.ask()
    },
    reset: (options: boolean | ResetOptions = {}): void => {
      const { resetDeviceID, bootstrap = {} }: ResetOptions =
        typeof options === 'object' ? options : { resetDeviceID: options }
      adoptReset()
      forget(
        store,
        Object.keys(store.all()).filter((name) => !isKey(name, 'browser')),
      )
      session.end()
      identity.renew(resetDeviceID === true, bootstrap)
      // Later than the one before, also where the clock was set back since.
      store.set({ $last_posthog_reset: new Date(Math.max(Date.now(), resetAt(store.all()) + 1)).toISOString() })
      store.flush()
      forgetVisit(bootstrap)
    },
  }
}
