import { BUILDS, expect, test } from '../support/scenario'

const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }

for (const build of BUILDS) {
  test.describe(`${build} build`, () => {
    test('an outage of the network loses nothing and doubles nothing', async ({ page, context, site, put, stored }) => {
      put(build, '/', 'home', QUIET)
      await page.goto(site.url)
      await page.waitForFunction(() => window.analytics?.__loaded)
      await context.setOffline(true)
      await page.evaluate(() => {
        for (let index = 0; index < 20; index++) window.analytics.capture('offline', { index })
      })
      await page.waitForTimeout(600)
      await context.setOffline(false)
      const events = await stored((all) => all.length >= 20)
      expect(events.map(({ properties }) => properties.index)).toEqual(Array.from({ length: 20 }, (_, index) => index))
    })

    test('a page that is left at once hands over everything it captured', async ({ page, site, put, stored }) => {
      put(build, '/', 'home', QUIET)
      await page.goto(site.url)
      await page.waitForFunction(() => window.analytics?.__loaded)
      await page.evaluate(() => {
        for (let index = 0; index < 15; index++) window.analytics.capture('last', { index })
        location.href = 'about:blank'
      })
      const events = await stored((all) => all.length >= 15)
      expect(new Set(events.map(({ properties }) => properties.index)).size).toBe(15)
      expect(events).toHaveLength(15)
    })
  })
}

test('requests are CORS-simple and compressed: no preflight, and far smaller than the JSON', async ({
  page,
  site,
  put,
  stored,
}) => {
  put('script', '/', 'home', QUIET)
  const requests: { method: string; type: string | undefined; size: number }[] = []
  page.on('request', (request) => {
    if (/\/e\/(\?|$)/.test(request.url()))
      requests.push({
        method: request.method(),
        type: request.headers()['content-type'],
        size: request.postDataBuffer()?.length ?? 0,
      })
  })
  await page.goto(site.url)
  await page.waitForFunction(() => window.analytics?.__loaded)
  const json = await page.evaluate(() => {
    let bytes = 0
    for (let index = 0; index < 100; index++)
      bytes += JSON.stringify(window.analytics.capture('batch', { index })).length
    return bytes
  })
  await stored((all) => all.length === 100)
  expect(requests).toEqual([{ method: 'POST', type: 'text/plain', size: expect.any(Number) }])
  expect(requests[0]!.size).toBeLessThan(json / 10)
})

test('a request the service refuses is told to the page, and the page goes on', async ({ page, site, service }) => {
  site.page(
    '/',
    `<!doctype html><script src="${service.url}/static/analytics.js"></script><script>
      window.errors = []
      analytics.init('no such project', { api_host: '${service.url}', opt_out_useragent_filter: true, capture_pageview: false,
        on_request_error: (error) => window.errors.push(error), request_queue_config: { flush_interval_ms: 250 } })
      analytics.capture('x')
    </script>`,
  )
  await page.goto(site.url)
  // Two requests are refused: the one for flags, and the one with the event.
  await page.waitForFunction(() => (window as unknown as { errors: unknown[] }).errors.length === 2)
  const [error] = await page.evaluate(
    () => (window as unknown as { errors: { statusCode: number; json: { detail: string } }[] }).errors,
  )
  expect(error).toMatchObject({ statusCode: 401, json: { detail: expect.any(String) } })
  expect(await page.evaluate(() => window.analytics.drops())).toEqual({ refused_by_service: 1 })
})
