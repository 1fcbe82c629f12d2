import type { Outbox, OutboxInputs } from '../delivery/outbox'
import { COOKIELESS_ID } from '../lib/cookieless'
import { expected } from '../lib/expected'
import { guarded } from '../lib/guard'
import { isPlainObject } from '../lib/json'
import { createListeners } from '../lib/listeners'
import type { Log } from '../lib/log'
import { propertyText, serialize } from '../lib/serialize'
import { uuidv7 } from '../lib/uuid'
import { createIdentity, isIdentifier } from '../state/identity'
import type { RemoteRows } from '../state/remoteConfig'
import { createSession } from '../state/session'
import type { Config, Properties } from '../types'
import { openStores } from './openStores'
import type { Provided } from './provided'

export type Context = ReturnType<typeof createContext>

/** Creates the configuration and state that all parts of a client share. */
export const createContext = (
  config: Config,
  token: string,
  log: Log,
  provided: Provided,
  remoteRows: RemoteRows,
  createOutbox: (inputs: OutboxInputs) => Outbox,
) => {
  const { cookies } = provided
  const permissions = provided.createPermissions(config, token, cookies, provided.refusalCookie)
  const { isCookieless } = permissions
  const leaving = createListeners<[]>()
  let person = 0
  let personSince = 0
  const stores = openStores(token, config, cookies, permissions.mayStore, () => {
    leaving.emit()
    person += 1
    personSince = performance.now()
  })
  const { store, tabStore } = stores
  const newId = () => {
    const uuid = uuidv7()
    const id: unknown = guarded(() => config.get_device_id(uuid))
    if (typeof id === 'string' && isIdentifier(id)) return id
    log.error(expected('get_device_id', 'to return an id (string)', id, `Using ${uuid}`))
    return uuid
  }
  const identity = createIdentity(store, newId, config.bootstrap)
  const idleMs = () => Math.max(1, config.session_idle_timeout_seconds) * 1000
  const session = createSession(store, stores.tab, stores.tabKeys, idleMs)
  const attribution = provided.createAttribution(config, store, tabStore)
  if (session.wasEnded) attribution.endSession()
  const rewrite = propertyText(() => config.properties_string_max_length)
  const onMalformed = (what: string | string[]) =>
    log.warn(`Ignored malformed values in a response of api_host: ${String(what)}`)

  return {
    config,
    token,
    log,
    ...provided,
    createOutbox,
    ...permissions,
    ...stores,
    identity,
    session,
    idleMs,
    attribution,
    remote: provided.createRemoteConfig(store, remoteRows, onMalformed),
    /** Logs the names or the text of malformed values that the service sent. */
    onMalformed,
    /** Calls back before another person replaces the current one. Events captured meanwhile are the current person's. */
    onNextPerson: leaving.add,
    /** Number of the current person on this page, and the time at which it became the current one, ms of `performance.now`. */
    person: () => person,
    personSince: () => personSince,
    /** Returns the visitor's id as the service sees it. */
    distinctId: () => (isCookieless() ? COOKIELESS_ID : identity.distinctId()),
    deviceId: () => (isCookieless() ? undefined : identity.deviceId()),
    /** Returns the session's id. Starts a session if there is none. */
    sessionId: () => session.current() ?? session.touch().sessionId,
    /** Whether an event of this name creates or updates a person profile; without a name, whether any event does. */
    processesPerson: (event?: string) =>
      !isCookieless() &&
      (config.person_profiles === 'always' ||
        (config.person_profiles === 'identified_only' &&
          (event === '$identify' ||
            identity.isIdentified() ||
            !!store.get('$epp') ||
            !!store.get('__alias') ||
            Object.keys(store.get('$groups') ?? {}).length > 0))),
    /** Shortens strings that the site passed to `properties_string_max_length`. */
    rewrite,
    /**
     * Returns a copy of properties that the site passed, safe to store and to send. Logs an error and returns {} if
     * they are not an object.
     */
    toProperties: (value: unknown): Properties => {
      const copy = value === undefined || value === null ? {} : serialize(value, rewrite)
      if (isPlainObject(copy)) return copy
      log.error(expected('properties', 'object', value, 'They are ignored'))
      return {}
    },
  }
}
