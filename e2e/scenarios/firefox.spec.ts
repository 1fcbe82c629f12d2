import { resolve } from 'node:path'
import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { buildFailingApp, FAILING_PAGE, shownFrame } from '../support/failingApp'
import { findInShadow, launchFirefox, openPage } from '../support/firefox'
import { startProxy } from '../support/proxy'
import { ROOT } from '../support/root'
import { areThere, BUILDS, expect, pageWith, test as base } from '../support/scenario'
import { startSite } from '../support/site'
import { QUIET, uuidsOf } from '../support/world'

// The main stories of the SDK in stock Firefox. The other suites have the details, in Chromium.

const test = base.extend<{ firefox: BrowserContext }, { browserProcess: Browser }>({
  browserProcess: [
    async ({}, use) => {
      const browser = await launchFirefox()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  firefox: async ({ browserProcess }, use) => {
    const context = await browserProcess.createBrowserContext()
    await use(context)
    await context.close()
  },
})

// In one worker, because each worker launches Firefox.
test.describe.configure({ mode: 'default' })

const distinctId = (page: Page) => page.evaluate(() => window.analytics.get_distinct_id())
const sessionId = (page: Page) => page.evaluate(() => window.analytics.get_session_id())

for (const build of BUILDS) {
  test(`${build} build: stores a pageview, a click, a custom event and a pageleave`, async ({
    firefox,
    site,
    put,
    stored,
  }) => {
    put(build, '/', '<button id="buy">Buy now</button>', { capture_dead_clicks: false })
    put(build, '/next', 'next')
    const page = await openPage(firefox, `${site.url}/`)
    await page.click('#buy')
    await page.evaluate(() => window.analytics.capture('bought', { amount: 42 }))
    await page.goto(`${site.url}/next`)
    const events = await stored(areThere('$pageview', '$autocapture', 'bought', '$pageleave', '$pageview'))
    const click = events.find(({ event }) => event === '$autocapture')!
    expect(click.elements_chain).toContain('Buy now')
    expect(new Set(events.map(({ distinct_id: id }) => id)).size).toBe(1)
    expect(new Set(events.map(({ session_id: id }) => id)).size).toBe(1)
    expect(events[0]!.properties).toMatchObject({ $browser: 'Firefox' })
  })
}

test.describe('delivery', () => {
  test('delivers events captured during an outage exactly once after the browser was restarted', async ({
    site,
    service,
    put,
    stored,
  }, { outputDir }) => {
    const network = await startProxy(service.url)
    put('npm', '/', 'home', { ...QUIET, api_host: network.url })
    const profile = `${outputDir}/firefox-profile`
    let browser = await launchFirefox(profile)
    try {
      const page = await openPage(browser, `${site.url}/`)
      await network.be(503)
      const uuids = await page.evaluate(() =>
        Array.from({ length: 20 }, (_, index) => window.analytics.capture('x', { index })!.uuid),
      )
      await expect.poll(() => network.requests()).toBeGreaterThan(0)
      await browser.close()
      await network.be('up')
      browser = await launchFirefox(profile)
      await openPage(browser, `${site.url}/`)
      expect(uuidsOf(await stored((events) => events.length >= uuids.length))).toEqual(uuids.sort())
    } finally {
      await browser.close()
      await network.stop()
    }
  })

  test('delivers events of a page that is left immediately', async ({ firefox, site, put, stored }) => {
    put('npm', '/', 'home', QUIET)
    put('npm', '/next', 'next', QUIET)
    const page = await openPage(firefox, `${site.url}/`)
    await page.evaluate(() => {
      for (let index = 0; index < 20; index += 1) window.analytics.capture('last', { index })
      location.href = '/next'
    })
    const events = await stored((all) => all.length >= 20)
    expect(new Set(uuidsOf(events)).size).toBe(20)
  })
})

test('keeps the identity across reloads, merges on identify, shares it with another tab and removes it on reset', async ({
  firefox,
  site,
  put,
  stored,
}) => {
  put('script', '/', 'home', QUIET)
  const one = await openPage(firefox, `${site.url}/`)
  const anonymous = await distinctId(one)
  await one.reload()
  await one.waitForFunction(() => window.analytics?.__loaded)
  expect(await distinctId(one)).toBe(anonymous)

  const two = await openPage(firefox, `${site.url}/`)
  expect(await distinctId(two)).toBe(anonymous)
  await one.evaluate(() => window.analytics.identify('ada'))
  await expect.poll(() => distinctId(two)).toBe('ada')
  await one.evaluate(() => window.analytics.reset())
  await expect.poll(() => distinctId(two)).not.toBe('ada')
  expect(await distinctId(two)).toBe(await distinctId(one))
  const [identified] = await stored(areThere('$identify'))
  expect(identified!.properties).toMatchObject({ $anon_distinct_id: anonymous })
})

test('shares a session between tabs, each with its own window id', async ({ firefox, site, put }) => {
  put('npm', '/', 'home', QUIET)
  const pages = [await openPage(firefox, `${site.url}/`), await openPage(firefox, `${site.url}/`)]
  const windowOf = (page: Page) => page.evaluate(() => window.analytics.capture('x')!.properties.$window_id)
  const [one, two] = [await windowOf(pages[0]!), await windowOf(pages[1]!)]
  expect(one).not.toBe(two)
  expect(await sessionId(pages[0]!)).toBe(await sessionId(pages[1]!))
  await pages[0]!.reload()
  await pages[0]!.waitForFunction(() => window.analytics?.__loaded)
  expect(await windowOf(pages[0]!)).toBe(one)
  expect(await sessionId(pages[0]!)).toBe(await sessionId(pages[1]!))
})

test('records a session without typed text, and stops when the visitor opts out', async ({
  firefox,
  site,
  service,
  put,
}) => {
  const network = await startProxy(service.url)
  await service.api('PATCH', '/remote_config', { sessionRecording: true })
  try {
    put('script', '/', '<p>first text</p><input id="name">', { ...QUIET, api_host: network.url })
    const page = await openPage(firefox, `${site.url}/`)
    // Each text is in a chunk, whose events the service has stored. Without activity nothing is sent.
    await expect.poll(() => page.click('p').then(network.seen)).toContain('first text')
    await page.type('#name', 'typed by a person')
    await page.evaluate(() => (document.querySelector('p')!.textContent = 'second text'))
    const id = await sessionId(page)
    await expect.poll(() => network.seen()).toContain('second text')
    expect(network.seen()).not.toContain('typed by')
    await expect.poll(async () => (await service.api('GET', `/session_recordings/${id}`)).status).toBe(200)

    await page.evaluate(() => window.analytics.opt_out_capturing())
    await page.evaluate(() => (document.querySelector('p')!.textContent = 'after the denial'))
    await page.goto(`${site.url}/`)
    expect(network.seen()).not.toContain('after the denial')
  } finally {
    await service.api('PATCH', '/remote_config', { sessionRecording: false })
    await network.stop()
  }
})

test('records a frame of another origin with the page, without what is typed in it', async ({
  firefox,
  site,
  service,
  put,
}) => {
  const network = await startProxy(service.url)
  const other = await startSite({ '/sdk/': resolve(ROOT, 'dist/esm') }, 'pay.other.localhost')
  await service.api('PATCH', '/remote_config', { sessionRecording: true })
  try {
    const options = { ...QUIET, api_host: network.url, session_recording: { recordCrossOriginIframes: true } }
    const api = { url: network.url, token: service.token }
    other.page('/', pageWith('npm', api, '/', '<p>first text of the frame</p><input>', options))
    put('npm', '/', `<h1>page</h1><iframe src="${other.url}"></iframe>`, options)
    const page = await openPage(firefox, `${site.url}/`)
    const frame = await page.waitForFrame((each) => each.url().startsWith(other.url))
    // The recording of the frame begins with its text. Without activity nothing is sent.
    await expect.poll(() => page.click('h1').then(network.seen)).toContain('first text of the frame')
    await frame.type('input', 'typed in the frame')
    await frame.evaluate(() => (document.querySelector('p')!.textContent = 'second text of the frame'))
    await expect.poll(() => network.seen()).toContain('second text of the frame')
    expect(network.seen()).not.toContain('typed in')
  } finally {
    await service.api('PATCH', '/remote_config', { sessionRecording: false })
    await network.stop()
    await other.stop()
  }
})

test('sends nothing that a person types', async ({ firefox, site, service, put, stored }) => {
  const network = await startProxy(service.url)
  try {
    put(
      'script',
      '/',
      `<form onsubmit="return false"><input id="name"><input id="password" type="password">
        <div id="editor" contenteditable><p>start</p></div><button id="send">Send</button></form>`,
      { api_host: network.url },
    )
    const page = await openPage(firefox, `${site.url}/`)
    for (const field of ['#name', '#password', '#editor p']) {
      await page.click(field)
      await page.keyboard.type('hunter2secret')
    }
    await page.click('#editor p')
    await page.click('#send')
    await stored((events) => events.some(({ elements_chain: chain }) => chain.includes('Send')))
    expect(network.seen().includes('$autocapture')).toBe(true)
    expect(network.seen().includes('hunter2secret')).toBe(false)
  } finally {
    await network.stop()
  }
})

test('opens the toolbar by a link, and shows what a click captures', async ({ firefox, site, service, put }) => {
  put('script', '/', '<button id="buy" onclick="clicked = true">Buy now</button>', {
    ...QUIET,
    autocapture: true,
  })
  expect((await service.api('PATCH', '', { toolbar_origins: [site.url] })).status).toBe(200)
  const { body } = await service.api('POST', '/toolbar/codes', { origin: site.url, path: '/' })
  const page = await openPage(firefox, body.url as string)
  expect(page.url()).toBe(`${site.url}/`)
  await (await findInShadow(page, 'button[aria-label=Inspect]')).click()
  await findInShadow(page, 'section[aria-label=Inspect]')
  await page.click('#buy')
  const panel = await findInShadow(page, 'section[aria-label=Inspect] h3')
  expect(await panel.evaluate((heading) => heading.parentElement!.textContent)).toContain(
    'A click captures $autocapture',
  )
  expect(await page.evaluate(() => ['clicked' in window, window.analytics.explain('$autocapture').length])).toEqual([
    false,
    0,
  ])
})

test('evaluates feature flags', async ({ firefox, site, service, put, stored }) => {
  const { status } = await service.api('PUT', '/feature_flags/in-firefox/', {
    active: true,
    filters: {
      groups: [{ properties: [], rollout_percentage: 100 }],
      multivariate: { variants: [{ key: 'short', rollout_percentage: 100 }] },
    },
  })
  expect(status).toBeLessThan(300)
  put('npm', '/', 'home', QUIET)
  const page = await openPage(firefox, `${site.url}/`)
  const value = await page.evaluate(
    () =>
      new Promise((done) => window.analytics.onFeatureFlags(() => done(window.analytics.getFeatureFlag('in-firefox')))),
  )
  expect(value).toBe('short')
  const [called] = await stored(areThere('$feature_flag_called'))
  expect(called!.properties).toMatchObject({ $feature_flag: 'in-firefox', $feature_flag_response: 'short' })
})

test('captures an error, which becomes an issue with the frames of the source', async ({
  firefox,
  site,
  put,
  stored,
  service,
}, { outputDir }) => {
  site.page('/checkout.js', await buildFailingApp(outputDir, service), { 'Content-Type': 'text/javascript' })
  put('npm', '/', FAILING_PAGE, { ...QUIET, capture_dead_clicks: false, capture_exceptions: true })
  const page = await openPage(firefox, `${site.url}/`)
  await page.click('#pay')
  const [event] = await stored((events) => events.some(({ event: name }) => name === '$exception'))
  expect(event!.properties).toMatchObject({
    $exception_list: [{ type: 'RangeError', value: 'The cart has no total', mechanism: { handled: false } }],
  })
  expect(await shownFrame(service, event!)).toMatchObject({ filename: 'checkout.ts', line: 3, is_mapped: true })
})

test('asks a survey by keyboard, with HTML that DOMPurify cleans where the browser has no sanitizer', async ({
  firefox,
  site,
  service,
  put,
  stored,
}) => {
  const { status, body } = await service.api('POST', '/surveys', {
    name: 'In Firefox',
    type: 'popover',
    start_date: new Date(Date.now() - 60_000).toISOString(),
    conditions: { url: '/ask' },
    questions: [
      { type: 'open', question: 'What is missing?', description: 'In <b>your</b> words<script>hacked = 1</script>' },
      { type: 'rating', question: 'How likely?', display: 'number', scale: 10 },
    ],
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const { id } = body as { id: string }
  put('script', '/ask', '<h1>Larch and Lantern</h1>', QUIET)
  const page = await openPage(firefox, `${site.url}/ask`)
  await page.waitForFunction(
    `document.querySelector('.PostHogSurvey-${id}')?.shadowRoot.querySelector('.survey-question-description b')?.textContent === 'your'`,
  )
  await page.evaluate(`document.querySelector('.PostHogSurvey-${id}').shadowRoot.querySelector('textarea').focus()`)
  await page.keyboard.type('Nothing')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForFunction(
    `document.querySelector('.PostHogSurvey-${id}').shadowRoot.activeElement?.textContent === 'How likely?'`,
  )
  await page.keyboard.press('Tab')
  await page.keyboard.press('End')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForFunction(`!document.querySelector('.PostHogSurvey-${id}')`)
  const sent = (await stored(areThere('survey shown', 'survey sent'))).find(({ event }) => event === 'survey sent')
  expect(sent!.properties).toMatchObject({
    $survey_id: id,
    $survey_completed: true,
    $survey_response: 'Nothing',
    $survey_response_1: 10,
  })
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
})

test('captures web vitals and points of heatmaps', async ({ firefox, site, put, stored, service }) => {
  put('script', '/', '<h1>Larch and Lantern</h1><button id="buy">Buy</button>', {
    ...QUIET,
    capture_dead_clicks: false,
    // All metrics in one event, when the page is left.
    capture_performance: { web_vitals: true, web_vitals_delayed_flush_ms: 60_000 },
    capture_heatmaps: { flush_interval_milliseconds: 50 },
  })
  put('script', '/next', '', QUIET)
  const page = await openPage(firefox, `${site.url}/`)
  await page.waitForFunction(() =>
    ['webVitals', 'heatmaps'].every(
      (extension) => extension in Object((window as { __trailmark_extensions__?: object }).__trailmark_extensions__),
    ),
  )
  await page.click('#buy')
  const url = encodeURIComponent(`${site.url}/`)
  await expect.poll(async () => (await service.api('GET', `/heatmaps?url=${url}`)).body.points).toBe(1)
  await page.goto(`${site.url}/next`)
  // Firefox does not report layout shifts.
  const [vitals] = await stored((events) => events.some(({ event }) => event === '$web_vitals'))
  expect(vitals!.properties).toMatchObject({
    $pathname: '/',
    $web_vitals_FCP_value: expect.any(Number),
    $web_vitals_LCP_value: expect.any(Number),
    $web_vitals_INP_value: expect.any(Number),
  })
})

test('stores and sends nothing before consent, captures after it, and stops on opt-out', async ({
  firefox,
  site,
  put,
  stored,
}) => {
  put('script', '/', 'home', {
    ...QUIET,
    opt_out_capturing_by_default: true,
    opt_out_persistence_by_default: true,
  })
  const page = await openPage(firefox, `${site.url}/`)
  await page.evaluate(() => window.analytics.capture('before consent'))
  const kept = () =>
    page.evaluate(() => [document.cookie, Object.keys(localStorage).join(), Object.keys(sessionStorage).join()])
  expect(await kept()).toEqual(['', '', ''])
  await page.evaluate(() => {
    window.analytics.opt_in_capturing({ captureEventName: false })
    window.analytics.capture('after consent')
  })
  await stored(areThere('after consent'))
  await page.evaluate(() => {
    window.analytics.opt_out_capturing()
    window.analytics.capture('after opt-out')
  })
  await page.reload()
  await page.waitForFunction(() => window.analytics?.__loaded)
  await page.evaluate(() => {
    window.analytics.capture('after reload')
    window.analytics.opt_in_capturing({ captureEventName: false })
    window.analytics.capture('consented again')
  })
  await stored(areThere('after consent', 'consented again'))
})
