import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { areThere, BUILDS, expect, test } from '../support/scenario'

for (const build of BUILDS) {
  test.describe(`${build} build`, () => {
    test('captures pageviews, clicks, custom events and pageleaves of a visit', async ({ page, site, put, stored }) => {
      // The button does nothing, so on a slow machine a dead click would come before the rest.
      put(build, '/one', '<button id="buy">Buy</button><a id="next" href="/two">Next</a>', {
        capture_dead_clicks: false,
      })
      put(build, '/two', 'two')
      await page.goto(`${site.url}/one`)
      await ready(page)
      await page.locator('#buy').click()
      await page.evaluate(() => void window.analytics.capture('purchase', { amount: 42 }))
      const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
      await page.locator('#next').click()
      await page.waitForURL('**/two')
      await ready(page)
      await pause(page, 50)
      await page.goto('about:blank')

      const events = await stored(
        areThere('$pageview', '$autocapture', 'purchase', '$autocapture', '$pageleave', '$pageview', '$pageleave'),
      )
      expect(new Set(events.map(({ distinct_id }) => distinct_id)).size).toBe(1)
      expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1)
      const [first, second] = events.filter(({ event }) => event === '$pageview')
      const [leave] = events.filter(({ event }) => event === '$pageleave')
      expect(first!.properties).toMatchObject({
        $pathname: '/one',
        title: '/one',
        $pageview_id: first!.uuid,
        $timezone: zone,
        $insert_id: first!.uuid.slice(19),
      })
      expect(leave!.properties).toMatchObject({
        $pathname: '/one',
        $prev_pageview_id: first!.uuid,
        $prev_pageview_pathname: '/one',
      })
      expect(second!.properties).toMatchObject({ $pathname: '/two', title: '/two' })
      expect(events.find(({ event }) => event === 'purchase')!.properties).toMatchObject({
        amount: 42,
        $pageview_id: first!.uuid,
      })
      expect(events.find(({ event }) => event === '$autocapture')!.properties).toMatchObject({
        $el_text: 'Buy',
        $event_type: 'click',
      })
    })

    test('captures one pageview with the right title for each path of a single-page app', async ({
      page,
      site,
      put,
      stored,
    }) => {
      put(build, '/app', 'app')
      await page.goto(`${site.url}/app`)
      await ready(page)
      await pause(page, 50)
      for (const path of ['/app/a', '/app/b']) {
        await page.evaluate((to) => {
          history.pushState({}, '', to)
          document.title = `title of ${to}`
        }, path)
        await pause(page, 50)
      }
      // The same path again, or only another query, does not count as another page.
      await page.evaluate(() => history.replaceState({}, '', '/app/b?tab=2'))
      await pause(page, 50)
      await page.goBack()
      await pause(page, 50)

      const events = await stored(areThere('$pageview', '$pageview', '$pageview', '$pageview'))
      expect(
        events.map(({ properties }) => [properties.$pathname, properties.title, properties.navigation_type]),
      ).toEqual([
        ['/app', '/app', undefined],
        ['/app/a', 'title of /app/a', 'pushState'],
        ['/app/b', 'title of /app/b', 'pushState'],
        ['/app/a', 'title of /app/b', 'popstate'],
      ])
    })

    test('identify keeps the session and sends both ids', async ({ page, site, put, stored }) => {
      put(build, '/', 'home', { capture_pageview: false, capture_pageleave: false })
      await page.goto(site.url)
      await ready(page)
      const anonymous = await page.evaluate(() => {
        const id = window.analytics.get_distinct_id()
        window.analytics.capture('before')
        window.analytics.identify('ada', { plan: 'gold' })
        window.analytics.capture('after')
        return id
      })
      const events = await stored(areThere('before', '$identify', 'after'))
      expect(events.map(({ distinct_id }) => distinct_id)).toEqual([anonymous, 'ada', 'ada'])
      expect(events[1]!.properties).toMatchObject({ $anon_distinct_id: anonymous, $set: { plan: 'gold' } })
      await page.reload()
      await ready(page)
      expect(await page.evaluate(() => window.analytics.get_distinct_id())).toBe('ada')
    })

    test('captures nothing after opt-out, also on the next page', async ({ page, site, put, stored }) => {
      put(build, '/', '<button id="b">b</button>')
      await page.goto(site.url)
      await ready(page)
      await stored(areThere('$pageview'))
      await page.evaluate(() => {
        window.analytics.capture('not sent')
        window.analytics.opt_out_capturing()
      })
      await page.locator('#b').click()
      await page.reload()
      await ready(page)
      await page.locator('#b').click()
      await page.evaluate(() => window.analytics.opt_in_capturing())
      const events = await stored(areThere('$pageview', '$opt_in', '$pageview'))
      expect(events.map(({ event }) => event)).toEqual(['$pageview', '$opt_in', '$pageview'])
    })
  })
}

test('sends nothing that a person typed', async ({ page, site, put, stored }) => {
  const secret = 'S3CR3T-42'
  put(
    'script',
    '/',
    `<form id="f" onsubmit="return false"><input id="name" name="name"><input id="pw" type="password"><input name="cc-number" id="cc">
     <textarea id="note"></textarea><button id="send">Send</button></form>`,
  )
  await page.goto(site.url)
  for (const field of ['name', 'pw', 'cc', 'note']) await page.locator(`#${field}`).fill(secret)
  await page.locator('#send').click()
  const events = await stored((all) => all.some(({ properties }) => properties.$event_type === 'submit'))
  expect(events.filter(({ event }) => event === '$autocapture').length).toBeGreaterThan(4)
  expect(JSON.stringify(events)).not.toContain(secret)
})

test("a page with the protocol's own snippet gets the SDK as window.posthog", async ({
  page,
  site,
  service,
  stored,
}) => {
  site.page(
    '/',
    `<!doctype html><title>p</title><script>
      window.posthog = Object.assign([], { __SV: 1, _i: [['${service.token}', { api_host: '${service.url}', opt_out_useragent_filter: true, capture_pageview: false, capture_pageleave: false }, 'posthog']] })
      window.posthog.push(['capture', 'queued', { a: 1 }])
    </script><script async crossorigin="anonymous" src="${service.url}/static/array.js"></script>`,
  )
  await page.goto(site.url)
  const [event] = await stored(areThere('queued'))
  expect(event!.properties).toMatchObject({ a: 1, $lib: 'web' })
})
