import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright/test'
import { type Console, expect, expectAccessible, test } from '../../support/console'
import { ROOT } from '../../support/root'

const RECORD = readFileSync(join(ROOT, 'node_modules/@rrweb/record/dist/record.umd.min.cjs'), 'utf8')
const SHOP = 'http://shop.test/cart'
const HTML = `<!doctype html><html><head><title>Shop</title><style>h1 { color: rgb(1, 2, 3) }</style></head>
  <body><h1>Your cart</h1><input aria-label="Name"><button>Buy</button><ul></ul></body></html>`

interface RecordedEvent {
  readonly type: number
  timestamp: number
  readonly data: any
}

/** A time-ordered id of a session that starts at `time`. */
const sessionAt = (time: number) => {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${Math.random().toString(16).slice(2, 14).padEnd(12, '0')}`
}

const EVENT_MS = 20

/** Records a visit with rrweb itself. The events follow each other in `EVENT_MS`, however long the browser took. */
const recordVisit = async (page: Page): Promise<RecordedEvent[]> => {
  await page.route('http://shop.test/**', (route) => route.fulfill({ contentType: 'text/html', body: HTML }))
  await page.goto(SHOP)
  await page.evaluate(RECORD)
  await page.evaluate(() => {
    const { rrwebRecord } = globalThis as any
    ;(globalThis as any).events = []
    rrwebRecord.record({ emit: (event: unknown) => (globalThis as any).events.push(event), maskAllInputs: true })
  })
  await page.getByLabel('Name').fill('secret')
  await page.getByRole('button').click()
  await page.evaluate(() => {
    document.querySelector('ul')!.innerHTML = '<li>Added to the cart</li>'
  })
  await expect.poll(() => page.evaluate(() => (globalThis as any).events.length)).toBeGreaterThan(5)
  const events = await page.evaluate<RecordedEvent[]>(() => (globalThis as any).events)
  return events.map((event, index) => ({ ...event, timestamp: events[0]!.timestamp + index * EVENT_MS }))
}

const send = async (
  { service }: Console,
  sessionId: string,
  seq: number,
  events: readonly unknown[],
  windowId = 'w1',
) => {
  const properties = {
    token: service.token,
    distinct_id: 'ada',
    $session_id: sessionId,
    $window_id: windowId,
    $snapshot_sequence: seq,
    $snapshot_data: events,
  }
  const response = await fetch(`${service.url}/s/?compression=gzip-js`, {
    method: 'POST',
    body: new Uint8Array(gzipSync(JSON.stringify([{ event: '$snapshot', properties }]))),
  })
  expect(await response.json()).toEqual({ status: 1 })
}

/** An element as rrweb records it. */
const node = (id: number, tagName: string, childNodes: object[], attributes: object = {}) => ({
  type: 2,
  id,
  tagName,
  attributes,
  childNodes,
})

test('a recorded session is found and played next to its events', async ({ view, context }) => {
  const { page, open } = view
  const visit = await context.newPage()
  const events = await recordVisit(visit)
  await visit.close()
  const start = events[0]!.timestamp
  const session = sessionAt(start)
  const at = (ms: number, event: RecordedEvent) => ({ ...event, timestamp: start + ms })
  const console = (level: string, text: string) => ({
    type: 6,
    timestamp: 0,
    data: { plugin: 'rrweb/console@1', payload: { level, payload: [JSON.stringify(text)], trace: [] } },
  })
  await send(view, session, 0, events)
  await send(view, session, 1, [at(4_000, console('error', 'It broke')), at(4_100, console('log', 'All well'))])
  // A gap, and after it the same page again.
  const snapshot = events.filter(({ type }) => type === 4 || type === 2).slice(0, 2)
  await send(view, session, 3, [at(20_000, { type: 3, timestamp: 0, data: { source: 1, positions: [] } })])
  await send(view, session, 4, [
    ...snapshot.map((event, index) => at(60_000 + index, event)),
    at(90_000, { type: 3, timestamp: 0, data: { source: 2, type: 2, id: 1, x: 1, y: 1 } }),
  ])
  await view.send([
    {
      event: 'bought',
      timestamp: new Date(start + 2_000).toISOString(),
      properties: { distinct_id: 'ada', $session_id: session, $pathname: '/cart' },
    },
    {
      event: '$exception',
      timestamp: new Date(start + 3_000).toISOString(),
      properties: {
        distinct_id: 'ada',
        $session_id: session,
        $exception_list: [{ type: 'Error', value: 'No stock' }],
        $recording_status: 'active',
        $sdk_debug_replay_stop_reason: 'idle',
      },
    },
  ])

  await open('recordings')
  const row = page.getByRole('row', { name: 'shop.test/cart' })
  await expect(row).toContainText('1m 30s')
  await expect(row.getByRole('cell').last()).toHaveText('2')
  await page.getByLabel('Part of the URL of a page').fill('nowhere')
  await expect(page.getByText('No recordings match')).toBeVisible()
  await page.getByLabel('Part of the URL of a page').fill('CART')
  await page.getByLabel('Errors').selectOption('With errors')
  await expect(row).toBeVisible()
  await expectAccessible(page)
  await row.getByRole('link').first().click()

  const recorded = page.frameLocator('iframe[title="Recorded page"]').frameLocator('iframe')
  await expect(recorded.getByRole('heading', { name: 'Your cart' })).toBeVisible()
  await expect(recorded.getByRole('heading')).toHaveCSS('color', 'rgb(1, 2, 3)')
  await expect(recorded.getByText('Added to the cart')).toHaveCount(0)
  const log = page.getByRole('tabpanel').getByRole('listitem')
  await expect(log).toHaveText([/0:02.*bought.*\/cart/, /0:03.*\$exception.*No stock/])
  await log.first().getByRole('button').click()
  await expect(recorded.getByText('Added to the cart')).toBeVisible()
  await expect(recorded.getByLabel('Name')).toHaveValue('******')

  // The gap is skipped, and so is the idle time after it.
  await expect(page.getByText('A part of this recording did not arrive.')).toBeVisible()
  await page.getByRole('button', { name: 'Play' }).click()
  const moment = page.getByRole('slider', { name: 'Moment' })
  await expect(moment).toHaveAttribute('aria-valuetext', '1m 30s of 1m 30s')
  await expect(recorded.getByText('Added to the cart')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()

  await page.getByRole('tab', { name: 'Console' }).click()
  await expect(log).toHaveText([/0:04.*It broke.*error/, /0:04.*All well.*log/])
  await expectAccessible(page)

  await expect(page.getByText('Why it ends there: The visitor was idle.')).toBeVisible()

  // A link to a point in time, and the recordings of a person and an event.
  await open(`recordings/${session}?t=61000`)
  await expect(moment).toHaveAttribute('aria-valuetext', '1m 01s of 1m 30s')
  await expect(recorded.getByRole('heading', { name: 'Your cart' })).toBeVisible()
  await page.getByRole('link', { name: 'Person' }).click()
  await page.getByRole('link', { name: 'Watch' }).click()
  await expect(recorded.getByRole('heading', { name: 'Your cart' })).toBeVisible()
  await open('events')
  await page.getByRole('button', { name: 'bought' }).click()
  await page.getByRole('link', { name: 'Watch this moment' }).click()
  await expect(page).toHaveURL(new RegExp(`recordings/${session}\\?t=\\d+`))

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the recording' }).click()
  await expect(page.getByText('No recordings in this period')).toBeVisible()
  await open(`recordings/${session}`)
  await expect(page.getByText('There is no recording of this session')).toBeVisible()

  // A session outside the sample, and the way from its event to the reason.
  const properties = { $recording_status: 'disabled', $sdk_debug_replay_stop_reason: 'sampling' }
  const unsampled = { distinct_id: 'ada', $session_id: sessionAt(Date.now()), ...properties }
  await view.send([{ event: 'looked', timestamp: new Date().toISOString(), properties: unsampled }])
  await open('events')
  await page.getByRole('button', { name: 'looked' }).click()
  await page.getByRole('link', { name: 'Why there is no recording' }).click()
  await expect(page.getByText('The session is not in the sample that is recorded.')).toBeVisible()
})

test('a heatmap is drawn over the newest snapshot of its page', async ({ view, context }) => {
  const { page, open } = view
  const visit = await context.newPage()
  const events = await recordVisit(visit)
  await visit.close()
  const full = events.find(({ type }) => type === 2)!
  const earlier = structuredClone([...events.filter(({ type }) => type === 4), full])
  const start = events[0]!.timestamp
  const text = JSON.stringify(events)
    .replaceAll('"Your cart"', '"Your new cart"')
    .replace('rgb(1, 2, 3)', 'rgb(1, 2, 3); height: 50vh')
  await send(
    view,
    sessionAt(start - 60_000),
    0,
    earlier.map((event) => ({ ...event, timestamp: start - 60_000 })),
  )
  await send(view, sessionAt(start), 0, JSON.parse(text))
  const sizes = { vw: 1280, vh: 720, ph: 1500 }
  await view.send([
    {
      event: '$$heatmap',
      timestamp: new Date().toISOString(),
      properties: {
        distinct_id: 'ada',
        $heatmap_data: { [SHOP]: [{ type: 'click', x: 640, y: 1000, target_fixed: false, ...sizes }] },
      },
    },
  ])
  await open(`heatmaps?${new URLSearchParams({ url: SHOP })}`)
  const drawn = page.frameLocator('iframe').frameLocator('iframe')
  const title = drawn.getByRole('heading')
  await expect(title).toHaveText('Your new cart')
  // Elements added after the snapshot are shown, and sizes follow the recorded window although the whole page is drawn.
  await expect(drawn.getByText('Added to the cart')).toBeVisible()
  await expect(title).toHaveCSS('height', '360px')
  await expect(title).toHaveCSS('color', 'rgb(1, 2, 3)')
  await expect(drawn.getByRole('textbox')).toHaveValue('')
  await expect(page.frameLocator('iframe').locator('.replayer-mouse')).toBeHidden()
  const sandbox = await page.frameLocator('iframe').locator('iframe').getAttribute('sandbox')
  expect(sandbox).toBe('allow-same-origin')
  const map = page.getByRole('img', { name: /^Clicks on a page of 1280 by 1500 pixels/ })
  const [over, under] = [await map.boundingBox(), await page.locator('iframe').boundingBox()]
  expect([under!.width, under!.height].map(Math.round)).toEqual([over!.width, over!.height].map(Math.round))
  await expectAccessible(page)
  await page.getByLabel('Width of the window').selectOption('phone')
  await expect(page.getByText('None of the latest recordings shows this page')).toBeVisible()
  await expect(page.locator('iframe')).toHaveCount(0)
})

test('several windows of a session share one timeline that shows the active window, and canvases show their frames', async ({
  view,
}) => {
  const { page, open } = view
  const start = Date.now() - 60_000
  const session = sessionAt(start)
  const at = (ms: number, type: number, data: object) => ({ type, timestamp: start + ms, data })
  const click = (ms: number) => at(ms, 3, { source: 2, type: 2, id: 4, x: 1, y: 1 })
  const opened = (ms: number, title: string) => {
    const body = node(4, 'body', [node(5, 'h1', [{ type: 3, id: 6, textContent: title }]), node(7, 'canvas', [])])
    return [
      at(ms, 4, { href: `http://shop.test/${title}`, width: 800, height: 600 }),
      at(ms + 1, 2, {
        node: { type: 0, id: 1, childNodes: [node(2, 'html', [node(3, 'head', []), body])] },
        initialOffset: { top: 0, left: 0 },
      }),
    ]
  }
  const blob = { rr_type: 'Blob', data: [{ rr_type: 'ArrayBuffer', base64: 'AAAA' }], type: 'image/webp' }
  const commands = [
    { property: 'clearRect', args: [0, 0, 300, 150] },
    { property: 'drawImage', args: [{ rr_type: 'ImageBitmap', args: [blob] }, 0, 0, 300, 150] },
  ]
  const frame = at(500, 3, { source: 9, id: 7, type: 0, commands })
  await send(view, session, 0, [...opened(0, 'First'), frame, click(1_000)])
  await send(view, session, 0, [...opened(2_000, 'Second'), click(3_900)], 'w2')
  await send(view, session, 1, [click(4_000), click(5_000)])

  await open(`recordings/${session}`)
  const recorded = page.frameLocator('iframe[title="Recorded page"]').frameLocator('iframe')
  const moment = page.getByRole('slider', { name: 'Moment' })
  await expect(recorded.getByRole('heading')).toHaveText('First')
  await expect(page.getByText('Window 1 of 2')).toBeVisible()
  await moment.fill('1000')
  await expect(recorded.locator('canvas')).toHaveCSS('background-image', 'url("data:image/webp;base64,AAAA")')
  await moment.fill('3000')
  await expect(recorded.getByRole('heading')).toHaveText('Second')
  await expect(page.getByText('Window 2 of 2')).toBeVisible()
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(recorded.getByRole('heading')).toHaveText('First')
  await expect(moment).toHaveAttribute('aria-valuetext', '5s of 5s')
  await page.getByLabel('Windows').selectOption('Window 2 only')
  await expect(recorded.getByRole('heading')).toHaveText('Second')
  await expect(moment).toHaveAttribute('max', '1900')

  // The next recording is that of the list.
  const [other, first] = [sessionAt(start - 10_000), sessionAt(start - 20_000)]
  await send(view, other, 0, [...opened(-10_000, 'Other'), click(-9_000)])
  await send(view, first, 0, [...opened(-20_000, 'First'), click(-19_000)])
  await open('recordings?page=First')
  await page.getByRole('row', { name: 'shop.test/First' }).first().getByRole('link').first().click()
  await expect(page.getByText('Window 1 of 2')).toBeVisible()
  await page.getByRole('link', { name: 'Next recording' }).click()
  await expect(page).toHaveURL(new RegExp(first))
})

test('frames show their recorded content, nested frames included, and run nothing', async ({ view }) => {
  const { page, open } = view
  const start = Date.now() - 60_000
  const session = sessionAt(start)
  const at = (ms: number, type: number, data: object) => ({ type, timestamp: start + ms, data })
  const mutation = (ms: number, more: object) =>
    at(ms, 3, { source: 0, adds: [], removes: [], texts: [], attributes: [], ...more })
  /** The document of a frame, with ids from `id` on. */
  const attach = (ms: number, parentId: number, id: number, text: string) => {
    const run = `top.hacked = 1`
    const body = node(id + 3, 'body', [
      node(id + 4, 'p', [{ type: 3, id: id + 5, textContent: text }], { onclick: run }),
      node(id + 6, 'script', [{ type: 3, id: id + 7, textContent: run }]),
      node(id + 8, 'iframe', [], { src: 'http://evil.test/frame' }),
    ])
    const html = node(id + 1, 'html', [node(id + 2, 'head', []), body])
    const add = { parentId, nextId: null, node: { type: 0, id, childNodes: [html] } }
    return mutation(ms, { adds: [add], isAttachIframe: true })
  }
  const body = node(4, 'body', [node(5, 'iframe', []), node(6, 'iframe', [])])
  await send(view, session, 0, [
    at(0, 4, { href: 'http://shop.test/frames', width: 800, height: 600 }),
    at(1, 2, {
      node: { type: 0, id: 1, childNodes: [node(2, 'html', [node(3, 'head', []), body])] },
      initialOffset: { top: 0, left: 0 },
    }),
    attach(100, 5, 1e9, 'In the frame'),
    attach(200, 1e9 + 8, 2e9, 'In the frame of the frame'),
    mutation(1_000, { texts: [{ id: 1e9 + 5, value: 'Changed in the frame' }] }),
    at(2_000, 3, { source: 2, type: 2, id: 1e9 + 4, x: 5, y: 5 }),
  ])
  await open(`recordings/${session}?t=500`)
  const recorded = page.frameLocator('iframe[title="Recorded page"]').frameLocator('iframe')
  const frame = recorded.frameLocator('iframe').first()
  await expect(frame.getByText('In the frame', { exact: true })).toBeVisible()
  await expect(frame.frameLocator('iframe').getByText('In the frame of the frame')).toBeVisible()
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(frame.getByText('Changed in the frame')).toBeVisible()
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(await frame.locator('script, [onclick], [src]').count()).toBe(0)
})

test('a hostile recording runs nothing, requests nothing and navigates nowhere', async ({ view, context }) => {
  const { page, open, service } = view
  const requests: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(service.url) && !/^(?:data|blob|about):/.test(url)) requests.push(url)
  })
  const start = Date.now() - 60_000
  const session = sessionAt(start)
  let id = 10
  const element = (tagName: string, attributes: object = {}, ...childNodes: object[]) => ({
    type: 2,
    id: (id += 1),
    tagName,
    attributes,
    childNodes,
  })
  const text = (textContent: string) => ({ type: 3, id: (id += 1), textContent })
  const EVIL = 'http://evil.test'
  const RUN = `top.hacked=1;document.title='hacked'`
  const hostile = () => [
    element('script', { src: `${EVIL}/script.js` }),
    element('script', {}, text(RUN)),
    element('img', { src: 'x', onerror: RUN, srcset: `${EVIL}/srcset.png 2x` }),
    element('img', { src: `${EVIL}/image.png`, rr_dataURL: `${EVIL}/dataurl.png` }),
    element(
      'svg',
      { onload: RUN },
      element('image', { 'xlink:href': `${EVIL}/svg.png` }),
      element('use', { href: `${EVIL}/use.svg#a` }),
    ),
    element('iframe', { src: `${EVIL}/frame.html`, srcdoc: `<script>${RUN}</script>`, rr_src: `${EVIL}/rrsrc.html` }),
    element('object', { data: `${EVIL}/object` }),
    element('embed', { src: `${EVIL}/embed` }),
    element('base', { href: EVIL, target: '_top' }),
    element('meta', { 'http-equiv': 'refresh', content: `0;url=${EVIL}/refresh` }),
    element('link', { rel: 'stylesheet', href: `${EVIL}/style.css` }),
    element('link', { rel: 'dns-prefetch preconnect preload prefetch', as: 'image', href: `${EVIL}/hint` }),
    element('link', {
      rel: 'stylesheet',
      _cssText: `@import "${EVIL}/import.css"; p { background: u\\72l(${EVIL}/escaped.png) }`,
    }),
    element(
      'style',
      {},
      text(
        `body { background: url(${EVIL}/css.png) } @font-face { font-family: f; src: url("${EVIL}/font.woff2") } p { font-family: f }`,
      ),
    ),
    element(
      'p',
      { style: `background-image: url('${EVIL}/attribute.png'); cursor: image-set("${EVIL}/cursor.png" 1x), auto` },
      text('Still here'),
    ),
    element(
      'video',
      { src: `${EVIL}/video.mp4`, poster: `${EVIL}/poster.png`, autoplay: '' },
      element('source', { src: `${EVIL}/source.mp4` }),
    ),
    element('audio', { src: `${EVIL}/audio.mp3`, rr_mediaState: 'played' }),
    element(
      'form',
      { action: `${EVIL}/form`, id: 'f' },
      element('button', { type: 'submit', formaction: 'javascript:top.hacked=1' }, text('Send')),
    ),
    element('a', { href: ' java\tscript:top.hacked=1', ping: `${EVIL}/ping` }, text('Link')),
    element('details', { open: '', ontoggle: RUN }, text('More')),
    element('input', { autofocus: '', onfocus: RUN, type: 'image', src: `${EVIL}/input.png` }),
    element('body', { background: `${EVIL}/background.png`, onload: RUN }),
    element('template', { shadowrootmode: 'open' }, element('script', {}, text(RUN))),
    element('bad name><img src=x onerror=top.hacked=1>', {}),
    element('canvas', { rr_dataURL: `${EVIL}/canvas.png` }),
  ]
  const at = (ms: number, type: number, data: object) => ({ type, timestamp: start + ms, data })
  const snapshot = () => {
    const body = { ...element('body', {}, ...hostile()), id: 4 }
    const html = {
      ...element('html', { manifest: `${EVIL}/manifest` }, { ...element('head', {}, ...hostile()), id: 3 }, body),
      id: 2,
    }
    return {
      node: { type: 0, id: 1, childNodes: [{ type: 1, id: 9, name: 'html', publicId: '', systemId: '' }, html] },
      initialOffset: { top: 0, left: 0 },
    }
  }
  const adds = hostile().map((node) => ({ parentId: 4, nextId: null, node }))
  await send(view, session, 0, [
    at(0, 4, { href: `javascript:top.hacked=1`, width: 800, height: 600 }),
    at(1, 2, snapshot()),
    at(500, 3, { source: 0, adds, removes: [], texts: [], attributes: [] }),
    at(600, 3, {
      source: 0,
      adds: [],
      removes: [],
      texts: [],
      attributes: [
        {
          id: 4,
          attributes: {
            onclick: RUN,
            style: { background: `url(${EVIL}/diff.png)` },
            background: `${EVIL}/changed.png`,
          },
        },
      ],
    }),
    at(700, 3, { source: 8, id: 4, adds: [{ rule: `p { background: url(${EVIL}/rule.png) }` }] }),
    at(710, 3, {
      source: 15,
      id: 4,
      styleIds: [1],
      styles: [{ styleId: 1, rules: [{ rule: `@import url(${EVIL}/adopted.css)` }] }],
    }),
    at(720, 3, { source: 10, family: 'f', fontSource: `url(${EVIL}/fontsource.woff2)`, buffer: false }),
    at(730, 3, {
      source: 9,
      id: 4,
      type: 0,
      commands: [{ property: 'drawImage', args: [{ src: `${EVIL}/draw.png` }] }],
    }),
    at(740, 6, {
      plugin: 'rrweb/console@1',
      payload: { level: 'error', payload: ['"<img src=x onerror=top.hacked=1>"'] },
    }),
    at(1_500, 3, { source: 2, type: 2, id: 4, x: 1, y: 1 }),
  ])
  await open(`recordings/${session}`)
  const recorded = page.frameLocator('iframe[title="Recorded page"]').frameLocator('iframe').first()
  await expect(recorded.getByText('Still here').first()).toBeVisible()
  await page.getByRole('button', { name: 'Play' }).click()
  // In the head, in the body, and added later.
  await expect(recorded.locator('p')).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  await page.getByRole('tab', { name: 'Console' }).click()
  await expect(page.getByText('<img src=x onerror=top.hacked=1>')).toBeVisible()
  expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
  expect(await page.title()).toBe('Recording of ada · Trailmark')
  expect(page.url()).toContain(`/recordings/${session}`)
  expect(context.pages()).toHaveLength(1)
  expect(requests).toEqual([])

  // The player's document may load only its own script and style sheet, even if the service misses something harmful.
  const { headers } = { headers: (await page.request.get(`${service.url}/console/player.html`)).headers() }
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; font-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  )
})

const META = { type: 4, data: { href: SHOP, width: 800, height: 600 } }
const snapshotOf = (childNodes: unknown) => ({
  type: 2,
  data: { node: { type: 0, id: 1, childNodes }, initialOffset: { top: 0, left: 0 } },
})
const DOCUMENT = [node(2, 'html', [node(3, 'head', []), node(4, 'body', [])])]
const TOO_DEEP = 'a snapshot that is nested too deeply'
const nestedIn = (levels: number): object => {
  let nested: object = {}
  for (let level = 0; level < levels; level += 1) nested = { nested }
  return nested
}

for (const [what, events] of [
  ['a snapshot without a document', [META, { type: 2, data: {} }]],
  ['a document that is text', [META, { type: 2, data: { node: 'x', initialOffset: null } }]],
  ['children that are not nodes', [META, snapshotOf([null, 5, {}, { type: 2 }])]],
  ['changes that are none', [META, snapshotOf(DOCUMENT), { type: 3, data: { source: 0 } }, { type: 3, data: null }]],
  [TOO_DEEP, [META, { type: 2, data: nestedIn(3_100) }]],
  [`nothing but ${TOO_DEEP}`, [{ type: 2, data: nestedIn(3_100) }]],
  ['no meta event', [snapshotOf(DOCUMENT), { type: 3, data: { source: 8, adds: 5 } }]],
] as const)
  test(`a recording with ${what} is played as far as it can be, or says that it cannot`, async ({ view }) => {
    const { page, open } = view
    const errors: string[] = []
    page.on('pageerror', (error) => void errors.push(String(error)))
    const start = Date.now() - 60_000
    const sessionId = sessionAt(start)
    await send(
      view,
      sessionId,
      0,
      events.map((event, index) => ({ ...event, timestamp: start + index * EVENT_MS })),
    )
    await open(`recordings/${sessionId}`)
    const frame = page.frameLocator('iframe[title="Recorded page"]')
    const message = page.getByText(/cannot be played/)
    const played = frame.locator('.replayer-wrapper iframe')
    await expect.poll(async () => (await message.count()) + (await played.count())).toBeGreaterThan(0)
    const play = page.getByRole('button', { name: 'Play', exact: true })
    if (await play.count()) await play.click()
    await page.waitForLoadState('networkidle')
    await expect(page.getByText('1 snapshot or change of the page was left out')).toHaveCount(
      what.endsWith(TOO_DEEP) ? 1 : 0,
    )
    expect(errors).toEqual([])
  })
