import { isPlain } from '../../../src/endpoints/materialization/memory/finish.ts'
import { readTimes } from '../../../src/endpoints/materialization/memory/boundary.ts'
import fc from 'fast-check'
import { createOccurrences } from '../../../src/endpoints/materialization/memory/occurrences.ts'

const time = fc.integer({ min: -5, max: 20 })
const times = fc.array(time, { maxLength: 4 })

test('the distinct values in a range are those that occur in it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(time, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      times,
      fc.oneof(time, fc.constant(-Infinity)),
      fc.oneof(time, fc.constant(Infinity)),
      (counted, others, from, to) => {
        const isIn = (at: number) => at >= from && at < to
        const expected = counted.filter((each) => each.some(isIn)).length
        const isEmpty = expected === 0 && !others.some(isIn)
        expect(createOccurrences(counted, others).distinct(from, to)).toBe(isEmpty ? undefined : expected)
      },
    ),
    { numRuns: 1_000 },
  )
})

test.each([
  ['uniq', 65_536, true],
  ['uniq', 65_537, false],
  ['uniqExact', 65_537, true],
])('an estimate is not taken for exact where it happens to be: %s over %d values', (name, count, isTaken) => {
  const counted = Array.from({ length: count }, (_, at) => [at])
  const result = { columns: [], rows: [[counted, [], count]], textLength: 0 }
  const found = readTimes({ kind: 'call', name, args: [] }, 0, result, { from: 0, to: count })
  expect(found !== undefined).toBe(isTaken)
})

test.each([
  ["DateTime('Europe/Berlin')", true],
  ["Nullable(DateTime64(3, 'UTC'))", true],
  ['LowCardinality(Nullable(String))', true],
  // Written in the time zone of the engine's machine.
  ['DateTime', false],
  ['DateTime64(3)', false],
  ['Float64', false],
])('equal values of a column look equal: %s', (type, expected) => {
  expect(isPlain({ name: 'a', type })).toBe(expected)
})
