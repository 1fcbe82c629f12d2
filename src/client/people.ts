import type { Log } from '../lib/log'
import { toJson } from '../lib/json'
import { objectOf, pick } from '../lib/objects'
import { type Identity, isIdentifier } from '../state/identity'
import { isKey } from '../state/keys'
import type { Session } from '../state/session'
import type { Store } from '../state/store'
import type { Bootstrap, CapturedEvent, CaptureOptions, Config, DroppedEvent, Properties } from '../types'
import { ALIAS_IS_IDENTITY, peopleOf, tracesOf } from './compatibility'

interface Rooms {
  config: Config
  store: Store
  tabStore: Store
  identity: Identity
  session: Session
  isOptedOut(): boolean
  isCookieless(): boolean
  capture(event: string, properties?: Properties, options?: CaptureOptions): CapturedEvent | undefined
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

/** Who the visitor is, whom they belong to, and what is known of them: calls that change it, and the events they make. */
export const createPeople = ({
  config,
  store,
  tabStore,
  identity,
  session,
  isOptedOut,
  isCookieless,
  capture,
  onDrop,
  flags,
  forgetArrival,
  log,
}: Rooms) => {
  let lastSet = ''

  /** Whether persons may be processed at all; says so where not. */
  const mayProcess = (what: string): boolean => {
    if (config.person_profiles !== 'never' && !isCookieless()) return true
    log.warn(
      `${what} does nothing ${isCookieless() ? 'without cookies (cookieless_mode)' : "with person_profiles: 'never'"}`,
    )
    return false
  }
  const processPerson = () => store.set({ $epp: true })

  const setPersonProperties = (set?: Properties, setOnce?: Properties): void => {
    if ((!set && !setOnce) || !mayProcess('setPersonProperties')) return
    // The same again within a page tells nothing; the order of names does not matter.
    const words = toJson([identity.distinctId(), ...[set, setOnce].map((each) => each && Object.entries(each).sort())])
    if (words === lastSet) return
    processPerson()
    if (!capture('$set', { $set: set ?? {}, $set_once: setOnce ?? {} })) return
    lastSet = words
  }

  const identify = (id: unknown, set?: Properties, setOnce?: Properties): void => {
    if (typeof id === 'number') log.warn(`identify takes text; the number ${id} is taken as '${id}'`)
    const name = typeof id === 'number' ? String(id) : id
    if (typeof name !== 'string' || !isIdentifier(name)) {
      log.error(`identify takes the id of a person, not ${JSON.stringify(name) ?? typeof name}; nothing changed`)
      return
    }
    if (!mayProcess('identify')) return
    if (isOptedOut()) return onDrop({ event: '$identify', reason: 'opted_out' })

    const { was, change } = identity.become(name)
    processPerson()
    store.flush()
    if (change === 'same') {
      setPersonProperties(set, setOnce)
      return
    }
    if (change === 'switched')
      log.warn('identify with another id needs reset() before it: this visit belongs to two persons now')
    if (change !== 'confirmed') flags.becameAnother(change === 'identified' ? was : undefined)
    if (change === 'identified')
      capture(
        '$identify',
        { distinct_id: name, $anon_distinct_id: was },
        { $set: set ?? {}, $set_once: setOnce ?? {}, send_instantly: true },
      )
    if (change === 'confirmed') capture('$set', { $set: set ?? {}, $set_once: setOnce ?? {} })
  }

  return {
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
      if (!mayProcess('createPersonProfile') || store.get('$epp')) return
      processPerson()
      capture('$set', { $set: {}, $set_once: {} })
    },
    alias: (alias: string, original: string = identity.distinctId()): CapturedEvent | -1 | undefined => {
      if (!mayProcess('alias')) return undefined
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
    group: (type: string, key: string, properties?: Properties): void => {
      if (!type || !key) {
        log.error('group takes a type and a key; nothing changed')
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
      const forget = (from: Store, names: string[]) => from.set(objectOf(names, () => undefined))
      forget(
        store,
        Object.keys(store.all()).filter((name) => !isKey(name, 'browser')),
      )
      forget(tabStore, Object.keys(tabStore.all()))
      forgetArrival()
      lastSet = ''
      session.end()
      identity.renew(resetDeviceID === true, bootstrap.distinctID)
      flags.forget(bootstrap)
      store.set({ $last_posthog_reset: new Date().toISOString() })
      store.flush()
    },
  }
}
