import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { expect, test } from '../support/console'
import { buildFailingApp } from '../support/failingApp'
import { pause } from '../support/pause'
import { cut, recording } from '../support/recording'
import { ROOT } from '../support/root'
import { pageWith } from '../support/scenario'
import type { Service } from '../support/service'
import { startProcess } from '../support/startProcess'

const SHOP = `<style>
    body { margin: 0; font: 16px system-ui; color: #1c2430; background: #f4f6f9 }
    header { display: flex; justify-content: space-between; padding: 20px 40px; background: #fff; font-weight: 600 }
    main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; padding: 40px }
    article { padding: 20px; border-radius: 12px; background: #fff }
    i { display: block; height: 130px; border-radius: 8px; background: #d3e0ee }
    button { padding: 10px 18px; border: 0; border-radius: 8px; background: #0b5cad; color: #fff; font: inherit }
  </style>
  <header>Hillside Outfitters <span>Basket: <b id="count">0</b></span></header>
  <main>${['Trail shoes', 'Rain jacket', 'Day pack', 'Head lamp', 'Water bottle', 'Map case']
    .map((name, at) => `<article><i></i><h2>${name}</h2><p>${29 + at * 10} €</p><button>Add</button></article>`)
    .join('')}</main>
  <form><input aria-label="Your name" placeholder="Your name"> <button type="button" id="pay">Pay</button></form>
  <script>for (const each of document.querySelectorAll('article button')) each.onclick = () => count.textContent++</script>
  <script src="/checkout.js"></script>`

test.use({ viewport: { width: 1200, height: 760 } })

const draw = async (page: Page, name: string) => {
  await page.setViewportSize({ width: 1200, height: 760 })
  // Nothing is marked as focused or pointed at.
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(ROOT, `docs/images/${name}.png`), animations: 'disabled' })
}
const rename = async ({ api }: Service) => {
  expect((await api('PATCH', '', { name: 'Hillside Outfitters' })).status).toBe(200)
}
const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

test('pictures of session recording, exceptions and heatmaps', async ({ view, site }, { outputDir }) => {
  const { page, open, service } = view
  await rename(service)
  const { status } = await service.api('PATCH', '/remote_config', { sessionRecording: true })
  expect(status).toBe(200)
  site.page('/checkout.js', await buildFailingApp(outputDir, service), { 'Content-Type': 'text/javascript' })
  const options = { capture_exceptions: true, enable_recording_console_log: true }
  site.page('/shop', pageWith('script', service, 'Hillside Outfitters', SHOP, options))
  const shop = await page.context().newPage()
  await shop.setViewportSize({ width: 1200, height: 760 })
  await shop.goto(`${site.url}/shop`)
  await recording(shop)
  await shop.evaluate(() => window.analytics.register({ $release_id: '4.2.0' }))
  for (const name of ['Trail shoes', 'Day pack']) {
    await shop.locator('article', { hasText: name }).getByRole('button').click()
    await pause(shop, 1500)
  }
  await shop.getByLabel('Your name').fill('Ada Lovelace')
  await shop.evaluate(() => console.warn('The basket was not saved'))
  await pause(shop, 1500)
  await shop.locator('#pay').click()
  const id = await shop.evaluate(() => window.analytics.get_session_id())
  await expect
    .poll(async () => {
      await cut(shop)
      return (await service.api('GET', `/session_recordings/${id}`)).status
    })
    .toBe(200)

  await open('errors')
  await page.getByRole('link', { name: 'RangeError' }).click()
  await expect(page.getByLabel('Source of checkout.ts').first()).toBeVisible()
  await draw(page, 'exceptions')

  await open(`recordings/${id}?t=4000`)
  const recorded = page.frameLocator('iframe[title="Recorded page"]').frameLocator('iframe')
  await expect(recorded.getByRole('heading', { name: 'Rain jacket' })).toBeVisible()
  await draw(page, 'session-recording')

  const sizes = { vw: 1200, vh: 760, ph: 842 }
  const clicks = [
    [72, 360, 60],
    [454, 360, 25],
    [834, 360, 40],
    [72, 696, 15],
    [185, 794, 30],
  ]
  await view.send(
    clicks.flatMap(([x, y, count]) =>
      Array.from({ length: count! }, (_, index) => ({
        event: '$$heatmap',
        timestamp: at(1),
        properties: {
          distinct_id: `visitor-${index}`,
          $heatmap_data: {
            [`${site.url}/shop`]: [
              {
                type: 'click',
                x: x! + ((index * 7) % 30),
                y: y! + ((index * 5) % 20),
                target_fixed: false,
                el: y === 794 ? 'form > button#pay' : 'article > button',
                ex: 0.5,
                ey: 0.5,
                ...sizes,
              },
            ],
          },
        },
      })),
    ),
  )
  await open(`heatmaps?${new URLSearchParams({ url: `${site.url}/shop` })}`)
  await expect(
    page.frameLocator('iframe').frameLocator('iframe').getByRole('heading', { name: 'Rain jacket' }),
  ).toBeVisible()
  await draw(page, 'heatmaps')
})

test('picture of web vitals', async ({ view }) => {
  const { page, open, send, service } = view
  await rename(service)
  const pages = [
    ['/', 1],
    ['/shop', 1.3],
    ['/basket', 0.8],
    ['/checkout', 2.2],
  ] as const
  await send(
    pages.flatMap(([path, factor]) =>
      Array.from({ length: 250 }, (_, count) => {
        // Values do not follow the time.
        const index = (count * 37) % 90
        const values = { LCP: 900 + index * 18, FCP: 500 + index * 9, TTFB: 200 + index * 6, INP: 60 + index * 2 }
        const metrics = { ...values, CLS: 0.02 + index / 1000 }
        return {
          event: '$web_vitals',
          timestamp: at(1 + (count % 160)),
          properties: {
            distinct_id: `visitor-${count}`,
            $pathname: path,
            $device_type: index % 3 ? 'Desktop' : 'Mobile',
            ...Object.fromEntries(
              Object.entries(metrics).flatMap(([name, value]) => [
                [`$web_vitals_${name}_value`, value * factor],
                [
                  `$web_vitals_${name}_event`,
                  { id: `${path} ${count}`, value: value * factor, navigationType: 'navigate' },
                ],
              ]),
            ),
          },
        }
      }),
    ),
  )
  await open('vitals')
  await expect(page.getByRole('row', { name: /\/checkout/ })).toBeVisible()
  await draw(page, 'web-vitals')
})

/** Orders of three plans and pageviews of 90 days, with weekends and growth. */
const ninetyDays = () =>
  Array.from({ length: 90 }, (_, day) => day).flatMap((day) => {
    const share = (1 - day / 130) * (1 + 0.35 * Math.sin((day / 7) * 2 * Math.PI))
    const times = (count: number, event: string, properties: object) =>
      Array.from({ length: Math.round(count * share) }, (__, index) => ({
        event,
        timestamp: at(day * 24 + index / 60),
        properties: { distinct_id: `visitor ${index}`, ...properties },
      }))
    return [
      ...times(24, '$pageview', {}),
      ...times(6, 'order placed', { org: 'acme', plan: 'Free' }),
      ...times(14, 'order placed', { org: 'acme', plan: 'Team' }),
      ...times(10, 'order placed', { org: 'acme', plan: 'Business' }),
    ]
  })

test('picture of charts', async ({ view }) => {
  const { page, service } = view
  const body = JSON.stringify({ api_key: service.token, batch: ninetyDays() })
  expect((await fetch(`${service.url}/batch/`, { method: 'POST', body })).status).toBe(200)
  const { ready, stop } = await startProcess(
    [join(ROOT, 'examples/chart/server.mjs')],
    {
      TRAILMARK_URL: service.url,
      TRAILMARK_PROJECT_ID: String(service.projectId),
      TRAILMARK_PERSONAL_API_KEY: service.key,
      TRAILMARK_DEMO_PORT: '0',
    },
    (line) => line.startsWith('charts ready '),
  )
  const { url } = JSON.parse(ready.slice('charts ready '.length)) as { url: string }
  await page.goto(url)
  await expect(page.locator('trailmark-chart text.number')).not.toHaveText('0')
  await expect(page.locator('trailmark-chart path.line')).toHaveCount(3)
  await page
    .locator('trailmark-chart .plot')
    .first()
    .hover({ position: { x: 420, y: 80 } })
  await page.screenshot({ path: join(ROOT, 'docs/images/charts.png'), animations: 'disabled' })
  await stop()
})
