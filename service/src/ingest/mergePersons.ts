/** That two ids are one person, or (without `from`) that an id is a known person's. */
export interface MergeFact {
  /** ms since the epoch. */
  readonly at: number
  /** Of the event that says so. */
  readonly uuid: string
  readonly kind: MergeKind
  readonly from: string
  readonly into: string
}

/**
 * - `identify`: the anonymous visitor `from` turns out to be `into`.
 * - `alias`: `from` is another name of `into`.
 * - `merge`: like `alias`, whoever they are.
 */
export type MergeKind = 'identify' | 'alias' | 'merge'

/** Whose an id is. */
export interface Belonging {
  /** The person's main id. */
  readonly person: string
  readonly isIdentified: boolean
}

const byTime = (a: MergeFact, b: MergeFact) => a.at - b.at || (a.uuid < b.uuid ? -1 : a.uuid > b.uuid ? 1 : 0)

/**
 * Whose each id is after all facts, which are gone through in order of time however they arrived. `identify` and `alias` never
 * merge a person away that is identified: the second user of a shared browser stays another person than the first.
 */
export const mergePersons = (facts: readonly MergeFact[]): Map<string, Belonging> => {
  const parents = new Map<string, string>()
  const identified = new Set<string>()
  const personOf = (id: string): string => {
    let person = id
    for (let next = parents.get(person); next !== undefined; next = parents.get(person)) person = next
    // Each id on the way points to the person from now on: a chain of thousands is walked once, not once for each of its ids.
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
