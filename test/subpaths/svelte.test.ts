import { analytics, type CapturedEvent } from 'trailmark'
import { captureErrors, consent, featureFlag, featureFlagPayload, setTrailmark } from 'trailmark/svelte'
import { listenToConsole } from '../support/startAnalytics'

// The context and lifecycle of one component.
let context = new Map<unknown, unknown>()
let mounted: (() => void)[] = []
jest.mock('svelte', () => ({
  setContext: (key: unknown, value: unknown) => void context.set(key, value),
  getContext: (key: unknown) => context.get(key),
  onMount: (run: () => void) => void mounted.push(run),
}))

const BOOTSTRAP = { featureFlags: { checkout: 'short' }, featureFlagPayloads: { checkout: '{"steps":2}' } }
let events: CapturedEvent[] = []

const set = (afterNavigate?: Parameters<typeof setTrailmark>[0]['afterNavigate']) =>
  setTrailmark({
    client: analytics,
    token: 'token',
    options: {
      bootstrap: BOOTSTRAP,
      opt_out_useragent_filter: true,
      autocapture: false,
      before_send: (event) => {
        events.push(event)
        return event
      },
    },
    afterNavigate,
  })

beforeEach(() => {
  jest.useFakeTimers()
  context = new Map()
  mounted = []
  events = []
  globalThis.fetch = jest.fn(async () => ({
    status: 200,
    text: async () => JSON.stringify({ featureFlags: { checkout: 'long' }, supportedCompression: [] }),
    headers: { get: () => null },
  })) as unknown as typeof fetch
})
afterEach(async () => {
  await analytics.shutdown()
  localStorage.clear()
  jest.restoreAllMocks()
})

test('a store shows the flags of the server until the page is mounted, and then each change once', async () => {
  set()
  const seen: unknown[] = []
  const payloads: unknown[] = []
  featureFlag('checkout').subscribe((value) => seen.push(value))
  featureFlagPayload('checkout').subscribe((value) => payloads.push(value))
  await jest.advanceTimersByTimeAsync(100)
  expect(analytics.getFeatureFlag('checkout', { send_event: false })).toBe('long')
  expect(seen).toEqual(['short'])
  mounted.forEach((run) => run())
  analytics.capture('starts a session')
  expect(seen).toEqual(['short', 'long'])
  expect(payloads).toEqual([{ steps: 2 }, undefined])
})

test('pageviews are those of SvelteKit', async () => {
  let run!: Parameters<NonNullable<Parameters<typeof setTrailmark>[0]['afterNavigate']>>[0]
  set((listener) => void (run = listener))
  run({ type: 'enter', to: { url: new URL(location.href), route: { id: '/' } } })
  await jest.advanceTimersByTimeAsync(100)
  run({ type: 'popstate', to: { url: new URL('/blog/a', location.href), route: { id: '/blog/[slug]' } } })
  run({ type: 'link', to: null })
  await jest.advanceTimersByTimeAsync(100)
  const views = events.filter(({ event }) => event === '$pageview').map(({ properties }) => properties)
  expect(views.map(({ $route, navigation_type }) => [$route, navigation_type])).toEqual([
    ['/', undefined],
    ['/blog/[slug]', 'popstate'],
  ])
})

test('consent is recorded and shown', () => {
  set()
  mounted.forEach((run) => run())
  const seen: unknown[] = []
  const store = consent()
  store.subscribe((status) => seen.push(status))
  store.optOut()
  store.optIn()
  expect(seen).toEqual(['pending', 'denied', 'granted'])
})

test('unexpected errors are captured, and a function outside says what to add', () => {
  expect(() => featureFlag('checkout')).toThrow('setTrailmark(')
  const errors = listenToConsole('error')
  const capture = jest.spyOn(analytics, 'captureException')
  const handle = captureErrors(analytics)
  handle({ error: new Error('broken'), status: 500 })
  handle({ error: new Error('no such page'), status: 404 })
  expect(capture).toHaveBeenCalledTimes(1)
  expect(errors.join()).toContain('broken')
})
