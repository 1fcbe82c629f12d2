import type { Page } from 'playwright/test'
import { ready } from '../support/ready'
import { BUILDS } from '../support/scenario'
import { cut, recording, test, text } from '../support/recording'
import { capture, expect, moment, QUIET } from '../support/world'

// Only browsers without Compression Streams load the compression extension.

/** Counts the bodies that the page has compressed from now on. */
const countCompressed = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate(() => {
    const Native = window.CompressionStream
    Object.assign(window, {
      compressed: 0,
      CompressionStream: function (format: CompressionFormat) {
        const { readable, writable } = new Native(format)
        const count = new TransformStream({
          flush: () => void (window as unknown as { compressed: number }).compressed++,
        })
        return { readable: readable.pipeThrough(count), writable }
      },
    })
  })
  return () => page.evaluate(() => (window as unknown as { compressed: number }).compressed)
}

const flush = (page: Page) => page.evaluate(() => window.analytics.flush())

for (const build of BUILDS) {
  test.describe(`${build} build`, () => {
    // Events captured right before a page is left are sent with its last beacon, even on a slow machine.
    const LATER = { request_queue_config: { flush_interval_ms: 5000 } }
    test.beforeEach(({ put, network }) => put(build, '/', 'home', { ...QUIET, ...LATER, api_host: network.url }))
    /** Opens a page of this build and counts its requests for the extension. */
    const openCounting = async (page: Page, url: string) => {
      let fetches = 0
      page.on('requestfinished', (request) => {
        if (request.url().endsWith('/gzip.js')) fetches += 1
      })
      await page.goto(url)
      await ready(page)
      return () => fetches
    }

    test('a page that captures little sends its last beacon uncompressed', async ({ page, site, network, stored }) => {
      const fetches = await openCounting(page, site.url)
      await capture(page, 3)
      await flush(page)
      await stored((all) => all.length === 3)
      // In one task, because a step of a test can take longer than the interval of the flush.
      await page.evaluate(() => {
        for (let index = 0; index < 2; index++) window.analytics.capture('last', { index })
        location.href = 'about:blank'
      })
      await stored((all) => all.length === 5)
      expect(fetches()).toBe(0)
      expect(network.deliveries().map(({ isCompressed, uuids }) => [uuids.length, isCompressed])).toEqual([
        [3, true],
        [2, false],
      ])
    })

    test('a page that captures much compresses its last beacon ahead of time, without the extension', async ({
      page,
      site,
      network,
      stored,
    }) => {
      const fetches = await openCounting(page, site.url)
      await capture(page, 100)
      await flush(page)
      await stored((all) => all.length === 100)
      const compressed = await countCompressed(page)
      await capture(page, 200)
      await expect.poll(compressed).toBeGreaterThan(0)
      await moment(page)
      expect(fetches()).toBe(0)
      await page.goto('about:blank')
      await stored((all) => all.length === 300)
      expect(network.deliveries().map(({ isCompressed, uuids }) => [uuids.length, isCompressed])).toEqual([
        [100, true],
        [200, true],
      ])
    })

    test('loads the extension to compress in a browser without Compression Streams', async ({
      page,
      site,
      network,
      stored,
    }) => {
      await page.addInitScript(() => Reflect.deleteProperty(window, 'CompressionStream'))
      const fetches = await openCounting(page, site.url)
      await expect.poll(fetches).toBe(1)
      const lastIsCompressed = async () => {
        await capture(page, 2)
        await flush(page)
        await stored((all) => all.length > 0 && all.length % 2 === 0)
        return network.deliveries().at(-1)!.isCompressed
      }
      // The response comes before the script has run.
      await expect.poll(lastIsCompressed).toBe(true)
    })
  })
}

test('a proxy rejects compressed bodies: events, flags and recordings arrive uncompressed', async ({
  page,
  site,
  put,
  service,
  network,
  record,
  chunks,
  stored,
}) => {
  await record(true)
  await service.api('POST', '/feature_flags', { key: 'behind-proxy', active: true, rollout: 100 })
  const properties = { bio: 'x'.repeat(2000) }
  put('npm', '/', '<p>first page</p>', { ...QUIET, api_host: network.url, on_request_error: () => {} })
  await network.be({ status: 400, body: 'Bad Request', ifGzip: true })
  await page.goto(site.url)
  await ready(page)
  // Long enough to be compressed.
  await page.evaluate((each) => window.analytics.setPersonPropertiesForFlags(each), properties)
  await expect.poll(() => page.evaluate(() => window.analytics.flagsEndpointWasHit)).toBe(true)
  await recording(page)
  const captured = await capture(page, 20)
  await page.evaluate(() => document.body.append('behind the proxy'))
  await expect
    .poll(async () => {
      await cut(page)
      return text(chunks())
    })
    .toContain('behind the proxy')
  const events = await stored((all) => all.filter(({ event }) => event === 'x').length >= 20)
  expect(events.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(captured))
  expect(await page.evaluate(() => window.analytics.drops())).toEqual({})
})
