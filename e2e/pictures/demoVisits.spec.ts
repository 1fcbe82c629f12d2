import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright/test'
import { expect, test } from '../support/console'
import { pause } from '../support/pause'
import { cut, recording } from '../support/recording'
import { ROOT } from '../support/root'
import type { Service } from '../support/service'
import { startProcess } from '../support/startProcess'

const FILE = join(ROOT, 'examples/demoData/recordedVisits.json.gz')
/** The host of the generated shop, examples/demoData/visits.mjs. */
const ORIGIN = 'https://larch-lantern.example'

interface Snapshot {
  readonly event: { readonly timestamp: number }
}

interface Recording {
  readonly windows_list: readonly { readonly id: string }[]
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Hides that the browser is automated: the SDK captures no events of such. */
const asPerson = () => {
  Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })
  const agent = navigator.userAgent.replace('HeadlessChrome', 'Chrome')
  Object.defineProperty(Navigator.prototype, 'userAgent', { get: () => agent })
  Object.defineProperty(Navigator.prototype, 'userAgentData', { get: () => undefined })
}

/** Starts the demo shop for a project. */
const startShop = async ({ url, token, key, projectId }: Service) => {
  const { ready, stop } = await startProcess(
    [join(ROOT, 'examples/shop/server.mjs')],
    {
      TRAILMARK_DEMO_PORT: '0',
      TRAILMARK_URL: url,
      TRAILMARK_PROJECT_TOKEN: token,
      TRAILMARK_PROJECT_ID: String(projectId),
      TRAILMARK_PERSONAL_API_KEY: key,
    },
    (line) => line.startsWith('shop ready '),
  )
  return { stop, ...(JSON.parse(ready.slice('shop ready '.length)) as { url: string }) }
}

/** Returns what people click on the shown page, with its sizes. */
const targetsOf = (page: Page) =>
  page.evaluate(() => {
    const boxes = [...document.querySelectorAll('header a, main a, main button, main img, main h1')].flatMap(
      (element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        const el = `${element.parentElement!.tagName} > ${element.tagName}`.toLowerCase()
        return width > 8 && height > 8 ? [{ el, x: left + scrollX, y: top + scrollY, width, height }] : []
      },
    )
    const round = (value: number) => Math.round(value)
    return {
      vw: innerWidth,
      vh: innerHeight,
      ph: document.documentElement.scrollHeight,
      targets: boxes.map(
        ({ el, x, y, width, height }) => [el, round(x), round(y), round(width), round(height)] as const,
      ),
    }
  })

/** Moves the pointer as a person does, and clicks. */
const click = async (page: Page, selector: string) => {
  const target = page.locator(selector).first()
  await target.scrollIntoViewIfNeeded()
  const box = (await target.boundingBox())!
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 25 })
  await pause(page, 700)
  await page.mouse.down()
  await page.mouse.up()
}

const scroll = async (page: Page, steps: number) => {
  for (let step = 0; step < steps; step++) {
    await page.mouse.wheel(0, 240)
    await pause(page, 350)
  }
}

/** Returns a recorded session with its events, as offsets from its start, on the generated shop's host. */
const readVisit = async (service: Service, sessionId: string, shopUrl: string) => {
  const found = (await service.api('GET', `/session_recordings/${sessionId}`)).body as unknown as Recording
  const read = async ({ id }: Recording['windows_list'][number]) => {
    const url = `${service.url}/api/projects/${service.projectId}/session_recordings/${sessionId}/snapshots`
    const response = await fetch(`${url}?${new URLSearchParams({ window_id: id })}`, {
      headers: { Authorization: `Bearer ${service.key}` },
    })
    const lines = (await response.text()).split('\n').filter(Boolean)
    return lines.map((line) => (JSON.parse(line) as Snapshot).event)
  }
  const windows = await Promise.all(found.windows_list.map(read))
  const rows = await service.query<[string, string, string]>(
    `SELECT event, toString(timestamp), toString(properties) FROM events WHERE $session_id = '${sessionId}' ORDER BY timestamp`,
  )
  const start = Math.min(...windows.flat().map(({ timestamp }) => timestamp))
  const events = rows.map(([event, time, properties]) => {
    const { token: _token, $ip: _ip, ...rest } = JSON.parse(properties) as Record<string, unknown>
    return { event, at: Date.parse(`${time.replace(' ', 'T').replace(/Z?$/, 'Z')}`) - start, properties: rest }
  })
  const visit = {
    events,
    windows: windows.map((window) => window.map((event) => ({ ...event, timestamp: event.timestamp - start }))),
  }
  return JSON.parse(
    JSON.stringify(visit).replaceAll(shopUrl, ORIGIN).replaceAll(new URL(shopUrl).host, new URL(ORIGIN).host),
  ) as typeof visit
}

test('recorded visits of the generated shop, for npm run demo:data', async ({ view: { service, page } }) => {
  const shop = await startShop(service)
  try {
    expect((await service.api('PATCH', '/remote_config', { sessionRecording: true })).status).toBe(200)
    const pages: Record<string, Awaited<ReturnType<typeof targetsOf>>> = {}
    const visit = async (viewport: Size, act: (tab: Page, look: () => Promise<void>) => Promise<void>) => {
      const context = await page.context().browser()!.newContext({ viewport })
      await context.addInitScript(asPerson)
      // The panel of the demo shows events and is no part of the shop.
      await context.route('**/panel.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
      await context.route('**/panel.css', (route) =>
        route.fulfill({ contentType: 'text/css', body: '[class^="watch"] { display: none }' }),
      )
      const tab = await context.newPage()
      await tab.goto(shop.url)
      await recording(tab)
      /** Remembers the targets of a page, and looks at it for a while. */
      const look = async () => {
        await tab.waitForLoadState('load')
        if (viewport.width > 1_000) pages[new URL(tab.url()).pathname] ??= await targetsOf(tab)
        await pause(tab, 1_200)
      }
      await look()
      await act(tab, look)
      const id = await tab.evaluate(() => window.analytics.get_session_id())
      await expect
        .poll(async () => {
          await cut(tab)
          return (await service.api('GET', `/session_recordings/${id}`)).status
        })
        .toBe(200)
      await tab.goto('about:blank')
      await pause(page, 2_000)
      await context.close()
      return readVisit(service, id, shop.url)
    }
    const visits = [
      await visit({ width: 1280, height: 800 }, async (tab, look) => {
        await scroll(tab, 3)
        await click(tab, 'a[href^="/category/light"]')
        await tab.waitForURL('**/category/**')
        await look()
        await click(tab, 'main a[href^="/product/"]')
        await tab.waitForURL('**/product/**')
        await look()
        await click(tab, '#add-to-basket')
        await tab.waitForURL('**/basket**')
        await look()
        await click(tab, '#to-checkout')
        await tab.waitForURL('**/checkout')
        await look()
        for (const field of await tab.locator('main form input[required]').all()) {
          const type = await field.getAttribute('type')
          await field.pressSequentially(type === 'email' ? 'ada@example.com' : 'Ada Example', { delay: 60 })
        }
        await click(tab, '#place-order')
        await tab.waitForURL('**/orders/**')
        await pause(tab, 1_500)
      }),
      await visit({ width: 390, height: 844 }, async (tab, look) => {
        await scroll(tab, 6)
        await click(tab, 'main a[href^="/category/camp"]')
        await tab.waitForURL('**/category/**')
        await look()
        await scroll(tab, 3)
        await click(tab, 'main a[href^="/product/"]')
        await tab.waitForURL('**/product/**')
        await look()
        await scroll(tab, 5)
      }),
    ]
    await writeFile(FILE, gzipSync(JSON.stringify({ visits, pages }), { level: 9 }))
  } finally {
    await shop.stop()
  }
})
