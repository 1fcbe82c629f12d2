import { expect, expectAccessible, test } from '../../support/console'

const DAY_MS = 86_400_000
const pageview = (who: string, days: number, browser: string) => ({
  event: '$pageview',
  distinct_id: who,
  timestamp: new Date(Date.now() - days * DAY_MS).toISOString(),
  properties: { $session_id: `0195f000-0000-7000-8000-00000000000${days}`, $pathname: '/', $browser: browser },
})

test('a project starts with a dashboard whose tiles follow dates, filters, the layout and added queries', async ({
  view: { service, page, open, send },
}) => {
  await send([pageview('ada', 1, 'Firefox'), pageview('bo', 2, 'Chrome'), pageview('cleo', 9, 'Chrome')])
  await service.api('POST', '/insight_variables', { name: 'Browser', type: 'String' })
  await service.api('POST', '/endpoints', {
    name: 'views_of',
    query: {
      kind: 'HogQLQuery',
      query:
        'SELECT properties.$pathname AS path, count() AS views FROM events WHERE properties.$browser = {variables.browser} GROUP BY path',
    },
  })
  await open('dashboards')
  await page.getByRole('link', { name: /Web overview/ }).click()
  const overview = page.getByRole('region', { name: 'Overview' })
  await expect(overview).toContainText('2')
  await expect(page.getByRole('region', { name: 'Pages' }).getByRole('table')).toContainText('/')
  await expectAccessible(page)

  // A query pasted as JSON, and an endpoint with a variable.
  await page.getByRole('button', { name: 'Add a tile' }).click()
  await page.getByText('A query', { exact: true }).click()
  await page.getByLabel('Query (JSON)').fill('{"kind": "TrendsQuery"')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByLabel('Query (JSON)')).toHaveAccessibleDescription(/This is not JSON/)
  await page
    .getByLabel('Query (JSON)')
    .fill('{"kind": "TrendsQuery", "series": [{"kind": "EventsNode", "event": "$pageview"}]}')
  await page.getByLabel('Title').fill('All views')
  await page.getByLabel('Shown as').selectOption('number')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('region', { name: 'All views' })).toContainText('2')
  await page.getByRole('button', { name: 'Add a tile' }).click()
  await page.getByLabel('Endpoint', { exact: true }).selectOption('views_of')
  await page.getByLabel('Shown as').selectOption('table')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('textbox', { name: 'Browser' }).fill('Chrome')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'views_of' }).getByRole('cell', { name: '2' })).toBeVisible()
  expect(page.url()).toContain('v.browser=Chrome')

  // Shared dates and filters.
  await page.getByRole('button', { name: 'Dates of the tiles' }).click()
  await page.getByRole('menuitemradio', { name: 'Last 30 days' }).click()
  await expect(page.getByRole('region', { name: 'All views' })).toContainText('3')
  await open(
    `${new URL(page.url()).pathname.split('/').slice(-2).join('/')}?period=30d&f=is,$browser,Firefox&v.browser=Chrome`,
  )
  // Tiles below the fold load when they are scrolled into view.
  await page.getByRole('region', { name: 'All views' }).scrollIntoViewIfNeeded()
  await expect(page.getByRole('region', { name: 'All views' })).toContainText('1')

  // The layout, by the keyboard and by the pointer.
  await page.getByRole('button', { name: 'Edit the layout' }).click()
  await page.getByRole('button', { name: 'Wider: views_of' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Move up: All views' }).click()
  const handle = page.getByRole('region', { name: 'All views' }).getByTitle('Drag to move')
  await handle.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const box = (await handle.boundingBox())!
  await page.mouse.move(box.x + 5, box.y + 5)
  await page.mouse.down()
  await page.mouse.move(box.x + 700, box.y + 5, { steps: 5 })
  await page.mouse.up()
  await page.getByRole('button', { name: 'Keep these dates and values' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save the dashboard' }).click()
  await expect(page.getByText('The dashboard is saved.')).toBeVisible()
  const [saved] = (await service.api('GET', '/dashboards')).body.results as [
    { version: number; variables: unknown; tiles: { title: string; x: number; w: number }[] },
  ]
  expect(saved.variables).toEqual({ date_from: '-29d', browser: 'Chrome' })
  expect(saved.tiles.find(({ title }) => title === 'views_of')?.w).toBe(8)
  expect(saved.tiles.find(({ title }) => title === 'All views')?.x).toBe(6)
})

test('a value of a variable is kept while it is typed and the page loads', async ({
  view: { service, page, open },
}) => {
  await service.api('POST', '/insight_variables', { name: 'Plan', type: 'String' })
  const query = { kind: 'HogQLQuery', query: 'SELECT count() FROM events WHERE event = {variables.plan}' }
  const tiles = [{ id: 'a', title: 'Typed', display: 'table', query, x: 0, y: 0, w: 6, h: 4 }]
  const { id } = (await service.api('POST', '/dashboards', { name: 'Plans', tiles })).body as { id: string }
  let respond = () => {}
  const isTyped = new Promise<void>((done) => (respond = done))
  await page.route('**/insight_variables', async (route) => {
    await isTyped
    await route.continue()
  })
  await open(`dashboards/${id}`)
  // Until its variable has loaded, the field has the variable's code name.
  await page.getByRole('textbox', { name: 'plan', exact: true }).fill('pro')
  respond()
  await expect(page.getByRole('textbox', { name: 'Plan', exact: true })).toHaveValue('pro')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/v\.plan=pro/)
})

test('a tile that was just added loads before it is visible', async ({ view: { service, page, open, send } }) => {
  await send([pageview('ada', 1, 'Firefox')])
  const { id } = (await service.api('POST', '/dashboards', { name: 'Empty', tiles: [] })).body as { id: string }
  await page.addInitScript(() => {
    // No element comes into view, as for a person who scrolls on immediately.
    IntersectionObserver.prototype.observe = () => {}
  })
  await open(`dashboards/${id}`)
  await page.getByRole('button', { name: 'Add a tile' }).click()
  await page.getByText('A query', { exact: true }).click()
  await page
    .getByLabel('Query (JSON)')
    .fill('{"kind": "TrendsQuery", "series": [{"kind": "EventsNode", "event": "$pageview"}]}')
  await page.getByLabel('Title').fill('Views')
  await page.getByLabel('Shown as').selectOption('number')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Views' }).getByRole('definition')).toHaveText('1')
})

test('a dashboard that someone else has saved shows a conflict and keeps the edit', async ({
  view: { service, page, open },
}) => {
  const [{ id }] = (await service.api('GET', '/dashboards')).body.results as [{ id: string }]
  const rename = async (name: string, version: number) =>
    (await service.api('PATCH', `/dashboards/${id}`, { name, version })).status
  await open(`dashboards/${id}?edit=1`)
  await page.getByRole('button', { name: 'Remove Countries' }).click()
  expect(await rename('Theirs', 1)).toBe(200)
  await page.getByRole('button', { name: 'Save the dashboard' }).click()
  await expect(page.getByText('Someone else saved this dashboard')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('region', { name: 'Countries' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Replace theirs with mine' }).click()
  await expect(page.getByText('The dashboard is saved.')).toBeVisible()
  const { body } = await service.api('GET', `/dashboards/${id}`)
  expect(body).toMatchObject({ name: 'Web overview', version: 3 })
  expect((body.tiles as { id: string }[]).map((tile) => tile.id)).not.toContain('countries')

  // A tile that fails shows the reason; the others are not affected.
  await service.api('PATCH', `/dashboards/${id}`, {
    version: 3,
    tiles: [
      {
        id: 'a',
        title: 'Broken',
        display: 'line',
        query: { kind: 'HogQLQuery', query: 'SELECT nonsense' },
        x: 0,
        y: 0,
        w: 6,
        h: 4,
      },
      { id: 'b', title: 'Missing', display: 'line', endpoint: 'gone', x: 6, y: 0, w: 6, h: 4 },
    ],
  })
  await open(`dashboards/${id}`)
  await expect(page.getByRole('region', { name: 'Broken' }).getByRole('alert')).toContainText('nonsense')
  await expect(page.getByRole('region', { name: 'Missing' })).toContainText('There is no active endpoint “gone”')
  await open('dashboards/none')
  await expect(page.getByRole('heading', { name: 'There is no such dashboard' })).toBeVisible()
})
