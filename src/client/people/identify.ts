import { expected } from '../../lib/expected'
import { isIdentifier } from '../../state/identity'
import type { CapturedEvent, Properties } from '../../types'
import { ALIAS_IS_IDENTITY } from '../compatibility'
import type { Capture } from '../capture'
import type { Context } from '../createContext'
import type { Ledger } from '../ledger'
import type { PersonProperties } from './personProperties'

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

/** `identify` and `alias`. */
export const identityApi = (
  { log, store, identity, isOptedOut }: Context,
  ledger: Ledger,
  capture: Capture,
  mayProcess: (method: string) => boolean,
  { processPerson, captureIdentify, api: { setPersonProperties } }: PersonProperties,
  onIdChange: (anonymousId?: string) => void,
) => {
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
    store.flush()
    if (change === 'same') setPersonProperties(set, setOnce)
    else if (change === 'confirmed') setPersonProperties(set ?? {}, setOnce)
    else if (change === 'switched') {
      log.warn('identify() with another id needs reset() first: this visit belongs to two persons now')
      onIdChange()
    } else {
      onIdChange(was)
      captureIdentify({ distinct_id: name, $anon_distinct_id: was }, set, setOnce)
    }
  }
  return {
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
}
