import { runInNewContext } from 'node:vm'
import { exceptionList } from '../../../src/extensions/exceptions/exceptionList'
import { describe as describeThrown } from '../../../src/extensions/exceptions/describe'
import type { Kind } from '../../../src/extensions/exceptions/describe'

const list = (value: unknown, kind: Kind = 'captured') => {
  const trace = new Error()
  return exceptionList(kind, value, describeThrown(value, kind, trace), {}, (text) => text)
}
const brief = (value: unknown, kind?: Kind) => {
  const [first] = list(value, kind)
  return [first!.type, first!.value]
}

/** An error whose getters throw. */
const hostile = () => {
  const throwing = () => {
    throw new TypeError('hostile')
  }
  return Object.defineProperties(
    {},
    {
      [Symbol.toStringTag]: { value: 'Error' },
      ...Object.fromEntries(['name', 'message', 'stack', 'cause', 'errors'].map((name) => [name, { get: throwing }])),
    },
  )
}

class PaymentError extends Error {
  override name = 'PaymentError'
}
class Cart {
  items = 1
  total = 2
}
const event = (type: string, members: object) =>
  Object.assign(Object.defineProperty({}, Symbol.toStringTag, { value: type }), members)

describe('describeThrown describes', () => {
  // Not `test.each`, which formats every value for its titles.
  const CASES: [string, unknown, [string, string], Kind?][] = [
    ['an error', new TypeError('x is not a function'), ['TypeError', 'x is not a function']],
    ['an error of its own class', new PaymentError('declined'), ['PaymentError', 'declined']],
    ['an error of another frame', runInNewContext("new RangeError('far')"), ['RangeError', 'far']],
    ['an error without a message', new Error(), ['Error', '']],
    ['an error without a name', Object.assign(new Error('e'), { name: '' }), ['Error', 'e']],
    ['an error whose message is a number', Object.assign(new Error(), { message: 7 }), ['Error', '7']],
    [
      'an error whose message is a response',
      Object.assign(new Error(), { message: { error: { message: 'deep' } } }),
      ['Error', 'deep'],
    ],
    ['an error by its prototype', Object.create(new TypeError('proto')), ['TypeError', 'proto']],
    ['a DOMException', new DOMException('no access', 'SecurityError'), ['DOMException', 'SecurityError: no access']],
    ['a DOMException without a message', new DOMException('', 'AbortError'), ['DOMException', 'AbortError']],
    ['a DOMException without a name', new DOMException('plain'), ['DOMException', 'Error: plain']],
    ['an exception of WebAssembly', event('WebAssembly.Exception', {}), ['WebAssembly.Exception', '']],
    ['an object with an error', { data: null, error: new RangeError('inner') }, ['RangeError', 'inner']],
    [
      'an object in the shape of an error',
      { name: 'HttpError', message: 'status 500' },
      ['HttpError', "'HttpError' captured as exception with message: 'status 500'"],
    ],
    ['an object with a name', { name: 'HttpError', code: 2 }, ['HttpError', "'HttpError' captured as exception"]],
    [
      'an object with an empty name',
      { name: '', message: 'm' },
      ['Error', "'' captured as exception with message: 'm'"],
    ],
    ['an object whose name is not a string', { name: 3, message: 'm' }, ['Error', 'm']],
    [
      'an error of an API client, by its message',
      { code: '42501', details: null, hint: null, message: 'permission denied' },
      ['Error', 'permission denied'],
    ],
    ['a message of a class', Object.assign(new Cart(), { message: 'no stock' }), ['Error', 'no stock']],
    ['an object with an empty message', { message: '' }, ['Error', '']],
    [
      'an object whose message is not a string',
      { message: { a: 1 } },
      ['Error', 'Object captured as exception with keys: message'],
    ],
    [
      'an object, by its keys',
      { b: 'secret', a: 1, C: 2 },
      ['Error', 'Object captured as exception with keys: C, a, b'],
    ],
    [
      'an object with many keys',
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key${index}`, 1])),
      ['Error', 'Object captured as exception with keys: key0, key1, key10, key11, key12, key13'],
    ],
    ['an object of a class', new Cart(), ['Error', "'Cart' captured as exception with keys: items, total"]],
    ['an array', [1, 2], ['Error', "'Array' captured as exception with keys: 0, 1"]],
    ['an empty object', {}, ['Error', 'Object captured as exception with keys: [object has no keys]']],
    [
      'an object without a class',
      Object.create(null),
      ['Error', 'Object captured as exception with keys: [object has no keys]'],
    ],
    ['a DOM event', new Event('click'), ['Event', 'Event captured as exception with keys: isTrusted']],
    ['a string', 'it broke', ['Error', 'it broke']],
    ['an empty string', '', ['Error', '']],
    ['a string with a type', 'Uncaught TypeError: it broke', ['TypeError', 'it broke']],
    ['a string with a type, of Firefox', 'uncaught exception: RangeError: x', ['RangeError', 'x']],
    ['a string with a type of its own', 'PaymentError: x', ['Error', 'PaymentError: x']],
    ['a string of lines', 'TypeError: a\nb', ['Error', 'TypeError: a\nb']],
    ['a number', 404, ['Error', 'Primitive value captured as exception: 404']],
    ['undefined', undefined, ['Error', 'Primitive value captured as exception: undefined']],
    ['null', null, ['Error', 'Primitive value captured as exception: null']],
    ['a symbol', Symbol('s'), ['Error', 'Primitive value captured as exception: Symbol(s)']],
    ['a BigInt', 5n, ['Error', 'Primitive value captured as exception: 5']],
    [
      'a rejection without an error',
      'TypeError: late',
      ['UnhandledRejection', 'Non-Error promise rejection captured with value: TypeError: late'],
      'unhandledrejection',
    ],
    [
      'a rejection with an object',
      { code: 7 },
      ['Error', 'Object captured as exception with keys: code'],
      'unhandledrejection',
    ],
    [
      'a rejection with an error of an API client',
      { code: '42501', message: 'permission denied' },
      ['Error', 'permission denied'],
      'unhandledrejection',
    ],
    [
      'an event of a rejection',
      event('PromiseRejectionEvent', { reason: new TypeError('nope') }),
      ['TypeError', 'nope'],
      'unhandledrejection',
    ],
    [
      'a rejection of Bluebird',
      event('CustomEvent', { detail: { reason: new TypeError('nope') } }),
      ['TypeError', 'nope'],
      'unhandledrejection',
    ],
    [
      'an error event without an error',
      event('ErrorEvent', {
        message: 'Uncaught ReferenceError: a is not defined',
        filename: 'https://a.test/a.js',
        lineno: 3,
        colno: 4,
      }),
      ['ReferenceError', 'a is not defined'],
      'error',
    ],
    [
      'an error event without a message',
      new ErrorEvent('error'),
      ['ErrorEvent', 'ErrorEvent captured as exception with keys: isTrusted'],
      'error',
    ],
  ]
  for (const [name, value, expected, kind] of CASES)
    test(name, () => {
      expect(brief(value, kind)).toEqual(expected)
    })
})

test('describeThrown describes an error whose getters throw', () => {
  const [type, value] = brief(hostile())
  expect([type, value]).toEqual(['Error', ''])
})

test('the stack of an error event without an error is its position', () => {
  const value = event('ErrorEvent', {
    message: 'Uncaught Error: x',
    filename: 'https://a.test/a.js',
    lineno: 3,
    colno: 4,
  })
  expect(list(value, 'error')[0]!.stacktrace!.frames).toMatchObject([
    { filename: 'https://a.test/a.js', lineno: 3, colno: 4, function: '?' },
  ])
  const withoutPosition = event('ErrorEvent', { message: 'Script error.', filename: '', lineno: 0, colno: 0 })
  expect(list(withoutPosition, 'error')[0]).not.toHaveProperty('stacktrace')
})

test('an exception has up to four causes and contains each error once', () => {
  const errors = Array.from({ length: 7 }, (_, index) => new Error(`cause ${index}`))
  errors.forEach((error, index) => (error.cause = errors[index + 1]))
  expect(list(errors[0]).map(({ value }) => value)).toEqual(['cause 0', 'cause 1', 'cause 2', 'cause 3', 'cause 4'])
  const [a, b] = [new Error('a'), new Error('b')]
  a.cause = b
  b.cause = a
  expect(list(a).map(({ value }) => value)).toEqual(['a', 'b'])
  expect(list(a)[1]!.mechanism).toMatchObject({ type: 'chained', exception_id: 1, parent_id: 0 })
})

test('an exception has up to ten errors of an AggregateError', () => {
  const errors = Array.from({ length: 30 }, (_, index) => new TypeError(`part ${index}`))
  const items = list(new AggregateError(errors, 'all failed'))
  expect(items).toHaveLength(11)
  expect(items[10]).toMatchObject({ value: 'part 9', mechanism: { parent_id: 0 } })
})

test('a cause that is not an error has no stack, not even that of the reporting call', () => {
  for (const cause of ['offline', 404, { code: 7 }]) {
    const [error, second] = list(new Error('x', { cause }))
    expect(error!.stacktrace!.frames.length).toBeGreaterThan(0)
    expect(second).toMatchObject({ mechanism: { type: 'chained', parent_id: 0 } })
    expect(second).not.toHaveProperty('stacktrace')
  }
  expect(list(Promise, 'unhandledrejection')[0]!.type).toBe('UnhandledRejection')
  expect(list(new Error('x', { cause: 'offline' }), 'unhandledrejection')[1]).toMatchObject({
    type: 'Error',
    value: 'offline',
  })
})

test('an error that the page logs is handled, and has the stack of the call if it has none', () => {
  const [item] = list({ message: 'denied' }, 'console')
  expect(item!.mechanism).toMatchObject({ type: 'console', handled: true })
  expect(item!.stacktrace!.frames.length).toBeGreaterThan(0)
})

test('an exception message is cut to 8 kB, and a value without a stack gets the stack of the call', () => {
  expect(list(new Error('x'.repeat(10_000_000)))[0]!.value).toHaveLength(8192)
  const [item] = list('text')
  expect(item!.mechanism).toMatchObject({ type: 'generic', handled: true, synthetic: true })
  expect(item!.stacktrace!.frames.length).toBeGreaterThan(0)
  expect(list('text', 'unhandledrejection')[0]).not.toHaveProperty('stacktrace')
})
