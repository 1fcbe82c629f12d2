import type { Page } from 'playwright/test'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { BUILDS, expect, test } from '../support/scenario'
import { startProxy } from '../support/proxy'

const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false }
const COUNT = 20

const captureSome = (page: Page) =>
  page.evaluate((count) => {
    for (let index = 0; index < count; index++) window.analytics.capture('x', { index })
  }, COUNT)
const all = Array.from({ length: COUNT }, (_, index) => index)

for (const build of BUILDS) {
  test.describe(`${build} build: delivers each event exactly once after an outage, without a burst of requests`, () => {
    const OUTAGES = [
      ['the service answers 503', 503, {}],
      ['the service answers 429 with Retry-After', 429, { 'Retry-After': '1' }],
      ['connections are refused', 'refusing', {}],
    ] as const

    for (const [name, mode, headers] of OUTAGES) {
      test(name, async ({ page, site, service, put, stored }) => {
        const proxy = await startProxy(service.url)
        try {
          put(build, '/', 'home', { ...QUIET, api_host: proxy.url })
          await page.goto(site.url)
          await ready(page)
          await proxy.be(mode, headers)
          await captureSome(page)
          // Long enough for the first try and its failure.
          await pause(page, 1500)
          const during = proxy.requests()
          await proxy.be('up')
          const events = await stored((found) => found.length >= COUNT)
          expect(events.map(({ properties }) => properties.index)).toEqual(all)
          expect(during).toBeLessThanOrEqual(2)
          expect(await page.evaluate(() => window.analytics.drops())).toEqual({})
        } finally {
          await proxy.stop()
        }
      })
    }
  })
}

test('events whose response was lost are sent again and counted once', async ({ page, site, put, stored }) => {
  put('script', '/', 'home', QUIET)
  await page.goto(site.url)
  await ready(page)
  let lost = 0
  await page.route(/\/e\/(\?|$)/, async (route) => {
    // The service has stored them, but the page gets no response.
    if (lost++ === 0) {
      await route.fetch()
      return route.abort('connectionreset')
    }
    return route.continue()
  })
  await captureSome(page)
  await expect.poll(() => lost).toBe(2)
  await pause(page, 500)
  const events = await stored((found) => found.length >= COUNT)
  expect(events.map(({ properties }) => properties.index)).toEqual(all)
})
