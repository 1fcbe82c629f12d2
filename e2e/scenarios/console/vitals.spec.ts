import { expect, expectAccessible, test } from '../../support/console'

const NOW = Date.now()
const at = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()

const vital = (index: number, value: number, page: string, navigationType = 'navigate') => ({
  event: '$web_vitals',
  timestamp: at(1 + (index % 48)),
  properties: {
    distinct_id: `visitor-${index}`,
    $pathname: page,
    $device_type: index % 2 ? 'Mobile' : 'Desktop',
    $web_vitals_LCP_value: value,
    $web_vitals_LCP_event: { id: `${page} ${index}`, value, navigationType },
  },
})

test('web vitals show the p75 of at least 75 values by page, and routes separately from page loads', async ({
  view,
}) => {
  const { page, open, send } = view
  // Uses another period, because the service caches results for some seconds.
  await open('vitals?period=year')
  await expect(page.getByRole('heading', { name: 'No web vitals in this period' })).toBeVisible()
  await send([
    ...Array.from({ length: 100 }, (_, index) => vital(index, 1000 + index * 20, '/shop')),
    ...Array.from({ length: 20 }, (_, index) => vital(index, 5000, '/slow')),
    ...Array.from({ length: 80 }, (_, index) => vital(index, 300, '/route', 'soft-navigation')),
  ])
  await open('vitals')
  const tile = page.getByRole('button', { name: /^LCP Largest/ })
  // The value at position 90 of 120.
  await expect(tile).toContainText('2.8 s')
  await expect(tile).toContainText('needs improvement')
  await expect(page.getByRole('button', { name: /^INP/ })).toContainText('0 of 75 values')
  await expect(page.getByRole('row', { name: /\/shop/ })).toContainText('2.5 s')
  await expect(page.getByRole('row', { name: /\/slow/ })).toContainText('–')
  await expectAccessible(page)
  await page.getByRole('button', { name: '/shop' }).click()
  await expect(tile).toContainText('2.5 s')
  expect(page.url()).toContain('f=is,$pathname,/shop')
  await page.goBack()
  await page.getByText('Routes', { exact: true }).click()
  await expect(tile).toContainText('300 ms')
  await expect(tile).toContainText('good')
})

test('the line to the interval that is not over has dashes, and the legend explains them', async ({ view }) => {
  const { page, open, send } = view
  await page.addInitScript(() => {
    const { setLineDash } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.setLineDash = function (segments) {
      if ([...segments].length > 0) document.documentElement.dataset.dashes = 'drawn'
      setLineDash.call(this, segments)
    }
  })
  const values = (path: string, timestamp: number) =>
    Array.from({ length: 80 }, (_, index) => ({ ...vital(index, 1000, path), timestamp: new Date(timestamp) }))
  await send([...values('/yesterday', Date.now() - 24 * 3_600_000), ...values('/today', Date.now())])
  await open('vitals')
  await expect(page.getByRole('figure').getByText('Incomplete')).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('data-dashes', 'drawn')

  await open('vitals?period=yesterday')
  await expect(page.getByRole('figure')).toBeVisible()
  await expect(page.getByText('Incomplete')).toBeHidden()
})

test('heatmaps list pages, and draw a map with its depth and elements, also as a table', async ({ view }) => {
  const { page, open, send } = view
  const url = 'https://shop.example/basket'
  await open('heatmaps')
  await expect(page.getByRole('heading', { name: 'No heatmaps in this period' })).toBeVisible()
  const sizes = { vw: 1280, vh: 800, ph: 2400 }
  const point = (index: number) => ({
    type: 'click',
    x: 640 + (index % 5),
    y: 400,
    target_fixed: false,
    ...sizes,
    el: 'main > button#pay',
    ex: 0.5,
    ey: 0.5,
  })
  await send(
    Array.from({ length: 30 }, (_, index) => ({
      event: '$$heatmap',
      timestamp: at(2),
      properties: {
        distinct_id: `visitor-${index}`,
        $heatmap_data: {
          [url]: [point(index), { type: 'scroll', x: 0, y: index < 10 ? 2400 : 800, view: `view-${index}`, ...sizes }],
        },
      },
    })),
  )
  await open('heatmaps')
  await page.getByRole('link', { name: url }).click()
  const map = page.getByRole('img', { name: /^Clicks on a page of 1280 by 2400 pixels/ })
  await expect(map).toBeVisible()
  const heat = await map.evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    const alphaAt = (x: number, y: number) => data[(Math.round(y / 2) * canvas.width + Math.round(x / 2)) * 4 + 3]!
    return { there: alphaAt(640, 400), elsewhere: alphaAt(200, 1800) }
  })
  expect(heat.there).toBeGreaterThan(100)
  expect(heat.elsewhere).toBe(0)
  await expect(page.getByRole('row', { name: /^100% 33/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /main > button#pay 30 30/ })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await expect(page.getByRole('row', { name: '640 400 on the page 30 30' })).toBeVisible()
  await page.getByLabel('Width of the window').selectOption('phone')
  await expect(page.getByText('0 clicks')).toBeVisible()
  await page.getByRole('button', { name: 'All pages' }).click()
  await expect(page.getByRole('link', { name: url })).toBeVisible()
})
