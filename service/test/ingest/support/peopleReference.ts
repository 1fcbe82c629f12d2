/** An event as the reference sees it. */
export interface ReferenceEvent {
  readonly uuid: string
  /** ms since the epoch. */
  readonly at: number
  readonly event: string
  readonly id: string
  /** The other distinct ID that the event names; '' if that ID was erased since. */
  readonly other?: string
  readonly set?: Readonly<Record<string, unknown>>
  readonly setOnce?: Readonly<Record<string, unknown>>
  readonly unset?: readonly string[]
  readonly isPersonless?: boolean
}

export interface ReferencePerson {
  readonly ids: readonly string[]
  readonly isIdentified: boolean
  readonly properties: Readonly<Record<string, unknown>>
}

interface Person {
  ids: string[]
  isIdentified: boolean
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

// Resolves identities: applies events in order of time to a list of persons.
const peopleOf = (events: readonly ReferenceEvent[]): Person[] => {
  const people: Person[] = []
  const personOf = (id: string): Person => {
    const known = people.find(({ ids }) => ids.includes(id))
    if (known) return known
    people.push({ ids: [id], isIdentified: false })
    return people.at(-1)!
  }
  for (const { event, id, other, isPersonless } of [...events].sort((a, b) => a.at - b.at || byText(a.uuid, b.uuid))) {
    const person = personOf(id)
    if (isPersonless || !['$identify', '$create_alias', '$merge_dangerously'].includes(event)) continue
    const isOther = !!other && other !== id
    if (!isOther && event !== '$identify' && other !== '') continue
    if (isOther) {
      const away = personOf(other)
      if (away !== person && (event === '$merge_dangerously' || !away.isIdentified)) {
        person.ids.push(...away.ids)
        people.splice(people.indexOf(away), 1)
      }
    }
    person.isIdentified = true
  }
  return people
}

interface Change {
  readonly at: number
  /** At equal times, $unset applies first. */
  readonly rank: number
  readonly how: 'unset' | 'set' | 'once'
  readonly name: string
  readonly json: string
}

const changesOf = ({ at, set = {}, setOnce = {}, unset = [] }: ReferenceEvent): Change[] => {
  const of = (how: 'set' | 'once', values: Readonly<Record<string, unknown>>, rank: number) =>
    Object.entries(values)
      .filter(([name]) => !unset.includes(name))
      .map(([name, value]): Change => ({ at, rank, how, name, json: JSON.stringify(value) }))
  return [
    ...unset.map((name): Change => ({ at, rank: 0, how: 'unset', name, json: '' })),
    ...of('set', set, 1),
    ...of('once', setOnce, 2),
  ]
}

const propertiesOf = (events: readonly ReferenceEvent[]): Record<string, unknown> => {
  const values = new Map<string, { json?: string; last?: 'set' | 'unset' }>()
  const changes = events.filter(({ isPersonless }) => !isPersonless).flatMap(changesOf)
  for (const { how, name, json } of changes.sort((a, b) => a.at - b.at || a.rank - b.rank || byText(a.json, b.json))) {
    const now = values.get(name) ?? {}
    if (how === 'set') values.set(name, { json, last: 'set' })
    else if (how === 'unset') values.set(name, { last: 'unset' })
    // $set_once: the first value, unless there is a $set; after an $unset, the last value.
    else if (now.last === 'unset' || (!now.last && now.json === undefined)) values.set(name, { ...now, json })
  }
  return Object.fromEntries(
    [...values].flatMap(([name, { json }]) => (json === undefined ? [] : [[name, JSON.parse(json)]])),
  )
}

/** Returns every person in a set of events, counting each event once. */
export const referencePeople = (events: readonly ReferenceEvent[]): ReferencePerson[] => {
  const once = [...new Map(events.map((each) => [each.uuid, each])).values()]
  return peopleOf(once).map(({ ids, isIdentified }) => ({
    ids: [...ids].sort(),
    isIdentified,
    properties: propertiesOf(once.filter(({ id }) => ids.includes(id))),
  }))
}
