import { COOKIELESS_ID } from '../lib/cookieless'
import type { Bootstrap } from '../types'
import type { Store } from './store'

/** The visitor's ids. */
export interface Identity {
  distinctId(): string
  deviceId(): string | undefined
  isIdentified(): boolean
  /**
   * Changes the visitor's id. `was`: the previous id. `change`: 'identified', an anonymous visitor was identified;
   * 'confirmed', an anonymous visitor was identified by its own id; 'same', no change; 'switched', an identified visitor
   * got another id (docs/reference/protocol.md#9.1).
   */
  become(id: string): { was: string; change: 'identified' | 'confirmed' | 'same' | 'switched' }
  /** Begins a new anonymous visitor. The device keeps its id unless `deviceToo`. */
  renew(deviceToo: boolean, bootstrap?: Bootstrap): void
}

/** Ids that programs send when they have none, so they never identify a person (docs/reference/protocol.md#9.1). */
const NOBODY = ['distinct_id', 'distinctid', 'undefined', 'null', COOKIELESS_ID]

/** Whether `id` can identify a person. */
export const isIdentifier = (id: string): boolean => id.trim() !== '' && !NOBODY.includes(id.toLowerCase())

/**
 * Creates the identity in `store`. A new visitor gets an id from `newId` or from `bootstrap`, which never makes an
 * identified visitor anonymous (docs/reference/protocol.md#9.5).
 */
export const createIdentity = (
  store: Store,
  newId: () => string,
  bootstrap: Bootstrap,
  now = () => Date.now(),
): Identity => {
  const distinctId = () => store.get<string>('distinct_id')!
  const isIdentified = () => store.get('$user_state') === 'identified'
  /** Returns a time later than the previous decision, even if the clock was set back. */
  const decidedAt = () => Math.max(now(), (store.get<number>('$identity_at') ?? 0) + 1)
  const begin = (id: string, device: string, identified: boolean, at?: number) =>
    store.set({
      distinct_id: id,
      $device_id: device,
      $user_state: identified ? 'identified' : 'anonymous',
      $identity_at: at,
    })

  const renew: Identity['renew'] = (deviceToo, { distinctID, isIdentifiedID } = {}) => {
    const isKnown = typeof distinctID === 'string' && isIdentifier(distinctID)
    const id = isKnown ? distinctID : newId()
    const isNamed = isKnown && !!isIdentifiedID
    begin(id, (!deviceToo && store.get<string>('$device_id')) || (isNamed ? newId() : id), isNamed, decidedAt())
  }

  const known = store.get<string>('distinct_id')
  // `identify` links an id to a visitor who is already known.
  if (
    typeof bootstrap.distinctID === 'string' &&
    isIdentifier(bootstrap.distinctID) &&
    (!known || !(bootstrap.isIdentifiedID || isIdentified()))
  )
    renew(false, bootstrap)
  else if (!known) {
    const id = store.get<string>('$device_id') ?? newId()
    begin(id, id, false)
  }

  return {
    distinctId,
    deviceId: () => store.get('$device_id'),
    isIdentified,
    become: (id) => {
      const was = distinctId()
      const change = id === was ? (isIdentified() ? 'same' : 'confirmed') : isIdentified() ? 'switched' : 'identified'
      if (change === 'same') return { was, change }
      store.set({
        distinct_id: id,
        $user_id: id,
        $user_state: 'identified',
        $identity_at: decidedAt(),
        ...(id !== was && store.get('__alias') !== id ? { __alias: undefined } : {}),
        ...(store.get('$device_id') ? {} : { $device_id: was, $had_persisted_distinct_id: true }),
      })
      return { was, change }
    },
    renew,
  }
}
