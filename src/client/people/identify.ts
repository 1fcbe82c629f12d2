import { expected } from '../../lib/expected'
import { objectOf } from '../../lib/objects'
import { isIdentifier } from '../../state/identity'
import { KEYS } from '../../state/keys'
import type { CapturedEvent, Properties } from '../../types'
import { ALIAS_IS_IDENTITY } from '../compatibility'
import type { Client } from '../feature'
import type { Context } from '../createContext'
import type { Ledger } from '../ledger'
import type { PersonProperties } from './personProperties'

// Stored values about a person, besides ids, groups and super properties.
const FACTS = [
  ...Object.keys(KEYS).filter((name) => !/rides|cookie|browser/.test(KEYS[name as keyof typeof KEYS])),
  '$surveys_activated',
]

// The service rejects events with longer ids.
const MAX_ID_LENGTH = 1000

/**
 * Returns an id from the site as a string, or undefined if it is not valid. Numbers are valid. Replaces lone
 * surrogates, as storage does, so that the id equals its stored copy.
 */
export const toId = (value: unknown): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const id = String(value).replace(/\p{Cs}/gu, '\ufffd')
  return isIdentifier(id) && id.length <= MAX_ID_LENGTH ? id : undefined
}

interface IdentityHooks {
  /** Called when an anonymous visitor was identified. */
  onIdChange(anonymousId: string): void
  /** Called when an identified visitor has become another person. */
  onSwitch(): void
}

/** `identify` and `alias`. */
export const identityApi = (
  { log, store, identity, isOptedOut, session }: Context,
  ledger: Ledger,
  capture: Client['capture'],
  mayProcess: (method: string) => boolean,
  { processPerson, captureIdentify, api: { setPersonProperties } }: PersonProperties,
  { onIdChange, onSwitch }: IdentityHooks,
) => {
  /** The anonymous id that the last `$identify` has linked. */
  let linked: string | undefined
  ledger.on('eventDropped', ({ event, uuid, reason }) => {
    if (event === '$identify' && uuid && reason === 'opted_out') store.set({ $unlinked_id: linked })
  })
  const link = (was: string, set?: Properties, setOnce?: Properties) => {
    linked = was
    captureIdentify({ distinct_id: identity.distinctId(), $anon_distinct_id: was }, set, setOnce)
  }
  /** Returns the id that `method` was called with. Logs one line if it is not an id, or is a number. */
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
    if (isOptedOut()) return ledger.dropped({ event: '$identify', reason: 'opted_out' })

    const { was, change } = identity.become(name)
    processPerson()
    if (change === 'switched') {
      log.warn('identify() with another id needs reset() first: groups and super properties stay')
      store.set(objectOf(FACTS, () => undefined))
      session.end()
    }
    store.flush()
    if (change === 'same') setPersonProperties(set, setOnce)
    else if (change === 'confirmed') setPersonProperties(set ?? {}, setOnce)
    else if (change === 'switched') {
      onSwitch()
      setPersonProperties(set, setOnce)
    } else {
      onIdChange(was)
      link(was, set, setOnce)
    }
  }
  const api = {
    identify,
    alias: (newId: unknown, of: unknown = identity.distinctId()): CapturedEvent | -1 | undefined => {
      const [alias, original] = [idOf('alias', newId), idOf('alias', of)]
      if (!alias || !original || !mayProcess('alias')) return undefined
      if (alias === original) {
        log.warn('alias with the current id acts as identify')
        identify(alias)
        return ALIAS_IS_IDENTITY
      }
      store.set({ __alias: alias })
      processPerson()
      return capture('$create_alias', { alias, distinct_id: original })
    },
  }
  return {
    api,
    hooks: {
      /** Links the ids again, if the event that did was dropped because the visitor opted out. */
      onOptIn: (): void => {
        const was = store.get<string>('$unlinked_id')
        if (!was) return
        store.set({ $unlinked_id: undefined })
        link(was)
      },
    },
  }
}
