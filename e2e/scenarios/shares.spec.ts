import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright/test'
import { expect, expectAccessible, test } from '../support/console'
import type { Service } from '../support/service'

const sql = (query: string) => ({ kind: 'HogQLQuery', query })
const place = { x: 0, y: 0, w: 6, h: 4 }
const TILES = [
  { id: 'orders', title: 'Orders by day', endpoint: 'orders', display: 'table', ...place },
  { id: 'trend', title: 'Orders over time', endpoint: 'trend', display: 'line', ...place, x: 6 },
  { id: 'all', title: 'All orders', endpoint: 'all_orders', display: 'number', ...place, y: 4 },
]

const prepare = async (service: Service, send: (events: readonly object[]) => Promise<void>) => {
  for (const [name, type] of Object.entries({ org: 'String', plan: 'String', date_from: 'Date', date_to: 'Date' }))
    await service.api('POST', '/insight_variables', { name, type })
  const endpoints = {
    orders: sql(
      'SELECT toString(toDate(timestamp)) AS day, properties.org AS org, properties.plan AS plan, count() AS orders FROM events WHERE properties.org = {variables.org} AND properties.plan = {variables.plan} AND toDate(timestamp) BETWEEN {variables.date_from} AND {variables.date_to} GROUP BY day, org, plan ORDER BY day',
    ),
    trend: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'order' }],
      breakdownFilter: { breakdown: 'org', breakdown_type: 'event' },
    },
    all_orders: sql("SELECT count() AS orders FROM events WHERE event = 'order'"),
  }
  for (const [name, query] of Object.entries(endpoints))
    expect([name, (await service.api('POST', '/endpoints', { name, query })).status]).toEqual([name, 201])
  await send(
    ['acme', 'rival'].flatMap((org) =>
      ['free', 'pro'].flatMap((plan) =>
        ['2026-01-05', '2026-02-05'].map((day) => ({
          event: 'order',
          distinct_id: org,
          timestamp: `${day}T10:00:00Z`,
          properties: { org, plan },
        })),
      ),
    ),
  )
}

const DATES = { from: '2026-02-01', to: '2026-02-28', min: '2026-01-01', max: '2026-02-28' }

const shareOf = async (service: Service, input: object): Promise<any> => {
  const { status, body } = await service.api('POST', '/shares', {
    endpoint: 'orders',
    title: 'Orders of Acme',
    variables: { org: 'acme' },
    allowed_values: { plan: ['free', 'pro'] },
    date_range: DATES,
    ...input,
  })
  expect([status, body.detail]).toEqual([201, undefined])
  return body
}

/** A page of a person without a session of the console. */
const signedOut = async (browser: Browser): Promise<{ page: Page; problems: string[] }> => {
  const page = await (await browser.newContext()).newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
  return { page, problems }
}

test('a dashboard is shared with a preview, read signed out with choices, and its link is revoked', async ({
  view: { service, page, open, send },
  browser,
}) => {
  await prepare(service, send)
  const dashboard = await service.api('POST', '/dashboards', { name: 'Orders', tiles: TILES })
  await open(`dashboards/${dashboard.body.id as string}`)
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share Orders' })
  await expect(dialog).toContainText('There are no links yet.')
  await dialog.getByRole('button', { name: 'New link' }).click()
  await dialog.getByRole('button', { name: 'Pin a variable' }).click()
  await dialog.getByLabel('Variable', { exact: true }).fill('org')
  await dialog.getByLabel('Value', { exact: true }).fill('acme')
  await dialog.getByRole('button', { name: 'Add a choice' }).click()
  await dialog.getByLabel('Variable', { exact: true }).nth(1).fill('plan')
  await dialog.getByLabel('Values, separated by commas').fill('free, pro')
  await dialog.getByLabel('Dates', { exact: true }).selectOption('Last 90 days')
  await dialog.getByLabel('Other dates').selectOption('Within the last year')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  // A tile that would show the orders of everyone.
  await expect(dialog.getByRole('region', { name: 'Preview' })).toContainText(
    'Tile "All orders" does not use the pinned variable "org", so it would show all of its values.',
  )
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Tile "All orders" does not use the pinned variable "org"')
  await dialog.getByRole('checkbox', { name: 'All orders' }).uncheck()
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(
    dialog.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'Orders by day' }),
  ).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('Note').fill('For the board')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByLabel('Link', { exact: true }).textContent()
  expect(link).toMatch(/\/shared#tms_[0-9a-f]{64}$/)
  await expect(dialog.getByRole('region', { name: 'For the board' })).toContainText('Active')

  // Without a session, and without a cookie of any kind.
  const reader = await signedOut(browser)
  await reader.page.goto(link!)
  await expect(reader.page.getByRole('heading', { name: 'Orders', level: 1 })).toBeVisible()
  await reader.page.getByLabel('From').fill('2026-01-01')
  await reader.page.getByLabel('To').fill('2026-03-01')
  const orders = reader.page.getByRole('region', { name: 'Orders by day' })
  await expect(orders.getByRole('row')).toHaveText([/day/, /2026-01-05acmefree/, /2026-02-05acmefree/])
  await reader.page.getByLabel('plan').selectOption('pro')
  await expect(orders.getByRole('row')).toHaveText([/day/, /2026-01-05acmepro/, /2026-02-05acmepro/])
  const trend = reader.page.getByRole('region', { name: 'Orders over time' })
  await trend.getByRole('button', { name: 'Show as table' }).click()
  await expect(trend.getByRole('table')).toBeVisible()
  await trend.getByRole('button', { name: 'Show as chart' }).click()
  await expectAccessible(reader.page)
  expect(await reader.page.context().cookies()).toEqual([])
  await expect(reader.page.getByText('rival')).toHaveCount(0)

  const [csv] = await Promise.all([
    reader.page.waitForEvent('download'),
    reader.page.getByRole('button', { name: 'Download Orders by day as CSV' }).click(),
  ])
  expect(await readFile(await csv.path(), 'utf8')).toContain('2026-01-05,acme,pro,1')
  for (const title of ['Orders over time', 'Orders by day']) {
    const [picture] = await Promise.all([
      reader.page.waitForEvent('download'),
      reader.page.getByRole('button', { name: `Download ${title} as PNG` }).click(),
    ])
    expect((await readFile(await picture.path())).subarray(1, 4).toString()).toBe('PNG')
  }

  // An endpoint is shared on its page.
  const other = await page.context().newPage()
  await other.goto(`${service.url}/console/projects/${service.projectId}/endpoints/orders`)
  await other.getByRole('button', { name: 'Share' }).click()
  await other.getByRole('button', { name: 'New link' }).click()
  await other.getByRole('button', { name: 'Create link' }).click()
  await expect(other.getByRole('alert')).toContainText(
    'Tile "orders" has no value for "org". Pin it, or let readers choose it.',
  )
  await other.close()

  // Revoked: the open tab is empty at its next refresh.
  await dialog.getByRole('region', { name: 'For the board' }).getByRole('button', { name: 'Revoke' }).click()
  await expect(dialog.getByRole('region', { name: 'For the board' })).toContainText('Revoked')
  await reader.page.getByRole('button', { name: 'Refresh' }).click()
  await expect(reader.page.getByRole('heading', { name: 'This link was revoked' })).toBeVisible()
  await expect(reader.page.getByText('acme')).toHaveCount(0)
  await expectAccessible(reader.page)
  expect(reader.problems).toEqual([])
  await reader.page.context().close()
})

test('a link asks for its password, expires, is paused by an edit, and a wrong one shows nothing', async ({
  view: { service, send },
  browser,
}) => {
  await prepare(service, send)
  const { page, problems } = await signedOut(browser)
  const locked = await shareOf(service, { password: 'correct horse' })
  await page.goto(`${service.url}${locked.path}`)
  await page.getByLabel('Password').fill('wrong horse')
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByLabel('Password')).toHaveAccessibleDescription('This is not the password of this link.')
  await expectAccessible(page)
  await page.getByLabel('Password').fill('correct horse')
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByRole('cell', { name: '2026-02-05' })).toBeVisible()
  // A new password closes the open page.
  await service.api('PATCH', `/shares/${locked.id}`, { password: 'another horse' })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('heading', { name: 'This link has a password' })).toBeVisible()
  await expect(page.getByRole('cell', { name: '2026-02-05' })).toHaveCount(0)

  const short = await shareOf(service, {})
  await page.goto(`${service.url}${short.path}`)
  await expect(page.getByRole('cell', { name: '2026-02-05' })).toBeVisible()
  const end = Date.now() + 3_000
  await service.api('PATCH', `/shares/${short.id}`, { expires_at: new Date(end).toISOString() })
  await page.waitForTimeout(end - Date.now() + 100)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()

  await service.api('POST', '/endpoints', {
    name: 'edited',
    query: sql('SELECT count() AS c FROM events WHERE properties.org = {variables.org}'),
  })
  const edited = await shareOf(service, { endpoint: 'edited', allowed_values: {}, date_range: undefined })
  await page.goto(`${service.url}${edited.path}`)
  await expect(page.getByRole('cell', { name: '4' })).toBeVisible()
  await service.api('PATCH', '/endpoints/edited', { query: sql('SELECT count() AS c FROM events') })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('heading', { name: 'This link is paused' })).toBeVisible()
  await expect(page.getByRole('cell')).toHaveCount(0)

  await page.goto(`${service.url}/shared#tms_${'0'.repeat(64)}`)
  await expect(page.getByRole('heading', { name: 'This link does not work' })).toBeVisible()
  expect(problems).toEqual([])
  await page.context().close()
})

test('a share is embedded in pages of its origins without cookies, and in no others', async ({
  view: { service, send },
  site,
  browser,
}) => {
  await prepare(service, send)
  const share = await shareOf(service, { origins: [site.url] })
  const other = await shareOf(service, { origins: ['https://elsewhere.example'] })
  // Another site than the site of the page, so that its cookies would be those of a third party.
  const host = service.url.replace('localhost', '127.0.0.1')
  const frame = (path: string, more = '') =>
    `<iframe src="${host}${path}" title="Orders" width="800" height="500" ${more}></iframe>`
  const page_ = (body: string) =>
    `<!doctype html><html lang="en"><head><title>Site</title></head><body>${body}</body></html>`
  site.page('/listed', page_(frame(`${share.embed_path.replace('#', '?theme=dark#')}`)))
  site.page('/not-listed', page_(frame(other.embed_path)))
  site.page('/link', page_(frame(share.path)))
  site.page('/sandboxed', page_(frame(share.embed_path, 'sandbox="allow-scripts"')))

  const { page } = await signedOut(browser)
  await page.goto(`${site.url}/listed`)
  const framed = page.frameLocator('iframe')
  await expect(framed.getByRole('cell', { name: '2026-02-05' })).toBeVisible()
  await framed.getByLabel('plan').selectOption('pro')
  await expect(framed.getByRole('row', { name: /acme\s*pro/ })).toBeVisible()
  expect(await framed.locator('html').getAttribute('data-theme')).toBe('dark')
  expect(await page.context().cookies()).toEqual([])

  for (const path of ['/not-listed', '/link']) {
    await page.goto(`${site.url}${path}`)
    await expect.poll(() => page.frames().length).toBe(2)
    await expect.poll(() => page.frames()[1]!.url()).toContain('chrome-error:')
  }
  // The page loads, but as no origin it reads nothing.
  await page.goto(`${site.url}/sandboxed`)
  await expect.poll(() => page.frames().length).toBe(2)
  await expect(page.frameLocator('iframe').locator('#shared')).toBeAttached()
  await page.waitForLoadState('networkidle')
  await expect(page.frameLocator('iframe').getByText('acme')).toHaveCount(0)
  await page.context().close()
})
