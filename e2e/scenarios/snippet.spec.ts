import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright/test'
import { METHODS } from '../../src/client/features/methods'
import { NOT_YET } from '../../src/client/notYet'
import { ready, waitUntil } from '../support/ready'
import { ROOT } from '../support/root'
import { areThere, expect, test } from '../support/scenario'
import type { Service } from '../support/service'

const ALL: Record<string, unknown> = { ...METHODS, ...NOT_YET }

const GUIDE = readFileSync(resolve(ROOT, 'docs/guides/getting-started.md'), 'utf8')
const PRINTED = /```html\n(<script>[\s\S]*?<\/script>)\n```/.exec(GUIDE)![1]!

/** The guide's snippet with this service's URL and options that accept test browsers. */
const printed = (service: Pick<Service, 'url' | 'token'>, tag = '<script>') =>
  PRINTED.replace('<script>', tag)
    .replace('YOUR_TOKEN', service.token)
    .replace('"api_host":"http://127.0.0.1:8000"', `"api_host":"${service.url}","opt_out_useragent_filter":true`)
    .replace(
      '"2026-01-30"',
      '"2026-01-30","capture_pageview":false,"capture_pageleave":false,"capture_dead_clicks":false,"autocapture":false',
    )

const page_ = (head: string) => `<!doctype html><html><head><title>t</title>${head}</head><body></body></html>`

/** Collects the page's errors and console messages. */
const listen = (page: Page) => {
  const errors: string[] = []
  const warnings: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (line) => line.type() === 'warning' && warnings.push(line.text()))
  return { errors, warnings }
}

// The part of Segment's snippet that uses window.analytics.
const SEGMENT = `!function(){var i="analytics",analytics=window[i]=window[i]||[];if(!analytics.initialize)if(analytics.invoked)console.error("Segment snippet included twice.");else{analytics.invoked=!0;analytics.methods=["track","identify","page","group","reset","alias","on","once","ready"];analytics.factory=function(e){return function(){var n=Array.prototype.slice.call(arguments);n.unshift(e);analytics.push(n);return analytics}};for(var n=0;n<analytics.methods.length;n++){var key=analytics.methods[n];analytics[key]=analytics.factory(key)}analytics._writeKey="key";analytics.page()}}();`

for (const [name, policy] of [
  ['a nonce', "script-src 'nonce-abc'"],
  ['a nonce and strict-dynamic', "script-src 'nonce-abc' 'strict-dynamic'"],
  ['a nonce and Trusted Types', "script-src 'nonce-abc'; require-trusted-types-for 'script'"],
  [
    'one listed policy of Trusted Types',
    "script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types trailmark",
  ],
] as const)
  test(`the printed snippet captures, and loads its extensions, under a policy with ${name}`, async ({
    page,
    site,
    service,
    stored,
  }) => {
    const { errors } = listen(page)
    const tag = printed(service, '<script nonce="abc">').replace(
      '"capture_dead_clicks":false',
      '"capture_dead_clicks":true',
    )
    site.page('/', page_(tag) + '<button>Buy</button>', { 'Content-Security-Policy': policy })
    await page.goto(site.url)
    const clicks = page.waitForResponse(/clicks\.js/)
    await page.evaluate(() => window.analytics.capture('bought'))
    await ready(page)
    await page.locator('button').click()
    expect((await clicks).status()).toBe(200)
    await stored((events) => events.some(({ event }) => event === 'bought'))
    expect(errors).toEqual([])
  })

test('calls back without an error if the Trusted Types policy of the snippet is forbidden', async ({
  page,
  site,
  service,
}) => {
  const { errors } = listen(page)
  const policy = "script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types other"
  site.page('/', page_(printed(service, '<script nonce="abc">')), { 'Content-Security-Policy': policy })
  await page.goto(site.url)
  const flags = await page.evaluate(
    () => new Promise((heard) => window.analytics.onFeatureFlags((...all) => heard(all))),
  )
  expect([flags, errors]).toEqual([[[], {}, { errorsLoading: true }], []])
})

/** Calls every public member of the stub and uses its return value as a page would. */
const callAll = (paths: string[]) => {
  const wrong: string[] = []
  const answers: Record<string, string> = {}
  for (const path of paths)
    try {
      const [name, inner] = path.split('.') as [string, string?]
      const all = window.analytics as unknown as Record<string, any>
      const answer: unknown = inner ? all[name][inner]('x') : all[name]('x')
      answers[path] = Array.isArray(answer) ? 'array' : answer instanceof Promise ? 'promise' : typeof answer
    } catch (error) {
      wrong.push(`${path}: ${String(error)}`)
    }
  return { wrong, answers }
}
const kindOf = (value: unknown) =>
  Array.isArray(value) ? 'array' : value instanceof Promise ? 'promise' : typeof value

test('every public method exists while the script is blocked, and returns a usable value', async ({
  page,
  site,
  service,
}) => {
  const { errors } = listen(page)
  await page.route(/analytics\.js/, (route) => route.abort())
  site.page('/', page_(printed(service)))
  await page.goto(site.url)
  const paths = [...Object.keys(ALL), 'on', 'drops', 'explain', 'push', 'logger.info', 'toString']
  const { wrong, answers } = await page.evaluate(callAll, paths)
  expect(wrong).toEqual([])
  for (const [path, value] of Object.entries(ALL))
    if (!/boolean|undefined/.test(typeof value) && path !== 'get_explicit_consent_status')
      expect([path, answers[path]]).toEqual([path, kindOf(value)])
  // Members of the object that are not methods.
  const values = await page.evaluate(async () => {
    const { analytics } = window
    await Promise.resolve(analytics)
    return [
      analytics.__loaded,
      analytics.version,
      analytics.flagsEndpointWasHit,
      analytics.config.debug,
      String(analytics).length > 0,
      JSON.stringify(analytics).length > 0,
    ]
  })
  expect(values).toEqual([null, null, null, null, true, true].map((value) => value ?? undefined))
  expect(errors).toEqual([])
})

test('calls waiting and later callbacks with an error after a failed load', async ({ page, site, service }) => {
  await page.route(/analytics\.js/, (route) => route.abort())
  site.page(
    '/',
    page_(`${printed(service)}<script>
    const heard = (window.heard = [])
    analytics.onFeatureFlags((...all) => heard.push(['flags', ...all]))
    analytics.getEarlyAccessFeatures((...all) => heard.push(['features', ...all]))
    analytics.getSurveys((...all) => heard.push(['surveys', ...all]))
    analytics.featureFlags.getRemoteConfigPayload('a', (...all) => heard.push(['payload', ...all]))
    analytics.on('eventCaptured', () => heard.push(['on']))
    analytics.onSessionId(() => heard.push(['session']))
    analytics.onFeatureFlags(() => heard.push(['removed']))()
  </script>`),
  )
  await page.goto(site.url)
  const heard = () => page.evaluate(() => (window as unknown as { heard: unknown[] }).heard)
  const none = [[], {}, { errorsLoading: true }]
  await expect.poll(heard).toEqual([['flags', ...none], ['features', ...none], ['surveys', ...none], ['payload']])
  const later = await page.evaluate(() => new Promise((done) => window.analytics.onFeatureFlags((...all) => done(all))))
  expect(later).toEqual(none)
})

for (const [name, host, policy] of [
  ['a wrong host', 'http://127.0.0.1:9'],
  ['a host without a scheme', 'events.example.com'],
  ['no host', ''],
  ['a policy that forbids the host', undefined, "script-src 'self' 'unsafe-inline'"],
] as const)
  test(`the console says that the SDK did not load with ${name}`, async ({ page, site, service }) => {
    const lines: string[] = []
    page.on('console', (line) => line.text().startsWith('[trailmark]') && lines.push(line.text()))
    const tag = host === undefined ? printed(service) : printed(service).replaceAll(service.url, host)
    site.page('/', `${policy ? `<meta http-equiv="Content-Security-Policy" content="${policy}">` : ''}${page_(tag)}`)
    await page.goto(site.url)
    await expect
      .poll(() => lines)
      .toEqual([expect.stringMatching(/analytics\.js is not the SDK or was blocked: check api_host/)])
  })

test('an empty script of a blocker counts as a failed load', async ({ page, site, service }) => {
  await page.route(/analytics\.js/, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  site.page('/', page_(printed(service)))
  await page.goto(site.url)
  expect(
    await page.evaluate(() => new Promise((done) => window.analytics.onFeatureFlags((flags) => done(flags)))),
  ).toEqual([])
})

test('runs calls of every kind once the script has loaded', async ({ page, site, service, stored }) => {
  const { errors } = listen(page)
  site.page(
    '/',
    page_(`${printed(service)}<script>
    analytics.register({ plan: 'gold' })
    analytics.people.set({ age: 36 })
    analytics.capture('early')
    window.kept = analytics.capture
    window.stop = analytics.on('eventCaptured', ({ event }) => (window.last = event))
    window.stub = analytics
  </script>`),
  )
  await page.goto(site.url)
  await ready(page)
  const events = await stored(areThere('early', '$set'))
  expect(events.find(({ event }) => event === 'early')!.properties).toMatchObject({ plan: 'gold' })
  // Code that kept a reference to the stub or one of its methods calls the SDK and gets its return values.
  const result = await page.evaluate(() => {
    const { kept, stub, stop } = window as unknown as {
      kept(name: string): void
      stub: typeof window.analytics
      stop(): void
    }
    kept('by a kept method')
    const answer = stub.capture('by the kept stub')?.event
    const last = (window as unknown as { last: string }).last
    stop()
    stub.capture('unheard')
    return [answer, last, (window as unknown as { last: string }).last, stub.get_property('plan')]
  })
  expect(result).toEqual(['by the kept stub', 'by the kept stub', 'by the kept stub', 'gold'])
  await stored(areThere('early', '$set', 'by a kept method', 'by the kept stub', 'unheard'))
  expect(errors).toEqual([])
})

for (const [name, foreign] of [
  ["Segment's stub", SEGMENT],
  ['an object', "window.analytics = { track: () => 'theirs', identify: () => 'theirs' }"],
] as const) {
  test(`${name} before the snippet keeps window.analytics, and the SDK is at window.trailmark`, async ({
    page,
    site,
    service,
    stored,
  }) => {
    const { errors, warnings } = listen(page)
    site.page(
      '/',
      page_(`<script>${foreign};window.theirs = window.analytics</script>${printed(service)}<script>
      analytics.track('their event'); trailmark.capture('ours')</script>`),
    )
    await page.goto(site.url)
    await waitUntil(page, () => (window as unknown as { trailmark: { __loaded: boolean } }).trailmark.__loaded === true)
    await stored(areThere('ours'))
    const theirs = await page.evaluate(() => {
      const { theirs } = window as unknown as { theirs: unknown }
      return [theirs === window.analytics, Array.isArray(theirs) ? theirs : 'object']
    })
    expect(theirs).toEqual([true, name === 'an object' ? 'object' : [['page'], ['track', 'their event']]])
    expect(warnings.filter((line) => /trailmark/.test(line))).toEqual([expect.stringContaining('Use window.trailmark')])
    expect(errors).toEqual([])
  })

  test(`${name} after the snippet takes window.analytics, and the SDK stays at window.trailmark`, async ({
    page,
    site,
    service,
    stored,
  }) => {
    const { errors, warnings } = listen(page)
    site.page(
      '/',
      page_(`${printed(service)}<script>analytics.capture('before them'); ${foreign};
      analytics.track('their event'); trailmark.capture('ours')</script>`),
    )
    await page.goto(site.url)
    await waitUntil(page, () => (window as unknown as { trailmark: { __loaded: boolean } }).trailmark.__loaded === true)
    await stored(areThere('before them', 'ours'))
    const theirs = await page.evaluate(() => [
      ...((window.analytics as unknown as unknown[])[Symbol.iterator]
        ? (window.analytics as unknown as unknown[])
        : []),
    ])
    expect(theirs).toEqual(name === 'an object' ? [] : [['page'], ['track', 'their event']])
    await expect
      .poll(() => warnings.filter((line) => /trailmark/.test(line)))
      .toEqual([expect.stringContaining('Use window.trailmark')])
    expect(errors).toEqual([])
  })

  test(`${name} after the loaded script leaves the SDK at window.trailmark`, async ({
    page,
    site,
    service,
    stored,
  }) => {
    const { warnings } = listen(page)
    site.page(
      '/',
      page_(`<script src="${service.url}/static/analytics.js"></script>
      <script>analytics.init('${service.token}', { api_host: '${service.url}', opt_out_useragent_filter: true, capture_pageview: false, capture_pageleave: false, autocapture: false })</script>
      <script>${foreign}; trailmark.capture('ours')</script>`),
    )
    await page.goto(site.url)
    await stored(areThere('ours'))
    if (name === 'an object') expect(warnings).toEqual([expect.stringContaining('Use window.trailmark')])
  })
}

test('data-global of the script tag chooses the name', async ({ page, site, service, stored }) => {
  const { warnings } = listen(page)
  site.page(
    '/',
    page_(`<script>${SEGMENT}</script>${printed(service, '<script data-global="metrics">')}
    <script>metrics.capture('by its own name')</script>`),
  )
  await page.goto(site.url)
  await stored(areThere('by its own name'))
  expect(warnings.filter((line) => /trailmark/.test(line))).toEqual([])
})

test('an element with the id analytics does not count as a library', async ({ page, site, service, stored }) => {
  site.page(
    '/',
    `<!doctype html><body><section id="analytics"></section><div id="trailmark"></div>${printed(service)}<script>analytics.capture('ours')</script></body>`,
  )
  await page.goto(site.url)
  await stored(areThere('ours'))
})

test('one stub under two names is one instance', async ({ page, site, service, stored }) => {
  const tag = printed(service).replace('"autocapture":false', '"autocapture":true')
  site.page(
    '/',
    page_(`${tag}<script>window.posthog = window.analytics; analytics.capture('ready')</script>`) +
      '<button>Buy</button>',
  )
  await page.goto(site.url)
  await ready(page)
  await page.locator('button').click()
  await page.evaluate(() => window.analytics.capture('done'))
  await stored(areThere('ready', '$autocapture', 'done'))
})

/** Options that accept test browsers are not among the attributes, so this page is not an automated one. */
const openAsPerson = async (page: Page, url: string) => {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })
    Object.defineProperty(Navigator.prototype, 'userAgent', {
      get: () =>
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    })
    Object.defineProperty(Navigator.prototype, 'userAgentData', { get: () => undefined })
  })
  await page.goto(url)
}
const shortTag = ({ url, token }: Pick<Service, 'url' | 'token'>, more = 'async') =>
  `<script src="${url}/static/analytics.js" data-token="${token}" ${more}></script>`

test('a script tag with data-token starts the SDK with the newest defaults', async ({
  page,
  site,
  service,
  stored,
}) => {
  const { errors, warnings } = listen(page)
  site.page('/', page_(shortTag(service)))
  await openAsPerson(page, site.url)
  await ready(page)
  const config = () => page.evaluate(() => [window.analytics.config.api_host, window.analytics.config.capture_pageview])
  expect(await config()).toEqual([`${service.url}/`, 'history_change'])
  await page.evaluate(() => void window.analytics.capture('by one line'))
  await stored((events) => events.map(({ event }) => event).includes('by one line'))
  expect([errors, warnings]).toEqual([[], []])
})

test('data-api-host, data-defaults and data-global change what the script tag starts', async ({
  page,
  site,
  service,
  stored,
}) => {
  const more = `data-api-host="${service.url}" data-defaults="unset" data-global="metrics"`
  site.page('/', page_(`${shortTag(service, more)}<script>metrics.capture('theirs')</script>`))
  await openAsPerson(page, site.url)
  await stored((events) => events.some(({ event }) => event === 'theirs'))
  expect(
    await page.evaluate(() => {
      const { metrics } = window as unknown as { metrics: typeof window.analytics }
      return [metrics.config.api_host, metrics.config.defaults, metrics.config.capture_pageview]
    }),
  ).toEqual([service.url, 'unset', true])
})

for (const [order, head] of [
  ['before the snippet', (service: Service) => `${shortTag(service, '')}${printed(service)}`],
  ['after the snippet', (service: Service) => `${printed(service)}${shortTag(service, '')}`],
  ['twice', (service: Service) => shortTag(service, '').repeat(2)],
] as const)
  test(`a script tag with data-token ${order} is one SDK that captures once`, async ({
    page,
    site,
    service,
    stored,
  }) => {
    const { warnings } = listen(page)
    site.page('/', page_(`${head(service)}<script>analytics.capture('once')</script>`))
    await openAsPerson(page, site.url)
    await ready(page)
    await page.waitForLoadState('networkidle')
    await page.evaluate(() => void window.analytics.capture('last'))
    const events = await stored((found) => found.some(({ event }) => event === 'last'))
    expect(events.filter(({ event }) => event === 'once')).toHaveLength(1)
    await expect.poll(() => warnings).toEqual([expect.stringContaining('init was called again')])
  })

test('a script tag with a wrong token says what init says', async ({ page, site, service }) => {
  const lines: string[] = []
  page.on('console', (line) => line.type() === 'error' && lines.push(line.text()))
  site.page('/', page_(shortTag({ ...service, token: 'YOUR_TOKEN' })))
  await openAsPerson(page, site.url)
  await expect.poll(() => lines.join()).toContain('init() got YOUR_TOKEN, a placeholder')
})

test('a call in the queue of the snippet has the time and the URL of the call', async ({
  page,
  site,
  service,
  stored,
}) => {
  await page.route(/analytics\.js/, async (route) => {
    await new Promise((done) => setTimeout(done, 1500))
    await route.continue()
  })
  const script = `<script>analytics.capture('early', { at: Date.now() }); history.pushState(null, '', '/later')</script>`
  site.page('/', page_(`${printed(service)}${script}`))
  await page.goto(site.url)
  const [event] = await stored(areThere('early'))
  expect(event!.properties).toMatchObject({ $pathname: '/' })
  const [[at]] = (await service.query(
    `SELECT toUnixTimestamp64Milli(toDateTime64(timestamp, 3)) FROM events WHERE uuid = '${event!.uuid}'`,
  )) as [[number]]
  expect(Math.abs(Number(at) - (event!.properties.at as number))).toBeLessThan(1000)
})
