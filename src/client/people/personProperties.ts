import { toJson } from '../../lib/json'
import { own, pick } from '../../lib/objects'
import type { CapturedEvent, Properties } from '../../types'
import { peopleOf } from '../compatibility'
import type { Capture } from '../capture'
import type { Context } from '../createContext'

export type PersonProperties = ReturnType<typeof createPersonProperties>

/** Methods that set and remove person properties. */
export const createPersonProperties = (
  { store, identity, person, toProperties, processesPerson }: Context,
  capture: Capture,
  mayProcess: (method: string) => boolean,
) => {
  const processPerson = (): void => store.set({ $epp: true })
  /** What this page has sent about a person, by `$set` or `$set_once` and name. */
  let sent: Record<string, string> = {}
  let owner = ''

  /**
   * Returns properties as they are compared with `sent`. A value that another tab or event has set since is another
   * one, because it shows in the properties that are stored for flags.
   */
  const fingerprints = ($set: Properties, $set_once: Properties): typeof sent => {
    const stored = store.get<Properties>('$stored_person_properties') ?? {}
    return Object.fromEntries([
      ...Object.entries($set).map(([name, value]) => [`$set ${name}`, toJson([value, own(stored, name)])]),
      ...Object.entries($set_once).map(([name, value]) => [`$set_once ${name}`, toJson(value)]),
    ]) as typeof sent
  }
  /** Forgets what was sent about another person, or another id of this one, whose values may win when ids are merged. */
  const forgetOthers = () => {
    const next = toJson([person(), identity.distinctId(), identity.isIdentified()])
    if (next !== owner) sent = {}
    owner = next
  }
  const remember = ($set: Properties, $set_once: Properties) => {
    forgetOthers()
    // Nothing at all is remembered too.
    Object.assign(sent, { '': '' }, fingerprints($set, $set_once))
  }
  const isSent = ($set: Properties, $set_once: Properties) => {
    forgetOthers()
    return Object.entries({ '': '', ...fingerprints($set, $set_once) }).every(([name, value]) => sent[name] === value)
  }
  const setPersonProperties = (set?: Properties, setOnce?: Properties): void => {
    if ((!set && !setOnce) || !mayProcess('setPersonProperties')) return
    const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
    // Setting the same properties again within a page is not captured.
    if (isSent($set, $set_once)) return
    processPerson()
    if (capture('$set', { $set, $set_once })) remember($set, $set_once)
  }
  return {
    processPerson,
    captureIdentify: (properties: Properties, set?: Properties, setOnce?: Properties): CapturedEvent | undefined => {
      const [$set, $set_once] = [toProperties(set), toProperties(setOnce)]
      const event = capture('$identify', properties, { $set, $set_once, send_instantly: true })
      if (event) remember($set, $set_once)
      return event
    },
    hooks: {
      onPersonProperties: ({ $set, $set_once }: { $set: Properties; $set_once: Properties }): void =>
        remember($set, $set_once),
      onDenial: (): void => {
        sent = {}
      },
    },
    api: {
      setPersonProperties,
      unsetPersonProperties: (names: string | string[]): void => {
        if (!mayProcess('unsetPersonProperties')) return
        processPerson()
        const removed = [names].flat()
        sent = pick(sent, (name) => !removed.some((each) => name.endsWith(` ${each}`)))
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
