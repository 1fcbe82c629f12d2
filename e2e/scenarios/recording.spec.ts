import type { Page } from 'playwright/test'
import type { Config } from '../../src/types'
import { ready, waitUntil } from '../support/ready'
import { type Build, BUILDS } from '../support/scenario'
import { createSecrets, live, SECRET_HTML } from '../support/secretPage'
import { cut, recording, type RecordingFixtures, status, test, text, types, why } from '../support/recording'
import { expect, QUIET } from '../support/world'

// Requests are not recorded on localhost.
test.use({ hostName: 'shop.example.localhost' })

const stored = async (
  service: { api(method: string, path: string): Promise<{ body: Record<string, unknown> }> },
  id: string,
) => (await service.api('GET', `/session_recordings/${id}`)).body

for (const build of BUILDS)
  test(`${build} build: records the page, and the service stores the recording`, async ({
    page,
    site,
    put,
    network,
    record,
    chunks,
    service,
  }) => {
    await record(true)
    put(build, '/', '<h1>Shop</h1><input id="name"><div id="list"></div>', { ...QUIET, api_host: network.url })
    await page.goto(site.url)
    await recording(page)
    await page.locator('#name').fill('typed by a person')
    await page.evaluate(() => (document.querySelector('#list')!.textContent = 'added later'))
    await expect
      .poll(async () => {
        await cut(page)
        return text(chunks())
      })
      .toContain('added later')
    expect(types(chunks()).slice(0, 2)).toEqual([4, 2])
    expect(chunks()[0]!.properties).toMatchObject({
      $snapshot_sequence: 0,
      $snapshot_has_full: true,
      $snapshot_policy: 'default',
    })
    expect(text(chunks())).toContain('Shop')
    expect(text(chunks())).not.toContain('typed by')
    const id = await page.evaluate(() => window.analytics.get_session_id())
    await expect.poll(async () => (await stored(service, id)).session_id ?? (await stored(service, id)).id).toBe(id)
  })

const STRICT_OPTIONS = {
  session_recording: {
    masking: 'strict',
    full_snapshot_interval_millis: 2000,
    recordHeaders: true,
    recordBody: true,
    captureCanvas: { recordCanvas: true },
  },
  enable_recording_console_log: true,
} as const

/** Makes slices of full snapshots short, and adds `html` between the first of them. */
const inSlices = (html: string) => `<script>{
  const now = performance.now.bind(performance)
  let more = 0
  performance.now = () => now() + (more += 1)
  globalThis.slices = 0
  const Channel = MessageChannel
  globalThis.MessageChannel = class extends Channel {
    constructor() {
      super()
      if (slices++ < 20) document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(html)})
    }
  }
}</script>`
const BETWEEN = '<input value="{typed-between}" title="{between}"><b class="ph-mask">{typed-masked-between}</b>'

const visit = async (
  {
    page,
    site,
    put,
    network,
    record,
    chunks,
  }: { page: Page; site: { url: string } } & Pick<RecordingFixtures, 'record' | 'chunks'> & {
      put: (build: Build, path: string, body: string, config?: Partial<Config>) => void
      network: { url: string }
    },
  options: object,
) => {
  const secrets = createSecrets()
  const seed = (stage: string) => secrets.fill(SECRET_HTML, stage)
  await record({ consoleLogRecordingEnabled: true, networkPayloadCapture: { recordBody: true, recordHeaders: true } })
  put('npm', '/page', inSlices(secrets.fill(BETWEEN, 'slices')) + seed('snapshot'), {
    ...QUIET,
    api_host: network.url,
    ...options,
  })
  await page.goto(`${site.url}/page?visitor=${secrets.fill('{query}', 'page')}`)
  await recording(page)
  // A full snapshot of the page as it was loaded.
  await expect
    .poll(async () => {
      await cut(page)
      return types(chunks())
    })
    .toContain(2)
  await live(page, seed('mutation'), (place) => secrets.fill(`{${place}}`, 'live'))
  await page.locator('input[type="search"]').first().pressSequentially(secrets.fill('{keys}', 'live'))
  // Waits for a chunk recorded after the changes and for a later full snapshot.
  await expect
    .poll(
      async () => {
        await cut(page)
        return types(chunks()).filter((type) => type === 2).length
      },
      { intervals: [500] },
    )
    .toBeGreaterThan(1)
  expect(await page.evaluate<number>('slices')).toBeGreaterThan(10)
  return secrets
}

test("masking: 'strict' lets no secret leave the page, wherever it is", async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  const secrets = await visit({ page, site, put, network, record, chunks }, STRICT_OPTIONS)
  const sent = text(chunks())
  expect(secrets.leaked(sent)).toEqual([])
  // The layout is recorded, also of elements added later.
  expect(sent).toContain('end-marker')
  expect(sent.match(/"tagName":"section"/g)!.length).toBeGreaterThan(0)
  expect(sent).toContain('"tagName":"my-card"')
  expect(sent).toContain('********')
})

test('by default, no typed, hidden or secret text leaves the page', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  const secrets = await visit(
    { page, site, put, network, record, chunks },
    {
      session_recording: { full_snapshot_interval_millis: 2000 },
      enable_recording_console_log: true,
    },
  )
  const sent = text(chunks())
  const isTyped = (place: string) =>
    /typed|live (keys|property|attribute$)|input-(?!submit|button|reset)|shadow-input|comment|json-ld|template|noscript|frame|javascript|ping|body|custom-attribute|attribute-name|option-value|datalist/.test(
      place,
    ) && !/css-comment|live attribute/.test(place)
  expect(secrets.leaked(sent, isTyped)).toEqual([])
  expect(secrets.leaked(sent, (place) => place.endsWith(' text'))).not.toEqual([])
})

test('a page that is never idle is recorded while a full snapshot waits for its turn', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  put(
    'script',
    '/',
    `<script>
      let count = 0
      // The next task is always queued before this one ends.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        port2.postMessage('')
        const until = performance.now() + 20
        while (performance.now() < until);
        if (window.isBusy) console.log('number ' + count++)
      }
      addEventListener('load', () => setTimeout(() => port2.postMessage(''), 1000))
    </script>`,
    {
      ...QUIET,
      api_host: network.url,
      session_recording: { full_snapshot_interval_millis: 1000 },
      enable_recording_console_log: true,
    },
  )
  await page.goto(site.url)
  await recording(page)
  await waitUntil(page, () =>
    Boolean(
      (window as { __trailmark_extensions__?: Record<string, unknown> }).__trailmark_extensions__?.recorderPlugins,
    ),
  )
  const snapshots = async () => {
    await cut(page)
    return types(chunks()).filter((type) => type === 2).length
  }
  await expect.poll(snapshots).toBeGreaterThan(0)
  const before = await snapshots()
  await page.evaluate('isBusy = true')
  await expect.poll(snapshots).toBeGreaterThan(before + 2)
  const numbers = [...text(chunks()).matchAll(/number (\d+)/g)].map(([, number]) => Number(number))
  expect(numbers).toEqual(numbers.map((_, index) => index))
})

/** Fingerprint of everything that rrweb and the plugins patch: changes if any part does. */
const natives = (page: Page) =>
  page.evaluate(() => {
    const own = window as unknown as { first?: unknown[] }
    const now = [
      ...[HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement].map(
        (each) => Object.getOwnPropertyDescriptor(each.prototype, 'value')!.set,
      ),
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'checked')!.set,
      Element.prototype.attachShadow,
      CSSStyleSheet.prototype.insertRule,
      CSSStyleSheet.prototype.deleteRule,
      CSSStyleDeclaration.prototype.setProperty,
      CSSStyleDeclaration.prototype.removeProperty,
      HTMLMediaElement.prototype.play,
      HTMLCanvasElement.prototype.getContext,
      Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets')?.set,
      window.fetch,
      XMLHttpRequest.prototype.open,
      XMLHttpRequest.prototype.send,
      console.log,
      console.error,
    ]
    own.first ??= now
    return own.first.map((each, index) => each === now[index])
  })

test('stopSessionRecording() and opt-out stop recording and restore patched functions, and recording can start again', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  put('npm', '/', '<input id="a"><p>x</p>', {
    ...QUIET,
    api_host: network.url,
    disable_session_recording: true,
    enable_recording_console_log: true,
    session_recording: { recordHeaders: true },
  })
  await page.goto(site.url)
  await ready(page)
  const untouched = await natives(page)
  expect(untouched.every(Boolean)).toBe(true)
  await page.evaluate(() => {
    const added: string[] = []
    Object.assign(window, { added })
    new MutationObserver((records) => {
      for (const { addedNodes } of records) added.push(...Array.from(addedNodes, ({ nodeName }) => nodeName))
    }).observe(document, { childList: true, subtree: true })
  })
  await page.evaluate(() => window.analytics.startSessionRecording())
  await recording(page)
  await expect.poll(async () => (await natives(page)).every(Boolean)).toBe(false)
  expect(await page.evaluate(() => window.analytics.sessionRecordingStarted())).toBe(true)
  // A page with its own functions needs no frame with untouched ones.
  expect(await page.evaluate(() => Reflect.get(window, 'added') as string[])).not.toContain('IFRAME')

  await page.evaluate(() => window.analytics.stopSessionRecording())
  expect(await natives(page)).toEqual(untouched)
  expect(await page.evaluate(() => window.analytics.sessionRecordingStarted())).toBe(false)
  // A page that does not ask for recordings sends no reason.
  expect(await why(page)).toMatchObject([{ state: 'dropped', reason: 'turned_off_by_site' }])

  await page.evaluate(() => window.analytics.startSessionRecording())
  await recording(page)
  await page.evaluate(() => window.analytics.opt_out_capturing())
  expect(await natives(page)).toEqual(untouched)
  expect(await why(page)).toMatchObject([{ reason: 'opted_out' }])
  const sent = chunks().length
  await page.evaluate(() => document.body.append('after the denial'))
  await cut(page)
  expect(chunks().length).toBe(sent)
  expect(text(chunks())).not.toContain('after the denial')
  await expect
    .poll(() => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name).join()))
    .not.toContain('trailmark-recording')
})

test('an invalid selector prevents recording and logs one message', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  put('npm', '/', '<p>text</p>', { ...QUIET, api_host: network.url, session_recording: { maskTextSelector: 'p[' } })
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  await page.goto(site.url)
  await expect.poll(() => status(page)).toBe('disabled')
  expect(await why(page)).toBe('invalid_settings')
  expect(
    messages.filter((each) => each.includes('session_recording.maskTextSelector expects a CSS selector')),
  ).toHaveLength(1)
  await cut(page)
  expect(chunks()).toEqual([])
})

test('a recording waits for its trigger, and is then sent including the time before it', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record({ eventTriggers: ['checkout'] })
  put('npm', '/', '<p>before the trigger</p>', { ...QUIET, api_host: network.url })
  await page.goto(site.url)
  await expect.poll(() => status(page)).toBe('buffering')
  await cut(page)
  expect(chunks()).toEqual([])
  await page.evaluate(() => window.analytics.capture('checkout'))
  await recording(page)
  await expect
    .poll(async () => {
      await cut(page)
      return text(chunks())
    })
    .toContain('before the trigger')
  // The next page of the session needs no trigger, and continues the numbers.
  await page.reload()
  await recording(page)
  await expect
    .poll(async () => {
      await cut(page)
      return types(chunks()).filter((type) => type === 2).length
    })
    .toBeGreaterThan(1)
  // A page does not learn whether its last requests arrived, so chunks may arrive twice and in any order. They are
  // matched by number.
  const parts = new Map(chunks().map(({ uuid, properties }) => [uuid, properties.$snapshot_sequence as number]))
  const numbers = [...parts.values()].sort((a, b) => a - b)
  expect(numbers).toEqual(numbers.map((_, index) => index))
})

test('the next page sends chunks that were recorded during an outage', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  put('npm', '/', '<p>first page</p>', { ...QUIET, api_host: network.url })
  await page.goto(site.url)
  await recording(page)
  await network.be(503)
  network.forget()
  await page.evaluate(() => document.body.append('written during the outage'))
  await expect
    .poll(async () => {
      await cut(page)
      return text(chunks())
    })
    .toContain('written during the outage')
  await page.goto('about:blank')
  await network.be('up')
  network.forget()
  await page.goto(site.url)
  await expect.poll(() => text(chunks())).toContain('written during the outage')
})

test('the recording of a new session starts with a full snapshot and chunk number 0', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  put('npm', '/', '<p>page</p>', { ...QUIET, api_host: network.url })
  await page.goto(site.url)
  await recording(page)
  const first = await page.evaluate(() => window.analytics.get_session_id())
  await page.evaluate(() => window.analytics.reset())
  await page.evaluate(() => window.analytics.capture('next'))
  const next = await page.evaluate(() => window.analytics.get_session_id())
  expect(next).not.toBe(first)
  const ofNext = () => chunks().filter(({ properties }) => properties.$session_id === next)
  await expect
    .poll(async () => {
      await cut(page)
      return ofNext().length
    })
    .toBeGreaterThan(0)
  expect(ofNext()[0]!.properties).toMatchObject({ $snapshot_sequence: 0, $snapshot_has_full: true })
  expect(types(ofNext()).slice(0, 2)).toEqual([4, 2])
})

test('nothing that a person types into a search field is in the URLs, headers and bodies of requests', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record({ networkPayloadCapture: { recordBody: true, recordHeaders: true } })
  await page.route('**/search**', (route) => route.fulfill({ json: { echo: route.request().postData() ?? 'none' } }))
  put(
    'npm',
    '/',
    `<input id="q" type="search"><script>
      q.oninput = () => {
        fetch('/search?q=' + encodeURIComponent(q.value), { headers: { 'x-query': q.value } })
        const xhr = new XMLHttpRequest()
        xhr.open('POST', '/search')
        xhr.send(JSON.stringify({ q: q.value }))
      }
    </script>`,
    {
      ...QUIET,
      api_host: network.url,
      capture_performance: { network_timing: true },
      session_recording: { recordBody: true, recordHeaders: true },
    },
  )
  await page.goto(site.url)
  await recording(page)
  await waitUntil(page, () => !!(window.XMLHttpRequest.prototype.open as { name?: string }).name?.startsWith('wrapped'))
  await page.locator('#q').pressSequentially('divorce lawyer')
  await page.evaluate(() => history.pushState({}, '', '/search?q=divorce+lawyer'))
  await expect
    .poll(async () => {
      await cut(page)
      return (text(chunks()).match(/search\?q=\*{5}/g) ?? []).length
    })
    .toBeGreaterThan(3)
  expect(text(chunks())).not.toMatch(/divorce|lawyer/)
})

test('full snapshots after a navigation within the page have the rules and images of before', async ({
  page,
  site,
  put,
  network,
  record,
  chunks,
}) => {
  await record(true)
  await page.route('**/shop/*.css', (route) =>
    route.fulfill({
      contentType: 'text/css',
      body: route.request().url().includes('more')
        ? '.imported { color: rgb(4, 5, 6) }'
        : `@import 'more.css'; .linked { color: rgb(1, 2, 3); background: url(back.png) }
           .link-pad { padding: var(--p); padding-bottom: var(--q) }`,
    }),
  )
  put(
    'npm',
    '/shop/',
    `<link rel="stylesheet" href="style.css">
     <style>:root { --p: 3px; --q: 4px } .box { padding: var(--p); padding-bottom: var(--q) } .i { background: url(inline.png) }
       @media screen { .b { background: var(--b) url(x.png); background-color: red } }</style>
     <p class="link-pad">text</p><img src="photo.png">
     <script>
       const sheet = new CSSStyleSheet()
       sheet.replaceSync('.adopted { background: url(adopted.png) }')
       document.adoptedStyleSheets = [sheet]
     </script>`,
    { ...QUIET, api_host: network.url, session_recording: { full_snapshot_interval_millis: 1000 } },
  )
  await page.goto(`${site.url}/shop/`)
  await recording(page)
  const snapshots = () =>
    chunks()
      .flatMap(({ properties }) => properties.$snapshot_data)
      .filter(({ type }) => type === 2)
      .map((event) => JSON.stringify(event))
  const next = async () => {
    const before = snapshots().length
    await expect
      .poll(async () => {
        await cut(page)
        return snapshots().length
      })
      .toBeGreaterThan(before)
    return snapshots().at(-1)!
  }
  const wanted = [
    '.linked { color: rgb(1, 2, 3);',
    '.imported { color: rgb(4, 5, 6);',
    'padding: var(--p); padding-bottom: var(--q)',
    'background: var(--b) url(',
    'padding-top: 3px;',
    '/shop/back.png',
    '/shop/inline.png',
    '/shop/photo.png',
  ]
  const lacks = (snapshot: string) => wanted.filter((each) => !snapshot.includes(each))
  expect(lacks(await next())).toEqual([])
  await page.evaluate(() => {
    history.pushState({}, '', '/other/depth/page')
    document.head.append(Object.assign(document.createElement('base'), { href: 'https://elsewhere.example/' }))
  })
  await next()
  const later = await next()
  expect(lacks(later)).toEqual([])
  expect(later).not.toContain('/depth/')
  expect(text(chunks())).toContain('/shop/adopted.png')
  expect(later).not.toMatch(/[a-z]: ;/)
})
