import { type MergeFact, mergePersons } from '../../src/persons/merge.ts'

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
