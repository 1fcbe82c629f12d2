import fc from 'fast-check'
import { countValues } from '../../src/lib/countValues.ts'

/** Keys and values of a parsed value, nested ones included. */
const sizeOf = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce((sum: number, inner) => sum + sizeOf(inner) + (Array.isArray(value) ? 0 : 1), 1)

const count = (json: string) => countValues(Buffer.from(json))

test('counts at least all keys and values, and at most twice as many', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, spaces) => {
      const size = sizeOf(value)
      const found = count(JSON.stringify(value, undefined, spaces))
      expect(found).toBeGreaterThanOrEqual(size)
      expect(found).toBeLessThanOrEqual(2 * size + 1)
    }),
  )
})

test.each([
  ['strings', '"[1,2,{}]"', 1],
  ['strings with escapes', String.raw`"\\\",[,"`, 1],
  ['empty lists', '[[],[],[]]', 7],
  ['text that ends within a string', '["a', 2],
  ['no text', '', 1],
])('counts values and ignores punctuation in strings: %s', (_, json, expected) => {
  expect(count(json)).toBe(expected)
})
