import { toJson } from '../../lib/json'
import { own, pick } from '../../lib/objects'
import type { Properties } from '../../types'
import { peopleOf } from '../compatibility'
import type { Client } from '../feature'
import type { Context } from '../createContext'

export type PersonProperties = ReturnType<typeof createPersonProperties>

/** Methods that set and remove person properties. */
export const createPersonProperties = (
  { store, identity, person, toProperties, processesPerson }: Context,
  capture: Client['capture'],
  mayProcess: (method: string) => boolean,
) => {
  const processPerson = (): void => store.set({ $epp: true })
  /** Person properties that this page has sent, by name. */
  const sent = new Map<string, string>()

  /**
   * Returns properties in the form that `sent` keeps, with the ids of the person, because another value
   * may win when ids are merged, and with the stored value, which another tab or event may have changed.
   */
  const entriesOf = ($set: Properties, $set_once: Properties) => {
    const stored = store.get<Properties>('$stored_person_properties') ?? {}
    const ids = [person(), identity.distinctId(), identity.isIdentified()]
    return Object.entries({ $set, $set_once }).flatMap(([kind, all]) =>
      // Includes an entry for calls without properties.
      Object.entries({ '': 0, ...all }).map(
        ([name, value]) => [kind + name, toJson([value, kind === '$set' && own(stored, name), ids])] as const,
      ),
    )
  }
  const remember = (...properties: Parameters<typeof entriesOf>) =>
    entriesOf(...properties).forEach(([name, value]) => sent.set(name, value))
  const setPersonProperties = (set?: Properties, setOnce?: Properties): void => {
    if ((!set && !setOnce) || !mayProcess('setPersonProperties')) return
    const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
    // Setting the same properties again within a page is not captured.
    if (entriesOf($set, $set_once).every(([name, value]) => sent.get(name) === value)) return
    processPerson()
    if (capture('$set', { $set, $set_once })) remember($set, $set_once)
  }
  return {
    processPerson,
    captureIdentify: (properties: Properties, set?: Properties, setOnce?: Properties): void => {
      const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
      if (capture('$identify', properties, { $set, $set_once, send_instantly: true })) remember($set, $set_once)
    },
    hooks: {
      onPersonProperties: ({ $set, $set_once }: { $set: Properties; $set_once: Properties }): void =>
        remember($set, $set_once),
      onDenial: (): void => sent.clear(),
    },
    api: {
      setPersonProperties,
      unsetPersonProperties: (names: string | string[]): void => {
        if (!mayProcess('unsetPersonProperties')) return
        sent.clear()
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
