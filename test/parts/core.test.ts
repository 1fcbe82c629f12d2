import type { Feature } from '../../src/client/feature'
import { checks } from '../../src/client/features/checks/checksAlone'
import { autocapture } from '../../src/client/features/autocapture/autocapture'
import { cookies } from '../../src/client/features/cookies/cookies'
import { FEATURES } from '../../src/client/features/features'
import { flags } from '../../src/client/features/flags/flags'
import { people } from '../../src/client/features/people/people'
import { createAnalytics } from '../../src/client/instances'
import { METHODS } from '../../src/client/features/methods'
import { missingOptions } from '../../src/client/missingOptions'
import { missingParts } from '../../src/client/missingParts'
import { OPTIONS } from '../support/options'
import { consent } from '../../src/entries/parts/consent'
import { createAnalytics as createFromParts } from '../../src/entries/parts/core'
import { startAnalytics } from '../support/startAnalytics'
import { membersOf, PARTS } from '../support/parts'

const listen = () => {
  const lines: string[] = []
  for (const kind of ['warn', 'error'] as const)
    jest.spyOn(console, kind).mockImplementation((...words) => void lines.push(words.join(' ')))
  return lines
}
const memberAt = (of: object, path: string) =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], of) as (
    ...args: unknown[]
  ) => unknown

afterEach(() => jest.restoreAllMocks())

test('the core and people capture, identify and keep sessions, and send no other requests', async () => {
  const { analytics, sent, apiRequests, settle } = startAnalytics({}, 'token', undefined, undefined, [people])
  analytics.register({ plan: 'free' })
  analytics.capture('signed up', { source: 'ad' })
  analytics.identify('u1')
  await settle(5000)
  expect(sent.map(({ event }) => event)).toEqual(['signed up', '$identify'])
  expect(sent[0]!.properties).toMatchObject({ source: 'ad', plan: 'free', $session_id: analytics.get_session_id() })
  expect(apiRequests).toEqual([])
})

test('the core alone keeps ids in local storage, sets no cookie, and knows nothing of device and campaign', async () => {
  const before = document.cookie
  const { analytics, sent, settle } = startAnalytics({}, 'token', undefined, undefined, [])
  analytics.register_for_session({ step: 1 })
  analytics.capture('x')
  await settle(5000)
  expect(sent[0]!.properties).toMatchObject({ step: 1, $current_url: location.href })
  expect(Object.keys(sent[0]!.properties).filter((name) => /browser|\$os|referr|utm_/.test(name))).toEqual([])
  expect(document.cookie).toBe(before)
  expect(localStorage.getItem('ph_token_posthog')).toContain(analytics.get_distinct_id())
  await settle(31 * 60_000)
  analytics.capture('y')
  await settle(5000)
  expect(sent[1]!.properties).not.toHaveProperty('step')
})

test('the core alone obeys a refusal in a cookie, with consent until the visitor decides anew', async () => {
  const name = '__ph_opt_in_out_refused'
  document.cookie = `${name}=0;path=/`
  const start = (...features: Feature[]) => startAnalytics({}, 'refused', undefined, undefined, features)
  expect(start().analytics.has_opted_out_capturing()).toBe(true)
  const { analytics, sent, settle } = start(consent)
  analytics.capture('x')
  await settle(5000)
  expect(analytics.has_opted_out_capturing()).toBe(true)
  expect(sent).toEqual([])
  analytics.opt_in_capturing({ captureEventName: false })
  analytics.capture('y')
  await settle(5000)
  expect(sent.map(({ event }) => event)).toEqual(['y'])
  expect(document.cookie).not.toContain(name)
  expect(start().analytics.has_opted_out_capturing()).toBe(false)
})

test.each([{ opt_out_capturing_by_default: true }, { cookieless_mode: 'always' }, { respect_dnt: true }] as const)(
  'the core alone captures nothing with %j, which needs trailmark/consent',
  async (options) => {
    const lines = listen()
    const { analytics, sent, settle } = startAnalytics(options, 'token', undefined, undefined, [checks])
    analytics.capture('x')
    await settle(5000)
    expect([sent, localStorage.length]).toEqual([[], 0])
    expect(lines).toEqual([`[trailmark] ${Object.keys(options)[0]} needs trailmark/consent; it has no effect`])
  },
)

test.each([
  [
    { persistence: 1, before_send: [], api_host: null, session_idle_timeout_seconds: '60' },
    ['persistence', 'api_host', 'session_idle_timeout_seconds'],
  ],
  [
    { property_denylist: '$ip', bootstrap: [], defaults: 'latest', enabled: 1 },
    ['property_denylist', 'bootstrap', 'enabled'],
  ],
  [{ bootstrap: { distinctID: 5, isIdentifiedID: true }, rate_limiting: undefined, ui_host: null }, []],
])('without trailmark/checks, a value of a wrong kind has no effect: %j', async (options, wrong) => {
  const lines = listen()
  const { analytics, sent, settle } = startAnalytics(options as never, 'token', undefined, undefined, [])
  analytics.capture('x')
  await settle(5000)
  expect(sent.map(({ event }) => event)).toEqual(['x'])
  expect(lines.sort()).toEqual(
    wrong.sort().map((name) => `[trailmark] ${name} has a wrong type. trailmark/checks says more`),
  )
})

test('trailmark/checks says what is wrong, and knows older names', () => {
  const lines: string[] = []
  jest.spyOn(console, 'error').mockImplementation((...words) => void lines.push(words.join(' ')))
  const options = { persistence: 1, verbose: false } as never
  const { analytics } = startAnalytics(options, 'token', undefined, undefined, [checks])
  expect(lines[0]).toMatch(/^\[trailmark\] persistence expects 'localStorage' \| .*, got 1\. Using/)
  expect(analytics.config.debug).toBe(false)
})

test('persistence in cookies logs the import it needs', () => {
  const lines = listen()
  startAnalytics({ persistence: 'cookie' }, 'token', undefined, undefined, [checks])
  startAnalytics({ persistence: 'localStorage' }, 'token', undefined, undefined, [checks])
  startAnalytics({ persistence: 'cookie' }, 'token', undefined, undefined, [checks, cookies])
  expect(lines).toEqual(['[trailmark] persistence needs trailmark/cookies; it has no effect'])
})

test.each(PARTS.flatMap((part) => membersOf(part, Object.keys(METHODS)).map((path) => [path, part])))(
  '%s without its part logs one message naming trailmark/%s',
  (path, part) => {
    const { analytics } = startAnalytics({}, 'token', undefined, undefined, [])
    const lines = listen()
    const expected = METHODS[path]
    const result = memberAt(analytics, path)('x', 'y')
    expect(lines).toEqual([`[trailmark] ${path} needs trailmark/${part}; the call does nothing`])
    if (typeof expected === 'function') expect(result).toBeInstanceOf(Function)
    else expect(result).toEqual(expected)
  },
)

test('missing features return empty lists, and flag listeners are not called', () => {
  const { analytics } = startAnalytics({}, 'token', undefined, undefined, [])
  listen()
  const callback = jest.fn()
  analytics.onFeatureFlags(callback)
  expect(callback).not.toHaveBeenCalled()
  analytics.getEarlyAccessFeatures(callback)
  expect(callback.mock.calls[0]![0]).toEqual([])
})

test('an option of a part that is not imported logs the import it needs, and false needs none', () => {
  const lines = listen()
  const { analytics } = startAnalytics(
    { rageclick: { threshold_px: 20 }, mask_all_text: true, autocapture: false },
    'token',
    undefined,
    undefined,
    [checks],
  )
  expect(lines).toEqual([
    '[trailmark] rageclick needs trailmark/clicks; it has no effect',
    '[trailmark] mask_all_text needs trailmark/autocapture or trailmark/clicks; it has no effect',
  ])
  analytics.set_config({ autocapture: true })
  expect(lines[2]).toBe('[trailmark] autocapture needs trailmark/autocapture; it has no effect')
})

test('without trailmark/checks, an option of a part that is not imported logs a line that names checks', () => {
  const lines = listen()
  startAnalytics({ rageclick: true, autocapture: false }, 'token', undefined, undefined, [])
  // Options of the helper are of other parts too.
  expect(lines).toContain('[trailmark] rageclick is not an option of the imported parts. trailmark/checks says more')
  expect(lines.join()).not.toContain('autocapture')
})

test('an option of an imported part logs nothing', () => {
  const lines = listen()
  startAnalytics({ mask_all_text: true }, 'token', undefined, undefined, [autocapture, checks])
  expect(lines).toEqual([])
})

test('the flags part alone provides its methods and event properties', async () => {
  const { analytics, sent, setApiResponse, settle } = startAnalytics({}, 'token', undefined, undefined, [flags])
  setApiResponse(200, { flags: { checkout: { enabled: true, variant: 'short' } }, supportedCompression: [] })
  await settle(1000)
  expect(analytics.getFeatureFlag('checkout')).toBe('short')
  analytics.capture('x')
  await settle(5000)
  expect(sent.at(-1)!.properties).toMatchObject({ '$feature/checkout': 'short' })
})

test('the full SDK contains every part except workers and misses no method or option', () => {
  expect(FEATURES.map(({ name }) => name).sort()).toEqual(PARTS.filter((name) => name !== 'workers'))
  const missingOption = missingOptions(OPTIONS)
  expect(Object.keys(METHODS).filter(missingParts(FEATURES))).toEqual([])
  expect(Object.entries(OPTIONS).filter(([name, [value]]) => missingOption(name, value))).toEqual([])
})

test('methods of the core alone work without any part', () => {
  const { analytics } = startAnalytics({}, 'token', undefined, undefined, [])
  const lines = listen()
  const missing = missingParts([])
  const ofCore = Object.keys(METHODS).filter((path) => !missing(path) && path !== 'shutdown')
  for (const path of ofCore) memberAt(analytics, path)()
  expect(lines.filter((line) => /needs trailmark|not in this version/.test(line))).toEqual([])
})

test('createAnalytics of trailmark/core returns an object with the members of the full SDK', () => {
  const core = createFromParts({ features: [] })
  const full = createAnalytics({ features: FEATURES, makeLoad: () => () => Promise.reject(new Error('none')) })
  expect(Object.keys(core).sort()).toEqual(Object.keys(full).sort())
  expect(Object.keys(core.featureFlags).sort()).toEqual(Object.keys(full.featureFlags).sort())
})
