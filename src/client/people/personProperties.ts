import { toJson } from '../../lib/json'
import { pick } from '../../lib/objects'
import { resetAt } from '../../state/newest'
import type { Properties } from '../../types'
import { peopleOf } from '../compatibility'
import type { Capture } from '../capture'
import type { Context } from '../createContext'

export type PersonProperties = ReturnType<typeof createPersonProperties>

/** Methods that set and remove person properties. */
export const createPersonProperties = (
  { store, identity, toProperties, processesPerson }: Context,
  capture: Capture,
  mayProcess: (method: string) => boolean,
) => {
  const processPerson = (): void => store.set({ $epp: true })
  /** Fingerprint of the properties that were set last. */
  let lastSet: string | undefined

  // The order of names does not matter.
  const fingerprint = (...properties: Properties[]) =>
    toJson([resetAt(store.all()), identity.distinctId(), ...properties.map((each) => Object.entries(each).sort())])
  const setPersonProperties = (set?: Properties, setOnce?: Properties): void => {
    if ((!set && !setOnce) || !mayProcess('setPersonProperties')) return
    const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
    // Setting the same properties again within a page is not captured.
    const next = fingerprint($set, $set_once)
    if (next === lastSet) return
    processPerson()
    if (capture('$set', { $set, $set_once })) lastSet = next
  }
  return {
    processPerson,
    captureIdentify: (properties: Properties, set?: Properties, setOnce?: Properties): void => {
      const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
      if (capture('$identify', properties, { $set, $set_once, send_instantly: true }))
        lastSet = fingerprint($set, $set_once)
    },
    api: {
      setPersonProperties,
      unsetPersonProperties: (names: string | string[]): void => {
        if (!mayProcess('unsetPersonProperties')) return
        lastSet = undefined
        processPerson()
        const removed = [names].flat()
        store.set({
          $stored_person_properties: pick(
            store.get<Properties>('$stored_person_properties') ?? {},
            (name) => !removed.includes(name),
          ),
        })
        capture('$set', { $unset: removed })
      },
      createPersonProfile: (): void => {
        if (!mayProcess('createPersonProfile') || processesPerson()) return
        processPerson()
        capture('$set', { $set: {}, $set_once: {} })
      },
      setInternalOrTestUser: (): void => setPersonProperties({ $internal_or_test_user: true }),
      people: peopleOf(setPersonProperties),
    },
  }
}
