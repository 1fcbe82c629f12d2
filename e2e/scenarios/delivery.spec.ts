import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { BUILDS, expect, test } from '../support/scenario'

const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }

for (const build of BUILDS) {
  test.describe(`${build} build`, () => {
    test('delivers each event exactly once after a network outage', async ({ page, context, site, put, stored }) => {
      put(build, '/', 'home', QUIET)
      await page.goto(site.url)
      await ready(page)
      await context.setOffline(true)
      await page.evaluate(() => {
        for (let index = 0; index < 20; index++) window.analytics.capture('offline', { index })
      })
      await pause(page, 600)
      await context.setOffline(false)
      const events = await stored((all) => all.length >= 20)
      expect(events.map(({ properties }) => properties.index)).toEqual(Array.from({ length: 20 }, (_, index) => index))
    })

    test('a page that is left immediately delivers everything it captured', async ({ page, site, put, stored }) => {
      put(build, '/', 'home', QUIET)
      await page.goto(site.url)
      await ready(page)
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

test('a page that is left immediately delivers 50 events of ordinary size, compressed ahead of time', async ({
  page,
  site,
  put,
  stored,
}) => {
  put('script', '/', 'home', { ...QUIET, request_queue_config: { flush_interval_ms: 5000 } })
  await page.goto(site.url)
  await ready(page)
  await page.evaluate(async () => {
    for (let index = 0; index < 50; index++) window.analytics.capture('last', { index, text: 'order '.repeat(200) })
    const gzip = async () => {
      await new Promise((done) => setTimeout(done))
      const text = new Blob(['order '.repeat(100_000)])
      await new Response(text.stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
    }
    // The browser completes the SDK's requests before these.
    await gzip()
    await gzip()
    setTimeout(() => (location.href = 'about:blank'))
  })
  const events = await stored((all) => all.length >= 50)
  expect(events).toHaveLength(50)
})

const BROKEN_FETCH: Record<string, () => void> = {
  'has removed fetch': () => void Reflect.deleteProperty(window, 'fetch'),
  'has replaced fetch by a value': () => Object.assign(window, { fetch: 'none' }),
  'has a fetch that throws': () =>
    Object.assign(window, {
      fetch: () => {
        throw new Error('forbidden')
      },
    }),
  'has a fetch without a response': () => Object.assign(window, { fetch: async () => undefined }),
}
for (const [title, breakFetch] of Object.entries(BROKEN_FETCH))
  test(`a page that ${title} delivers events by XMLHttpRequest`, async ({ page, site, put, stored }) => {
    put('script', '/', 'home', QUIET)
    await page.addInitScript(breakFetch)
    // Once, the network is lost when the page fetches the code for it. It is fetched again ten seconds later.
    if (title === 'has removed fetch') await page.route('**/requests.js', (route) => route.abort(), { times: 1 })
    await page.goto(site.url)
    await ready(page)
    const uuids = await page.evaluate(() =>
      [1, 2, 3].map((index) => window.analytics.capture('without fetch', { index })!.uuid),
    )
    await expect
      .poll(() => page.evaluate((uuid) => window.analytics.explain(uuid)[0]!.state, uuids[2]!))
      .toBe('delivered')
    expect((await stored((all) => all.length >= 3)).map(({ uuid }) => uuid).sort()).toEqual(uuids.sort())
  })

test('delivers 60 events that together exceed the size of a keepalive request', async ({ page, site, put, stored }) => {
  put('script', '/', 'home', { ...QUIET, disable_compression: true })
  await page.goto(site.url)
  await ready(page)
  await page.evaluate(() => {
    for (let index = 0; index < 60; index++) window.analytics.capture('large', { text: 'x'.repeat(2000) })
  })
  expect(await stored((all) => all.length >= 60)).toHaveLength(60)
})

test('options that fetch rejects are reported, and events are sent without them', async ({
  page,
  site,
  put,
  stored,
}) => {
  const lines: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && lines.push(message.text())))
  const xhr_headers = { 'not a name': 'x', 'X-Value': 'line\nline' }
  put('script', '/', 'home', { ...QUIET, xhr_headers, fetch_options: { priority: 'sometimes' } } as never)
  await page.goto(site.url)
  await ready(page)
  await page.evaluate(() => void window.analytics.capture('sent'))
  expect(await stored((all) => all.length >= 1)).toHaveLength(1)
  for (const name of ['not a name', 'X-Value', 'priority'])
    expect(lines.filter((line) => line.includes(`fetch rejects ${name}.`))).toHaveLength(1)
})

test('sends compressed requests without a CORS preflight', async ({ page, site, put, stored }) => {
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
  await ready(page)
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

test('reports a request that the service rejects to on_request_error', async ({ page, site, service }) => {
  site.page(
    '/',
    `<!doctype html><script src="${service.url}/static/analytics.js"></script><script>
      window.errors = []
      analytics.init('no such project', { api_host: '${service.url}', opt_out_useragent_filter: true, capture_pageview: false,
        on_request_error: (error) => window.errors.push(error), request_queue_config: { flush_interval_ms: 250 },
        feature_flag_request_timeout_ms: 60_000 })
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
