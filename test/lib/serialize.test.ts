import fc from 'fast-check'
import { redactSecrets } from '../../src/lib/redact'
import { propertyText, serialize } from '../../src/lib/serialize'

const json = (value: unknown) => JSON.stringify(serialize(value))

class Money {
  constructor(
    readonly cents: number,
    readonly currency: string,
  ) {}
  toJSON() {
    return `${this.cents / 100} ${this.currency}`
  }
}

test.each([
  ['a date as its ISO string', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['an invalid date as null', new Date(NaN), null],
  ['a URL as its href', new URL('https://a.example/b'), 'https://a.example/b'],
  ['a set as an array', new Set([1, 'a']), [1, 'a']],
  ['a map as an object', new Map([['a', 1]]), { a: 1 }],
  ['a typed array as an array', new Uint8Array([1, 2]), [1, 2]],
  ['an error as its name and message', new TypeError('no'), 'TypeError: no'],
  ['a bigint as a string', 10n, '10'],
  ['an object without its functions', { a: () => 1, b: 2 }, { b: 2 }],
  ['an object without its symbols', { a: Symbol('x'), b: 2 }, { b: 2 }],
  [
    'holes, undefined and functions in arrays as null',
    Object.assign([1, undefined, () => 1], { 4: 2 }),
    [1, null, null, null, 2],
  ],
  ['null as null', { a: null }, { a: null }],
  ['an instance of a class by its own toJSON', { price: new Money(150, 'EUR') }, { price: '1.5 EUR' }],
  ['a DOM element as its class name', { at: document.body }, { at: '[object HTMLBodyElement]' }],
  ['the window as its class name', { at: window }, { at: '[object Window]' }],
  ['a DOM event as its class name', new MouseEvent('click'), '[object MouseEvent]'],
  [
    'a React element without the components around it',
    { $$typeof: Symbol.for('react.element'), type: 'b', props: { id: 1 }, _owner: { return: {} } },
    { type: 'b', props: { id: 1 } },
  ],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
])('serializes %s', (_, value, expected) => expect(serialize(value)).toEqual(expected))

test('serialize passes strings and their names to the given function', () => {
  expect(serialize({ a: ['abc'], b: 'x' }, (text, key) => key + text.toUpperCase())).toEqual({ a: ['0ABC'], b: 'bX' })
})

test('serialize makes two copies of an object referenced twice', () => {
  const shared = { x: 1 }
  expect(serialize({ a: shared, b: shared })).toEqual({ a: { x: 1 }, b: { x: 1 } })
})

test('serialize replaces a cycle with a marker', () => {
  const circle: Record<string, unknown> = { a: 1 }
  circle.self = circle
  circle.set = new Set([circle])
  expect(serialize(circle)).toEqual({ a: 1, self: '[Circular]', set: ['[Circular]'] })
})

const throwing = () => {
  throw new Error('no')
}
test.each([
  ['a getter', Object.defineProperty({}, 'x', { get: throwing, enumerable: true }), { x: '[Throws]' }],
  ['toJSON', { toJSON: throwing }, '[Throws]'],
  ['a getter named toJSON', Object.defineProperty({}, 'toJSON', { get: throwing }), '[Throws]'],
  ['the ownKeys trap of a proxy', new Proxy({}, { ownKeys: throwing }), '[Throws]'],
  ['every trap of a proxy', new Proxy({}, new Proxy({}, { get: throwing })), '[Throws]'],
  ['toStringTag', Object.defineProperty({}, Symbol.toStringTag, { get: throwing }), '[Throws]'],
  ['an iterator', Object.assign(new Set([1]), { [Symbol.iterator]: throwing }), '[Throws]'],
])('serialize replaces a value that throws with a marker: %s', (_, bad, expected) => {
  expect(serialize({ bad, good: 1 })).toEqual({ bad: expected, good: 1 })
})

test('serialize ignores a toJSON the page defines for all objects or all arrays', () => {
  const toJSON = { value: () => 'garbled', configurable: true }
  Object.defineProperty(Object.prototype, 'toJSON', toJSON)
  Object.defineProperty(Array.prototype, 'toJSON', toJSON)
  try {
    expect(serialize({ a: [1, { b: 2 }] })).toEqual({ a: [1, { b: 2 }] })
  } finally {
    delete (Object.prototype as { toJSON?: unknown }).toJSON
    delete (Array.prototype as { toJSON?: unknown }).toJSON
  }
})

test('serialize does not change the prototype of the copy', () => {
  const copy = serialize(JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'))
  expect(copy).toEqual({ a: 1 })
  expect((copy as { polluted?: unknown }).polluted).toBeUndefined()
})

test('serialize truncates nesting deeper than the service accepts', () => {
  let deep: unknown = 'bottom'
  for (let i = 0; i < 10_000; i++) deep = { deep }
  expect(json(deep).match(/deep"/g)!.length).toBeLessThan(64)
  expect(json(deep)).toContain('[Too large]')
})

describe('the serialization budget', () => {
  test('limits objects that all reference each other', () => {
    const all: Record<string, unknown>[] = Array.from({ length: 12 }, (_, index) => ({ index }))
    for (const each of all) all.forEach((other, index) => (each[`friend${index}`] = other))
    expect(json({ all, amount: 5 }).length).toBeLessThan(1_000_000)
    expect(serialize({ all, amount: 5 })).toHaveProperty('amount', 5)
    expect(json({ all })).toContain('[Too large]')
  })

  test('truncates the deepest levels first, regardless of their position', () => {
    const huge = { list: Array.from({ length: 20_000 }, (_, id) => ({ id })) }
    expect(serialize({ huge, after: { amount: 5 } })).toMatchObject({ after: { amount: 5 } })
  })

  test.each([
    ['many names', Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`name${i}`, i]))],
    ['long names', Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${i}${'x'.repeat(5_000)}`, i]))],
    ['many long strings', Array.from({ length: 1_000 }, () => 'x'.repeat(50_000))],
    ['one very long string', { text: 'x'.repeat(10_000_000) }],
    ['a sparse array', Object.assign([], { length: 4_000_000_000 })],
    ['a large typed array', new Uint8Array(10_000_000)],
    ['a large map', new Map(Array.from({ length: 200_000 }, (_, i) => [i, { i }]))],
    ['an infinite iterator', Object.assign(new Set(), { *[Symbol.iterator]() { for (;;) yield {} } })], // oxfmt-ignore
    ['an infinite toJSON', (() => { class Endless { toJSON() { return { a: new Endless(), b: new Endless() } } } return new Endless() })()], // oxfmt-ignore
  ])('limits %s', (_, value) => {
    const since = process.cpuUsage()
    const text = json({ value, amount: 5 })
    expect(text.length).toBeLessThan(1_000_000)
    expect(text).toContain('[Too large]')
    expect(JSON.parse(text)).toHaveProperty('amount', 5)
    expect(process.cpuUsage(since).user / 1000).toBeLessThan(5_000)
  })

  test('skips the fields React attaches to component instances', () => {
    expect(serialize({ props: { id: 1 }, _reactInternals: { return: {} }, __reactFiber$x: {} })).toEqual({
      props: { id: 1 },
    })
  })
})

describe('serialize', () => {
  const text = propertyText(() => 10)
  test.each([
    'distinct_id',
    '$device_id',
    'order_id',
    'id',
    'alias',
    '$anon_distinct_id',
    '$group_key',
    '$user_id',
    'token',
  ])('does not change the id %s', (name) => {
    const id = 'tenant/4111111111111111?token=abc'
    expect(serialize({ [name]: id, deep: { [name]: id } }, text)).toEqual({ [name]: id, deep: { [name]: id } })
  })
  test('does not change group keys', () => {
    const $groups = { company: 'tenant/4111111111111111?token=abc' }
    expect(serialize({ $groups }, text)).toEqual({ $groups })
  })
})

test.each([
  ['$current_url', 'https://a.example/4111111111111111?token=abc', 'https://a.example/redacted?token=redacted'],
  ['tenant', 'tenant/4111111111111111', 'tenant/4111111111111111'],
  [
    'link',
    'https://a.example/orders/4111111111111111?token=abc',
    'https://a.example/orders/4111111111111111?token=redacted',
  ],
])('serialize redacts secrets in the property %s', (name, value, expected) => {
  expect(
    serialize(
      { [name]: value },
      propertyText(() => 100),
    ),
  ).toEqual({ [name]: expected })
})

test('serialize returns JSON within the budget for any value', () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withSparseArray: true,
        withNullPrototype: true,
        withTypedArray: true,
        withBoxedValues: true,
        withObjectString: true,
        maxDepth: 6,
      }),
      (value) => {
        const copy = serialize({ value }, redactSecrets)
        expect(JSON.stringify(copy).length).toBeLessThan(1_000_000)
      },
    ),
  )
})

test('serialize returns JSON values unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      fc.pre(!JSON.stringify(value).includes('__proto__') && !/"_(owner|_?react)/.test(JSON.stringify(value)))
      expect(json(value)).toBe(JSON.stringify(value))
    }),
  )
})
