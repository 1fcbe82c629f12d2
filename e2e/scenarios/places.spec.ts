import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type ConsoleMessage, type Page, type Worker } from 'playwright/test'
import { bundle } from '../support/bundle'
import { type Proxy, startProxy } from '../support/proxy'
import { areThere, expect, test as base } from '../support/scenario'
import type { StoredEvent } from '../support/service'
import { type Site, startSite } from '../support/site'
import config from '../../playwright.config'

interface Fixtures {
  /** Between the app and the service: can be away. */
  network: Proxy
  /** What settings.js says. */
  settings: { token: string; options: object }
  /** Serves a folder, as a site of its own. */
  serve(folder: string): Promise<Site>
  /** The events of a host, once they are what `until` wants. */
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
      // The browser of a test says that it is driven by a program.
      options: { api_host: network.url, defaults: '2026-01-30', opt_out_useragent_filter: true, request_queue_config: { flush_interval_ms: 250 } },
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
          throw new Error(`The events that were waited for have not come; stored so far: ${events.map(({ event }) => event).join(', ') || 'none'}`)
        })
      return events
    })
  },
})

test.describe.configure({ mode: 'parallel' })

const named = (events: StoredEvent[], name: string) => events.find(({ event }) => event === name)!
const sorted = (events: StoredEvent[]) => events.map(({ uuid }) => uuid).sort()
const html = (script: string, body = '') => `<!doctype html><html><head><meta charset="utf-8"><title>${script}</title></head><body>${body}<script type="module" src="/${script}"></script></body></html>`

test.describe('a Web Worker', () => {
  test("captures as its page's visitor, and tells of no page", async ({ page, settings, serve, storedOf }, { outputDir }) => {
    const { out } = await bundle(outputDir, { entries: ['index.html'], settings, files: { 'index.html': html('page.js') } })
    const site = await serve(out)
    await page.goto(site.url)
    const events = await storedOf(site.host, areThere('$pageview', 'worker started'))
    const [pageview, started] = [named(events, '$pageview'), named(events, 'worker started')]
    expect(started.distinct_id).toBe(pageview.distinct_id)
    expect(started.properties).toMatchObject({ $is_identified: false, $browser: pageview.properties.$browser, $timezone: pageview.properties.$timezone })
    for (const name of ['$current_url', '$pathname', '$viewport_width', '$referrer', '$session_entry_url']) {
      expect(pageview.properties).toHaveProperty(name)
      expect(started.properties).not.toHaveProperty(name)
    }
  })

  test.describe('of a page that is not observed itself', () => {
    // Runs what the page tells it to, and answers.
    const OWN = `
      import { analytics } from 'trailmark'
      import { OPTIONS, TOKEN } from './settings.js'
      analytics.init(TOKEN, { ...OPTIONS, ...JSON.parse(name || '{}') })
      analytics.register({ early: true })
      analytics.capture('began')
      const ready = new Promise((done) => analytics.onFeatureFlags(done))
      onmessage = async ({ data: [method, ...args], ports: [port] }) => {
        await ready
        const answer = analytics[method](...args)
        port.postMessage(typeof answer === 'object' ? undefined : answer)
      }`
    const PAGE = `
      let worker
      window.start = (options = {}) => (worker = new Worker(new URL('./own.js', import.meta.url), { type: 'module', name: JSON.stringify(options) }))
      window.end = () => worker.terminate()
      window.ask = (...call) => new Promise((done) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }) => done(data)
        worker.postMessage(call, [port2])
      })`
    interface Control {
      start(options?: object): void
      end(): void
      ask(...call: unknown[]): Promise<unknown>
    }
    const controlOf = (page: Page) => ({
      start: (options = {}) => page.evaluate((given) => void (window as unknown as Control).start(given), options),
      end: () => page.evaluate(() => (window as unknown as Control).end()),
      ask: (...call: unknown[]) => page.evaluate((given) => (window as unknown as Control).ask(...given), call),
    })
    const open = async (page: Page, settings: Fixtures['settings'], serve: Fixtures['serve'], folder: string) => {
      const { out } = await bundle(folder, { entries: ['index.html'], settings, files: { 'index.html': html('control.js'), 'control.js': PAGE, 'own.js': OWN } })
      const site = await serve(out)
      await page.goto(site.url)
      return { site, ...controlOf(page) }
    }

    test('remembers across its end who the visitor is, super properties, the session, and a refusal', async ({ page, settings, serve, storedOf }, { outputDir }) => {
      const { site, start, end, ask } = await open(page, settings, serve, outputDir)
      const begin = async () => {
        await start()
        await ask('toString')
      }
      const life = async (...calls: unknown[][]) => {
        await begin()
        for (const call of calls) await ask(...call)
        await end()
      }
      await life(['identify', 'ada', { plan: 'gold' }], ['register', { shop: 'north' }], ['capture', 'one'])
      await life(['capture', 'two'], ['reset'], ['capture', 'three'])
      await begin()
      await ask('capture', 'four')
      // A refusal takes with it what has not left.
      await storedOf(site.host, (all) => all.some(({ event }) => event === 'four'))
      await ask('opt_out_capturing')
      await end()
      await life(['capture', 'five'])
      await begin()
      expect(await ask('has_opted_out_capturing')).toBe(true)
      await ask('opt_in_capturing')
      await ask('capture', 'six')

      const events = await storedOf(site.host, (all) => all.some(({ event }) => event === 'six'))
      const [began, one, two, three, four, six] = ['began', 'one', 'two', 'three', 'four', 'six'].map((name) => named(events, name))
      expect(events.map(({ event }) => event)).not.toContain('five')
      expect(began!.properties).toMatchObject({ early: true })
      expect(named(events, '$identify').properties).toMatchObject({ $anon_distinct_id: began!.distinct_id })
      for (const event of [one, two]) expect(event).toMatchObject({ distinct_id: 'ada', session_id: began!.session_id, properties: { shop: 'north', $is_identified: true } })
      expect(three!.distinct_id).not.toBe('ada')
      expect(three!.properties).not.toHaveProperty('shop')
      for (const event of [four, six]) expect(event).toMatchObject({ distinct_id: three!.distinct_id, session_id: three!.session_id })
    })

    test('asks for flags, as the visitor it was told of', async ({ page, settings, serve, service, storedOf }, { outputDir }) => {
      const filters = { groups: [{ properties: [{ key: 'plan', value: 'gold', type: 'person' }], rollout_percentage: 100 }] }
      expect((await service.api('POST', '/feature_flags/', { key: 'in-worker', filters })).status).toBe(201)
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await start({ bootstrap: { distinctID: 'grace', isIdentifiedID: true } })
      expect(await ask('get_distinct_id')).toBe('grace')
      expect(await ask('getFeatureFlag', 'in-worker')).toBe(false)
      await ask('setPersonPropertiesForFlags', { plan: 'gold' })
      await expect.poll(() => ask('getFeatureFlag', 'in-worker')).toBe(true)
      const events = await storedOf(site.host, (all) => all.filter(({ event }) => event === '$feature_flag_called').length === 2)
      expect(events.map(({ distinct_id }) => distinct_id)).toEqual(events.map(() => 'grace'))
    })

    test('that ends during an outage loses nothing, and doubles nothing', async ({ page, settings, serve, network, storedOf }, { outputDir }) => {
      const { site, start, end, ask } = await open(page, settings, serve, outputDir)
      await network.be(503)
      await start()
      for (let index = 0; index < 20; index++) await ask('capture', 'kept', { index })
      await end()
      await network.be('up')
      await start()
      const events = await storedOf(site.host, (all) => all.length >= 22)
      expect(events.filter(({ event }) => event === 'kept').map(({ properties }) => properties.index).sort((a, b) => +a! - +b!)).toEqual([...Array(20).keys()])
      expect(new Set(sorted(events)).size).toBe(22)
      expect(new Set(events.map(({ distinct_id }) => distinct_id)).size).toBe(1)
    })

    test('beside another worker: what one learns the other knows', async ({ page, context, settings, serve }, { outputDir }) => {
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

    test('that may keep nothing keeps nothing, and captures all the same', async ({ page, settings, serve, storedOf }, { outputDir }) => {
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await start({ disable_persistence: true })
      await ask('capture', 'said')
      await storedOf(site.host, areThere('began', 'said'))
      expect(await page.evaluate(() => indexedDB.databases())).toEqual([])
    })

    test('sends what waits when it is shut down, though a worker has no beacons', async ({ page, settings, serve, storedOf }, { outputDir }) => {
      const { site, start, ask } = await open(page, settings, serve, outputDir)
      await start({ persistence: 'memory', request_queue_config: { flush_interval_ms: 5000 } })
      await ask('capture', 'last words')
      await ask('shutdown')
      await storedOf(site.host, areThere('began', 'last words'))
    })
  })
})
