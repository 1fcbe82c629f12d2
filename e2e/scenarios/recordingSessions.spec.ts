import type { BrowserContext, CDPSession, Page } from 'playwright/test'
import type { Config } from '../../src/types'
import { OPTIONS } from '../support/options'
import { ready } from '../support/ready'
import { cut, type RecordedChunk, recording, status, test as base, text, types, why } from '../support/recording'
import { expect, kill, QUIET } from '../support/world'

// Which sessions are recorded, when, and by which windows.

interface Fixtures {
  /** Opens a page whose recording goes through `network`. */
  show(body: string, options?: Partial<Config>): Promise<void>
  /** Ends chunks until a sent chunk contains `text`. */
  sent(expected: string, from?: Page): Promise<void>
}

const test = base.extend<Fixtures>({
  show: async ({ page, site, put, network }, use) => {
    await use(async (body, options = {}) => {
      put('npm', '/', body, { ...QUIET, api_host: network.url, ...options })
      await page.goto(site.url)
      await ready(page)
    })
  },
  sent: async ({ page, chunks }, use) => {
    await use((expected, from = page) =>
      expect
        .poll(async () => {
          await cut(from)
          return text(chunks())
        })
        .toContain(expected),
    )
  },
})

const write = (page: Page, words: string) =>
  page.evaluate((words) => (document.querySelector('p')!.textContent = words), words)
const snapshots = (all: RecordedChunk[]) => types(all).filter((type) => type === 2).length
const sessionId = (page: Page) => page.evaluate(() => window.analytics.get_session_id())

test('recording pauses while the visitor is idle, and resumes with a full snapshot', async ({
  page,
  record,
  show,
  sent,
  chunks,
}) => {
  await record(true)
  await show('<p>start</p>', { session_recording: { session_idle_threshold_ms: 5000 } })
  await recording(page)
  await page.mouse.move(10, 10)
  // DOM changes do not count as activity.
  await expect
    .poll(async () => {
      await write(page, `change ${Math.random()}`)
      await cut(page)
      return text(chunks())
    })
    .toContain('sessionIdle')
  await expect.poll(() => why(page)).toBe('idle')
  const before = snapshots(chunks())
  await write(page, 'while idle')
  await write(page, 'at return')
  await page.mouse.move(200, 200)
  await sent('sessionNoLongerIdle')
  await expect
    .poll(async () => {
      await cut(page)
      return snapshots(chunks())
    })
    .toBe(before + 1)
  expect(text(chunks())).toContain('at return')
  expect(text(chunks())).not.toContain('while idle')
})

test('the time of a recording goes on when the clock is set back, and a computer that slept was idle', async ({
  page,
  record,
  show,
  sent,
  chunks,
  service,
}) => {
  await page.addInitScript(() => {
    const own = Date
    const now = () => own.now() + Number(sessionStorage.getItem('set') ?? 0)
    globalThis.Date = new Proxy(own, {
      construct: (_, args: []) => (args.length ? new own(...args) : new own(now())),
      get: (_, name) => (name === 'now' ? now : Reflect.get(own, name)),
    })
  })
  /** Sets the clock of the computer, or wakes it up after this time. */
  const set = (ms: number) => page.evaluate((ms) => sessionStorage.setItem('set', String(ms)), ms)
  await record(true)
  await show('<p>start</p>')
  await recording(page)
  await page.mouse.move(10, 10)
  await sent('start')
  const began = Date.now()
  await set(-600_000)
  await write(page, 'set back')
  await page.mouse.move(20, 20)
  await sent('set back')
  // A change of the page comes first, then the visitor.
  await set(300_000)
  await write(page, 'asleep')
  await page.mouse.move(30, 30)
  await sent('sessionNoLongerIdle')
  await write(page, 'awake')
  await sent('awake')
  const events = [...chunks()]
    .sort((a, b) => Number(a.properties.$snapshot_sequence) - Number(b.properties.$snapshot_sequence))
    .flatMap(
      ({ properties }) => properties.$snapshot_data as unknown as { timestamp: number; data: { tag?: string } }[],
    )
  const times = events.map(({ timestamp }) => timestamp)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  const idleAt = events.find(({ data }) => data.tag === 'sessionIdle')!.timestamp
  expect(idleAt - began).toBeGreaterThan(299_000)
  expect(idleAt - began).toBeLessThan(360_000)

  const stored = async () => (await service.api('GET', `/session_recordings/${await sessionId(page)}`)).body
  await expect.poll(async () => (await stored()).duration_ms).toBeGreaterThan(900_000)
  const { duration_ms, active_ms } = await stored()
  expect(duration_ms).toBeLessThan(900_000 + 60_000)
  expect(active_ms).toBeLessThan(60_000)
})

test('recording sends nothing until the visitor is active and the minimum duration has passed, then everything', async ({
  page,
  record,
  show,
  sent,
  chunks,
}) => {
  await record({ minimumDurationMilliseconds: 10_000 })
  await show('<p>start</p>')
  await recording(page)
  await expect.poll(() => why(page)).toBe('no_activity')
  // Until then, nothing is recorded that could be sent later.
  await expect
    .poll(() => page.evaluate(() => window.analytics.calculateEventProperties('x').$sdk_debug_replay_rrweb_attached))
    .toBe(true)
  const began = Date.now()
  await write(page, 'first change')
  await page.mouse.move(10, 10)
  await cut(page)
  expect(chunks()).toEqual([])
  await expect.poll(() => why(page)).toBe('minimum_duration')
  await expect
    .poll(async () => {
      await write(page, `change at ${Date.now()}`)
      await cut(page)
      return chunks().length
    })
    .toBeGreaterThan(0)
  expect(Date.now() - began).toBeGreaterThan(5000)
  await sent('first change')
  expect(types(chunks()).slice(0, 2)).toEqual([4, 2])
})

test('trigger groups record after an event with certain properties, and excluded URLs are not recorded', async ({
  page,
  record,
  show,
  sent,
  chunks,
}) => {
  await record({
    version: 2,
    triggerGroups: [
      {
        id: 'large orders',
        conditions: { events: [{ name: 'paid', properties: [{ key: 'amount', operator: 'gt', value: 100 }] }] },
      },
      { id: 'nobody', sampleRate: 0 },
    ],
    urlBlocklist: [{ url: '/account', matching: 'regex' }],
  })
  await show('<p>before the order</p>')
  await recording(page, 'buffering')
  expect(await why(page)).toBe('trigger')
  await page.evaluate(() => void window.analytics.capture('paid', { amount: 5 }))
  expect(await status(page)).toBe('buffering')
  await page.evaluate(() => void window.analytics.capture('paid', { amount: 500 }))
  await recording(page, 'sampled')
  // False until the recording has its first snapshot.
  const addEvent = () => window.analytics.sessionRecording.tryAddCustomEvent('step', { name: 'thanks' })
  await expect.poll(() => page.evaluate(addEvent)).toBe(true)
  await sent('before the order')
  await sent('thanks')

  // In one task, so that only the DOM change can notify the recorder.
  await page.evaluate(() => {
    history.pushState({}, '', '/account?of=visitor')
    document.querySelector('p')!.textContent = 'on the account page'
  })
  await recording(page, 'paused')
  expect(await why(page)).toBe('blocked_url')
  await page.evaluate(() => {
    document.querySelector('p')!.textContent = 'back'
    history.pushState({}, '', '/')
  })
  await recording(page, 'sampled')
  await sent('back')
  expect(snapshots(chunks())).toBe(2)
  expect(text(chunks())).toContain('recording paused')
  expect(text(chunks())).not.toContain('account')
})

test('recording stops when the service rejects the session, and starts again with the next one', async ({
  page,
  record,
  show,
  sent,
  chunks,
  service,
}) => {
  await record(true)
  await show('<p>start</p>')
  await recording(page)
  await sent('start')
  const first = await sessionId(page)
  const stored = async () => (await service.api('GET', `/session_recordings/${first}`)).status
  await expect.poll(stored).toBe(200)
  await service.api('DELETE', `/session_recordings/${first}`)
  await expect
    .poll(async () => {
      await write(page, `change ${Math.random()}`)
      await cut(page)
      return status(page)
    })
    .toBe('disabled')
  expect(await why(page)).toBe('refused_by_service')
  await write(page, 'after the refusal')
  await cut(page)
  expect(text(chunks())).not.toContain('after the refusal')
  await page.evaluate(() => {
    window.analytics.reset()
    window.analytics.capture('next')
  })
  await recording(page)
  await sent('after the refusal')
  expect(await page.evaluate(() => window.analytics.explain('$snapshot')[0])).toMatchObject({ state: 'delivered' })
  expect(await why(page)).toBeUndefined()
})

test('each window of a session numbers its own chunks, also that of a duplicated tab', async ({
  page,
  context,
  site,
  record,
  show,
  sent,
  chunks,
}) => {
  await record(true)
  await show('<p>first window</p>')
  await recording(page)
  await sent('first window')
  const other = await context.newPage()
  await other.goto(site.url)
  await recording(other)
  await write(other, 'second window')
  await sent('second window', other)
  // `window.open` copies the tab's storage, as duplicating a tab does.
  const [copy] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => void open(location.href))])
  await recording(copy)
  await write(copy, 'duplicated tab')
  await sent('duplicated tab', copy)
  await write(page, 'first window again')
  await sent('first window again')

  const windowOf = (words: string) =>
    chunks().find((each) => text([each]).includes(words))!.properties.$window_id as string
  const windows = ['first window', 'second window', 'duplicated tab'].map(windowOf)
  expect(new Set(windows).size).toBe(3)
  expect(windowOf('first window again')).toBe(windows[0])
  expect(new Set(chunks().map(({ properties }) => properties.$session_id)).size).toBe(1)
  for (const id of windows) {
    const own = chunks().filter(({ properties }) => properties.$window_id === id)
    expect([...new Set(own.map(({ properties }) => properties.$snapshot_sequence))]).toContain(0)
    expect(own.find(({ properties }) => properties.$snapshot_sequence === 0)!.properties.$snapshot_has_full).toBe(true)
  }
})

test('the next page sends the chunks of a tab that was killed during an outage, and starts recording by stored settings', async ({
  page,
  context,
  site,
  network,
  record,
  show,
  sent,
  chunks,
}) => {
  await record(true)
  await show('<p>start</p>')
  await recording(page)
  await sent('start')
  await network.be(503)
  // So long that it is stored only once its request has failed.
  await write(page, `before the crash${' x'.repeat(300_000)}`)
  await sent('before the crash')
  const waiting = () =>
    page.evaluate(async () => {
      const found = (await indexedDB.databases()).find(({ name }) => name!.startsWith('trailmark-recording'))
      if (!found) return 0
      const request = indexedDB.open(found.name!)
      await new Promise((done) => (request.onsuccess = done))
      const count = request.result.transaction('events').objectStore('events').count()
      await new Promise((done) => (count.onsuccess = done))
      request.result.close()
      return count.result
    })
  await expect.poll(waiting).toBeGreaterThan(0)
  await kill(page)
  network.forget()

  // Without remote configuration, too.
  const next = await context.newPage()
  await next.goto(site.url)
  await recording(next)
  network.forget()
  await network.be('up')
  await next.evaluate(() => void dispatchEvent(new Event('online')))
  await expect.poll(() => text(chunks())).toContain('before the crash')
})

test('records on a page with a strict content security policy, which it does not violate', async ({
  page,
  site,
  network,
  record,
  sent,
  service,
}) => {
  await record({ consoleLogRecordingEnabled: true })
  const options = {
    ...OPTIONS,
    ...QUIET,
    api_host: network.url,
    session_recording: { captureCanvas: { recordCanvas: true }, recordHeaders: true },
  }
  site.page(
    '/',
    `<!doctype html><head><script type="module" nonce="n">
      window.violations = []
      document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective))
      const { analytics } = await import('/sdk/main.js')
      window.analytics = analytics
      analytics.init(${JSON.stringify(service.token)}, ${JSON.stringify(options)})
    </script></head><body><p>strict page</p><canvas width="40" height="40"></canvas></body>`,
    {
      'Content-Security-Policy': `default-src 'none'; script-src 'self' 'nonce-n'; connect-src 'self' ${network.url}; require-trusted-types-for 'script'`,
    },
  )
  // Violations in documents that are not the page's are reported to the console only.
  const reports: string[] = []
  page.on('console', (message) => /content security policy/i.test(message.text()) && reports.push(message.text()))
  await page.goto(site.url)
  await ready(page)
  await recording(page)
  for (const color of ['red', 'rgb(1, 2, 3)'])
    await page.locator('p').evaluate((element, value) => (element.style.color = value), color)
  await page.evaluate(() => {
    // Console capture loads after recording has started.
    setInterval(() => console.log('to the console'), 200)
    document.querySelector('canvas')!.getContext('2d')!.fillRect(0, 0, 20, 20)
  })
  await sent('strict page')
  await sent('to the console')
  await sent('drawImage')
  await sent('rgb(1, 2, 3)')
  expect(reports).toEqual([])
  expect(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)).toEqual([])
})

test('recordSameOriginIframes: records contents of frames, masked like the page, and each change once', async ({
  page,
  record,
  show,
  sent,
  chunks,
}) => {
  await record(true)
  await show(
    `<p>page</p><iframe srcdoc="<p>in the frame</p><input>"></iframe>
    <iframe class="ph-no-capture" srcdoc="<p>in a blocked frame</p>"></iframe>
    <div class="ph-mask"><iframe srcdoc="<p>in a masked frame</p>"></iframe></div>`,
    { session_recording: { recordSameOriginIframes: true, full_snapshot_interval_millis: 1000 } },
  )
  await recording(page)
  const frame = page.frameLocator('iframe').first()
  await frame.locator('input').fill('typed in the frame')
  await sent('in the frame')
  await expect.poll(() => cut(page).then(() => snapshots(chunks()))).toBeGreaterThan(2)
  await frame.locator('p').evaluate((element) => (element.textContent = 'changed in the frame'))
  await sent('changed in the frame')
  // Later snapshots attach the frame with its text.
  const changes = chunks().flatMap(({ properties }) =>
    properties.$snapshot_data.filter(
      ({ type, data }) => type === 3 && !data.isAttachIframe && JSON.stringify(data).includes('changed in the frame'),
    ),
  )
  expect(changes).toHaveLength(1)
  expect(text(chunks())).not.toMatch(/typed in|in a blocked|in a masked/)
})

test('a page whose full snapshot is larger than the service takes ends the recording, and nothing is sent', async ({
  page,
  record,
  show,
  chunks,
}) => {
  await record(true)
  await show('<p>start</p>', { disable_session_recording: true })
  await page.evaluate(() => {
    const div = document.createElement('div')
    div.hidden = true
    for (let count = 0; count < 280_000; count++) div.append(document.createTextNode('x'))
    document.body.append(div)
    window.analytics.startSessionRecording()
  })
  await expect.poll(() => status(page), { timeout: 20_000 }).toBe('rrweb_error')
  expect(await why(page)).toBe('page_too_large')
  await cut(page)
  expect(chunks()).toEqual([])
})

/** Returns how much of the page is in memory after two garbage collections. */
const memoryOf = async (cdp: CDPSession) => {
  await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)!.value
  return {
    nodes: of('Nodes'),
    documents: of('Documents'),
    listeners: of('JSEventListeners'),
    heap: of('JSHeapUsedSize'),
  }
}
const cdpOf = async (context: BrowserContext, page: Page) => {
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  return cdp
}

test('of a large full snapshot nothing stays in memory: not its text once it is sent, and nothing once recording has stopped', async ({
  page,
  context,
  record,
  show,
  sent,
}) => {
  await record(true)
  await show(`<div hidden>${'<p>some text</p>'.repeat(40_000)}</div>`, { disable_session_recording: true })
  const cdp = await cdpOf(context, page)
  const visit = async () => {
    await page.evaluate(() => window.analytics.startSessionRecording())
    await recording(page)
    await page.mouse.move(10, 10)
  }
  // The first visit brings the recorder.
  await visit()
  await sent('some text')
  await page.evaluate(() => window.analytics.stopSessionRecording())
  const start = await memoryOf(cdp)
  await visit()
  await expect
    .poll(() => page.evaluate(() => window.analytics.calculateEventProperties('x').$sdk_debug_replay_flushed_size))
    .toBeGreaterThan(4e6)
  // rrweb's ids of 80,000 nodes stay while it records.
  await expect.poll(async () => (await memoryOf(cdp)).heap).toBeLessThan(start.heap + 13e6)
  await page.evaluate(() => window.analytics.stopSessionRecording())
  await expect.poll(async () => (await memoryOf(cdp)).heap).toBeLessThan(start.heap + 0.5e6)
  expect((await memoryOf(cdp)).nodes).toBeLessThan(start.nodes + 200)
})

test('memory stays flat after 50 restarts of recording, and after 200 frames that were added and removed', async ({
  page,
  context,
  record,
  show,
}) => {
  await record(true)
  // Its full snapshots take several slices, so that stops come in the middle of them.
  await show(`<p>start</p>${'<div><b>x</b></div>'.repeat(2000)}`, { disable_session_recording: true })
  const restart = (times: number) =>
    page.evaluate(async (times) => {
      const setter = () => Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set
      const native = setter()
      for (let count = 0; count < times; count++) {
        window.analytics.startSessionRecording()
        while (setter() === native) await new Promise((done) => requestAnimationFrame(done))
        window.analytics.stopSessionRecording()
      }
    }, times)
  const cdp = await cdpOf(context, page)
  const start = await memoryOf(cdp)
  // Browsers compile a function to machine code, which is in the heap, after it has run some dozens of times.
  await restart(50)
  const first = await memoryOf(cdp)
  await restart(50)
  // Again after a while, because a collection leaves objects that a later one frees.
  await expect(async () => {
    const last = await memoryOf(cdp)
    expect(last.nodes).toBeLessThan(start.nodes * 1.02)
    // rrweb keeps the functions of an empty frame, for pages that replace the browser's own.
    expect(last.documents).toBeLessThanOrEqual(start.documents + 1)
    expect(last.heap).toBeLessThan(first.heap * 1.1)
  }).toPass({ timeout: 60_000 })
  // The outbox keeps the listeners of its last session, which may begin between two measurements.
  await expect(async () => {
    const { listeners } = await memoryOf(cdp)
    await restart(50)
    await expect.poll(async () => (await memoryOf(cdp)).listeners, { timeout: 10_000 }).toBeLessThanOrEqual(listeners)
  }).toPass({ timeout: 60_000 })

  await page.evaluate(() => window.analytics.startSessionRecording())
  await recording(page)
  const frames = (count: number) =>
    page.evaluate(async (count) => {
      for (let batch = 0; batch < count / 20; batch++) {
        const all = Array.from({ length: 20 }, () => document.createElement('iframe'))
        const load = (frame: HTMLIFrameElement) =>
          new Promise((done) => {
            frame.srcdoc = '<p>frame</p>'.repeat(50)
            frame.onload = done
            document.body.append(frame)
          })
        await Promise.all(all.map(load))
        all.forEach((frame) => frame.remove())
      }
    }, count)
  await frames(20)
  const before = await memoryOf(cdp)
  await frames(200)
  await expect.poll(async () => (await memoryOf(cdp)).documents).toBeLessThanOrEqual(before.documents + 2)
  await expect.poll(async () => (await memoryOf(cdp)).nodes).toBeLessThan(before.nodes + 500)
})
