import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright/test'
import type { Analytics } from '../../src/client/publicApi'
import { waitUntil } from '../support/ready'
import { ROOT } from '../support/root'
import { expect, test } from '../support/scenario'

// Trailmark and the real posthog-js on one page: each runs, and sends to its own host with its own token.
const file = (path: string) => readFileSync(resolve(ROOT, path), 'utf8')
const OUR_SNIPPET = file('examples/snippet/snippet.js')
const SCRIPTS: Record<string, string> = {
  'https://ours.example/static/analytics.js': file('dist/analytics.js'),
  'https://ours.example/static/database.js': file('dist/database.js'),
  'https://theirs.example/static/array.js': file('node_modules/posthog-js/dist/array.js'),
  'https://theirs.example/module.js': file('node_modules/posthog-js/dist/module.js'),
}

const OPTIONS = {
  opt_out_useragent_filter: true,
  disable_compression: true,
  autocapture: false,
  capture_pageleave: false,
  advanced_disable_flags: true,
  disable_session_recording: true,
  disable_surveys: true,
  request_queue_config: { flush_interval_ms: 250 },
}
const ours = (token: string, more: object = {}) =>
  `('${token}', ${JSON.stringify({ ...OPTIONS, api_host: 'https://ours.example', ...more })})`
const theirs = (token: string, more: object = {}) =>
  `('${token}', ${JSON.stringify({ ...OPTIONS, api_host: 'https://theirs.example', ...more })})`

/** The stub of PostHog's published snippet (docs/reference/protocol.md#2). */
const THEIR_SNIPPET = `(function (doc, posthog) {
  if (posthog.__SV) return
  window.posthog = posthog
  posthog._i = []
  posthog.init = function (token, config, name) {
    var script = doc.createElement('script')
    Object.assign(script, { async: true, crossOrigin: 'anonymous', src: config.api_host + '/static/array.js' })
    doc.getElementsByTagName('script')[0].before(script)
    var queue = posthog
    if (name !== undefined) queue = posthog[name] = []
    else name = 'posthog'
    queue.people = queue.people || []
    'capture register identify reset get_distinct_id onFeatureFlags opt_out_capturing'.split(' ').forEach(function (method) {
      queue[method] = function () { queue.push([method].concat([].slice.call(arguments))) }
    })
    posthog._i.push([token, config, name])
  }
  posthog.__SV = 1
})(document, window.posthog || [])`

const OURS: Record<string, (token: string) => string> = {
  snippet: (token) => `<script>${OUR_SNIPPET}; analytics.init${ours(token)}; analytics.capture('ours')</script>`,
  tag: (token) =>
    `<script src="https://ours.example/static/analytics.js"></script><script>analytics.init${ours(token)}; analytics.capture('ours')</script>`,
  import: (token) =>
    `<script type="module">import { analytics } from '/sdk/main.js'; window.analytics = analytics; analytics.init${ours(token)}; analytics.capture('ours')</script>`,
}
const THEIRS: Record<string, (token: string) => string> = {
  snippet: (token) => `<script>${THEIR_SNIPPET}; posthog.init${theirs(token)}; posthog.capture('theirs')</script>`,
  tag: (token) =>
    `<script src="https://theirs.example/static/array.js"></script><script>posthog.init${theirs(token)}; posthog.capture('theirs')</script>`,
  import: (token) =>
    `<script type="module">import posthog from 'https://theirs.example/module.js'; window.posthog = posthog; posthog.init${theirs(token)}; posthog.capture('theirs')</script>`,
}

interface Sent {
  host: string
  event: string
  token: string
  id: string
}

/** Answers for both hosts. `slow`: the host whose scripts arrive late. Returns the events they received. */
const answer = async (page: Page, slow?: string): Promise<Sent[]> => {
  const sent: Sent[] = []
  await page.route(/^https:\/\/(ours|theirs)\.example\//, async (route) => {
    const url = route.request().url()
    const script = SCRIPTS[url.split('?')[0]!]
    const { host } = new URL(url)
    if (script && host === slow) await new Promise((done) => setTimeout(done, 150))
    const headers = { 'Access-Control-Allow-Origin': '*' }
    if (script) return route.fulfill({ contentType: 'text/javascript; charset=utf-8', headers, body: script })
    const body = route.request().postData()
    if (body?.includes('"event"')) {
      const { batch, api_key } = JSON.parse(body) as { batch?: object[]; api_key?: string }
      for (const each of batch ?? [JSON.parse(body) as object].flat()) {
        const { event, properties } = each as { event: string; properties: { token?: string; distinct_id: string } }
        sent.push({ host, event, token: properties.token ?? api_key!, id: properties.distinct_id })
      }
    }
    return route.fulfill({ json: { status: 1 }, headers })
  })
  return sent
}

type Sdk = Record<string, (...args: unknown[]) => unknown> & { __loaded?: boolean }
declare global {
  interface Window {
    posthog: Sdk
    trailmark: Analytics
  }
}
const bothRun = (page: Page) =>
  waitUntil(page, () => window.analytics?.__loaded === true && window.posthog?.__loaded === true)
const html = (head: string) => `<!doctype html><html><head><title>t</title>${head}</head><body></body></html>`

for (const [our, ourTag] of Object.entries(OURS))
  for (const [their, theirTag] of Object.entries(THEIRS))
    test(`both run when the SDK comes by ${our} and posthog-js by ${their}, in every order`, async ({ page, site }) => {
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(String(error)))
      for (const isFirst of [true, false])
        // A snippet's script arrives whenever it does.
        for (const slow of [our, their].includes('snippet') ? ['ours.example', 'theirs.example'] : [undefined]) {
          const sent = await answer(page, slow)
          const tags = [ourTag('our-token'), theirTag('their-token')]
          site.page('/', html((isFirst ? tags : tags.reverse()).join('')))
          await page.goto(site.url)
          await bothRun(page)
          const isOurs = await page.evaluate(() => {
            window.analytics.capture('ours later')
            window.posthog.capture!('theirs later')
            return ['analytics', 'posthog'].map(
              (name) => 'explain' in (window as unknown as Record<string, object>)[name]!,
            )
          })
          expect(isOurs).toEqual([true, false])
          const wanted = ['ours', 'theirs', 'ours later', 'theirs later']
          await expect.poll(() => wanted.every((name) => sent.some(({ event }) => event === name))).toBe(true)
          for (const { host, event, token } of sent) {
            const isTheirs = host === 'theirs.example'
            expect([event, token]).toEqual([event, isTheirs ? 'their-token' : 'our-token'])
            if (!event.startsWith('$')) expect(event.startsWith('theirs')).toBe(isTheirs)
          }
          const names = sent.map(({ event, host }) => host + event)
          expect(names).toEqual([...new Set(names)])
          await page.goto('about:blank')
          await page.unrouteAll({ behavior: 'ignoreErrors' })
        }
      expect(errors).toEqual([])
    })

test('data-global="posthog" replaces the stub of PostHog\'s snippet, with one line', async ({ page, site }) => {
  const sent = await answer(page)
  const lines: string[] = []
  page.on('console', (line) => void (line.text().includes('[trailmark]') && lines.push(line.text())))
  // The page loads no posthog-js.
  const stub = THEIR_SNIPPET.replace("doc.getElementsByTagName('script')[0].before(script)", '')
  site.page(
    '/',
    html(
      `<script>${stub}; posthog.init${ours('our-token')}; posthog.capture('queued')</script><script src="https://ours.example/static/analytics.js" data-global="posthog"></script>`,
    ),
  )
  await page.goto(site.url)
  await expect.poll(() => sent.map(({ host, event }) => [host, event])).toContainEqual(['ours.example', 'queued'])
  expect(await page.evaluate(() => (window.posthog as unknown) === window.trailmark)).toBe(true)
  expect(lines).toEqual(['[trailmark] window.posthog is Trailmark, not posthog-js'])
})

test('both with one token on one page keep their visitors without undoing each other', async ({ page, site }) => {
  const sent = await answer(page)
  site.page('/', html(OURS.snippet!('same') + THEIRS.snippet!('same')))
  await page.goto(site.url)
  await bothRun(page)
  const ids = await page.evaluate(async () => {
    const seen: unknown[] = []
    window.analytics.identify('ada')
    for (let round = 0; round < 10; round++) {
      window.posthog.capture!('theirs')
      window.analytics.capture('ours')
      await new Promise((done) => setTimeout(done, 150))
      seen.push(window.analytics.get_distinct_id())
    }
    return [...new Set(seen)]
  })
  expect(ids).toEqual(['ada'])
  // Without calls of the page, nobody writes once what is late is written. SDKs that undo each other never stop.
  const countWrites = () =>
    page.evaluate(async () => {
      const { setItem } = Storage.prototype
      let writes = 0
      Storage.prototype.setItem = function (...args) {
        writes++
        return setItem.apply(this, args)
      }
      await new Promise((done) => setTimeout(done, 2000))
      Storage.prototype.setItem = setItem
      return writes
    })
  await expect.poll(countWrites, { intervals: [0] }).toBe(0)
  const ourIds = () => sent.filter(({ host, event }) => host === 'ours.example' && event === 'ours').map(({ id }) => id)
  await expect.poll(() => ourIds().length).toBe(11)
  expect(new Set(ourIds().slice(1))).toEqual(new Set(['ada']))
  // posthog-js finds the visitor in the shared entry.
  await page.reload()
  await bothRun(page)
  const both = () =>
    page.evaluate(() => [window.analytics.get_distinct_id(), window.posthog.get_distinct_id!()] as unknown[])
  expect(await both()).toEqual(['ada', 'ada'])
  await page.evaluate(() => window.posthog.reset!())
  await expect.poll(async () => new Set(await both()).size).toBe(1)
  expect(await both()).not.toContain('ada')
  await page.reload()
  await bothRun(page)
  expect(new Set(await both()).size).toBe(1)
  expect(await both()).not.toContain('ada')
})
