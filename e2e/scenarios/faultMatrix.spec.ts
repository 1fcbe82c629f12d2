import { FOREIGN_ERRORS } from '../../test/support/foreignErrors'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import {
  capture,
  comeOnline,
  COUNT,
  crash,
  databases,
  expect,
  journaled,
  kill,
  moment,
  QUIET,
  recorded,
  start,
  test,
  uuidsOf,
  waiting,
  type World,
} from '../support/world'

// The fault matrix: what is captured, what the service has of it, and what went over the wire for that. `npm run bench
// -- delivery` runs these tests and prints what they account for.

// With dots, as for real sites, so that domain cookies work.
test.use({ hostName: 'shop.example.localhost' })

// ── Each fault, and each way in which a page ends during it ─────────────────────────────────────────────────────────

// Beacons bypass Playwright's offline mode, so the proxy rejects requests too.
const FAULTS: Record<string, { begin(world: World): unknown; end(world: World): unknown }> = {
  'nothing is wrong': { begin: () => {}, end: () => {} },
  'the service answers 503': { begin: ({ network }) => network.be(503), end: ({ network }) => network.be('up') },
  'the service answers 429 with Retry-After': {
    begin: ({ network }) => network.be(429, { 'Retry-After': '1' }),
    end: ({ network }) => network.be('up'),
  },
  'the service answers 503 with a Retry-After of a month': {
    begin: ({ network }) => network.be(503, { 'Retry-After': '2592000' }),
    end: ({ network }) => network.be('up'),
  },
  'a captive portal answers 200 with a page': {
    begin: ({ network }) => network.be('html'),
    end: ({ network }) => network.be('up'),
  },
  'every request is redirected to a page': {
    begin: ({ network }) => network.be('redirecting'),
    end: ({ network }) => network.be('up'),
  },
  'connections are refused': { begin: ({ network }) => network.be('refusing'), end: ({ network }) => network.be('up') },
  'the service accepts and never answers': {
    begin: ({ network }) => network.be('silent'),
    end: ({ network }) => network.be('up'),
  },
  'the browser is offline': {
    begin: ({ context, network }) => Promise.all([context.setOffline(true), network.be('refusing')]),
    end: ({ context, network }) => Promise.all([context.setOffline(false), network.be('up')]),
  },
  'the host is blocked': {
    begin: ({ context, network }) =>
      Promise.all([
        context.route(`${network.url}/**`, (route) => route.abort('blockedbyclient')),
        network.be('refusing'),
      ]),
    end: ({ context, network }) => Promise.all([context.unrouteAll({ behavior: 'ignoreErrors' }), network.be('up')]),
  },
}
const CLOSED = 'the browser is closed'
const RELOADED = 'it is reloaded'
const ENDINGS: Record<string, (world: World) => unknown> = {
  [RELOADED]: ({ page }) => page.reload().catch(() => {}), // fails offline
  'it is left for another site': ({ page }) => page.goto('about:blank'),
  'its tab is closed': ({ page, context }) => Promise.all([context.newPage(), page.close()]),
  'its renderer crashes': ({ page }) => crash(page),
  [CLOSED]: async (world) => {
    await moment(world.page)
    await world.reopenBrowser()
  },
}

// A restart of Chromium itself. The other restarts are of the headless shell, which has the same storage.
const CHROMIUM = 'connections are refused'

for (const [ending, leave] of Object.entries(ENDINGS)) {
  test.describe(`a page captures, and ${ending}`, () => {
    test.use({ ownBrowser: ending === CLOSED && 'headless shell' })
    for (const [fault, { begin, end }] of Object.entries(FAULTS)) {
      test.describe(() => {
        if (ending === CLOSED && fault === CHROMIUM) test.use({ ownBrowser: 'chromium' })
        test(`while ${fault}: ${COUNT} captured, ${COUNT} stored`, async ({
          world,
          site,
          putShop,
          open,
          expectDelivered,
        }) => {
          putShop()
          await start(world.page, site.url)
          await begin(world)
          const captured = await capture(world.page)
          await leave(world)
          await end(world)
          // On a slow machine the reloaded page has sent its events before the fault ends, and waits.
          if (ending === RELOADED) await comeOnline(world.page)
          const next = await open()
          await expectDelivered(next, captured)
        })
      })
    }

    test(`after a request has failed and another ${COUNT} captured: ${2 * COUNT} captured, ${2 * COUNT} stored`, async ({
      world,
      site,
      putShop,
      open,
      expectDelivered,
    }) => {
      putShop()
      await start(world.page, site.url)
      await world.network.be(503)
      const before = await capture(world.page)
      await expect.poll(() => recorded(world.page)).toBe(COUNT)
      const captured = [...before, ...(await capture(world.page))]
      await leave(world)
      await world.network.be('up')
      const next = await open()
      await expectDelivered(next, captured)
    })
  })
}

// The page sees these answers. None of them confirms that events were stored.
for (const fault of [
  'the service answers 503 with a Retry-After of a month',
  'a captive portal answers 200 with a page',
  'every request is redirected to a page',
]) {
  test(`a page is answered while ${fault}, captures more and is left for another site: ${2 * COUNT} captured, ${2 * COUNT} stored`, async ({
    world,
    site,
    putShop,
    open,
    expectDelivered,
  }) => {
    putShop()
    const { page, network } = world
    await start(page, site.url)
    await FAULTS[fault]!.begin(world)
    const before = await capture(page)
    await expect.poll(() => network.requests() > 0 && network.pending() === 0).toBe(true)
    await expect.poll(() => recorded(page)).toBe(COUNT)
    const captured = [...before, ...(await capture(page))]
    expect(await page.evaluate(() => window.analytics.drops())).toEqual({})
    await page.goto('about:blank')
    await FAULTS[fault]!.end(world)
    const next = await open()
    await expectDelivered(next, captured)
  })
}

test(`a page is answered with ${FOREIGN_ERRORS.length} errors of proxies, gateways and other servers: 5 captured, 5 stored`, async ({
  world,
  site,
  putShop,
  expectDelivered,
}) => {
  putShop('/', { on_request_error: () => {}, request_queue_config: { flush_interval_ms: 5000 } })
  const { page, network } = world
  await start(page, site.url)
  const captured = await capture(page, 5)
  for (const [server, status, body] of FOREIGN_ERRORS) {
    await network.be({ status, body })
    const before = network.requests()
    // Again if a request is under way, which fails and waits for its retry.
    for (; network.requests() === before; await pause(page, 5)) await comeOnline(page)
    while (network.pending()) await pause(page, 5)
    expect(await page.evaluate(() => window.analytics.drops()), `${server} ${status}`).toEqual({})
  }
  await network.be('up')
  await comeOnline(page)
  await expectDelivered(page, captured.sort())
  expect(await page.evaluate(() => window.analytics.drops())).toEqual({})
})

// Few events wait in local storage alone, many move to a database that has yet to be opened.
for (const count of [1, 30, 300]) {
  for (const [ending, isCrash] of [
    ['it is left within 50 ms', false],
    ['its renderer crashes within 100 ms', true],
  ] as const)
    test(`a page captures ${count}, and ${ending}: ${count} captured, ${count} stored`, async ({
      world,
      site,
      putShop,
      open,
      expectDelivered,
    }) => {
      putShop()
      const { page, network } = world
      await start(page, site.url)
      await network.be(503)
      const captured = capture(page, count)
      if (isCrash) {
        await pause(page, 50)
        await kill(page)
      } else {
        await page.evaluate(() => void setTimeout(() => (location.href = 'about:blank'), 40))
        await page.waitForURL('about:blank')
      }
      await network.be('up')
      const next = await open()
      await expectDelivered(next, await captured)
    })
}

test('a page is left before it knows that its 300 events are in the database: 300 captured, 300 stored', async ({
  world,
  putShop,
  open,
  site,
  expectDelivered,
}) => {
  putShop()
  const { page, network } = world
  await page.addInitScript(() => Object.defineProperty(IDBTransaction.prototype, 'oncomplete', { set: () => {} }))
  await start(page, site.url)
  await network.be(503)
  const captured = await capture(page, 300)
  await expect.poll(() => recorded(page)).toBe(300)
  await page.goto('about:blank')
  await network.be('up')
  const next = await open()
  // They are in its journal too.
  await expectDelivered(next, captured)
})

// ── A page that ends before the browser has stored anything ─────────────────────────────────────────────────────────

const UNSTORED: Record<string, () => void> = {
  'the database is still being opened': () => Object.assign(IDBFactory.prototype, { open: () => ({}) }),
  'the renderer ends before the transaction does': () =>
    Object.assign(IDBTransaction.prototype, { commit: IDBTransaction.prototype.abort }),
  'nothing delays the browser': () => {},
  'the page is not secure and has no locks': () => Reflect.deleteProperty(Navigator.prototype, 'locks'),
}
for (const [name, breakIt] of Object.entries(UNSTORED)) {
  test(`a page captures in an outage and is left in the same task, and ${name}: ${COUNT} captured, ${COUNT} stored`, async ({
    world,
    site,
    putShop,
    open,
    stored,
    account,
  }) => {
    putShop()
    const { page, network } = world
    await network.be(503)
    await page.addInitScript(breakIt)
    await page.goto(site.url)
    await ready(page)
    const uuids = page.evaluate((count) => {
      const captured = Array.from({ length: count }, (_, index) => window.analytics.capture('x', { index })!.uuid)
      location.href = 'about:blank'
      return captured
    }, COUNT)
    const captured = await uuids
    await page.waitForURL('about:blank')
    await network.be('up')
    const next = await open()
    await stored((found) => found.length >= COUNT)
    await expect.poll(() => journaled(next)).toBe(0)
    const events = await stored(() => true)
    expect(uuidsOf(events)).toEqual(captured)
    account(COUNT, events)
  })
}

test(`a page that cannot open its database crashes a task after it captured: ${COUNT} captured, ${COUNT} stored`, async ({
  world,
  site,
  putShop,
  open,
  stored,
  account,
}) => {
  putShop()
  const { page, network } = world
  await network.be(503)
  await page.addInitScript(UNSTORED['the database is still being opened']!)
  await page.goto(site.url)
  await ready(page)
  const captured = await capture(page)
  await expect.poll(() => journaled(page)).toBe(COUNT)
  await kill(page)
  await network.be('up')
  await open()
  await stored((found) => found.length >= COUNT)
  const events = await stored(() => true)
  expect(uuidsOf(events)).toEqual(captured)
  account(COUNT, events)
})

test(`a page cannot fetch the code of its database: ${COUNT} captured in an outage, ${COUNT} stored`, async ({
  world,
  site,
  putShop,
  open,
  stored,
  account,
}) => {
  putShop()
  const { page, network } = world
  const tried: string[] = []
  await page.route('**/database.js', (route) => {
    tried.push(route.request().url())
    return route.abort('blockedbyclient')
  })
  await network.be(503)
  await start(page, site.url)
  const captured = await capture(page)
  await expect.poll(() => tried.length).toBe(1)
  // A second failure fetches nothing, and the journal still has what it may hold.
  await comeOnline(page)
  await expect.poll(() => journaled(page)).toBe(COUNT)
  await capture(page, COUNT, 60_000)
  await moment(page)
  const held = await journaled(page)
  expect(held).toBeGreaterThan(COUNT)
  expect(held).toBeLessThan(2 * COUNT)
  expect([tried.length, await databases(page)]).toEqual([1, []])
  await kill(page)
  await network.be('up')
  await open()
  await stored((found) => found.length >= held)
  const events = await stored(() => true)
  expect(uuidsOf(events)).toEqual(expect.arrayContaining(captured))
  account(held, events)
})

// ── One event that the service cannot store ─────────────────────────────────────────────────────────────────────────

test(`the service responds 500 to one of ${COUNT} events: ${COUNT - 1} stored, and the last one once the service works again`, async ({
  world,
  putShop,
  open,
  stored,
  account,
}) => {
  putShop()
  const page = await open()
  world.network.poison('"index":7,')
  const captured = await capture(page)
  await expect.poll(async () => (await stored(() => true)).length, { timeout: 200_000 }).toBe(COUNT - 1)
  expect(await page.evaluate(() => window.analytics.drops())).toEqual({})
  world.network.poison(undefined)
  await comeOnline(page)
  const events = await stored((found) => found.length >= COUNT)
  expect(uuidsOf(events)).toEqual(captured)
  account(COUNT, events)
})

// ── Storage that is cleared, and another release ────────────────────────────────────────────────────────────────────

const CLEARINGS: Record<string, (world: World) => unknown> = {
  'its page clears storage': ({ page }) =>
    page.evaluate(async () => {
      localStorage.clear()
      for (const { name } of await indexedDB.databases()) {
        const request = indexedDB.deleteDatabase(name!)
        await new Promise((done) => (request.onsuccess = done))
      }
    }),
  'a response clears storage': async ({ page }) => {
    await page.evaluate(async () => {
      localStorage.setItem('mark', 'x')
      await (await fetch('/sign-out')).text()
    })
    await expect.poll(() => page.evaluate(() => localStorage.getItem('mark'))).toBeNull()
  },
}
const AFTERWARDS: Record<string, (world: World) => unknown> = {
  'the page goes on': () => {},
  'the page is left for another site': async ({ page }) => page.goto('about:blank'),
}
for (const [clearing, clear] of Object.entries(CLEARINGS))
  for (const [name, leave] of Object.entries(AFTERWARDS))
    test(`${clearing} while events wait, and ${name}: ${COUNT} captured, ${COUNT} stored`, async ({
      world,
      site,
      putShop,
      open,
      stored,
      account,
    }) => {
      putShop()
      site.page('/sign-out', 'signed out', { 'Clear-Site-Data': '"cookies", "storage"' })
      const { page, network } = world
      await start(page, site.url)
      await network.be(503)
      const captured = await capture(page)
      await expect.poll(() => waiting(page)).toBe(COUNT)
      await clear(world)
      await leave(world)
      await network.be('up')
      if (page.url() === 'about:blank') await open()
      else await comeOnline(page)
      const events = await stored((found) => found.length >= COUNT)
      expect(uuidsOf(events)).toEqual(captured)
      account(COUNT, events)
    })

for (const dies of ['2.0.0', 'this release']) {
  test(`two tabs, one with release 2.0.0, and the one of ${dies} crashes: ${2 * COUNT} captured, ${2 * COUNT} stored`, async ({
    world,
    site,
    service,
    putShop,
    open,
    expectDelivered,
  }) => {
    putShop()
    const options = { ...QUIET, api_host: world.network.url, opt_out_useragent_filter: true }
    site.page(
      '/old',
      `<!doctype html><script src="/releases/2.0.0.js"></script><script>analytics.init('${service.token}', ${JSON.stringify(options)})</script>`,
    )
    const tabs = { 'this release': await open(), '2.0.0': await open('/old') }
    expect(await tabs['2.0.0'].evaluate(() => window.analytics.version)).toBe('2.0.0')
    await world.network.be(503)
    const captured = [...(await capture(tabs['2.0.0'])), ...(await capture(tabs['this release']))]
    // Release 2.0.0 reads no journals.
    await expect.poll(() => recorded(tabs['this release'])).toBe(2 * COUNT)
    await crash(dies === '2.0.0' ? tabs['2.0.0'] : tabs['this release'])
    const living = dies === '2.0.0' ? tabs['this release'] : tabs['2.0.0']
    await world.network.be('up')
    await comeOnline(living)
    await expectDelivered(living, captured.sort())
  })
}

// ── Where the browser keeps little or nothing ───────────────────────────────────────────────────────────────────────

test.describe('a page captures, and the disk is full', () => {
  /** Limits the site's storage to this many bytes while the context is open. */
  const leaveRoom = async ({ context, page }: World, origin: string, quotaSize: number) =>
    (await context.newCDPSession(page)).send('Storage.overrideQuotaForOrigin', { origin, quotaSize })

  test(`the service responds 503 for a while: ${COUNT} captured, ${COUNT} stored`, async ({
    world,
    site,
    putShop,
    open,
    stored,
    account,
  }) => {
    putShop()
    const errors: string[] = []
    await world.context.addInitScript(() =>
      addEventListener('unhandledrejection', ({ reason }) => {
        throw reason
      }),
    )
    world.context.on('weberror', (error) => errors.push(String(error.error())))
    await leaveRoom(world, site.url, 1)
    const page = await open()
    const { network } = world
    await network.be(503)
    const captured = await capture(page)
    await expect.poll(() => network.requests()).toBeGreaterThan(0)
    await moment(page)
    expect(await recorded(page)).toBe(0)
    expect(await page.evaluate(() => window.analytics.drops())).toEqual({})
    await world.network.be('up')
    await comeOnline(page)
    await stored((found) => found.length >= COUNT)
    const events = await stored(() => true)
    expect(uuidsOf(events)).toEqual(captured)
    expect(errors).toEqual([])
    account(COUNT, events)
  })

  test(`its tab is closed: ${COUNT} captured, ${COUNT} stored`, async ({
    world,
    site,
    putShop,
    open,
    stored,
    account,
  }) => {
    putShop('/', { request_queue_config: { flush_interval_ms: 5000 } })
    await leaveRoom(world, site.url, 1)
    const page = await open()
    const captured = await capture(page)
    await page.evaluate(() => addEventListener('pagehide', () => (localStorage.handled = 'pagehide')))
    await page.close()
    // Chromium ends a page that does not handle `pagehide` in time, as on a busy machine. Only then the next page may send.
    const other = await world.context.newPage()
    await other.goto(`${site.url}/without-sdk`)
    if (!(await other.evaluate(() => localStorage.handled))) await open()
    await stored((found) => found.length >= COUNT)
    const events = await stored(() => true)
    expect(uuidsOf(events)).toEqual(captured)
    account(COUNT, events)
  })

  test(`its renderer crashes: ${COUNT} captured before and ${COUNT} while it was full, ${2 * COUNT} stored`, async ({
    world,
    site,
    putShop,
    open,
    stored,
    account,
  }) => {
    putShop()
    await leaveRoom(world, site.url, 300_000)
    const page = await open()
    await world.network.be(503)
    const before = await capture(page)
    await expect.poll(() => recorded(page)).toBe(COUNT)
    const when = await capture(page, COUNT, 20_000)
    await expect.poll(() => journaled(page)).toBe(COUNT)
    await crash(page)
    await world.network.be('up')
    const next = await open()
    await stored((found) => found.length >= 2 * COUNT)
    await expect.poll(() => waiting(next)).toBe(0)
    await expect.poll(() => journaled(next)).toBe(0)
    const events = await stored(() => true)
    expect(uuidsOf(events)).toEqual([...before, ...when])
    account(2 * COUNT, events)
  })
})

// These pages are private: a Playwright context is an off-the-record profile, like an incognito window.
test(`all windows of private mode are closed: ${COUNT} captured, 0 stored, and nothing left on disk`, async ({
  world,
  browser,
  putShop,
  open,
  stored,
  account,
}) => {
  putShop()
  const page = await open()
  await world.network.be(503)
  await capture(page)
  await expect.poll(() => recorded(page)).toBe(COUNT)
  await world.context.close()
  await world.network.be('up')
  world.context = await browser.newContext()
  const next = await open()
  expect(await waiting(next)).toBe(0)
  expect(await databases(next)).toEqual([])
  const events = await stored(() => true)
  expect(events).toEqual([])
  account(COUNT, events)
})

// ── Two tabs, and how soon a crash may come ─────────────────────────────────────────────────────────────────────────

test(`one of two tabs that capture crashes: ${2 * COUNT} captured, ${2 * COUNT} stored`, async ({
  world,
  putShop,
  open,
  expectDelivered,
}) => {
  putShop()
  const [living, dying] = [await open(), await open()]
  await world.network.be(503)
  const captured = [...(await capture(dying)), ...(await capture(living))]
  await crash(dying)
  await world.network.be('up')
  await expectDelivered(living, captured.sort())
})

test(`a page captures, and its renderer crashes a task later: ${COUNT} captured, ${COUNT} stored`, async ({
  world,
  site,
  putShop,
  open,
  expectDelivered,
}) => {
  putShop()
  const { page, network } = world
  await start(page, site.url)
  await network.be(503)
  const captured = await page.evaluate(async (count) => {
    const uuids = Array.from({ length: count }, (_, index) => window.analytics.capture('x', { index })!.uuid)
    await new Promise((done) => setTimeout(done))
    return uuids
  }, COUNT)
  await kill(page)
  await network.be('up')
  const next = await open()
  await expectDelivered(next, captured)
})

test.describe('on a first visit', () => {
  // A new profile on disk, where opening a database takes longest.
  test.use({ ownBrowser: 'chromium' })

  test(`a page captures as soon as it can, and its renderer crashes within a second: ${COUNT} captured, ${COUNT} stored`, async ({
    world,
    site,
    putShop,
    open,
    expectDelivered,
  }) => {
    putShop()
    const { page, network } = world
    await network.be(503)
    await page.goto(site.url)
    await ready(page)
    const captured = await capture(page)
    await pause(page, 900)
    await kill(page)
    await network.be('up')
    const next = await open()
    await expectDelivered(next, captured)
  })
})

// ── The cost of beacons without a response ─────────────────────────────────────────────────────────

test('a visit of five pages, each left by a link within three seconds: everything arrives', async ({
  world,
  site,
  putShop,
  stored,
  account,
}) => {
  const PAGES = 5
  for (let index = 0; index < PAGES; index += 1)
    putShop(`/${index}`, {
      capture_pageview: true,
      capture_pageleave: true,
      autocapture: true,
      capture_dead_clicks: false,
      request_queue_config: {},
    })
  const { page } = world
  await page.goto(`${site.url}/0`)
  for (let index = 1; index < PAGES; index += 1) {
    await ready(page)
    await page.evaluate(
      (to) => document.body.insertAdjacentHTML('beforeend', `<button>more</button><a href="${to}">next</a>`),
      `/${index}`,
    )
    await page.getByRole('button').click()
    await pause(page, index % 2 ? 4000 : 1000)
    await page.getByRole('link').click()
    await page.waitForURL(`**/${index}`)
  }
  // One pageview per page, and for all but the last page a pageleave and two clicks.
  const expected = PAGES + 3 * (PAGES - 1)
  await stored((found) => found.length >= expected)
  await expect.poll(() => waiting(page)).toBe(0)
  const events = await stored(() => true)
  expect(events).toHaveLength(expected)
  account(expected, events)
})
