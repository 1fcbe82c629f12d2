import type { Page } from 'playwright/test'
import { expect, test } from '../../support/console'
import { expectLoaded, pagePaths, showPage } from '../../support/consolePages'
import { fillProject } from '../../support/filledProject'

const MINUTE_MS = 60_000
const NOTICE = /could not be shown/

const TEXTS = [
  ' ',
  '\u00A0\t',
  'a\u0000b',
  '\u200F\u202Eabc',
  '\uD800',
  'x'.repeat(2_000),
  '<img src=x onerror=alert(1)>',
  // The service's own test has all names of Object.prototype.
  ...['constructor', '__proto__', 'toString'],
]
const OTHERS = [
  2 ** 53 + 2,
  -1e308,
  'NaN',
  true,
  null,
  [],
  [[' ', { toString: 1 }]],
  { toString: 1, constructor: null, valueOf: {} },
  '1969-12-31T23:59:59Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '2101-01-01',
]
const VALUES: readonly unknown[] = [...TEXTS, ...OTHERS]

/** Properties that pages of the console show or compute with, all with one value. */
const SHOWN = [
  ...['name', 'email', 'plan', 'note', '__proto__', 'constructor', '$pathname', '$current_url', '$screen_name'],
  ...['$referring_domain', '$geoip_country_code', '$geoip_city_name', '$browser', '$browser_language', '$os', '$host'],
  ...['$device_type', 'utm_campaign', '$viewport_width', '$lib', '$lib_version', '$release', '$group_0'],
]

const event = (name: string, index: number, value: unknown, more: object = {}) => ({
  event: name,
  distinct_id: `visitor ${index}`,
  timestamp: new Date(Date.now() - (index + 1) * MINUTE_MS).toISOString(),
  properties: { ...Object.fromEntries(SHOWN.map((each) => [each, value])), $session_id: `session ${index}`, ...more },
})

const exceptionOf = (value: unknown) => ({
  $exception_list: [
    { type: value, value, stacktrace: { type: 'raw', frames: [{ filename: value, function: value, lineno: value }] } },
  ],
  $exception_steps: [{ $message: value, $timestamp: value, more: value }],
})

/** Events with each value in each place. The service rejects some of them, which pages show too. */
const EVENTS = VALUES.flatMap((value, index) => [
  event('$pageview', index, value, { $set: { name: value, email: value, note: value } }),
  event('$exception', index, value, exceptionOf(value)),
  event('$web_vitals', index, value, { $web_vitals_LCP_value: value, $web_vitals_LCP_event: { value, id: value } }),
  event('$$heatmap', index, value, {
    $heatmap_data: { 'https://shop.example/': [{ type: value, x: value, y: value }] },
  }),
  event('survey sent', index, value, { $survey_id: value, $survey_response: value }),
  event('$feature_flag_called', index, value, { $feature_flag: value, $feature_flag_response: value }),
  event('$groupidentify', index, value, { $group_type: 'company', $group_key: value, $group_set: { name: value } }),
])
const NAMED = TEXTS.flatMap((text, index) => [
  { ...event(text, index, text), distinct_id: `named ${index}` },
  { ...event('viewed', index, text), distinct_id: text },
])

const LONG = { distinct_id: 'long', timestamp: new Date().toISOString() }
const LONG_EVENT = { ...LONG, event: 'long', properties: { $pathname: 'y'.repeat(1_900_000) } }
const LONG_NAME = { ...LONG, event: '$set', properties: { $set: { name: 'z'.repeat(900_000) } } }

/** Opens every tab of the shown page and says what is wrong with it. */
const findProblems = async (page: Page): Promise<readonly string[]> => {
  const problems: string[] = []
  const look = async (place: string) => {
    await expectLoaded(page)
    for (const notice of await page.getByText(NOTICE).allTextContents()) problems.push(`${place}: ${notice}`)
  }
  await look('first tab')
  const tabs = page.locator('main').getByRole('tab')
  for (let at = 1; at < (await tabs.count()); at++) {
    await tabs.nth(at).click()
    await look(`tab ${at}`)
  }
  return problems
}

test('no stored value empties a page of the console or a row of it', async ({
  view: { service, page, open, send },
}) => {
  const items = await fillProject(service)
  for (const batch of [EVENTS, NAMED, [LONG_EVENT], [LONG_NAME]]) await send(batch)

  // Tall, because dashboards load what is in view.
  await page.setViewportSize({ width: 1440, height: 3_000 })
  await open('settings')
  for (const path of await pagePaths()) {
    await showPage(page, `/console/projects/${service.projectId}/${path.includes(':') ? items[path]! : path}`)
    await expect(page.locator('nav').first(), path).toBeVisible()
    expect(await findProblems(page), path).toEqual([])
  }

  // Every person has a page and a name to click.
  await open('people')
  const people = page.getByRole('table', { name: 'People' }).locator('tbody tr')
  await expect(people.first()).toBeVisible()
  expect(await people.count()).toBeGreaterThan(VALUES.length)
  for (const name of await people.getByRole('link').allTextContents()) expect(name).toMatch(/[^\p{C}\p{Z}]/u)
  for (const text of TEXTS) {
    const [found] = await service.query<[string]>(
      `SELECT toString(person_id) FROM events WHERE event = 'viewed' AND distinct_id = ${quoted(text)} LIMIT 1`,
    )
    if (!found) continue
    await showPage(page, `/console/projects/${service.projectId}/people/${found[0]}`)
    expect(await findProblems(page), JSON.stringify(text)).toEqual([])
  }

  await open('events')
  const events = page.getByRole('table', { name: 'Events, newest first' }).locator('tbody tr')
  await expect(events).toHaveCount(100)
  for (const at of [0, 20, 40, 60]) {
    await events.nth(at).getByRole('button').click()
    await expect(page.getByRole('dialog').getByRole('table').first()).toBeVisible()
    await expect(page.getByText(NOTICE)).toHaveCount(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  }
})

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

test('a broken item of a list shows why in its row, and the others and the rest of the page stay', async ({
  view: { service, page, open },
}) => {
  const items = await fillProject(service)
  const break_ = (body: unknown): unknown => {
    if (typeof body !== 'object' || body === null || !('results' in body) || !Array.isArray(body.results)) return body
    const [first, ...others] = body.results as unknown[]
    return { ...body, results: first === undefined ? [] : [null, ...others] }
  }
  // All lists and queries of the project. Not the list of projects, without which there is no page.
  await page.route(/\/api\/projects\/\d+\/./, async (route) => {
    const response = await route.fetch()
    const body: unknown = await response.json().catch(() => undefined)
    await route.fulfill({ response, ...(body === undefined ? {} : { json: break_(body) }) })
  })

  await open('people')
  const rows = page.getByRole('table', { name: 'People' }).locator('tbody tr')
  await expect(rows.first()).toHaveText(/^This row could not be shown: /)
  await expect(rows.nth(1).getByRole('link')).toBeVisible()

  for (const path of await pagePaths()) {
    await page.goto(`${service.url}/console/projects/${service.projectId}/${path.includes(':') ? items[path]! : path}`)
    await expect(page.locator('main h1'), path).toBeVisible()
    await expect(page.locator('nav').first(), path).toBeVisible()
  }
})

test('a draft of another form breaks at most its part of the page, which offers to discard it', async ({
  view: { service, page, open },
}) => {
  const items = await fillProject(service)
  const broken = JSON.stringify({ value: { constructor: 1 }, ofVersion: 1, basedOn: 1 })
  await open(items['flags/:id']!)
  await expect(page.getByLabel('Key')).toBeVisible()
  // Every draft of this form: the page has begun one with its name.
  await page.getByLabel('Description').fill('a draft')
  await page.evaluate((text) => {
    for (const key of Object.keys(localStorage)) localStorage.setItem(key, text)
  }, broken)
  await page.reload()
  await expect(page.getByText('This part of the page could not be shown: ')).toBeVisible()
  await expect(page.locator('nav').first()).toBeVisible()
  await page.getByRole('button', { name: 'Discard drafts and settings of this browser' }).click()
  await expect(page.getByLabel('Key')).toBeVisible()
})
