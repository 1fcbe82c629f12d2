import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, chromium, type ConsoleMessage, type Page, type Worker } from 'playwright/test'
import { bundle } from '../support/bundle'
import { type Proxy, startProxy } from '../support/proxy'
import { OPTIONS } from '../support/options'
import { ROOT } from '../support/root'
import { areThere, expect, test as base } from '../support/scenario'
import type { StoredEvent } from '../support/service'
import { type Site, startSite } from '../support/site'
import { waiting } from '../support/world'
import config from '../../playwright.config'

interface Fixtures {
  /** A proxy between the app and the service, which can be stopped. */
  network: Proxy
  /** The content of settings.js. */
  settings: { token: string; options: object }
  /** Serves a folder as a separate site. */
  serve(folder: string): Promise<Site>
  /** Resolves with the events of a host once `until` returns true. */
  storedOf(host: string, until: (events: StoredEvent[]) => boolean): Promise<StoredEvent[]>
}

const test = base.extend<Fixtures>({
  network: async ({ service }, use) => {
    const network = await startProxy(service.url)
    await use(network)
    await network.stop()
  },
  settings: async ({ service, network }, use) => {
    await use({
      token: service.token,
      options: { ...OPTIONS, api_host: network.url },
    })
  },
  serve: async ({}, use) => {
    const sites: Site[] = []
    await use(async (folder) => {
      const site = await startSite({ '/': folder })
      sites.push(site)
      return site
    })
    await Promise.all(sites.map((site) => site.stop()))
  },
  storedOf: async ({ service }, use) => {
    await use(async (host, until) => {
      let events: StoredEvent[] = []
      await expect
        .poll(async () => until((events = await service.events(host))))
        .toBe(true)
        .catch(() => {
          throw new Error(
            `The events that were waited for have not come; stored so far: ${events.map(({ event }) => event).join(', ') || 'none'}`,
          )
        })
      return events
    })
  },
})

const named = (events: StoredEvent[], name: string) => events.find(({ event }) => event === name)!
const sorted = (events: StoredEvent[]) => events.map(({ uuid }) => uuid).sort()
const html = (script: string, body = '') =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${script}</title><link rel="icon" href="data:,"></head><body>${body}<script type="module" src="/${script}"></script></body></html>`

test.describe('a Web Worker', () => {
  test('captures as the visitor of its page, without page properties', async ({ page, settings, serve, storedOf }, {
    outputDir,
  }) => {
    const { out } = await bundle(outputDir, {
      entries: ['index.html'],
      settings,
      files: { 'index.html': html('page.js', '<button id="sign-in">Sign in</button>') },
    })
    const site = await serve(out)
    await page.goto(site.url)
    const events = await storedOf(site.host, areThere('$pageview', 'worker started'))
    const [pageview, started] = [named(events, '$pageview'), named(events, 'worker started')]
    expect(started.distinct_id).toBe(pageview.distinct_id)
    expect(started.properties).toMatchObject({
      $is_identified: false,
      $browser: pageview.properties.$browser,
      $timezone: pageview.properties.$timezone,
    })
    for (const name of ['$current_url', '$pathname', '$viewport_width', '$referrer', '$session_entry_url']) {
      expect(pageview.properties).toHaveProperty(name)
      expect(started.properties).not.toHaveProperty(name)
    }
    await page.locator('#sign-in').click()
    // The button changes nothing on the page, so on a slow machine a dead click comes before the rest.
    const isComplete = areThere('$pageview', 'worker started', '$autocapture', '$identify', '$identify')
    const withoutDeadClicks = (all: StoredEvent[]) => all.filter(({ event }) => event !== '$dead_click')
    const both = (await storedOf(site.host, (all) => isComplete(withoutDeadClicks(all)))).filter(
      ({ event }) => event === '$identify',
    )
    for (const each of both)
      expect(each).toMatchObject({ distinct_id: 'ada', properties: { $anon_distinct_id: started.distinct_id } })
  })

  test.describe('captures for a page that has no SDK', () => {
    // Runs the calls that the page sends, and responds.
    const OWN = `
      import { analytics } from 'trailmark'
      import { OPTIONS, TOKEN } from './settings.js'
      const { breakDatabase, ...given } = JSON.parse(name || '{}')
      if (breakDatabase) indexedDB.open = new Function(breakDatabase)
      const ready = new Promise((loaded) => analytics.init(TOKEN, { ...OPTIONS, ...given, loaded }))
      analytics.register({ early: true })
      analytics.capture('began')
      onmessage = async ({ data: [method, ...args], ports: [port] }) => {
        await ready
        if (method === 'captureAndClose') {
          for (let index = 0; index < args[0]; index++) analytics.capture('kept', { index })
          port.postMessage(true)
          return close()
        }
        const answer = analytics[method](...args)
        port.postMessage(typeof answer === 'object' ? undefined : answer)
      }`
    const PAGE = `
      let worker, before
      window.swap = () => ([worker, before] = [before, worker])
      window.start = (options = {}) => ((before = worker), (worker = new Worker(new URL('./own.js', import.meta.url), { type: 'module', name: JSON.stringify(options) })))
      window.end = () => worker.terminate()
      window.ask = (...call) => new Promise((done) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }) => done(data)
        worker.postMessage(call, [port2])
      })`
    /** Resolves when the workers' state that was changed before is in its database, whose transactions run one by one. */
    const stateStored = (page: Page) =>
      page.evaluate(async () => {
        const opening = indexedDB.open('trailmark')
        const database = await new Promise<IDBDatabase>((done) => (opening.onsuccess = () => done(opening.result)))
        const transaction = database.transaction('entries', 'readwrite')
        transaction.objectStore('entries').count()
        await new Promise((done) => (transaction.oncomplete = done))
        database.close()
      })
    interface Control {
      start(options?: object): void
      /** Switches between the previously started worker and the current one. */
      swap(): void
      end(): void
      ask(...call: unknown[]): Promise<unknown>
    }
    const controlOf = (page: Page) => ({
      start: (options = {}) => page.evaluate((given) => void (window as unknown as Control).start(given), options),
      swap: () => page.evaluate(() => (window as unknown as Control).swap()),
      end: () => page.evaluate(() => (window as unknown as Control).end()),
      ask: (...call: unknown[]) => page.evaluate((given) => (window as unknown as Control).ask(...given), call),
    })
    const open = async (page: Page, settings: Fixtures['settings'], serve: Fixtures['serve'], folder: string) => {
      const { out } = await bundle(folder, {
        entries: ['index.html'],
        settings,
        files: { 'index.html': html('control.js'), 'control.js': PAGE, 'own.js': OWN },
      })
      const site = await serve(out)
      await page.goto(site.url)
      return { site, ...controlOf(page) }
    }

    test('keeps visitor, super properties, session and opt-out across restarts', async ({
      page,
      settings,
      serve,
      network,
      storedOf,
    }, { outputDir }) => {
      const { site, start, end, ask } = await open(page, settings, serve, outputDir)
      const begin = async () => {
        await start()
        await ask('toString')
      }
      // A worker that is terminated loses what IndexedDB has not finished writing.
      const life = async (eventCount: number, ...calls: unknown[][]) => {
        await begin()
        for (const call of calls) await ask(...call)
        await expect.poll(() => waiting(page)).toBe(eventCount)
        await stateStored(page)
        await end()
      }
      await network.be(503)
      await life(3, ['identify', 'ada', { plan: 'gold' }], ['register', { shop: 'north' }], ['capture', 'one'])
      await life(6, ['capture', 'two'], ['reset'], ['capture', 'three'])
      await network.be('up')
      await begin()
      await ask('capture', 'four')
      // An opt-out drops unsent events, including those of earlier workers.
      await storedOf(site.host, (all) =>
        ['one', 'two', 'three', 'four'].every((name) => all.some(({ event }) => event === name)),
      )
      await ask('opt_out_capturing')
      await stateStored(page)
      await end()
      await begin()
      await ask('capture', 'five')
      await stateStored(page)
      await end()
      await begin()
      expect(await ask('has_opted_out_capturing')).toBe(true)
      await ask('opt_in_capturing')
      await ask('capture', 'six')

      const events = await storedOf(site.host, (all) => all.some(({ event }) => event === 'six'))
      const [began, one, two, three, four, six] = ['began', 'one', 'two', 'three', 'four', 'six'].map((name) =>
        named(events, name),
      )
      expect(events.map(({ event }) => event)).not.toContain('five')
      expect(began!.properties).toMatchObject({ early: true })
      expect(named(events, '$identify').properties).toMatchObject({ $anon_distinct_id: began!.distinct_id })
      for (const event of [one, two])
        expect(event).toMatchObject({
          distinct_id: 'ada',
          session_id: began!.session_id,
          properties: { shop: 'north', $is_identified: true },
        })
      expect(three!.distinct_id).not.toBe('ada')
      expect(three!.properties).not.toHaveProperty('shop')
      for (const event of [four, six])
        expect(event).toMatchObject({ distinct_id: three!.distinct_id, session_id: three!.session_id })
    })

    test('requests flags as the visitor of bootstrap', async ({ page, settings, serve, service, storedOf }, {
      outputDir,
    }) => {
      const filters = {
        groups: [{ properties: [{ key: 'plan', value: 'gold', type: 'person' }], rollout_percentage: 100 }],
      }
      expect((await service.api('POST', '/feature_flags/', { key: 'in-worker', filters })).status).toBe(201)
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await start({ bootstrap: { distinctID: 'grace', isIdentifiedID: true } })
      expect(await ask('get_distinct_id')).toBe('grace')
      await expect.poll(() => ask('getFeatureFlag', 'in-worker')).toBe(false)
      await ask('setPersonPropertiesForFlags', { plan: 'gold' })
      await expect.poll(() => ask('getFeatureFlag', 'in-worker')).toBe(true)
      const events = await storedOf(
        site.host,
        (all) => all.filter(({ event }) => event === '$feature_flag_called').length === 2,
      )
      expect(events.map(({ distinct_id }) => distinct_id)).toEqual(events.map(() => 'grace'))
    })

    test('delivers each event exactly once if it ends during an outage', async ({
      page,
      settings,
      serve,
      network,
      storedOf,
    }, { outputDir }) => {
      const { site, start, end, ask } = await open(page, settings, serve, outputDir)
      await network.be(503)
      await start()
      for (let index = 0; index < 20; index++) await ask('capture', 'kept', { index })
      await expect.poll(() => waiting(page)).toBe(21)
      await end()
      await network.be('up')
      await start()
      const events = await storedOf(site.host, (all) => all.length >= 22)
      expect(
        events
          .filter(({ event }) => event === 'kept')
          .map(({ properties }) => properties.index)
          .sort((a, b) => +a! - +b!),
      ).toEqual([...Array(20).keys()])
      expect(new Set(sorted(events)).size).toBe(22)
      expect(new Set(events.map(({ distinct_id }) => distinct_id)).size).toBe(1)
    })

    test('delivers events captured in the task in which it closes itself during an outage', async ({
      page,
      settings,
      serve,
      network,
      storedOf,
    }, { outputDir }) => {
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await network.be(503)
      await start()
      // Its first event is in the database, which is therefore open.
      await expect(async () => expect(await waiting(page)).toBe(1)).toPass()
      await ask('captureAndClose', 20)
      await network.be('up')
      await start()
      const events = await storedOf(site.host, (all) => all.length >= 22)
      expect(new Set(sorted(events)).size).toBe(22)
    })

    test('shares its state with another worker', async ({ page, context, settings, serve }, { outputDir }) => {
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await start()
      await ask('toString')
      const second = await context.newPage()
      await second.goto(site.url)
      const other = controlOf(second)
      await other.start()
      expect(await other.ask('get_distinct_id')).toBe(await ask('get_distinct_id'))
      await other.ask('register', { theirs: 'yes' })
      await ask('identify', 'ada')
      await expect.poll(() => other.ask('get_distinct_id')).toBe('ada')
      await expect.poll(() => ask('get_property', 'theirs')).toBe('yes')
      await ask('opt_out_capturing')
      await expect.poll(() => other.ask('has_opted_out_capturing')).toBe(true)
    })

    test('agrees on the visitor with a worker that starts at the same time', async ({ page, settings, serve }, {
      outputDir,
    }) => {
      const { start, ask, swap } = await open(page, settings, serve, outputDir)
      await page.evaluate(() =>
        [1, 2].forEach(() => (window as unknown as Control).start({ advanced_disable_flags: true })),
      )
      const ids = async () => {
        const one = await ask('get_distinct_id')
        await swap()
        return [one, await ask('get_distinct_id')]
      }
      await expect.poll(async () => new Set(await ids()).size).toBe(1)
      // A worker that starts later has the same visitor.
      const [agreed] = await ids()
      await start()
      expect(await ask('get_distinct_id')).toBe(agreed)
    })

    const BROKEN = {
      'never answers': 'return {}',
      'may not be opened': "throw new DOMException('forbidden', 'SecurityError')",
    }
    for (const [how, breakDatabase] of Object.entries(BROKEN)) {
      test(`captures from memory if its database ${how}`, async ({ page, settings, serve, storedOf }, {
        outputDir,
      }) => {
        const { site, start, ask } = await open(page, settings, serve, outputDir)
        await start({ breakDatabase })
        await ask('identify', 'ada')
        const events = await storedOf(site.host, areThere('began', '$identify'))
        expect(named(events, '$identify')).toMatchObject({
          distinct_id: 'ada',
          properties: { $anon_distinct_id: named(events, 'began').distinct_id, early: true },
        })
      })
    }

    test('captures without storing anything if storage is off', async ({ page, settings, serve, storedOf }, {
      outputDir,
    }) => {
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await start({ disable_persistence: true })
      await ask('capture', 'said')
      await storedOf(site.host, areThere('began', 'said'))
      expect(await page.evaluate(() => indexedDB.databases())).toEqual([])
    })

    test('sends waiting events on shutdown, although workers have no beacons', async ({
      page,
      settings,
      serve,
      storedOf,
    }, { outputDir }) => {
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await start({ persistence: 'memory', request_queue_config: { flush_interval_ms: 5000 } })
      await ask('capture', 'last words')
      await ask('shutdown')
      await storedOf(site.host, areThere('began', 'last words'))
    })
  })
})

test.describe('a browser extension', () => {
  interface Extension {
    context: BrowserContext
    /** Opens the popup as a page of the extension. */
    popup(): Promise<Page>
    id: string
    /** Stops the service worker, as Chrome does after 30 seconds without activity. */
    stopWorker(): Promise<void>
    /** All reported policy violations and errors. */
    complaints: string[]
  }

  /** Chromium with the extension of the guide, unpacked. */
  const launch = async (folder: string, settings: Fixtures['settings']): Promise<Extension> => {
    const { out } = await bundle(folder, {
      entries: ['background.js', 'popup.html', 'content.js'],
      settings,
      files: { 'popup.html': html('popup.js', '<button id="sign-in">Sign in</button>') },
    })
    await copyFile(join(folder, 'manifest.json'), join(out, 'manifest.json'))
    const { args, ...options } = config.use!.launchOptions!
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      ...options,
      args: [...args!, `--disable-extensions-except=${out}`, `--load-extension=${out}`],
    })
    const complaints: string[] = []
    const hear = (message: ConsoleMessage) =>
      void (['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
    context.on('console', hear)
    context.on('weberror', (error) => complaints.push(String(error.error())))
    const worker: Worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
    const id = new URL(worker.url()).host
    return {
      context,
      id,
      complaints,
      popup: async () => {
        const page = await context.newPage()
        await page.goto(`chrome-extension://${id}/popup.html`)
        // The popup asks the service worker for the visitor first. A page that closes before captures nothing.
        await page.waitForFunction(() => document.querySelector<HTMLElement>('#sign-in')!.onclick)
        return page
      },
      stopWorker: async () => {
        const page = await context.newPage()
        await page.goto(`chrome-extension://${id}/manifest.json`)
        const devtools = await context.newCDPSession(page)
        const stopped = new Promise<void>((done) => {
          devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
            if (versions.some(({ runningStatus }) => runningStatus === 'stopped')) done()
          })
        })
        await devtools.send('ServiceWorker.enable')
        await devtools.send('ServiceWorker.stopAllWorkers')
        await stopped
        await page.close()
      },
    }
  }

  test('shares one visitor between its service worker, pages and content scripts', async ({
    settings,
    serve,
    storedOf,
  }, { outputDir }) => {
    // Signing in changes nothing on this page, which makes the button a dead one.
    const options = { ...settings.options, capture_dead_clicks: false }
    const extension = await launch(outputDir, { ...settings, options })
    try {
      const read = await serve(outputDir)
      read.page('/article', '<!doctype html><link rel="icon" href="data:,"><title>article</title>')
      await (await extension.context.newPage()).goto(`${read.url}/article`)
      const popup = await extension.popup()
      await popup.locator('#sign-in').click()
      await storedOf(
        extension.id,
        areThere('installed', 'page read', '$pageview', '$autocapture', '$identify', '$identify'),
      )
      const again = await extension.popup()
      const events = await storedOf(
        extension.id,
        (all) => all.filter(({ event }) => event === '$pageview').length === 2,
      )
      await again.close()

      const [first, second] = events.filter(({ event }) => event === '$pageview')
      const anonymous = named(events, 'installed').distinct_id
      expect(named(events, 'page read')).toMatchObject({
        distinct_id: anonymous,
        properties: { site: 'localhost:' + new URL(read.url).port },
      })
      expect(first).toMatchObject({
        distinct_id: anonymous,
        properties: { $current_url: `chrome-extension://${extension.id}/popup.html` },
      })
      for (const each of events.filter(({ event }) => event === '$identify'))
        expect(each).toMatchObject({ distinct_id: 'ada', properties: { $anon_distinct_id: anonymous } })
      expect(second).toMatchObject({ distinct_id: 'ada', properties: { $is_identified: true } })
      expect(extension.complaints).toEqual([])
    } finally {
      await extension.context.close()
    }
  })

  test('keeps events and visitor of its service worker when Chrome stops it', async ({ settings, network, storedOf }, {
    outputDir,
  }) => {
    const extension = await launch(outputDir, settings)
    try {
      const popup = await extension.popup()
      const tell = (...call: unknown[]) =>
        popup.evaluate(
          (given) =>
            void (
              globalThis as unknown as { chrome: { runtime: { sendMessage(call: unknown): void } } }
            ).chrome.runtime.sendMessage(given),
          call,
        )
      const visitor = () =>
        popup.evaluate(() =>
          (
            globalThis as unknown as { chrome: { runtime: { sendMessage(call: unknown): Promise<unknown> } } }
          ).chrome.runtime.sendMessage('visitor'),
        )
      await storedOf(extension.id, areThere('installed', '$pageview'))
      await tell('identify', 'ada')
      await tell('register', { plan: 'gold' })
      await storedOf(extension.id, (all) => all.some(({ event }) => event === '$identify'))
      await network.be('refusing')
      for (let index = 0; index < 20; index++) await tell('capture', 'before', { index })
      // It has received all of them, because messages arrive in order.
      expect(await visitor()).toEqual({ distinctID: 'ada', isIdentifiedID: true })
      await expect.poll(() => waiting(popup)).toBe(20)

      await extension.stopWorker()
      await network.be('up')
      // Wakes it.
      await tell('capture', 'after')
      const events = await storedOf(
        extension.id,
        (all) =>
          all.some(({ event }) => event === 'after') && all.filter(({ event }) => event === 'before').length >= 20,
      )
      const [before, after] = ['before', 'after'].map((name) => events.filter(({ event }) => event === name))
      expect(before!.map(({ properties }) => properties.index).sort((a, b) => +a! - +b!)).toEqual([...Array(20).keys()])
      expect(new Set(sorted(events)).size).toBe(events.length)
      expect(after).toHaveLength(1)
      // A restarted worker with the same visitor and session.
      expect(after![0]!.properties.$window_id).not.toBe(before![0]!.properties.$window_id)
      expect(after![0]).toMatchObject({
        distinct_id: 'ada',
        session_id: before![0]!.session_id,
        properties: { plan: 'gold', $is_identified: true },
      })
      expect(await visitor()).toEqual({ distinctID: 'ada', isIdentifiedID: true })
    } finally {
      await extension.context.close()
    }
  })
})

test.describe('a strict Content-Security-Policy', () => {
  interface Strict {
    site: Site
    policy: string
    /** What loads and starts the SDK. */
    page: string
  }
  const start = (settings: Fixtures['settings']) =>
    `analytics.init(${JSON.stringify(settings.token)}, ${JSON.stringify(settings.options)})`
  const withTag = (site: Site, src: string, settings: Fixtures['settings']) => {
    site.page('/start.js', start(settings), { 'Content-Type': 'text/javascript' })
    return `<!doctype html><title>csp</title><link rel="icon" href="data:,"><script src="${src}" crossorigin="anonymous"></script><script src="/start.js"></script><button id="b">b</button>`
  }
  const WAYS: Record<
    string,
    (from: Pick<Fixtures, 'settings' | 'serve'> & { host: string; folder: string }) => Promise<Strict>
  > = {
    'script tag, from the site itself': async ({ settings, serve }) => {
      const site = await serve(join(ROOT, 'dist'))
      return {
        site,
        policy: "script-src 'self'; trusted-types trailmark",
        page: withTag(site, '/analytics.js', settings),
      }
    },
    'script tag, from the service': async ({ settings, serve, host, folder }) => {
      const site = await serve(folder)
      return {
        site,
        policy: `script-src 'self' ${host}; trusted-types trailmark`,
        page: withTag(site, `${host}/static/analytics.js`, settings),
      }
    },
    imported: async ({ settings, serve, folder }) => {
      const app = `import { analytics } from 'trailmark'\n${start(settings)}`
      const { out } = await bundle(folder, {
        entries: ['index.html'],
        settings,
        files: { 'index.html': html('app.js', '<button id="b">b</button>'), 'app.js': app },
      })
      return {
        site: await serve(out),
        policy: "script-src 'self'; trusted-types 'none'",
        page: await readFile(join(out, 'index.html'), 'utf8'),
      }
    },
  }

  for (const [way, make] of Object.entries(WAYS)) {
    test(`${way}: delivers everything without a violation, including code loaded later`, async ({
      page,
      settings,
      serve,
      service,
      network,
      storedOf,
    }, { outputDir }) => {
      const { site, policy, page: text } = await make({ settings, serve, host: service.url, folder: outputDir })
      site.page('/csp', text, {
        'Content-Security-Policy': `default-src 'none'; ${policy}; connect-src ${network.url}; img-src data:; require-trusted-types-for 'script'`,
      })
      const complaints: string[] = []
      page.on(
        'console',
        (message) => void (['error', 'warning'].includes(message.type()) && complaints.push(message.text())),
      )
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.addInitScript(() => {
        const violations: string[] = []
        Object.assign(window, { violations })
        document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
          violations.push(`${violatedDirective} ${blockedURI} ${sample}`),
        )
        // Without it compression is loaded later too.
        delete (window as { CompressionStream?: unknown }).CompressionStream
      })
      await page.goto(`${site.url}/csp`)
      await page.locator('#b').click()
      await storedOf(site.host, areThere('$pageview', '$autocapture', '$dead_click'))
      const loaded = () =>
        page.evaluate(() =>
          performance
            .getEntriesByType('resource')
            .map(({ name }) => /(clicks|gzip)[^/]*\.js$/.exec(name)?.[1])
            .filter(Boolean)
            .sort(),
        )
      await expect.poll(loaded).toEqual(['clicks', 'gzip'])
      expect(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)).toEqual([])
      expect(complaints).toEqual([])
    })
  }
})

test('a server renders with the flags of the visitor, and the browser hydrates with the same flags', async ({
  page,
  context,
  settings,
  serve,
  service,
  network,
  storedOf,
}, { outputDir }) => {
  const filters = {
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: { variants: [{ key: 'short', rollout_percentage: 100 }] },
  }
  expect((await service.api('POST', '/feature_flags/', { key: 'checkout', filters })).status).toBe(201)
  await bundle(outputDir, { entries: ['server.js'], settings, ssr: true })
  const { out } = await bundle(outputDir, { entries: ['client.js'], settings })
  // Renders twice at once, as frameworks do, and exits without help: nothing keeps the process running.
  await writeFile(
    join(outputDir, 'run.mjs'),
    `import { render } from './out/server.js'
     const pages = await Promise.all([render(process.argv[2]), render(process.argv[2])])
     console.log(pages[0])`,
  )
  const rendered = async (cookies: string) => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(outputDir, 'run.mjs'), cookies], {
      timeout: 120_000,
    })
    expect(stderr).toBe('')
    return stdout.trim()
  }
  const visitorOf = (text: string) =>
    (JSON.parse(/id="bootstrap">(.*)<\/script>/.exec(text)![1]!) as { distinctID: string }).distinctID

  const first = await rendered('')
  expect(first).toContain('<h1>Two steps</h1>')
  expect(network.requests()).toBe(0)

  const complaints: string[] = []
  page.on(
    'console',
    (message) => void (['error', 'warning'].includes(message.type()) && complaints.push(message.text())),
  )
  page.on('pageerror', (error) => complaints.push(error.message))
  const site = await serve(out)
  const show = (text: string) =>
    site.page(
      '/',
      `<!doctype html><title>shop</title><link rel="icon" href="data:,">${text}<script type="module" src="/client.js"></script>`,
    )
  show(first)
  await page.goto(site.url)
  const [pageview] = await storedOf(site.host, (all) => all.some(({ event }) => event === '$pageview'))
  expect(pageview!.distinct_id).toBe(visitorOf(first))

  // The next visit: the server knows them by the cookie.
  const cookies = (await context.cookies(site.url)).map(({ name, value }) => `${name}=${value}`).join('; ')
  const second = await rendered(cookies)
  expect(visitorOf(second)).toBe(visitorOf(first))
  show(second)
  await page.goto(site.url)
  const events = await storedOf(site.host, (all) => all.filter(({ event }) => event === '$pageview').length === 2)
  expect(new Set(events.map(({ distinct_id }) => distinct_id))).toEqual(new Set([visitorOf(first)]))
  expect(complaints).toEqual([])
})

test('the hook of the guide shows the flag of the server until the browser has another value', async ({
  page,
  settings,
  serve,
  service,
}, { outputDir }) => {
  const filters = {
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: { variants: [{ key: 'short', rollout_percentage: 100 }] },
  }
  expect((await service.api('POST', '/feature_flags/', { key: 'hook', filters })).status).toBe(201)
  // Preact has the interface of React.
  const react = join(outputDir, 'node_modules/react')
  await mkdir(react, { recursive: true })
  await writeFile(join(react, 'package.json'), '{"name":"react","type":"module","main":"index.js"}')
  const preact = JSON.stringify(join(ROOT, 'node_modules/preact/compat/dist/compat.mjs'))
  await writeFile(join(react, 'index.js'), `export * from ${preact}`)
  const client = `import { createElement, hydrate } from 'react'
    import { analytics } from 'trailmark'
    import { OPTIONS, TOKEN } from './settings.js'
    import { useFlag } from './useFlag.jsx'
    const app = document.querySelector('#app')
    const fromServer = app.textContent
    window.changes = []
    new MutationObserver(() => window.changes.push(app.textContent)).observe(app, { subtree: true, childList: true, characterData: true })
    analytics.init(TOKEN, { ...OPTIONS, bootstrap: { distinctID: 'ada', featureFlags: { hook: fromServer } } })
    hydrate(createElement(() => createElement('h1', null, String(useFlag('hook', fromServer)))), app)`
  const { out } = await bundle(outputDir, { entries: ['hook.js'], files: { 'hook.js': client }, settings })
  const site = await serve(out)
  for (const [fromServer, changes] of [
    ['short', []],
    ['long', ['short']],
  ] as const) {
    const app = `<div id="app"><h1>${fromServer}</h1></div><script type="module" src="/hook.js"></script>`
    site.page('/', `<!doctype html><title>shop</title><link rel="icon" href="data:,">${app}`)
    const response = page.waitForResponse((each) => each.url().includes('/flags/'))
    await page.goto(site.url)
    await response
    await expect(page.locator('h1')).toHaveText('short')
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
    expect(await page.evaluate(() => (window as unknown as { changes: string[] }).changes)).toEqual(changes)
  }
})
