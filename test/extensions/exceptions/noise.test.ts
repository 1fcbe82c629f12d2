import extensions from '../../../src/extensions/extensions.json'
import type { ExceptionItem } from '../../../src/extensions/exceptions/exceptionList'
import { createIsOwn, isNoise, isOfExtension, isOwn, isSuppressed } from '../../../src/extensions/exceptions/noise'
import type { Properties } from '../../../src/types'
import { createRateLimit } from '../../../src/extensions/exceptions/rateLimit'
import { createSteps } from '../../../src/extensions/exceptions/steps'

const item = (type: string, value: string, files: string[] = []): ExceptionItem => ({
  type,
  value,
  mechanism: { type: 'onerror', handled: false, synthetic: false, exception_id: 0 },
  stacktrace: {
    type: 'raw',
    frames: files.map((filename) => ({
      platform: 'web:javascript',
      filename,
      function: 'f',
      in_app: filename.startsWith('https:'),
    })),
  },
})

test.each([
  ['Error', 'Script error.', true],
  ['Error', 'ResizeObserver loop completed with undelivered notifications.', true],
  ['TypeError', 'Cannot redefine property: googletag', true],
  ['ReferenceError', "Can't find variable: __gCrWeb", true],
  ['AbortError', 'The user aborted a request.', true],
  ['DOMException', 'AbortError: The user aborted a request.', true],
  ['DOMException', 'DataError: AbortError', false],
  ['TypeError', 'x is not a function', false],
  ['Error', 'A script error happened', false],
])('the exception %s "%s" is noise: %s', (type, value, expected) => {
  expect(isNoise([item(type, value)])).toBe(expected)
})

test.each([
  [['https://a.test/a.js', 'chrome-extension://abc/inject.js'], true],
  [['moz-extension://abc/inject.js'], true],
  [['safari-web-extension:x'], true],
  [['webkit-masked-url://hidden/'], true],
  [['chrome-extension://abc/inject.js', 'https://a.test/a.js'], false],
  [['https://a.test/a.js'], false],
  [[], false],
])('an exception with the files %j was thrown by a browser extension: %s', (files, expected) => {
  expect(isOfExtension([item('Error', 'x', files)])).toBe(expected)
})

test("exceptions of the SDK's own scripts are recognized by the folder of the scripts", () => {
  const ofSdk = createIsOwn('https://cdn.test/static/exceptions.js')
  expect(isOwn([item('Error', 'x', ['https://cdn.test/static/analytics.js'])], ofSdk)).toBe(true)
  expect(isOwn([item('Error', 'x', ['https://a.test/analytics.js'])], ofSdk)).toBe(false)
  expect(isOwn([item('Error', 'x', ['https://cdn.test/static/app.js'])], ofSdk)).toBe(false)
  expect(createIsOwn('https://a.test/assets/app-1.js')('https://a.test/assets/app-1.js')).toBe(false)
})

test.each(['analytics', 'analytics.core', ...Object.keys(extensions)])(
  '%s.js is recognized as a script of the SDK',
  (name) => {
    expect(createIsOwn('https://cdn.test/static/exceptions.js')(`https://cdn.test/static/${name}.js`)).toBe(true)
  },
)

describe('suppression rules', () => {
  const rule = (type: string, ...values: unknown[][]) => [
    { type, values: values.map(([key, operator, value]) => ({ key, operator, value })) },
  ]
  const items = [item('TypeError', 'Failed to fetch'), item('NetworkError', 'offline')]
  test.each<[unknown, boolean]>([
    [rule('AND', ['$exception_types', 'exact', 'TypeError']), true],
    [rule('AND', ['$exception_types', 'exact', ['A', 'NetworkError']]), true],
    [rule('AND', ['$exception_types', 'exact', 'Error']), false],
    [rule('AND', ['$exception_types', 'exact', 'TypeError'], ['$exception_values', 'icontains', 'nothing']), false],
    [rule('OR', ['$exception_types', 'exact', 'Error'], ['$exception_values', 'icontains', 'FETCH']), true],
    [rule('AND', ['$exception_values', 'regex', '^Failed']), true],
    [rule('AND', ['$exception_values', 'not_regex', '^Failed']), false],
    [rule('AND', ['$exception_types', 'is_not', 'Error']), true],
    [rule('AND', ['$exception_values', 'not_icontains', 'x']), true],
    // Malformed rules apply to nothing.
    [rule('AND', ['$exception_values', 'regex', '(']), false],
    [rule('AND', ['$pathname', 'exact', '/']), false],
    [rule('AND', ['$exception_types', 'sounds_like', 'TypeError']), false],
    [rule('AND'), false],
    [[null, 5, { type: 'OR' }], false],
    ['text', false],
    [undefined, false],
  ])('%j suppress the exception: %p', (rules, expected) => {
    expect(isSuppressed(rules, items)).toBe(expected)
  })
})

test('exceptions of each type are limited to 10 at once and 1 more every 10 seconds', () => {
  let now = 0
  const take = createRateLimit(
    () => ({}),
    () => now,
  )
  const taken = (type: string) => Array.from({ length: 20 }, () => take(type)).filter(Boolean).length
  expect([taken('A'), taken('B'), taken('A')]).toEqual([10, 10, 0])
  now = 25_000
  expect(taken('A')).toBe(2)
  now = 30_000
  expect(taken('A')).toBe(1)
  now = 1e9
  expect(taken('A')).toBe(10)
})

test.each([
  [{ exceptionRateLimiterBucketSize: 2 }, 2],
  [{ exceptionRateLimiterBucketSize: 0 }, 0],
  [{ exceptionRateLimiterBucketSize: 1000 }, 100],
  [{ exceptionRateLimiterBucketSize: -5 }, 0],
])('the exception rate limit %j allows %i at once', (options, expected) => {
  const take = createRateLimit(
    () => options,
    () => 0,
  )
  expect(Array.from({ length: 300 }, () => take('A')).filter(Boolean)).toHaveLength(expected)
})

test('the steps before an exception are bounded by dropping the oldest', () => {
  let limits = {}
  const steps = createSteps(
    () => ({ exception_steps: limits }),
    (value) => value as Properties,
  )
  steps.add('', {}, 0)
  steps.add(7, {}, 0)
  steps.add('opened', { $message: 'other', cart: 1 }, 0)
  expect(steps.all()).toEqual([{ $message: 'opened', $timestamp: '1970-01-01T00:00:00.000Z', cart: 1 }])
  for (let each = 0; each < 500; each++) steps.add(`step ${each}`, { text: 'x'.repeat(1000) }, 0)
  expect(JSON.stringify(steps.all()).length).toBeLessThan(32_768)
  expect(steps.all().at(-1)!.$message).toBe('step 499')
  limits = { enabled: false }
  steps.clear()
  steps.add('none', {}, 0)
  expect(steps.all()).toEqual([])
})
