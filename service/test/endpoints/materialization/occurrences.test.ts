import fc from 'fast-check'
import { createOccurrences } from '../../../src/endpoints/materialization/occurrences.ts'

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
