import { METHODS } from '../../src/client/features/methods'
import { STAND_INS } from '../../src/client/standIns'
import { BASE } from '../../src/client/features/base'
import { FEATURES } from '../../src/client/features/features'
import { people } from '../../src/client/features/people/people'
import { createAnalytics } from '../../src/client/instances'
import type { Options } from '../../src/client/publicApi'
import * as clicks from '../../src/extensions/clicks/clicks'
import type { Extension, LoadExtension } from '../../src/extensions/contract'
import * as exceptions from '../../src/extensions/exceptions/exceptions'
import * as heatmaps from '../../src/extensions/heatmaps/heatmaps'
import type { Metric } from '../../src/extensions/webVitals/metrics'
import { startVitals } from '../../src/extensions/webVitals/startVitals'
import type { VitalsParts } from '../../src/host'
import type { CapturedEvent } from '../../src/types'
import { listenToConsole, NO_FLAGS } from '../support/startAnalytics'

// Random sequences of changes of the visitor and of things that happen, with slow extensions and slow responses. Each
// thing has a text that names the person it happened to (`who-3`), or says that the visitor was opted out (`out-3`).
// e2e/scenarios/moments.spec.ts has recordings and surveys.

const SEEDS = 30
const STEPS = 30
const DELAYS = [0, 10, 700, 4000]

const OPTIONS: Options = {
  api_host: 'https://events.example.com',
  opt_out_useragent_filter: true,
  autocapture: { capture_copied_text: true },
  capture_heatmaps: true,
  capture_pageview: 'history_change',
  capture_exceptions: true,
  capture_performance: { web_vitals: true },
  disable_session_recording: true,
  person_profiles: 'always',
  rate_limiting: { events_per_second: 10_000, events_burst_limit: 100_000 },
}

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
const createRandom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let next = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  next = (next + Math.imul(next ^ (next >>> 7), 61 | next)) ^ next
  return ((next ^ (next >>> 14)) >>> 0) / 4294967296
}

/** Receives the metrics of the page. jsdom measures none. */
const measured = new Set<(metric: Metric) => void>()
const vitals: Extension<VitalsParts> = {
  start: (host) =>
    startVitals(host, (_names, _texts, listener) => {
      measured.add(listener)
      return () => void measured.delete(listener)
    }),
}
const EXTENSIONS: Record<string, unknown> = { clicks, exceptions, heatmaps, webVitals: vitals }

const namesIn = (value: unknown) => [...new Set(JSON.stringify(value).match(/\b(?:who|out)-\d+/g))]

/** Plays the sequence of a seed, and returns what the service received. */
const play = async (seed: number) => {
  const random = createRandom(seed)
  const oneOf = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!
  const delay = oneOf(DELAYS)
  const load: LoadExtension = (name) =>
    new Promise((done, fail) =>
      setTimeout(() => (name in EXTENSIONS ? done(EXTENSIONS[name] as Extension) : fail(new Error(name))), delay),
    )
  /** Groups and super properties stay when another person is identified without `reset`, so a run has one or the other. */
  const isSwitching = random() < 0.4

  localStorage.clear()
  sessionStorage.clear()
  for (const each of document.cookie.split('; ')) document.cookie = `${each.split('=')[0]}=; max-age=0; path=/`

  const events: CapturedEvent[] = []
  const flagRequests: Record<string, unknown>[] = []
  /** The person of each id. */
  const owners = new Map<string, number>()
  const log: string[] = []
  let person = 0
  let isNamed = false
  let isOut = false
  let steps = 0
  const who = () => `${isOut ? 'out' : 'who'}-${person}`

  jest.useFakeTimers({ now: new Date('2026-11-21T10:00:00Z') })
  const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
  globalThis.fetch = (async (url: string, { body }: { body?: string } = {}) => {
    const json = (value: unknown) => ({ status: 200, text: async () => JSON.stringify(value), headers: new Headers() })
    if (!url.includes('/flags/')) {
      const { batch } = JSON.parse(body ?? '{}') as { batch?: CapturedEvent[] }
      await pause(oneOf(DELAYS))
      events.push(...(batch ?? []))
      return json({ status: 1 })
    }
    const asked = JSON.parse(body!) as { distinct_id: string }
    flagRequests.push(asked)
    const variant = `who-${owners.get(asked.distinct_id)}`
    await pause(oneOf(DELAYS))
    return json({ ...NO_FLAGS, flags: { mine: { key: 'mine', enabled: true, variant } } })
  }) as unknown as typeof fetch

  /** `identify` of another person captures an event on the page of the previous one. */
  const path = () => (isSwitching ? '/page' : `/${who()}`)
  /** Shows the page of the current person. */
  const render = () => {
    history.replaceState(null, '', path())
    document.body.innerHTML = `<p id="p-${who()}" style="cursor:pointer">${who()}</p><button id="${who()}">${who()}</button>`
  }
  render()
  const start = (features: typeof FEATURES, options: Options) => {
    const analytics = createAnalytics({ features, methods: METHODS, standIns: STAND_INS, makeLoad: () => load })
    analytics.init('token', { ...OPTIONS, ...options })
    return analytics
  }
  const tab = start(FEATURES, {})
  const other = start([...BASE, people], { capture_pageview: false })
  const claim = () => {
    const id = tab.get_distinct_id()
    owners.set(id, owners.get(id) ?? person)
  }
  claim()

  const next = (named: boolean) => {
    person += 1
    isNamed = named
  }
  const tell = (key: string) => window.dispatchEvent(new StorageEvent('storage', { key, storageArea: localStorage }))
  const click = (selector: string) => {
    const init = { bubbles: true, composed: true, clientX: 5, clientY: 5, detail: 1 }
    document.querySelector(selector)!.dispatchEvent(new MouseEvent('click', init))
  }
  const identify = (analytics: typeof tab) => {
    if (isOut) return
    if (isNamed) next(true)
    isNamed = true
    owners.set(`id-${person}`, person)
    analytics.identify(`id-${person}`, { name: who() }, { first: who() })
  }
  const reset = (analytics: typeof tab) => {
    analytics.reset()
    next(false)
  }
  const changes = {
    identify: () => {
      if (!isNamed || isSwitching) identify(tab)
    },
    reset: () => reset(tab),
    'reset and identify': () => {
      reset(tab)
      claim()
      render()
      identify(tab)
    },
    'other tab resets': () => {
      reset(other)
      tell('ph_token_posthog')
    },
    'other tab identifies': () => {
      if (isNamed && !isSwitching) return
      identify(other)
      tell('ph_token_posthog')
    },
    opt_out: () => {
      tab.opt_out_capturing()
      isOut = true
    },
    opt_in: () => {
      // The page is shown again first, because it has texts of the time before.
      isOut = false
      render()
      tab.opt_in_capturing()
    },
    resetSessionId: () => tab.sessionManager.resetSessionId(),
  }
  const sources = {
    capture: () => tab.capture('x', { note: who() }, random() < 0.5 ? { $set: { note: who() } } : {}),
    set: () => tab.setPersonProperties({ note: who() }),
    register: () => isSwitching || isOut || tab.register({ note: who() }),
    group: () => isSwitching || isOut || tab.group('company', who(), { note: who() }),
    'dead click': () => click('p'),
    'rage click': () => [1, 2, 3].forEach(() => click('p')),
    click: () => click('button'),
    copy: () => {
      getSelection()!.selectAllChildren(document.querySelector('p')!)
      document.querySelector('p')!.dispatchEvent(new Event('copy', { bubbles: true }))
    },
    move: () => document.querySelector('button')!.dispatchEvent(new MouseEvent('mousemove', { bubbles: true })),
    throw: () => window.dispatchEvent(new ErrorEvent('error', { error: new Error(who()) })),
    exception: () => tab.captureException(new Error(who()), { note: who() }),
    step: () => tab.addExceptionStep(who(), { note: who() }),
    flag: () => tab.getFeatureFlag('mine'),
    navigate: () => history.pushState(null, '', `${path()}/${steps}`),
    measure: () => {
      const values = { value: 1, rating: 'good', delta: 1, navigationType: 'navigate', navigationId: 1 }
      const id = who()
      measured.forEach((listener) =>
        listener({ ...values, name: oneOf(['LCP', 'CLS', 'INP'] as const), id, at: performance.now() }),
      )
    },
  }
  const wait = async () => {
    const ms = oneOf([0, 5, 600, 3000, 6000, random() < 0.2 ? 1_900_000 : 100])
    log.push(`${ms} ms`)
    await jest.advanceTimersByTimeAsync(ms)
  }
  for (; steps < STEPS; steps++) {
    const all: Record<string, () => unknown> = random() < 0.3 ? changes : sources
    const name = oneOf(Object.keys(all))
    log.push(name)
    all[name]!()
    if (all === changes) {
      claim()
      render()
      claim()
    }
    if (random() < 0.4) await wait()
  }
  if (isOut) changes.opt_in()
  await jest.advanceTimersByTimeAsync(30_000)
  for (const each of [tab, other]) void each.shutdown()
  await jest.advanceTimersByTimeAsync(30_000)
  return { events, flagRequests, owners, log }
}

test('what happens to one person is never stored as another’s, whatever is slow', async () => {
  listenToConsole('warn')
  listenToConsole('error')
  // Otherwise the errors fail the test while the visitor is opted out.
  window.addEventListener('error', () => {})
  const names = new Map<string, number>()
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { events, flagRequests, owners, log } = await play(seed)
    const sessions = new Map<unknown, number>()
    const wrong: unknown[] = []
    for (const { event, properties, ...rest } of events) {
      names.set(event, (names.get(event) ?? 0) + 1)
      const owner = owners.get(properties.distinct_id as string)
      const { $session_id } = properties
      const texts = namesIn([properties, rest])
      sessions.set($session_id, sessions.get($session_id) ?? owner!)
      if (owner === undefined || texts.some((each) => each !== `who-${owner}`) || sessions.get($session_id) !== owner)
        wrong.push([event, `of person ${owner}`, texts, JSON.stringify({ ...properties, ...rest })])
    }
    for (const asked of flagRequests) {
      const owner = owners.get(asked.distinct_id as string)
      if (namesIn(asked).some((each) => each !== `who-${owner}` && each !== `out-${owner}`))
        wrong.push(['/flags', `of person ${owner}`, asked])
    }
    expect({ seed, log, wrong }).toEqual({ seed, log, wrong: [] })
  }
  // Sequences that capture nothing would not fail.
  const sources = ['$autocapture', '$copy_autocapture', '$dead_click', '$exception', '$web_vitals', '$$heatmap', 'x']
  const others = ['$pageview', '$feature_flag_called', '$set', '$identify', '$groupidentify']
  expect([...sources, ...others].filter((each) => (names.get(each) ?? 0) < 3)).toEqual([])
}, 120_000)
