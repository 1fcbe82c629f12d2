/** A fact that two ids are one person or, without `from`, that a person is identified. */
export interface MergeFact {
  /** ms since the epoch. */
  readonly at: number
  /** UUID of the event. */
  readonly uuid: string
  readonly kind: MergeKind
  readonly from: string
  readonly into: string
}

/**
 * - `identify`: the anonymous visitor `from` is now known as `into`.
 * - `alias`: `from` is another id of `into`.
 * - `merge`: like `alias`, even if both are identified.
 */
export type MergeKind = 'identify' | 'alias' | 'merge'

/** The person of an id. */
export interface IdOwner {
  /** The person's main id. */
  readonly person: string
  readonly isIdentified: boolean
}

const byTime = (a: MergeFact, b: MergeFact) => a.at - b.at || (a.uuid < b.uuid ? -1 : a.uuid > b.uuid ? 1 : 0)

/**
 * Returns the person of each id. Facts are applied in order of time, regardless of the order in which they arrived. `identify` and
 * `alias` never merge an identified person into another: the second user of a shared browser stays a separate person.
 */
export const mergePersons = (facts: readonly MergeFact[]): Map<string, IdOwner> => {
  const parents = new Map<string, string>()
  const identified = new Set<string>()
  const personOf = (id: string): string => {
    let person = id
    for (let next = parents.get(person); next !== undefined; next = parents.get(person)) person = next
    // Path compression: a chain of thousands of ids is walked once, not once per id.
    for (let each = id; each !== person;) {
      const next = parents.get(each)!
      parents.set(each, person)
      each = next
    }
    return person
  }
  const seen = new Set<string>()
  for (const { kind, from, into } of [...facts].sort(byTime)) {
    seen.add(into)
    const person = personOf(into)
    if (from) {
      seen.add(from)
      const other = personOf(from)
      if (other !== person && (kind === 'merge' || !identified.has(other))) parents.set(other, person)
    }
    identified.add(person)
  }
  return new Map([...seen].map((id) => [id, { person: personOf(id), isIdentified: identified.has(personOf(id)) }]))
}

/** Returns the ids of a fact. */
export const endsOf = ({ from, into }: MergeFact) => (from ? [from, into] : [into])

/** Returns the facts in groups whose ids are connected. Visits each id and each fact once. */
export const connectedFacts = (facts: readonly MergeFact[]): MergeFact[][] => {
  const byId = new Map<string, MergeFact[]>()
  for (const fact of facts) {
    for (const id of endsOf(fact)) {
      const others = byId.get(id)
      if (others) others.push(fact)
      else byId.set(id, [fact])
    }
  }
  const done = new Set<MergeFact>()
  const components: MergeFact[][] = []
  for (const start of facts) {
    if (done.has(start)) continue
    const component = [start]
    done.add(start)
    for (const fact of component) {
      for (const id of endsOf(fact)) {
        for (const next of byId.get(id) ?? []) {
          if (done.has(next)) continue
          done.add(next)
          component.push(next)
        }
        byId.delete(id)
      }
    }
    components.push(component)
  }
  return components
}
