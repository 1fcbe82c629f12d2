import fc from 'fast-check'
import {
  connectedFacts,
  endsOf,
  factsAfterErasure,
  type IdOwner,
  type MergeFact,
  mergePersons,
  versionOf,
} from '../../src/persons/merge.ts'

const COUNT = 50_000
const facts = (endsOf: (n: number) => Pick<MergeFact, 'from' | 'into'>): MergeFact[] =>
  Array.from({ length: COUNT }, (_, n) => ({ at: n, uuid: String(n), kind: 'merge', ...endsOf(n) }))

// In linear time well under a second; in quadratic time minutes.
test.each([
  ['a chain that grows at its end', facts((n) => ({ from: `c${n}`, into: `c${n + 1}` }))],
  ['a chain that grows at its start', facts((n) => ({ from: `c${n + 1}`, into: `c${n}` }))],
  ['a star', facts((n) => ({ from: `a${n}`, into: 'star' }))],
])('merges %s of thousands of IDs into one person in linear time', (_, all) => {
  const since = process.cpuUsage()
  const persons = mergePersons(all)
  expect(process.cpuUsage(since).user / 1000).toBeLessThan(5_000)
  expect(persons.size).toBe(COUNT + 1)
  expect(new Set([...persons.values()].map(({ person }) => person)).size).toBe(1)
})

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const someFacts = fc.array(
  fc.record({
    at: fc.nat(9),
    kind: fc.constantFrom('identify' as const, 'alias' as const, 'merge' as const),
    from: fc.option(id, { nil: '' }),
    into: id,
  }),
  { minLength: 1, maxLength: 6 },
)

test('owners stay those of all facts while persons are erased, also if an erasure ends halfway and is repeated', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(someFacts, id, fc.boolean()), { minLength: 1, maxLength: 5 }), (rounds) => {
      let facts: MergeFact[] = []
      let uuids = 0
      // Like the engine's table: the row with the highest version wins, and of two the later one.
      const rows = new Map<string, { readonly version: number; readonly owner: IdOwner }>()
      const store = (added: readonly MergeFact[]) => {
        facts = [...facts, ...added]
        for (const connected of connectedFacts(facts)) {
          const version = versionOf(connected)
          for (const [each, owner] of mergePersons(connected))
            if (version >= (rows.get(each)?.version ?? 0)) rows.set(each, { version, owner })
        }
      }
      const ownersNow = () => new Map([...rows].map(([each, { owner }]) => [each, owner]))
      for (const [added, erased, isCut] of rounds) {
        store(added.filter(({ from, into }) => from !== into).map((fact) => ({ ...fact, uuid: String((uuids += 1)) })))
        expect(ownersNow()).toEqual(mergePersons(facts))
        const person = rows.get(erased)?.owner.person ?? erased
        const ids = new Set([
          erased,
          ...[...rows].flatMap(([each, { owner }]) => (owner.person === person ? [each] : [])),
        ])
        const others = new Map([...ownersNow()].filter(([each]) => !ids.has(each)))
        for (const isLast of isCut ? [false, true] : [true]) {
          const around = connectedFacts(facts).filter((connected) => connected.some((fact) => endsOf(fact).some((each) => ids.has(each)))).flat() // prettier-ignore
          const more = factsAfterErasure(around, ids)
          // An event has one fact, so a fact without the erased id replaces the one with it.
          facts = [...facts.filter(({ uuid }) => !more.some((fact) => fact.uuid === uuid)), ...more]
          if (isLast) facts = facts.filter((fact) => !endsOf(fact).some((each) => ids.has(each)))
          store([])
          expect(new Map([...ownersNow()].filter(([each]) => !ids.has(each)))).toEqual(others)
        }
        for (const each of ids) rows.delete(each)
      }
    }),
    { numRuns: 500 },
  )
})
