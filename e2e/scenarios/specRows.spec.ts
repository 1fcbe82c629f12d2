import { ready } from '../support/ready'
import { areThere, BUILDS, expect, test } from '../support/scenario'

// Rows of the specification that only a browser can show; all others are in test/spec/.
const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }

for (const secure_cookie of [true, false]) {
  test(`secure_cookie: ${secure_cookie} sets the attribute of the cookie`, async ({ page, site, put }) => {
    put('script', '/', 'home', { ...QUIET, secure_cookie })
    await page.goto(site.url)
    await ready(page)
    await expect.poll(async () => (await page.context().cookies()).map(({ secure }) => secure)).toEqual([secure_cookie])
  })
}

for (const [defaults, target, place] of [
  ['unset', undefined, 'BODY'],
  ['2026-01-30', undefined, 'HEAD'],
  ['2026-01-30', 'body', 'BODY'],
] as const) {
  test(`external_scripts_inject_target: ${target ?? 'unset'}, defaults '${defaults}' inserts scripts into the ${place.toLowerCase()}`, async ({
    page,
    site,
    put,
    service,
    stored,
  }) => {
    put('script', '/', 'home', { defaults, ...(target ? { external_scripts_inject_target: target } : {}) })
    await page.goto(site.url)
    await stored(areThere('$pageview'))
    // The first press loads click detection.
    await page.locator('body').click()
    // The snippet's tag loads the core; everything else is fetched on demand.
    const onDemand = () =>
      page.evaluate(
        (folder) =>
          [...document.scripts]
            .filter(({ src }) => src.startsWith(folder) && !src.endsWith('/analytics.js'))
            .map(({ parentElement }) => parentElement!.tagName),
        `${service.url}/static/`,
      )
    await expect.poll(async () => [...new Set(await onDemand())]).toEqual([place])
  })
}

for (const build of BUILDS) {
  test(`xhr_headers (${build}) reach the service on another origin with the events`, async ({
    page,
    site,
    put,
    service,
    stored,
  }) => {
    put(build, '/', 'home', { ...QUIET, xhr_headers: { 'X-Team': 'web' } })
    const seen: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().startsWith(service.url)) seen.push(request.headers()['x-team'])
    })
    await page.goto(site.url)
    await ready(page)
    await page.evaluate(() => void window.analytics.capture('mine'))
    await stored(areThere('mine'))
    expect(seen.length).toBeGreaterThan(0)
    expect(new Set(seen)).toEqual(new Set(['web']))
  })
}

for (const cache of ['no-store', 'reload', 'sometimes', 'only-if-cached']) {
  test(`fetch_options.cache: '${cache}' delivers events`, async ({ page, site, put, stored }) => {
    put('script', '/', 'home', { ...QUIET, fetch_options: { cache: cache as 'no-store' } })
    await page.goto(site.url)
    await ready(page)
    await page.evaluate(() => void window.analytics.capture('mine'))
    await stored(areThere('mine'))
  })
}

test('opt_out_useragent_filter: false drops the events of an automated browser', async ({
  page,
  site,
  put,
  service,
}) => {
  put('script', '/', '<button id="b">b</button>', { opt_out_useragent_filter: false, capture_dead_clicks: false })
  await page.goto(site.url)
  await ready(page)
  await page.locator('#b').click()
  expect(await page.evaluate(() => window.analytics.capture('mine'))).toBeUndefined()
  // Everything sent earlier is stored before the events that follow.
  await page.evaluate(() => {
    window.analytics.set_config({ opt_out_useragent_filter: true })
    window.analytics.capture('last')
  })
  await expect
    .poll(async () =>
      (await service.events(site.host)).map(({ event, properties }) => [event, properties.$browser_type]),
    )
    .toEqual([['last', 'bot']])
})

test('opt_out_persistence_by_default stores nothing before opt_in_capturing', async ({ page, site, put, stored }) => {
  put('script', '/', 'home', { opt_out_persistence_by_default: true })
  await page.goto(site.url)
  await stored(areThere('$pageview'))
  const kept = async () => [
    ...(await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])),
    ...(await page.context().cookies()).map(({ name }) => name),
  ]
  expect(await kept()).toEqual([])
  const id = await page.evaluate(() => window.analytics.get_distinct_id())
  await page.evaluate(() => window.analytics.opt_in_capturing())
  await page.reload()
  await ready(page)
  expect(await page.evaluate(() => window.analytics.get_distinct_id())).toBe(id)
})

test('capture_copied_text captures copied text, but not with mask_all_text', async ({ page, site, put, stored }) => {
  put('script', '/', '<p id="p">words to copy</p>', { ...QUIET, autocapture: { capture_copied_text: true } })
  await page.goto(site.url)
  await ready(page)
  const copy = async () => {
    await page.evaluate(() => getSelection()!.selectAllChildren(document.querySelector('#p')!))
    await page.keyboard.press('Control+c')
  }
  await copy()
  await stored(areThere('$copy_autocapture'))
  await page.evaluate(() => window.analytics.set_config({ mask_all_text: true }))
  await copy()
  await page.evaluate(() => void window.analytics.capture('last'))
  const events = await stored(areThere('$copy_autocapture', 'last'))
  expect(events.map(({ properties }) => properties.$selected_content)).toEqual(['words to copy', undefined])
})
