import { resolve } from 'node:path'
import type { Frame, Page } from 'playwright/test'
import type { SessionRecordingConfig } from '../../src/types'
import { cut, recording, status, test as base, text } from '../support/recording'
import { ROOT } from '../support/root'
import { pageWith } from '../support/scenario'
import { createSecrets, live, SECRET_HTML } from '../support/secretPage'
import { type Site, startSite } from '../support/site'
import { expect, QUIET } from '../support/world'

// Cross-origin frames that also run Trailmark.

interface Fixtures {
  /** Sites on two other hosts. */
  other: Site
  third: Site
  /** Adds a page that records. `options`: `session_recording`. */
  show(site: Site, path: string, body: string, options: SessionRecordingConfig): void
  /** Ends chunks until a sent chunk contains `text`. */
  sent(expected: string, from?: Page | Frame): Promise<void>
}

const test = base.extend<Fixtures>({
  hostName: 'shop.example.localhost',
  other: async ({}, use) => {
    const other = await startSite({ '/sdk/': resolve(ROOT, 'dist/esm') }, 'pay.other.localhost')
    await use(other)
    await other.stop()
  },
  third: async ({}, use) => {
    const third = await startSite({ '/sdk/': resolve(ROOT, 'dist/esm') }, 'bank.third.localhost')
    await use(third)
    await third.stop()
  },
  show: async ({ network, service }, use) => {
    const api = { url: network.url, token: service.token }
    await use((site, path, body, session_recording) =>
      site.page(path, pageWith('npm', api, path, body, { ...QUIET, session_recording })),
    )
  },
  sent: async ({ page, chunks }, use) => {
    await use((expected, from = page) =>
      expect
        .poll(async () => {
          await cut(from as Page)
          return text(chunks())
        })
        .toContain(expected),
    )
  },
})

/** Returns the frame with a path. */
const frameOf = (page: Page, path: string) => page.frame({ url: (url) => url.pathname === path })!

test('records a cross-origin frame in the recording of the page, with the masks of both', async ({
  page,
  site,
  other,
  record,
  show,
  sent,
  chunks,
  service,
}) => {
  await record(true)
  const options = { recordCrossOriginIframes: [site.url] }
  show(
    other,
    '/pay',
    '<p id="text">in the frame</p><p class="ph-mask">by class</p><p class="own">by the frame</p><b class="page">by the page</b><i class="box">in a box</i><input>',
    { ...options, maskTextSelector: '.own' },
  )
  show(other, '/masked', '<p>in a masked frame</p>', options)
  show(other, '/blocked', '<p>in a blocked frame</p>', options)
  show(other, '/off', '<p>in a frame without the option</p>', {})
  show(
    site,
    '/',
    `<p>page</p><iframe src="${other.url}/pay"></iframe><div class="ph-mask"><iframe src="${other.url}/masked"></iframe></div>
     <iframe class="ph-no-capture" src="${other.url}/blocked"></iframe><iframe src="${other.url}/off"></iframe>
     <iframe src="/same"></iframe><iframe src="${other.url}/back"></iframe>`,
    {
      recordCrossOriginIframes: true,
      maskTextSelector: '.page',
      blockSelector: '.box',
      full_snapshot_interval_millis: 2000,
    },
  )
  // A same-origin frame is not treated as cross-origin because of its URL.
  other.page('/back', `<script>location.replace('${site.url}/same')</script>`)
  site.page(
    '/same',
    `<p></p><script>setInterval(() => document.querySelector('p').textContent = 'in a frame of the same origin', 100)</script>`,
  )
  await page.goto(site.url)
  await recording(page)
  const frame = frameOf(page, '/pay')
  await frame.locator('input').fill('typed in the frame')
  await sent('in the frame')
  await frame.locator('.box').evaluate((element) => (element.textContent = 'changed in a box'))
  await frame.locator('#text').evaluate((element) => {
    element.textContent = 'changed in the frame'
    element.insertAdjacentHTML('afterend', '<em>added in the frame</em><s class="page">added for the page</s>')
  })
  await sent('changed in the frame')
  await sent('added in the frame')
  // The next full snapshot of the page is followed by one of the frame.
  const attached = () => text(chunks()).split('"isAttachIframe":true').length - 1
  const before = attached()
  await expect.poll(() => cut(page).then(attached)).toBeGreaterThan(before)

  const all = text(chunks())
  expect(all).not.toMatch(
    /by class|by the frame|by the page|added for the page|in a box|typed in|in a masked|in a blocked|without the option|same origin/,
  )
  expect(new Set(chunks().map(({ properties }) => properties.$snapshot_host))).toEqual(new Set([site.host]))
  // Its ids cannot be those of nodes of the page. Only a snapshot of the frame names one of these: the iframe that it is in.
  const data = chunks().flatMap(({ properties }) => properties.$snapshot_data)
  const added = data.map(({ data: each }) => JSON.stringify(each)).filter((json) => json.includes('added in the frame'))
  expect(added).not.toEqual([])
  for (const json of added) {
    const names = json.includes('"isAttachIframe":true') ? 'id|rootId' : 'id|parentId|rootId'
    const ids = [...json.matchAll(new RegExp(`"(?:${names})":(\\d+)`, 'g'))].map(([, id]) => Number(id))
    expect(Math.min(...ids)).toBeGreaterThan(1e9)
  }
  // The service has it too.
  const id = await page.evaluate(() => window.analytics.get_session_id())
  await expect.poll(async () => (await service.api('GET', `/session_recordings/${id}`)).status).toBe(200)
})

test('frames of three origins inside each other are one recording, with the masks of all', async ({
  page,
  site,
  other,
  third,
  record,
  show,
  sent,
  chunks,
}) => {
  await record(true)
  const options = { recordCrossOriginIframes: true }
  show(
    third,
    '/bank',
    '<p id="text">inner start</p><b class="page">by the page</b><i class="middle">by the middle</i><s class="own">by itself</s><input>',
    { ...options, maskTextSelector: '.own' },
  )
  show(other, '/pay', `<p id="text">middle start</p><iframe src="${third.url}/bank"></iframe>`, {
    ...options,
    maskTextSelector: '.middle',
  })
  show(site, '/', `<p>page</p><iframe src="${other.url}/pay"></iframe>`, { ...options, maskTextSelector: '.page' })
  await page.goto(site.url)
  await recording(page)
  await page.locator('p').click()
  await sent('middle start')
  await sent('inner start')
  const inner = frameOf(page, '/bank')
  await inner.locator('input').fill('typed inside')
  for (const [name, frame] of [
    ['inner', inner],
    ['middle', frameOf(page, '/pay')],
  ] as const) {
    await frame.locator('#text').evaluate((element, text) => (element.textContent = text), `${name} change`)
    await sent(`${name} change`)
  }
  const all = text(chunks())
  expect(all).not.toMatch(/by the page|by the middle|by itself|typed inside/)
  expect(new Set(chunks().map(({ properties }) => properties.$snapshot_host))).toEqual(new Set([site.host]))
})

test('a frame sends its own recording unless a page that it allows records it', async ({
  page,
  site,
  other,
  record,
  show,
  sent,
  chunks,
}) => {
  await record(true)
  show(other, '/own', '<p>not allowed</p>', { recordCrossOriginIframes: ['https://shop.example'] })
  show(other, '/third', '<p>in a page without a recorder</p>', { recordCrossOriginIframes: true })
  show(site, '/', `<p>page</p><iframe src="${other.url}/own"></iframe>`, { recordCrossOriginIframes: true })
  site.page('/plain', `<p>plain</p><iframe src="${other.url}/third"></iframe>`)
  const hosts = () => new Set(chunks().map(({ properties }) => properties.$snapshot_host))

  await page.goto(site.url)
  await recording(page)
  await page.locator('p').click()
  await sent('"textContent":"page"')
  await frameOf(page, '/own').locator('p').click()
  await sent('not allowed', frameOf(page, '/own'))
  for (const { properties } of chunks())
    if (JSON.stringify(properties).includes('not allowed')) expect(properties.$snapshot_host).toBe(other.host)

  // In a same-origin frame, which the page could access directly.
  show(site, '/inner', '<p>inner</p>', {})
  site.page('/around', '<p>around</p><iframe src="/inner"></iframe>')
  await page.goto(`${site.url}/around`)
  const inner = frameOf(page, '/inner')
  await expect.poll(() => status(inner as unknown as Page)).toBe('active')
  await inner.locator('p').click()
  await sent('"textContent":"inner"', inner)
  await inner.locator('p').evaluate((element) => element.setAttribute('title', 'changed inside'))
  await sent('changed inside', inner)

  await page.goto(`${site.url}/plain`)
  const third = frameOf(page, '/third')
  await expect.poll(() => status(third as unknown as Page)).toBe('active')
  await third.locator('p').click()
  await sent('in a page without a recorder', third)
  expect(hosts()).toEqual(new Set([site.host, other.host]))
})

/** The messages that a hostile frame posts to a page that records it. */
const hostile = (count: number) => {
  const node = (id: number, tagName: string, attributes: object, childNodes: unknown[] = []) => ({
    type: 2,
    id,
    tagName,
    attributes,
    childNodes,
  })
  const snapshot = {
    type: 2,
    data: {
      node: {
        type: 0,
        id: 1,
        childNodes: [
          node(2, 'html', {}, [
            node(3, 'script', { src: 'https://evil.example/x.js' }),
            node(4, 'img', { onerror: 'alert(1)', src: 'javascript:alert(2)', srcdoc: 'hostile attribute' }),
            node(5, 'b', {}, [{ type: 3, id: 6, textContent: 'hostile beginning' }]),
          ]),
        ],
      },
      initialOffset: { top: 0, left: 0 },
    },
  }
  const mutation = (adds: unknown[]) => ({
    type: 3,
    data: { source: 0, adds, removes: [], texts: [], attributes: [] },
  })
  const text = (id: number, textContent: unknown) => ({ type: 3, id, textContent })
  return [
    null,
    7,
    'x',
    [[]],
    { type: 4, data: { href: 'https://evil.example/hostile-page', width: 1, height: 1 } },
    { type: 5, data: { tag: '$pageview', payload: { href: 'hostile tag' } } },
    { type: 6, data: { plugin: 'rrweb/console@1', payload: { payload: ['hostile log'] } } },
    snapshot,
    // Ids of the page, of nothing, and of a wrong type.
    mutation([{ parentId: count, nextId: null, node: text(9, 'hostile in the page') }]),
    mutation([{ parentId: { evil: 'hostile id' }, nextId: null, node: text(10, 'hostile id') }]),
    mutation([{ parentId: 5, nextId: null, node: text(11, { evil: 'hostile text' }) }]),
    {
      type: 3,
      data: { source: 8, id: 5, adds: [{ rule: { evil: 'hostile rule' }, index: { evil: 'hostile index' } }] },
    },
    { type: 3, data: { source: 9, id: 5, commands: [{ property: 'hostile canvas', args: [] }] } },
    { type: 3, data: { source: 2, id: 5, type: { evil: 'hostile type' }, x: 1, y: 1, more: 'hostile member' } },
    mutation([{ parentId: 5, nextId: null, node: text(12, 'hostile end') }]),
  ]
}

test('a hostile frame can only add its own sanitized nodes, within limits', async ({
  page,
  site,
  other,
  record,
  show,
  sent,
  chunks,
}) => {
  await record(true)
  const errors: unknown[] = []
  page.on('pageerror', (error) => errors.push(error))
  show(site, '/', `<p>page</p><iframe src="${other.url}/hostile"></iframe>`, { recordCrossOriginIframes: true })
  // The hostile frame begins when the page requests it, as the real recorder does.
  other.page(
    '/hostile',
    `<script>
      addEventListener('message', ({ data, ports }) => {
        if (!data || data['trailmark recording'] !== 'record') return
        window.port = ports[0]
        window.answers = []
        port.onmessage = ({ data }) => answers.push(data)
      })
      parent.postMessage({ 'trailmark recording': 'frame' }, '*')
    </script>`,
  )
  await page.goto(site.url)
  await recording(page)
  await page.locator('p').click()
  const frame = frameOf(page, '/hostile')
  await frame.waitForFunction(() => 'port' in window)
  await frame.evaluate((events) => {
    const { port } = window as unknown as { port: MessagePort }
    port.postMessage('{ not JSON')
    port.postMessage('['.repeat(100_000))
    port.postMessage(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    port.postMessage(JSON.stringify(events))
  }, hostile(8))
  await sent('hostile end')
  const all = text(chunks())
  expect(all).toContain('hostile beginning')
  expect(all).not.toMatch(/evil|alert|hostile (attribute|tag|log|id|text|rule|index|canvas|type|member)|hostile-page/)
  expect(all).not.toMatch(/"tagName":"script"/)
  // Events that refer to nodes outside the frame are masked and never change the page.
  expect(all).not.toContain('hostile in the page')

  // A message that is not a string or is too long ends the recording of the frame, which is reported.
  await frame.evaluate(() => (window as unknown as { port: MessagePort }).port.postMessage('x'.repeat(4e6)))
  await frame.waitForFunction(() => (window as unknown as { answers: string[] }).answers.includes('stop'))
  await sent('"step":"frame"')
  await page.locator('p').evaluate((element) => (element.textContent = 'the page goes on'))
  await sent('the page goes on')
  expect(errors).toEqual([])
})

test('no secret of a cross-origin frame leaves the page, and no secret of a strict frame leaves the frame', async ({
  page,
  site,
  other,
  record,
  show,
  sent,
  chunks,
}) => {
  const secrets = createSecrets()
  await record(true)
  const recordCrossOriginIframes = true
  show(other, '/strict', secrets.fill(SECRET_HTML, 'strict'), { recordCrossOriginIframes, masking: 'strict' })
  show(other, '/open', secrets.fill(SECRET_HTML, 'open'), { recordCrossOriginIframes })
  show(site, '/', ['/strict', '/open'].map((path) => `<iframe src="${other.url}${path}"></iframe>`).join(''), {
    recordCrossOriginIframes,
    full_snapshot_interval_millis: 2000,
  })
  // The page can read everything that frames post.
  await page.addInitScript(() => {
    const posted: unknown[] = []
    Object.assign(window, { posted })
    const { postMessage } = MessagePort.prototype
    MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown) {
      posted.push(message)
      postMessage.call(this, message)
    }
  })
  await page.goto(site.url)
  await recording(page)
  const attached = () => text(chunks()).split('"isAttachIframe":true').length - 1
  await page.mouse.click(1, 1)
  await expect.poll(() => cut(page).then(attached)).toBeGreaterThanOrEqual(2)
  // Their paths change.
  const frames = [
    ['strict', frameOf(page, '/strict')],
    ['open', frameOf(page, '/open')],
  ] as const
  for (const [name, frame] of frames) {
    await live(frame, secrets.fill(SECRET_HTML, `${name} mutation`), (place) =>
      secrets.fill(`{${place}}`, `${name} live`),
    )
    await frame
      .locator('input[type="search"]')
      .first()
      .pressSequentially(secrets.fill('{keys}', `${name} live`))
    await frame.evaluate((name) => document.body.append(`end of ${name}`), name)
  }
  const before = attached()
  await expect.poll(() => cut(page).then(attached)).toBeGreaterThan(before + 1)
  await sent('end of open')

  const posted = await Promise.all(
    frames.map(([, frame]) =>
      frame.evaluate(() => JSON.stringify((window as unknown as { posted: unknown[] }).posted)),
    ),
  )
  const [strict, open] = posted as [string, string]
  expect(strict).toContain('end-marker')
  const isTyped = (place: string) =>
    /typed|live (keys|property)|input-(?!submit|button|reset)|shadow-input|comment|json-ld|template|noscript|frame|javascript|ping|body|custom-attribute|attribute-name|option-value|datalist/.test(
      place,
    ) && !/css-comment/.test(place)
  const isForbidden = (place: string) => place.startsWith('strict') || isTyped(place)
  expect(secrets.leaked(strict)).toEqual([])
  expect(secrets.leaked(open, isForbidden)).toEqual([])
  expect(secrets.leaked(text(chunks()), isForbidden)).toEqual([])
  // The text of the other frame is recorded.
  expect(secrets.leaked(text(chunks()), (place) => place === 'open text')).toEqual(['open text'])
})
