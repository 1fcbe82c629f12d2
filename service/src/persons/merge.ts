import { randomUUID } from 'node:crypto'

/** A fact that two ids are one person or, without `from`, that a person is identified. */
export interface MergeFact {
  /** ms since the epoch. Of an erasure: the version that owners had before it. */
  readonly at: number
  /** UUID of the event. */
  readonly uuid: string
  readonly kind: MergeKind | typeof ERASURE
  readonly from: string
  readonly into: string
}

/**
 * - `identify`: the anonymous visitor `from` is now known as `into`.
 * - `alias`: `from` is another id of `into`.
 * - `merge`: like `alias`, even if both are identified.
 */
export type MergeKind = 'identify' | 'alias' | 'merge'

/** Kind of the fact that facts about `into` were erased. It says nothing about persons, only which version owners had. */
const ERASURE = 'erasure'

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
    if (kind === ERASURE) continue
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

/** Returns the version of the owners that follow from connected facts. More facts give a higher version, also after an erasure. */
export const versionOf = (facts: readonly MergeFact[]): number => {
  let [count, erased] = [0, 0]
  for (const { kind, at } of facts) {
    if (kind === ERASURE) erased = Math.max(erased, at)
    else count += 1
  }
  return erased + count
}

/**
 * Returns the facts to add before those about a person's ids are deleted. `facts`: all facts that are connected to the ids. Merges
 * of this person with others were rejected, so no other id gets another owner. Rows of owners stay, and later ones have
 * a higher version.
 */
export const factsAfterErasure = (facts: readonly MergeFact[], ids: ReadonlySet<string>): MergeFact[] => {
  const kept = facts.filter(({ into }) => !ids.has(into))
  // The other person stays identified without the erased id. Otherwise, an alias could merge it into another person.
  const cut = kept.filter(({ from }) => ids.has(from)).map((fact) => ({ ...fact, from: '' }))
  const left = connectedFacts([...kept.filter(({ from }) => !ids.has(from)), ...cut])
  const at = versionOf(facts)
  return [
    ...cut,
    ...left.map(([fact]): MergeFact => ({ at, uuid: randomUUID(), kind: ERASURE, from: '', into: fact!.into })),
  ]
}
