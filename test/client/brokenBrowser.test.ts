import fc from 'fast-check'
import { OPTIONS } from '../support/options'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'
import { randomRuns } from '../support/randomRuns'

/** Replaces a member until the test ends. */
const undo: (() => void)[] = []
const replace = (object: object, name: PropertyKey, descriptor: PropertyDescriptor) => {
  const before = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { configurable: true, ...descriptor })
  undo.push(() => {
    if (before) Object.defineProperty(object, name, before)
    else Reflect.deleteProperty(object, name)
  })
}
const restore = () =>
  undo
    .splice(0)
    .reverse()
    .forEach((run) => run())
afterEach(restore)

const throwing = () => {
  throw new Error('the page threw')
}

// ── Dates ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const local = function (this: Date) {
  return new Date(this.getTime() + 7_200_000).toUTCString()
}
test.each<[string, (keyof Date)[], (this: Date) => unknown]>([
  [
    'the toJSON of Prototype.js 1.6',
    ['toJSON'],
    function () {
      return `"${this.getUTCFullYear()}-01-01T00:00:00Z"`
    },
  ],
  ['a toJSON in local time', ['toJSON'], local],
  ['a toISOString in local time', ['toISOString', 'toJSON'], local],
  ['methods that throw', ['toJSON', 'toISOString', 'toString'], throwing],
  ['methods that return an object', ['toJSON', 'toISOString'], () => ({})],
])('%s does not change the times that are sent', async (_, names, method) => {
  jest.useFakeTimers({ now: new Date('2026-11-21T10:00:00.007Z') })
  const { analytics, sent, requests, apiRequests, settle } = startAnalytics({}, 'token', () => {
    for (const name of names) replace(Date.prototype, name, { value: method, writable: true })
  })
  const start = Date.now()
  analytics.capture('x', { at: new Date(0) })
  analytics.capture('y', {}, { timestamp: new Date(1e12) })
  await settle()
  restore()
  const isoOf = (ms: number) => new Date(ms).toISOString()
  expect(sent[0]).toMatchObject({ timestamp: isoOf(start), properties: { at: '1970-01-01T00:00:00.000Z' } })
  expect(sent[1]).toMatchObject({
    timestamp: isoOf(1e12),
    properties: { $event_time_override_system_time: isoOf(start) },
  })
  const { sent_at } = JSON.parse(requests[0]!.init.body as string) as { sent_at: string }
  expect(Date.parse(sent_at) - start).toBeLessThan(10_000)
  expect(sent_at).toMatch(/^2026-.*Z$/)
  expect(apiRequests[0]!.body!.sent_at).toMatch(/^2026-.*Z$/)
})

// ── What the page replaces ──────────────────────────────────────────────────────────────────────────────────────────

const members = (object: object) =>
  Object.getOwnPropertyNames(object).filter((name) => name !== 'constructor' && !/^on/.test(name))
/** What the SDK may read of the browser: an object, and the members that a page can replace. */
const READ: [object, string[]][] = [
  [Navigator.prototype, [...members(Navigator.prototype), 'locks', 'userAgentData', 'brave', 'connection', 'globalPrivacyControl', 'doNotTrack', 'sendBeacon', 'clipboard']],
  [Screen.prototype, members(Screen.prototype)],
  [Document.prototype, ['title', 'referrer', 'visibilityState', 'hidden', 'readyState', 'prerendering', 'hasFocus']],
  [performance, ['now', 'timeOrigin']],
  [window, ['innerWidth', 'innerHeight', 'devicePixelRatio', 'screen', 'matchMedia', 'CompressionStream', 'scrollY', 'indexedDB']],
  [Intl, ['DateTimeFormat']],
] // oxfmt-ignore
const PAIRS = READ.flatMap(([object, names]) => names.map((name) => [object, name] as const))

test('an event arrives whatever the browser’s members return or throw', async () => {
  listenToConsole('error')
  listenToConsole('warn')
  const broken: fc.Arbitrary<PropertyDescriptor> = fc.oneof(
    fc.constant({ get: throwing }),
    fc.anything({ withBigInt: true }).map((value) => ({ get: () => value })),
    fc.constant({ value: throwing }),
    fc.constant({ value: () => new Promise(() => {}) }),
  )
  const some = fc.uniqueArray(fc.nat(PAIRS.length - 1), { minLength: 1, maxLength: 6 })
  const lone = PAIRS.map((_, index): [number[], PropertyDescriptor] => [[index], { get: throwing }])
  await fc.assert(
    fc.asyncProperty(some, broken, async (indexes, descriptor) => {
      for (const index of indexes) replace(PAIRS[index]![0], PAIRS[index]![1], descriptor)
      try {
        const { analytics, sent, settle } = startAnalytics()
        analytics.capture('$pageview')
        analytics.capture('x')
        await settle()
        expect(sent.map(({ event }) => event)).toEqual(['$pageview', 'x'])
        expect(analytics.drops()).toEqual({})
        await analytics.shutdown()
      } finally {
        restore()
        localStorage.clear()
      }
    }),
    {
      numRuns: PAIRS.length + randomRuns(20),
      examples: [...lone, [PAIRS.map((_, index) => index), { get: throwing }]],
    },
  )
}, 120_000)

// ── Options ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const OBJECTS = Object.entries(OPTIONS).filter(([, [, takes]]) => /object|array|function/.test(takes))

test('an event arrives or is counted whatever the members of options are', async () => {
  listenToConsole('error')
  listenToConsole('warn')
  const anything = fc.anything({ withBigInt: true, withNullPrototype: true })
  const value = fc.oneof(
    fc.array(anything, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('events_per_second', 'flush_interval_ms', 'css_selector_allowlist', 'url_allowlist', 'a'), anything),
    fc.constant(throwing),
    anything.map((result) => () => result),
    fc.constant(() => Promise.resolve()),
  ) // oxfmt-ignore
  const lone = OBJECTS.map(([name]): [string, unknown] => [name, [1, null]])
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...OBJECTS.map(([name]) => name)), value, async (name, given) => {
      const { analytics, sent, settle } = startAnalytics({ autocapture: true, [name]: given })
      analytics.capture('x')
      document.body.click()
      analytics.set_config({ [name]: given })
      analytics.capture('y')
      await settle(120_000)
      const counted = Object.values(analytics.drops()).reduce((sum, count) => sum + count, 0)
      const own = sent.filter(({ event }) => /^[xy]$/.test(event))
      expect(own.length + counted).toBeGreaterThanOrEqual(2)
      expect(analytics.explain().filter(({ state }) => state === 'waiting')).toEqual([])
      await analytics.shutdown()
      localStorage.clear()
    }),
    { numRuns: lone.length + randomRuns(40), examples: lone },
  )
}, 120_000)
