import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import type { TrailmarkChart } from '../../src/entries/chart'
import { ROOT } from '../support/root'
import { expect, test as base } from '../support/scenario'
import type { Service } from '../support/service'
import type { Site } from '../support/site'
import { startProcess } from '../support/startProcess'
import { AXE } from '../support/surveys'

const DAY_MS = 86_400_000
const FIRST = Date.UTC(2026, 9, 1, 12)
const PLANS = ['free', 'pro', '=cmd()', '<img src=x onerror="document.title=1">'] as const

const ORDERS = `SELECT toDate(timestamp) AS day, properties.plan AS plan, count() AS orders FROM events
  WHERE event = 'order placed' AND properties.org = {variables.org}
    AND toDate(timestamp) BETWEEN {variables.date_from} AND {variables.date_to} GROUP BY day, plan ORDER BY day, plan`
const RANGE = { dateRange: { date_from: '2026-10-01', date_to: '2026-10-10' } }
const ORDER = { kind: 'EventsNode', event: 'order placed' }
const SEEN = { kind: 'EventsNode', event: 'page seen' }
const ENDPOINTS = {
  orders: { kind: 'HogQLQuery', query: ORDERS },
  trend: { kind: 'TrendsQuery', series: [ORDER], breakdownFilter: { breakdown: 'plan' }, ...RANGE },
  funnel: { kind: 'FunnelsQuery', series: [SEEN, ORDER], ...RANGE },
  retention: {
    kind: 'RetentionQuery',
    retentionFilter: {
      period: 'Day',
      totalIntervals: 4,
      targetEntity: { id: 'page seen', type: 'events' },
      returningEntity: { id: 'order placed', type: 'events' },
    },
    ...RANGE,
  },
  total: { kind: 'HogQLQuery', query: "SELECT count() AS orders FROM events WHERE event = 'order placed'" },
}

interface Shop {
  readonly project: Service
  /** Creates a run token. */
  token(input?: object): Promise<{ id: string; token: string }>
}

/** A project with ten days of orders of two customers. */
const test = base.extend<object, { shop: Shop }>({
  shop: [
    async ({ service }, use) => {
      const project = await service.createProject()
      await project.api('POST', '/insight_variables/', { name: 'org', type: 'String' })
      for (const name of ['date_from', 'date_to'])
        await project.api('POST', '/insight_variables/', { name, type: 'Date' })
      const batch = Array.from({ length: 10 }, (_, day) => day).flatMap((day) =>
        PLANS.flatMap((plan, number) =>
          ['page seen', 'order placed'].flatMap((event, after) =>
            Array.from({ length: 1 + ((day * 3 + number) % 5) }, (_, index) => ({
              event,
              timestamp: new Date(FIRST + day * DAY_MS + after * 1_000 + index).toISOString(),
              properties: { distinct_id: `visitor ${index} ${plan}`, plan, org: index % 4 ? 'acme' : 'rival' },
            })),
          ),
        ),
      )
      const sent = await fetch(`${project.url}/batch/`, {
        method: 'POST',
        body: JSON.stringify({ api_key: project.token, batch }),
      })
      expect(sent.status).toBe(200)
      for (const [name, query] of Object.entries(ENDPOINTS))
        expect([name, (await project.api('POST', '/endpoints/', { name, query })).status]).toEqual([name, 201])
      await use({
        project,
        token: async (input = {}) => {
          const body = {
            endpoints: ['orders'],
            variables: { org: 'acme' },
            date_range: { from: '2026-10-01', to: '2026-10-10' },
            ...input,
          }
          const answer = await project.api('POST', '/endpoints/run_tokens', body)
          expect([answer.status, answer.body.detail]).toEqual([201, undefined])
          return answer.body as { id: string; token: string }
        },
      })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

/** Opens a page of another origin than the service's, under a policy that allows the script and connections only. */
const open = async (page: Page, site: Site, { url }: Service, body: string) => {
  const policy = `default-src 'none'; style-src 'none'; script-src ${url}; connect-src ${url} 'self'; require-trusted-types-for 'script'; trusted-types 'none'`
  const script = `<script src="${url}/static/chart.js"></script>`
  const html = `<!doctype html><html lang="en"><head><title>x</title><link rel="icon" href="data:,">${script}</head><body><main><h1>Charts</h1>${body}</main></body></html>`
  site.page('/charts', html, { 'Content-Security-Policy': policy })
  await page.goto(`${site.url}/charts`)
}

/** Collects what the page would see of a mistake: exceptions, and violations of its policy. */
const watch = (page: Page) => {
  const mistakes: string[] = []
  page.on('pageerror', (error) => mistakes.push(error.message))
  page.on('console', (message) => {
    if (/content security|trusted type/i.test(message.text()) && !/favicon|data:,/.test(message.text()))
      mistakes.push(message.text())
  })
  return mistakes
}

const chart = (attributes: string) => `<trailmark-chart ${attributes}></trailmark-chart>`
const isDrawn = (page: Page, index = 0) =>
  expect(page.locator('trailmark-chart').nth(index).locator('.root')).toHaveAttribute('aria-busy', 'false')
const status = (page: Page) => page.locator('trailmark-chart .status')

/** Returns the cells of the table of a chart. */
const cells = (page: Page, index = 0) =>
  page
    .locator('trailmark-chart')
    .nth(index)
    .locator('tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))

const violations = async (page: Page) => {
  // The policy of the page allows no scripts of the test, except through the protocol.
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
      }
    }
    const { violations: found } = await axe.run({ resultTypes: ['violations'] })
    return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
  })
}

/** Folder for pictures that people look at. */
const PICTURES = process.env.CHART_PICTURES

/** Takes a picture. */
const picture = async (page: Page, name: string) => {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

test('draws SQL and insights under a strict policy, with tables, keys and no finding of axe', async ({
  page,
  site,
  shop,
  context,
}) => {
  const { project } = shop
  const mistakes = watch(page)
  const requests: Promise<Record<string, string>>[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/run') && request.method() === 'POST') requests.push(request.allHeaders())
  })
  await context.addCookies([{ name: 'secret', value: '1', url: project.url }])
  const [{ token }, insights] = [
    await shop.token(),
    await shop.token({ endpoints: ['trend', 'funnel', 'retention', 'total'], variables: {}, date_range: undefined }),
  ]
  const charts = [
    `title="Orders" endpoint="orders" token="${token}"`,
    `title="Orders again" endpoint="orders" token="${token}" type="area"`,
    ...['trend', 'funnel', 'retention', 'total'].map(
      (name) => `title="${name}" endpoint="${name}" token="${insights.token}"`,
    ),
    `title="Shares" endpoint="trend" token="${insights.token}" type="pie" locale="de"`,
  ]
  await open(page, site, project, charts.map(chart).join(''))
  for (const index of charts.keys()) await isDrawn(page, index)
  expect(await status(page).allTextContents()).toEqual(charts.map(() => ''))
  // Two charts with the same data share one run, also of different types.
  expect(requests.length).toBe(5)
  for (const { cookie = '', referer = '', authorization } of await Promise.all(requests))
    expect([cookie, referer, authorization]).toEqual(['', '', expect.stringMatching(/^Bearer /)])

  const paths = (index: number, selector: string) => page.locator('trailmark-chart').nth(index).locator(selector)
  await expect(paths(0, 'path.line')).toHaveCount(4)
  await expect(paths(1, 'path.area')).toHaveCount(4)
  await expect(paths(2, 'path.line')).toHaveCount(4)
  await expect(paths(3, 'path.bar')).toHaveCount(1)
  await expect(paths(4, '.scroll td')).not.toHaveCount(0)
  await expect(paths(5, 'text.number')).toHaveText('120')
  await expect(paths(6, 'path.slice')).toHaveCount(4)
  expect((await paths(0, '.legend .name').allTextContents()).sort()).toEqual([...PLANS].sort())
  expect((await cells(page, 0)).slice(0, 2)).toEqual([
    ['day', 'plan', 'orders'],
    ['Oct 1, 2026', '<img src=x onerror="document.title=1">', expect.stringMatching(/^\d$/)],
  ])
  expect((await cells(page, 3)).map(([step, people]) => [step, people])).toEqual([
    ['step', 'people'],
    ['page seen', '20'],
    ['order placed', '20'],
  ])
  expect((await cells(page, 4))[0]).toEqual(['cohort', 'Day 0', 'Day 1', 'Day 2', 'Day 3'])

  // With a keyboard.
  const plot = paths(0, '.plot')
  await plot.focus()
  await page.keyboard.press('End')
  await expect(paths(0, '.tip strong')).toHaveText('Oct 10, 2026')
  await page.keyboard.press('ArrowLeft')
  await expect(paths(0, '.plot [role=status]')).toContainText('Oct 9, 2026: ')
  await page.keyboard.press('Escape')
  await expect(paths(0, '.tip')).toBeHidden()

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page)).toEqual([])
    await plot.hover({ position: { x: 200, y: 100 } })
    await picture(page, `charts-${colorScheme}`)
  }
  await page.emulateMedia({ forcedColors: 'active' })
  await picture(page, 'charts-forced-colors')
  // A narrow window draws again.
  await page.setViewportSize({ width: 320, height: 700 })
  await expect(paths(0, 'svg')).toHaveAttribute('width', /^2\d\d$/)
  await page.evaluate(() => (document.documentElement.dir = 'rtl'))
  await picture(page, 'charts-narrow-rtl')
  expect(await page.title()).toBe('x')
  expect(mistakes).toEqual([])
})

test('a reader moves the days inside of the signed range only, and saves a picture and a file', async ({
  page,
  site,
  shop,
}) => {
  const mistakes = watch(page)
  const { token } = await shop.token()
  const asked: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/run') && request.method() === 'POST') asked.push(request.postDataJSON())
  })
  await open(page, site, shop.project, chart(`endpoint="orders" token="${token}"`))
  const [from, to] = [page.getByLabel('From'), page.getByLabel('To')]
  await expect(from).toHaveValue('2026-10-01')
  await expect(from).toHaveAttribute('min', '2026-10-01')
  await expect(to).toHaveAttribute('max', '2026-10-10')
  await from.fill('2026-10-09')
  await expect
    .poll(async () => (await cells(page)).slice(1).map(([day]) => day))
    .toEqual(expect.not.arrayContaining(['Oct 8, 2026']))
  expect(asked).toEqual([{ variables: {} }, { variables: { date_from: '2026-10-09', date_to: '2026-10-10' } }])
  const inside = await cells(page)

  // Outside: the component refuses it, and so does the service.
  await to.fill('2026-10-11')
  await expect(status(page)).toHaveText('Choose days from 2026-10-01 to 2026-10-10.')
  expect(asked.length).toBe(2)
  expect(await cells(page)).toEqual(inside)
  await page.locator('trailmark-chart').evaluate((each: TrailmarkChart) => (each.to = '2026-10-31'))
  await expect(status(page)).toContainText('"date_to" must be from 2026-10-01 to 2026-10-10')
  expect(await cells(page)).toEqual([])
  await page.locator('trailmark-chart').evaluate((each: TrailmarkChart) => (each.to = '2026-10-10'))
  await expect(status(page)).toBeHidden()

  const save = async (name: string) => {
    await page.getByLabel('Download').click()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
    const chunks: Buffer[] = []
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
    return { name: file.suggestedFilename(), bytes: Buffer.concat(chunks) }
  }
  const csv = await save('CSV file')
  expect(csv.name).toBe('orders.csv')
  expect(csv.bytes.toString().split('\r\n').slice(0, 3)).toEqual([
    '\ufeffday,plan,orders',
    expect.stringMatching(/^2026-10-01,"<img src=x onerror=""document.title=1"">",\d$/),
    expect.stringMatching(/^2026-10-01,'=cmd\(\),\d$/),
  ])
  const png = await save('PNG picture')
  expect([png.name, png.bytes.subarray(1, 4).toString()]).toEqual(['orders.png', 'PNG'])
  // The picture has the colors of the lines.
  const colors = await page.locator('trailmark-chart').evaluate(async (each: TrailmarkChart) => {
    const image = await createImageBitmap(await each.toPNG())
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!
    canvas.drawImage(image, 0, 0)
    const { data } = canvas.getImageData(0, 0, image.width, image.height)
    const found = new Set<string>()
    for (let at = 0; at < data.length; at += 4) found.add(`${data[at]},${data[at + 1]},${data[at + 2]}`)
    return ['11,92,173', '194,86,10', '10,125,116', '122,12,76', '255,255,255'].filter((color) => !found.has(color))
  })
  expect(colors).toEqual([])
  if (PICTURES) await writeFile(join(PICTURES, 'saved.png'), png.bytes)
  expect(mistakes).toEqual([])
})

test('renews its token before it expires, over 30 minutes, and once when it is refused', async ({
  page,
  site,
  shop,
}) => {
  const began = Date.now()
  let calls = 0
  let last = ''
  const statuses: number[] = []
  await page.clock.install({ time: began })
  await page.route('**/token*', async (route) => {
    calls += 1
    // The clock of the page runs ahead of the service's.
    const elapsed = Number(new URL(route.request().url()).searchParams.get('now')) - began
    const { id, token } = await shop.token({ ttl_seconds: 300 + Math.round(elapsed / 1_000) })
    last = id
    await route.fulfill({ json: { token } })
  })
  page.on('response', (response) => {
    if (response.url().endsWith('/run') && response.request().method() === 'POST') statuses.push(response.status())
  })
  await open(
    page,
    site,
    shop.project,
    chart('endpoint="orders" refresh="60"') + chart('endpoint="orders" refresh="60" type="bar"'),
  )
  await page.evaluate(() => {
    const provider = async () => {
      const response = await fetch(`/token?now=${Date.now()}`)
      return ((await response.json()) as { token: string }).token
    }
    for (const each of document.querySelectorAll('trailmark-chart')) each.tokenProvider = provider
  })
  await expect.poll(() => statuses.length).toBe(1)
  for (let minute = 1; minute <= 30; minute += 1) {
    await isDrawn(page, 0)
    await isDrawn(page, 1)
    await page.clock.runFor(60_000)
    await expect.poll(() => statuses.length).toBe(minute + 1)
  }
  expect(statuses.every((each) => each === 200)).toBe(true)
  // Five minutes each, renewed by the first request in the last 30 s or later: after 4 or 5 requests.
  expect([calls >= 6, calls <= 8]).toEqual([true, true])

  // Refused: both charts need a new token, and one is fetched.
  await isDrawn(page, 0)
  await isDrawn(page, 1)
  const before = calls
  statuses.length = 0
  await shop.project.api('DELETE', `/endpoints/run_tokens/${last}`)
  await page.clock.runFor(60_000)
  await expect.poll(() => [...statuses].sort()).toEqual([200, 401])
  expect(calls).toBe(before + 1)
  await expect(page.locator('trailmark-chart path.line')).toHaveCount(4)
})

test('says what is wrong and what to do, as an event too, and throws nothing into the page', async ({
  page,
  site,
  shop,
  service,
}) => {
  const mistakes = watch(page)
  const { project } = shop
  const revoked = await shop.token()
  await project.api('DELETE', `/endpoints/run_tokens/${revoked.id}`)
  const foreign = await shop.token({ origins: ['https://elsewhere.example'] })
  const { token } = await shop.token({ runs_per_minute: 1 })
  await open(page, site, project, chart(`endpoint="orders" host="${service.url}"`))
  await page.evaluate(() => {
    const seen: unknown[] = []
    Object.assign(window, { seen })
    document.querySelector('trailmark-chart')!.addEventListener('error', ({ detail }) => seen.push(detail.code))
  })
  const set = (attributes: Record<string, string>) =>
    page.locator('trailmark-chart').evaluate((each, names) => {
      for (const [name, value] of Object.entries(names)) each.setAttribute(name, value)
    }, attributes)
  const expectError = async (attributes: Record<string, string>, text: string) => {
    await set(attributes)
    await expect(status(page)).toContainText(text)
  }
  await expect(status(page)).toContainText('Set "token" to a run token')
  await expectError({ token: revoked.token }, 'The token was revoked. Give the chart a new token, or a token provider.')
  await expectError({ token: foreign.token }, `is not valid for pages of ${site.url}`)
  await expectError({ token: 'x' }, '"token" must be a run token')
  await expectError({ token, endpoint: 'trend' }, 'does not allow "trend"')
  await expectError({ endpoint: 'orders', variables: '{"org":"rival"}' }, '"org" is set by the run token')
  await expectError({ variables: '{' }, '"variables" must be a JSON object')
  await expectError({ variables: '{}', from: '2026-01-01' }, 'must be from 2026-10-01 to 2026-10-10')
  await set({ from: '2026-10-01' })
  await expect(page.locator('trailmark-chart path.line')).toHaveCount(4)
  await expectError({ from: '2026-10-02' }, 'Too many requests were made with this token. The chart tries again in')
  await expectError(
    { 'token-provider': '/nothing' },
    'The token provider returned no token: /nothing responded with 404',
  )
  await page.evaluate(
    () => (document.querySelector('trailmark-chart')!.tokenProvider = () => Promise.reject(new Error('signed out'))),
  )
  await expect(status(page)).toContainText('signed out')
  const expiring = await shop.token({ ttl_seconds: 1 })
  await page.waitForTimeout(1_500)
  await page.evaluate(() => (document.querySelector('trailmark-chart')!.tokenProvider = ''))
  await expectError({ token: expiring.token }, 'The token has expired. Give the chart a new token')
  const [{ token: own }, { token: other }] = [await shop.token(), await shop.token({ variables: { org: 'rival' } })]
  await set({ token: own })
  await expect(page.locator('trailmark-chart path.line')).toHaveCount(4)
  const shown = await cells(page)
  await page.route('**/run', (route) => route.abort())
  // The data stays while only the connection is gone, but never under the token of another customer.
  // Equal requests within a second are one.
  await expect(async () => {
    await page.locator('trailmark-chart').evaluate((each: TrailmarkChart) => each.reload())
    await expect(status(page)).toContainText(`${service.url} cannot be reached`, { timeout: 500 })
  }).toPass()
  expect(await cells(page)).toEqual(shown)
  await set({ token: other })
  await expect(status(page)).toContainText(`${service.url} cannot be reached`)
  expect(await cells(page)).toEqual([])
  expect(await page.evaluate(() => [...new Set((window as unknown as { seen: string[] }).seen)])).toEqual([
    'run_token_revoked',
    'origin_not_allowed',
    'invalid_run_token',
    'not_granted',
    'invalid_variables',
    'invalid_settings',
    'rate_limited',
    'token_provider_failed',
    'run_token_expired',
    'unreachable',
  ])
  expect(mistakes.filter((each) => !/nothing/.test(each))).toEqual([])
})

const MARKUP = '</td><script>document.title=2</script><img src=x onerror="document.title=1">'
const LONG = Array.from({ length: 10_000 }, (_, index) => [index, Math.sin(index / 500) * 1e6])
const HOSTILE: Record<string, object> = {
  'markup in names and values': {
    columns: [MARKUP, 'n'],
    types: [
      [MARKUP, 'String'],
      ['n', 'UInt64'],
    ],
    results: [
      [MARKUP, 1],
      ['b', 2],
    ],
  },
  'numbers beyond 2^53, nulls and no numbers': {
    columns: ['x', 'n'],
    types: [
      ['x', 'String'],
      ['n', 'Nullable(Int64)'],
    ],
    results: [
      ['a', '9007199254740993'],
      ['b', null],
      ['c', 'nan'],
      ['d', '1e999'],
      ['e', -1e308],
      [null, 1e308],
    ],
  },
  '10,000 series': {
    columns: ['day', 'name', 'n'],
    types: [
      ['day', 'Date'],
      ['name', 'String'],
      ['n', 'UInt64'],
    ],
    results: LONG.map((_, index) => ['2026-01-01', `__proto__ ${index}`, index]),
  },
  '10,000 points': {
    columns: ['x', 'y'],
    types: [
      ['x', 'Int64'],
      ['y', 'Float64'],
    ],
    results: LONG,
  },
  'names of an object': {
    columns: ['constructor', '__proto__'],
    types: [
      ['constructor', 'String'],
      ['__proto__', 'Float64'],
    ],
    results: [
      ['toString', 1],
      ['hasOwnProperty', 2],
    ],
  },
  'odd shapes': { columns: ['a'], types: 7, results: [null, [], 7, 'x', [[[]]], { a: 1 }] },
  'an odd insight': { results: [{ data: 'x', days: [null, {}], label: {} }, null, 7, { data: [1, 'x', {}] }] },
  'an odd funnel': { results: [[{ order: 0, count: 'x' }], [], null] },
  'an odd retention': { results: [{ values: 7 }, { values: [null, { count: 2 }], date: 7 }] },
  'no result': { results: 7 },
}

test('hostile results break neither a chart nor the page, and large ones are thinned', async ({ page, site, shop }) => {
  const mistakes = watch(page)
  const { token } = await shop.token()
  await page.route('**/run', (route) =>
    route.fulfill({
      json: HOSTILE[(route.request().postDataJSON() as { variables: { of: string } }).variables.of],
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
    }),
  )
  await open(page, site, shop.project, chart(`endpoint="orders" token="${token}"`))
  const of = page.locator('trailmark-chart')
  for (const name of Object.keys(HOSTILE))
    for (const type of ['line', 'bar', 'pie', 'number', 'table']) {
      await of.evaluate(
        (each: TrailmarkChart, [of, type]) => Object.assign(each, { variables: { of }, type }),
        [name, type],
      )
      await isDrawn(page)
      if (type === 'pie' || type === 'table') {
        const saved = await of.evaluate(async (each: TrailmarkChart) => (await each.toPNG()).size + each.toCSV().length)
        expect([name, type, saved > 100]).toEqual([name, type, true])
      }
      if (name === '10,000 points' && (type === 'line' || type === 'bar')) {
        const length = await page
          .locator(`trailmark-chart path.${type}`)
          .evaluate((path) => path.getAttribute('d')!.length)
        expect(length).toBeLessThan(90_000)
      }
      if (name === '10,000 series' && type === 'line') {
        await expect(page.locator('trailmark-chart path.line')).toHaveCount(20)
        await expect(status(page)).toContainText('The 20 largest of 10,000 series are drawn')
      }
    }
  await of.evaluate((each: TrailmarkChart) =>
    Object.assign(each, { variables: { of: 'numbers beyond 2^53, nulls and no numbers' }, type: 'number' }),
  )
  await expect(page.locator('trailmark-chart text.number')).toHaveText('9,007,199,254,740,993')
  expect(await page.title()).toBe('x')
  expect(mistakes).toEqual([])
})

test('the example shows each customer their own data', async ({ page, service }) => {
  const mistakes = watch(page)
  const project = await service.createProject()
  const batch = ['acme', 'acme', 'rival'].map((org, index) => ({
    event: 'order placed',
    timestamp: new Date(Date.now() - index * 1_000).toISOString(),
    properties: { distinct_id: 'visitor', org, plan: `plan ${index}` },
  }))
  await fetch(`${project.url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: project.token, batch }) })
  const { ready, stop } = await startProcess(
    [join(ROOT, 'examples/chart/server.mjs')],
    {
      TRAILMARK_URL: project.url,
      TRAILMARK_PROJECT_ID: String(project.projectId),
      TRAILMARK_PERSONAL_API_KEY: project.key,
      TRAILMARK_DEMO_PORT: '0',
    },
    (line) => line.startsWith('charts ready '),
  )
  try {
    const { url } = JSON.parse(ready.slice('charts ready '.length)) as { url: string }
    await page.goto(url)
    for (const index of [0, 1, 2, 3]) await isDrawn(page, index)
    await expect(page.locator('trailmark-chart').first().locator('.legend .name')).toHaveText(['plan 0', 'plan 1'])
    await expect(page.locator('trailmark-chart').nth(3).locator('text.number')).toHaveText('0')
    await picture(page, 'example')
    expect(mistakes).toEqual([])
  } finally {
    await stop()
  }
})
