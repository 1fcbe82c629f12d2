import type { Page } from 'playwright/test'
import { expect, expectAccessible, test } from '../../support/console'

const DAY_MS = 86_400_000

/** Events of ten people: all view a page, five view a product, two buy. Yesterday they come again. */
const shopEvents = () => {
  // From noon, so that minutes stay within the day.
  const noon = new Date().setUTCHours(12, 0, 0, 0)
  const at = (daysAgo: number, minute: number) => new Date(noon - daysAgo * DAY_MS + minute * 60_000).toISOString()
  const events: object[] = []
  for (let person = 0; person < 10; person++) {
    const add = (event: string, timestamp: string, properties = {}) =>
      events.push({
        event,
        distinct_id: `person-${person}`,
        timestamp,
        properties: { $browser: 'Chrome', ...properties },
      })
    add('$pageview', at(3, 0), { $set: { plan: person % 2 ? 'free' : 'pro' } })
    if (person < 5) add('product viewed', at(3, 1), { price: 10 * person })
    if (person < 2) add('purchase', at(3, 3))
    add('$pageview', at(1, 0), person ? {} : { $pathname: '=1+1' })
  }
  return events
}

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'SQL query' })

/** Replaces the text of the editor as a person does. */
const write = async (page: Page, sql: string) => {
  await editorOf(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(sql)
}

test('a trend, a funnel and retention are built, kept in the URL and saved as an endpoint', async ({
  view: { page, open, send, service },
}) => {
  await send(shopEvents())
  await open('insights')
  await expect(page.getByRole('img', { name: /^Trend/ })).toBeVisible()
  await page.getByLabel('Event of series A').selectOption({ label: 'product viewed' })
  await page.getByLabel('Count of series A').selectOption({ label: 'Sum of' })
  await expect(page.getByText('Choose a property', { exact: true }).last()).toBeVisible()
  await page.getByLabel('Property of series A').selectOption('price')
  await page.getByText('Number', { exact: true }).click()
  await expect(page.getByRole('definition').first()).toHaveText('100')
  await page.getByText('Table', { exact: true }).click()
  await page.getByLabel('Breakdown').selectOption('person.plan')
  await expect(page.getByRole('row', { name: 'free 40' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('row', { name: 'free 40' })).toBeHidden()
  await page.reload()
  await expect(page.getByRole('row', { name: 'product viewed 100' })).toBeVisible()
  await page.getByText('Line', { exact: true }).click()
  await expectAccessible(page)

  // A point opens its people, by keyboard too.
  const people = page.getByRole('dialog')
  await page.getByRole('img', { name: /^Trend/ }).focus()
  await page.keyboard.press('End')
  for (let day = 0; day < 3; day++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await expect(people.getByRole('row')).toHaveCount(6)
  await expectAccessible(page)
  await people.getByRole('link', { name: 'person-4' }).click()
  await expect(page.getByRole('heading', { name: 'person-4' })).toBeVisible()
  await page.goBack()

  await page.getByText('More', { exact: true }).click()
  await page.getByLabel('Formula').fill('A +')
  await page.getByLabel('Formula').press('Enter')
  await expect(page.getByRole('alert')).toContainText('invalid formula')
  await page.getByLabel('Formula').fill('')
  await page.getByLabel('Formula').press('Enter')

  await page.getByRole('tab', { name: 'Funnel' }).click()
  await page.getByRole('button', { name: 'Begin with the most frequent events' }).click()
  await page.getByRole('button', { name: 'Add step' }).click()
  await expect(page.getByRole('row', { name: '3 purchase 2 20% 40% 3 2m 00s' })).toBeVisible()
  await expectAccessible(page)
  await page.getByTitle('People lost before step 3').click()
  await expect(people.getByRole('link', { name: /^person-[234]$/ })).toHaveCount(3)
  await expect(people.getByRole('link', { name: 'Recordings of these 3 people' })).toHaveAttribute(
    'href',
    /recordings\?person=[^,]+,[^,]+,[^,]+&period=30d$/,
  )
  await people.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('tab', { name: 'Retention' }).click()
  await page.getByLabel('Interval', { exact: true }).selectOption({ label: 'days' })
  await expect(page.getByRole('row', { name: 'Mean 10 100% 0% 100%' })).toBeVisible()
  await expectAccessible(page)
  // A cell opens the people who returned then.
  await page.getByRole('button', { name: '100%' }).last().click()
  await expect(people.getByRole('heading', { name: /, day 2$/ })).toBeVisible()
  await expect(people.getByRole('link', { name: /^person-\d$/ })).toHaveCount(10)
  await expectAccessible(page)
  await people.getByRole('link', { name: 'person-7' }).click()
  await expect(page.getByRole('heading', { name: 'person-7' })).toBeVisible()
  await page.goBack()

  await page.getByRole('button', { name: 'Save as endpoint' }).click()
  await page.getByLabel('Name').fill('not a name!')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.getByLabel('Name').fill('returns')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'returns' })).toBeVisible()
  expect((await service.api('POST', '/endpoints/returns/run', {})).status).toBe(200)
})

test('the SQL editor shows errors in place, fixes them, asks for variables and keeps the text', async ({
  view: { page, open, send },
}) => {
  await send(shopEvents())
  await open('insights/sql')
  await write(page, 'SELECT evnt, count() AS n FROM events GROUP BY event ORDER BY n DESC')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('alert')).toContainText("no column 'evnt'")
  await expect(page.locator('.cm-lintRange-error')).toHaveText('evnt')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Replace with event' }).click()
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('row', { name: '$pageview 20' })).toBeVisible()

  await write(
    page,
    'SELECT uniq(person_id) AS people FROM events WHERE event = {variables.name} AND person.properties.',
  )
  await page.keyboard.type('pl')
  await expect(page.getByRole('option', { name: 'plan' })).toBeVisible()
  // The editor ignores keys typed right after the list opened, which were meant for the text.
  await page.waitForTimeout(200)
  await page.keyboard.press('Enter')
  await page.keyboard.insertText(" = 'pro'")
  await page.getByRole('button', { name: 'Define' }).click()
  await page.getByLabel('name', { exact: true }).fill('$pageview')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('row', { name: '5', exact: true })).toBeVisible()

  await editorOf(page).click()
  await page.keyboard.press('Tab')
  await expect(editorOf(page)).not.toBeFocused()
  await write(page, "SELECT DISTINCT properties.$pathname AS path FROM events WHERE path = '=1+1'")
  await page.reload()
  await expect(editorOf(page)).toContainText('DISTINCT')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('cell', { name: '=1+1' })).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const chunks: Buffer[] = []
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString()).toBe("path\r\n'=1+1")
  await expectAccessible(page)
})

test('a saved insight reopens in the builder with its settings and goes onto a dashboard with the chart of its kind', async ({
  view: { service, page, open, send },
}) => {
  await send(
    ['ada', 'bo'].flatMap((who) =>
      ['viewed', 'paid'].map((event, index) => ({
        event,
        distinct_id: who,
        timestamp: new Date(Date.now() - (60 - index) * 60_000).toISOString(),
        properties: { $session_id: `session-${who}` },
      })),
    ),
  )
  const settings = 'tab=funnel&step=viewed&step=paid&order=strict&window=3hour&period=30d'
  await open(`insights?${settings}`)
  await page.getByRole('button', { name: 'Save as endpoint' }).click()
  await page.getByLabel('Name').fill('paying')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'paying', level: 1 })).toBeVisible()

  // Back to the builder, from its page and from the menu of saved insights.
  await page.getByRole('link', { name: 'Open in Insights' }).click()
  await expect(page).toHaveURL(/saved=paying/)
  const opened = new URL(page.url()).searchParams
  for (const [name, value] of new URLSearchParams(settings)) expect(opened.getAll(name)).toContain(value)
  await expect(page.getByRole('table').first()).toContainText('paid')
  await open('insights')
  await page.getByRole('button', { name: 'Saved insights' }).click()
  await page.getByRole('link', { name: 'paying' }).click()
  await expect(page.getByRole('tab', { name: 'Funnel' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('Opened from paying')).toBeVisible()

  // From the builder onto a new dashboard.
  await page.getByRole('button', { name: 'Add to dashboard' }).click()
  await page.getByLabel('New dashboard').fill('Sales')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create and add' }).click()
  await expect(page.getByRole('heading', { name: 'Sales', level: 1 })).toBeVisible()
  const tile = page.getByRole('region', { name: 'paying' })
  await expect(tile.getByRole('row', { name: /paid/ })).toContainText('100%')

  // From the page of an endpoint onto that dashboard, in two clicks.
  await open('endpoints/paying')
  await page.getByRole('button', { name: 'Add to dashboard' }).click()
  await page.getByRole('list', { name: 'Dashboards' }).getByRole('button', { name: 'Sales' }).click()
  await expect(tile).toHaveCount(2)
  await expect(tile.nth(1).getByRole('row', { name: /paid/ })).toContainText('100%')

  // The dialog of the dashboard offers it by name, and chooses its chart.
  await page.getByRole('button', { name: 'Add a tile' }).click()
  await page.getByLabel('Endpoint', { exact: true }).selectOption('paying')
  await expect(page.getByLabel('Shown as')).toHaveValue('funnel')
  await page.getByRole('button', { name: 'Cancel' }).click()
  const dashboards = (await service.api('GET', '/dashboards')).body.results as { name: string; tiles: object[] }[]
  expect(dashboards.find(({ name }) => name === 'Sales')?.tiles).toMatchObject([
    { display: 'funnel', query: { kind: 'FunnelsQuery' } },
    { display: 'funnel', endpoint: 'paying' },
  ])

  // What the builder would lose is not opened there.
  const query = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'paid' }],
    dateRange: { date_from: '-37h' },
  }
  expect((await service.api('POST', '/endpoints/', { name: 'odd', query })).status).toBe(201)
  await open('insights?insight=odd')
  await expect(page.getByRole('heading', { name: 'The builder does not have all settings' })).toBeVisible()
})
