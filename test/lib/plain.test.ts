import fc from 'fast-check'
import { toPlain } from '../../src/lib/plain'

const plain = (value: unknown) => toPlain(value, (text) => text.slice(0, 100))

test.each([
  ['a date is its ISO text', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['an invalid date is null', new Date(NaN), null],
  ['a URL is its address', new URL('https://a.example/b'), 'https://a.example/b'],
  ['a set is an array', new Set([1, 'a']), [1, 'a']],
  ['a map is an object', new Map([['a', 1]]), { a: 1 }],
  ['an error is its name and message', new TypeError('no'), 'TypeError: no'],
  ['a bigint is text', 10n, '10'],
  ['a function is not there', { a: () => 1, b: 2 }, { b: 2 }],
  ['a symbol is not there', { a: Symbol('x'), b: 2 }, { b: 2 }],
  ['a hole in an array keeps its place', [1, undefined, () => 1], [1, null, null]],
  ['null stays', { a: null }, { a: null }],
])('%s', (_, value, expected) => expect(plain(value)).toEqual(expected))

test('a string is cut to the longest length', () => {
  expect(toPlain({ a: ['abc'] }, (text) => text.toUpperCase())).toEqual({ a: ['ABC'] })
})

test('the same object twice is there twice', () => {
  const shared = { x: 1 }
  expect(plain({ a: shared, b: shared })).toEqual({ a: { x: 1 }, b: { x: 1 } })
})

test('what contains itself says so', () => {
  const circle: Record<string, unknown> = { a: 1 }
  circle.self = circle
  expect(plain(circle)).toEqual({ a: 1, self: '[Circular]' })
})

test('a getter that throws costs only itself', () => {
  const value = {
    get bad(): never {
      throw new Error('no')
    },
    good: 1,
  }
  expect(plain(value)).toEqual({ bad: '[Throws]', good: 1 })
})

test('an element of the page is its name, not its tree', () => {
  expect(plain({ at: document.body })).toEqual({ at: '[object HTMLBodyElement]' })
})

test('whatever comes in, JSON text comes out', () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withSparseArray: true,
        withNullPrototype: true,
      }),
      (value) => {
        expect(() => JSON.stringify(plain({ value }))).not.toThrow()
      },
    ),
  )
})
