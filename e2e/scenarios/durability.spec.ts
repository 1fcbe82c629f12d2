import type { Page } from 'playwright/test'
import type { Config } from '../../src/types'
import { pause } from '../support/pause'
import type { Proxy } from '../support/proxy'
import { ready } from '../support/ready'
import { fillStorage } from '../support/tabs'
import {
  capture,
  comeOnline,
  COUNT,
  crash,
  databases,
  expect,
  journaled,
  kill,
  QUIET,
  recorded,
  start,
  test,
  uuidsOf,
  waiting,
} from '../support/world'

// A long wait before the retry, so that a slow machine does not reach it while a test counts requests.
const OUTAGE = [503, { 'Retry-After': '10' }] as const

/** Waits for the first request since `before` requests, and expects that the pages send no other one. */
const expectOneRequest = async (network: Proxy, before: number, pages: Page[]) => {
  await expect.poll(() => network.requests()).toBeGreaterThan(before)
  await Promise.all(pages.map((page) => pause(page, 1200)))
  expect(network.requests() - before).toBe(1)
}

// ── Several tabs ────────────────────────────────────────────────────────────────────────────────────────────────────

test('an open tab delivers the events of a tab that crashed', async ({ world, putShop, open, stored }) => {
  putShop()
  await open()
  const second = await open()
  await world.network.be(503)
  const captured = await capture(second)
  await crash(second)
  await world.network.be('up')
  expect(uuidsOf(await stored((found) => found.length >= COUNT))).toEqual(captured)
})

test('one of many tabs retries during an outage, and all events arrive afterwards', async ({
  world,
  putShop,
  open,
  stored,
}) => {
  putShop()
  const pages = [await open(), await open(), await open(), await open()]
  await world.network.be(...OUTAGE)
  const before = world.network.requests()
  const captured = (await Promise.all(pages.map((page) => capture(page)))).flat()
  await expectOneRequest(world.network, before, pages)
  await world.network.be('up')
  expect(uuidsOf(await stored((found) => found.length >= captured.length))).toEqual(captured.sort())
  // The leader sends its own events, and none of the other open tabs, which send theirs.
  const sent = world.network.deliveries().flatMap(({ isPassedOn, uuids }) => (isPassedOn ? uuids : []))
  expect(sent.sort()).toEqual(captured)
})

test('a tab sends its events after 5 s although another one backs off for minutes', async ({
  world,
  putShop,
  open,
  stored,
}) => {
  putShop()
  const [first, second] = [await open(), await open()]
  await world.network.be(503, { 'Retry-After': '600' })
  await capture(first)
  await expect.poll(() => world.network.requests() > 0 && world.network.pending() === 0).toBe(true)
  await world.network.be('up')
  const captured = await capture(second)
  const isStored = async () => {
    const found = uuidsOf(await stored(() => true))
    return captured.every((uuid) => found.includes(uuid))
  }
  // Far more than 5 s, and far less than the first tab waits.
  await expect.poll(isStored, { timeout: 120_000 }).toBe(true)
})

test('sends one request after an outage, then batch after batch', async ({ world, putShop, open, stored }) => {
  putShop()
  await world.network.be(...OUTAGE)
  const first = await open()
  const captured = await capture(first, 600)
  await expect.poll(() => world.network.requests()).toBe(1)
  await crash(first)
  const before = world.network.requests()
  const second = await open()
  await expectOneRequest(world.network, before, [second])
  await world.network.be('up')
  expect(uuidsOf(await stored((found) => found.length >= 600))).toEqual(captured)
  expect(world.network.requests() - before).toBe(4)
  await expect.poll(() => waiting(second)).toBe(0)
})

test('does not send waiting events of one project to another', async ({ world, putShop, put, open, stored }) => {
  putShop()
  const page = await open()
  await world.network.be(503)
  const captured = await capture(page)
  await crash(page)
  await world.network.be('up')
  world.network.forget()
  const script = `<script type="module">analytics.init('another-token', ${JSON.stringify({ ...QUIET, api_host: world.network.url, opt_out_useragent_filter: true, request_queue_config: { flush_interval_ms: 250 } })}, 'other')</script>`
  put('npm', '/other', script, { ...QUIET, enabled: false })
  const other = await open('/other')
  await other.evaluate(
    () => void (window.analytics as unknown as { other: typeof window.analytics }).other.capture('theirs'),
  )
  await expect.poll(() => world.network.seen()).toContain('theirs')
  expect(world.network.seen()).not.toContain(captured[0])
  await open()
  expect(uuidsOf(await stored((found) => found.length >= COUNT))).toEqual(captured)
})

test.describe('with a back/forward cache', () => {
  test.use({ ownBrowser: 'chromium' })
  const KINDS: Record<string, Partial<Config>> = {
    'a page in it gives up what waits, and takes it back when it returns': {},
    'a page in it that may keep nothing sends what its failed beacon carried when it returns': {
      persistence: 'memory',
    },
  }
  for (const [title, options] of Object.entries(KINDS))
    test(title, async ({ world, site, putShop, stored }) => {
      putShop('/', options)
      site.page('/two', '<!doctype html><title>two</title>')
      const { page, network } = world
      await page.goto(site.url)
      await ready(page)
      await network.be(503)
      const captured = await capture(page)
      await page.evaluate(() =>
        addEventListener('pageshow', (event) => event.persisted && window.analytics.capture('restored')),
      )
      await pause(page, 400)
      await page.evaluate((to) => location.assign(to), `${site.url}/two`)
      await page.waitForURL('**/two')
      await network.be('up')
      await page.evaluate(() => setTimeout(() => history.back()))
      const events = await stored((found) => found.length > COUNT)
      expect(uuidsOf(events.filter(({ event }) => event === 'x'))).toEqual(captured)
      expect(events.filter(({ event }) => event === 'restored')).toHaveLength(1)
    })
})

test('delivers events captured by the last listeners of a page', async ({ world, site, putShop, stored }) => {
  putShop()
  const { page } = world
  await page.goto(site.url)
  await ready(page)
  await page.evaluate(() => {
    addEventListener('pagehide', () => window.analytics.capture('on pagehide'))
    document.addEventListener('visibilitychange', () => window.analytics.capture('on hidden'))
    location.href = 'about:blank'
  })
  const events = await stored((found) => found.length >= 2)
  expect(events.map(({ event }) => event).sort()).toEqual(['on hidden', 'on pagehide'])
})

// ── Consent and reset ───────────────────────────────────────────────────────────────────────────

test('opt-out drops waiting events in this tab, in other tabs and in storage', async ({
  world,
  putShop,
  open,
  stored,
}) => {
  putShop()
  const [gone, other, here] = [await open(), await open(), await open()]
  await world.network.be(503)
  for (const page of [gone, other, here]) await capture(page)
  await crash(gone)
  await here.evaluate(() => window.analytics.opt_out_capturing())
  await expect.poll(() => databases(here)).toEqual([])
  await expect.poll(() => journaled(here)).toBe(0)
  // Also those of the closed tab, if they were adopted by then.
  expect([COUNT, 2 * COUNT]).toContain((await here.evaluate(() => window.analytics.drops())).opted_out)
  await expect
    .poll(async () =>
      [COUNT, 2 * COUNT].includes((await other.evaluate(() => window.analytics.drops())).opted_out ?? 0),
    )
    .toBe(true)
  await world.network.be('up')
  // A later opt-in does not apply to events captured before.
  await here.evaluate(() => window.analytics.opt_in_capturing({ captureEventName: 'agreed' }))
  await other.evaluate(() => window.analytics.flush())
  await open()
  const events = await stored((found) => found.length >= 1)
  await pause(here, 1000)
  expect(events.map(({ event }) => event)).toEqual(['agreed'])
  expect(uuidsOf(await stored(() => true))).toHaveLength(1)
})

test('waiting events of the previous person arrive unchanged after reset', async ({ world, putShop, open, stored }) => {
  putShop()
  const page = await open()
  await world.network.be(503)
  await page.evaluate(() => {
    window.analytics.identify('ada')
    window.analytics.capture('bye')
    window.analytics.reset()
    window.analytics.capture('hello')
  })
  await crash(page)
  await world.network.be('up')
  await open()
  const events = await stored((found) => found.length >= 3)
  expect(events.map(({ event }) => event)).toEqual(['$identify', 'bye', 'hello'])
  const personOf = (name: string) => events.find(({ event }) => event === name)!.distinct_id
  expect(personOf('bye')).toBe('ada')
  expect(personOf('hello')).not.toBe('ada')
})

const NOT_KEPT: Record<string, Partial<Config>> = {
  disable_persistence: { disable_persistence: true },
  "persistence: 'memory'": { persistence: 'memory' },
  "cookieless_mode: 'always'": { cookieless_mode: 'always' },
}
for (const [name, options] of Object.entries(NOT_KEPT)) {
  test(`${name}: stores nothing, and delivers everything after an outage`, async ({ world, putShop, open, stored }) => {
    putShop('/', options)
    const page = await open()
    await world.network.be(503)
    const captured = await capture(page)
    await pause(page, 500)
    expect(await databases(page)).toEqual([])
    await world.network.be('up')
    await comeOnline(page)
    expect(uuidsOf(await stored((found) => found.length >= COUNT))).toEqual(captured)
    // It also stores nothing when it is left during an outage.
    await world.network.be(503)
    await capture(page)
    await page.reload()
    await ready(page)
    expect(await databases(page)).toEqual([])
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('trailmark '))),
    ).toEqual([])
  })
}

test('does not adopt events from the journal of an open tab', async ({ world, site, putShop, open, stored }) => {
  putShop()
  // Sends after 5 s. Until then its events are in its journal, because its database never opens.
  putShop('/slow', { request_queue_config: { flush_interval_ms: 5000 } })
  const { page: slow } = world
  await slow.addInitScript(() => Object.assign(IDBFactory.prototype, { open: () => ({}) }))
  await slow.goto(`${site.url}/slow`)
  await ready(slow)
  const captured = await capture(slow)
  await expect.poll(() => journaled(slow)).toBe(COUNT)
  const [other] = await capture(await open(), 1)
  expect(uuidsOf(await stored((found) => found.length >= COUNT + 1))).toEqual([...captured, other!].sort())
  const sent = world.network.deliveries().flatMap(({ uuids }) => uuids)
  expect(sent.sort()).toEqual([...captured, other!].sort())
  await expect.poll(() => journaled(slow)).toBe(0)
})

test('a tab holds locks only while events wait, and needs no database if they are delivered at once', async ({
  putShop,
  open,
  stored,
}) => {
  putShop()
  const page = await open()
  await page.evaluate(async () => {
    window.analytics.capture('x')
    // Waits until the page holds a lock.
    while (!(await navigator.locks.query()).held!.length) await new Promise((done) => setTimeout(done))
  })
  await stored((found) => found.length >= 1)
  await expect.poll(() => page.evaluate(async () => (await navigator.locks.query()).held!.length)).toBe(0)
  expect(await journaled(page)).toBe(0)
  expect(await databases(page)).toEqual([])
})

test('a tab whose session storage was copied by another tab shares no events with it', async ({
  world,
  putShop,
  open,
  stored,
}) => {
  putShop()
  const page = await open()
  await world.network.be(...OUTAGE)
  const captured = await capture(page)
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void open(location.href))
  const copy = await opened
  await ready(copy)
  captured.push(...(await capture(copy)))
  await expect.poll(() => waiting(page)).toBe(2 * COUNT)
  await world.network.be('up')
  await comeOnline(page)
  expect(uuidsOf(await stored((found) => found.length >= 2 * COUNT))).toEqual(captured.sort())
  const sent = world.network.deliveries().flatMap(({ isPassedOn, uuids }) => (isPassedOn ? uuids : []))
  expect(sent.sort()).toEqual(captured)
})

// Not secure: a site on plain http.
test('without locks, adopts events of a page that was left but not of an open tab', async ({
  world,
  putShop,
  open,
  stored,
}) => {
  putShop()
  await world.context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'))
  const [first, second] = [await open(), await open()]
  await world.network.be(503)
  const left = await capture(first)
  const living = await capture(second)
  await first.goto('about:blank')
  await world.network.be('up')
  await open()
  await stored((found) => found.length >= COUNT)
  await comeOnline(second)
  expect(uuidsOf(await stored((found) => found.length >= 2 * COUNT))).toEqual([...left, ...living].sort())
  const sent = world.network.deliveries().flatMap(({ isPassedOn, uuids }) => (isPassedOn ? uuids : []))
  // Both open tabs may adopt the remaining events, and the service counts each once.
  expect(sent.filter((uuid) => living.includes(uuid)).sort()).toEqual(living.sort())
})

// ── Without Web Locks ───────────────────────────────────────────────────────────────────────────────────

const BROKEN: Record<string, () => void> = {
  'the database does not open': () =>
    Object.assign(IDBFactory.prototype, {
      open: () => {
        throw new DOMException('no', 'UnknownError')
      },
    }),
  'the database never answers': () => Object.assign(IDBFactory.prototype, { open: () => ({}) }),
  'there are no locks': () => Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined }),
  'local storage is forbidden': () =>
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('no', 'SecurityError')
      },
    }),
  'there are no databases': () =>
    Object.defineProperty(window, 'indexedDB', {
      get: () => {
        throw new DOMException('no', 'SecurityError')
      },
    }),
}
for (const [name, breakIt] of Object.entries(BROKEN)) {
  test(`${name}: keeps events in memory during an outage, without an error in the page`, async ({
    world,
    putShop,
    open,
    stored,
  }) => {
    putShop()
    const errors: string[] = []
    await world.context.addInitScript(breakIt)
    await world.context.addInitScript(() =>
      addEventListener('unhandledrejection', ({ reason }) => {
        throw reason
      }),
    )
    world.context.on('weberror', (error) => errors.push(String(error.error())))
    const page = await open()
    await world.network.be(503)
    const captured = await capture(page)
    await pause(page, 500)
    await world.network.be('up')
    await comeOnline(page)
    expect(uuidsOf(await stored((found) => found.length >= COUNT))).toEqual(captured)
    expect(errors).toEqual([])
  })
}

// ── Records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a record of several events stays until the last of them has arrived, and those that had arrived count once', async ({
  world,
  putShop,
  open,
  stored,
}) => {
  putShop()
  const page = await open()
  await world.network.be(503)
  const captured = await capture(page)
  await expect.poll(() => recorded(page)).toBe(COUNT)
  world.network.poison(captured[3])
  await world.network.be('up')
  await comeOnline(page)
  await stored((found) => found.length >= COUNT - 1)
  expect(await recorded(page)).toBe(COUNT)
  await crash(page)
  world.network.poison(undefined)
  const next = await open()
  expect(uuidsOf(await stored((found) => found.length >= COUNT))).toEqual(captured)
  await expect.poll(() => waiting(next)).toBe(0)
})

test('the journal of a closed tab is removed if the database had its events first', async ({
  world,
  site,
  putShop,
  stored,
}) => {
  putShop()
  const { page, network, context } = world
  // The page does not learn that its records are stored, so its journal has their events too.
  await page.addInitScript(() => Object.defineProperty(IDBTransaction.prototype, 'oncomplete', { set: () => {} }))
  await start(page, site.url)
  await network.be(503)
  const captured = await capture(page)
  await expect.poll(() => recorded(page)).toBe(COUNT)
  await page.goto('about:blank')
  await network.be('up')
  const next = await context.newPage()
  // The tab ends after the next page has looked for journals, and before it reads the database.
  await next.addInitScript(() => {
    const { query } = LockManager.prototype
    let isFirst = true
    LockManager.prototype.query = async function () {
      const answer = await query.call(this)
      const closed = Object.keys(localStorage).find((name) => name.startsWith('trailmark '))
      if (isFirst && closed) answer.held!.push({ name: closed, mode: 'exclusive', clientId: '' })
      isFirst = false
      return answer
    }
  })
  await start(next, site.url)
  expect(uuidsOf(await stored((found) => found.length >= COUNT))).toEqual(captured)
  await expect.poll(() => waiting(next)).toBe(0)
})

// ── Bounds ──────────────────────────────────────────────────────────────────────────────────────────────────────────

test('drops and counts events that are too old', async ({ world, putShop, open, stored }) => {
  putShop('/', { outbox_max_age_ms: 5000 })
  const page = await open()
  await world.network.be(503)
  await capture(page)
  await crash(page)
  await world.network.be('up')
  await new Promise((done) => setTimeout(done, 5000))
  const next = await open()
  await expect.poll(() => next.evaluate(() => window.analytics.drops())).toEqual({ expired: COUNT })
  expect(await stored(() => true)).toEqual([])
})

// Five of these fit, and no sixth: each has 10,000 characters and some more.
const TIGHT: Partial<Config> = { outbox_max_bytes: 60_000 }
const SIZE = 10_000
const FIT = 5

test('drops and counts the oldest stored events over the bound on the next page', async ({
  world,
  putShop,
  open,
  stored,
}) => {
  putShop()
  putShop('/tight', TIGHT)
  const page = await open()
  await world.network.be(503)
  // More than the next page reads at once: the events over the bound are identified by the records' keys.
  const captured = await capture(page, 300, SIZE)
  await expect.poll(() => recorded(page)).toBe(300)
  await kill(page)
  const next = await open('/tight')
  await expect.poll(() => next.evaluate(() => window.analytics.drops())).toEqual({ queue_full: 300 - FIT })
  await world.network.be('up')
  expect(uuidsOf(await stored((found) => found.length >= FIT))).toEqual(captured.slice(-FIT))
})

test('drops and counts the oldest waiting events over the bound', async ({ world, putShop, open, stored }) => {
  putShop('/', TIGHT)
  const page = await open()
  await world.network.be(503)
  const captured = await capture(page, COUNT, SIZE)
  expect(await page.evaluate(() => window.analytics.drops())).toEqual({ queue_full: COUNT - FIT })
  await expect.poll(() => waiting(page)).toBe(FIT)
  await world.network.be('up')
  await comeOnline(page)
  expect(uuidsOf(await stored((found) => found.length >= FIT))).toEqual(captured.slice(-FIT))
})

/** Captures `count` events of about 1,100 characters, `first` of them more in the first one, and leaves the page at once. */
const captureAndLeave = (page: Page, count: number, first = 0, to = '/next'): Promise<void> =>
  page.evaluate(
    ([count, first, to]) => {
      for (let index = 0; index < Number(count); index++)
        window.analytics.capture(
          'x',
          { index, filler: 'x'.repeat(index ? 500 : 500 + Number(first)) },
          { skip_client_rate_limiting: true },
        )
      location.assign(String(to))
    },
    [count, first, to],
  )

const HASTY: Record<string, { options?: Partial<Config>; first?: number; fill?: boolean }> = {
  'events of usual size': {},
  'one event that is larger than a journal': { first: 1_100_000 },
  'no beacons': { options: { disable_beacon: true } },
  'local storage that is full': { fill: true },
}
for (const [name, { options, first, fill }] of Object.entries(HASTY))
  test(`each event is stored, or counted by the next page, if it is left with more than 1 MB waiting: ${name}`, async ({
    site,
    putShop,
    open,
    stored,
  }) => {
    putShop('/', options)
    putShop('/next')
    const page = await open()
    // The database does not open in time, as on a slow machine.
    await page.evaluate(() => Object.assign(IDBFactory.prototype, { open: () => ({}) }))
    if (fill) {
      await fillStorage(page)
      await page.evaluate(() =>
        localStorage.removeItem(
          Object.keys(localStorage).find((name) => localStorage.getItem(name)!.length === 1 << 18)!,
        ),
      )
    }
    await captureAndLeave(page, 3000, first)
    await page.waitForURL('**/next')
    await ready(page)
    expect(site.visits('/next')).toBe(1)
    const drops = () => page.evaluate(() => window.analytics.drops())
    await expect.poll(async () => (await drops()).page_left).toBeGreaterThan(0)
    const { page_left: lost = 0, ...others } = await drops()
    expect(others).toEqual({})
    const explained = await page.evaluate(() => window.analytics.explain('x'))
    expect(explained[0]).toMatchObject({ event: 'x', state: 'dropped', reason: 'page_left' })
    const events = await stored((found) => found.length >= 3000 - lost)
    await expect.poll(() => waiting(page)).toBe(0)
    expect(events).toHaveLength(3000 - lost)
    // At least what fits into the journal.
    expect(events.length).toBeGreaterThan(fill ? 100 : 400)
  })

test.describe('with a back/forward cache and more than 1 MB waiting', () => {
  test.use({ ownBrowser: 'chromium' })

  test('a page that comes back sends what it gave up, and no page counts it', async ({
    world,
    site,
    putShop,
    service,
  }) => {
    putShop()
    site.page('/two', '<!doctype html><title>two</title>')
    const { page } = world
    // The browser does not keep a page that is left while a script is on its way.
    const loaded = page.waitForResponse((response) => response.url().includes('/database.js'))
    await start(page, site.url)
    await page.evaluate(() => {
      Object.assign(IDBFactory.prototype, { open: () => ({}) })
      window.analytics.capture('first')
      return window.analytics.flush()
    })
    await (await loaded).finished()
    await captureAndLeave(page, 3000, 0, '/two')
    await page.waitForURL('**/two')
    const noted = () =>
      page.evaluate(() => Object.values(localStorage).filter((each) => String(each).includes('"lost"')))
    expect(await noted()).toHaveLength(1)
    await page.evaluate(() => setTimeout(() => history.back()))
    // Too many for `stored`.
    const count = async () =>
      (
        await service.query<[number, number]>(
          `SELECT count(), count(DISTINCT uuid) FROM events WHERE properties.$host = '${site.host}'`,
        )
      )[0]
    await expect.poll(count).toEqual([3001, 3001])
    expect(await page.evaluate(() => window.analytics.drops())).toEqual({})
    expect(await noted()).toEqual([])
  })
})
