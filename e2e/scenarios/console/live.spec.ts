import { expect, expectAccessible, test } from '../../support/console'

const event = (name: string, properties: object = {}) => ({
  event: name,
  timestamp: new Date().toISOString(),
  properties: { distinct_id: 'ada', $pathname: '/pricing', ...properties },
})

test('events appear as they arrive, rejected ones with a remedy, and wait while the feed is paused', async ({
  view,
}) => {
  const { page, open, send } = view
  await open('live')
  await expect(page.getByRole('heading', { name: 'Waiting for the first event' })).toBeVisible()
  await send([event('first', { secret: 'hunter2' }), { event: 'broken', properties: { password: 'hunter2' } }])
  const rows = page.getByRole('log').getByRole('listitem')
  await expect(rows).toHaveCount(2)
  await expectAccessible(page)

  // New events are held back while details are open.
  const broken = rows.filter({ hasText: 'broken' })
  await broken.getByRole('button').click()
  await expect(broken).toContainText('What to do: Send "distinct_id" with each event.')
  await expect(broken).toContainText('••••••')
  await expect(broken).not.toContainText('hunter2')
  await expectAccessible(page)
  await send([event('second'), event('third')])
  await expect(page.getByRole('button', { name: '2 new' })).toBeVisible()
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: '2 new' }).click()
  await expect(rows).toHaveCount(4)

  await page.getByRole('button', { name: 'Pause' }).click()
  await send([event('fourth')])
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(rows.first()).toContainText('fourth')

  // The filters are in the URL.
  await page.getByText('Rejected', { exact: true }).first().click()
  await expect(rows).toHaveCount(1)
  await page.goBack()
  await page.getByLabel('Distinct ID').fill('nobody')
  await expect(page.getByRole('heading', { name: 'No matching events within seven days' })).toBeVisible()
  expect(page.url()).toContain('distinct_id=nobody')
  await page.getByLabel('Distinct ID').fill('ada')
  await expect(rows).toHaveCount(4)
  await rows.filter({ hasText: 'first' }).getByRole('button').first().click()
  await expect(rows.filter({ hasText: 'first' })).not.toContainText('hunter2')
})

test('the live feed shows that the service is unavailable, and continues when it is back', async ({
  view: { page, open, send },
}) => {
  await page.route('**/events/live**', (route) => route.abort())
  await open('live')
  await expect(page.getByRole('alert')).toContainText('The service cannot be reached')
  await send([event('first')])
  await page.unroute('**/events/live**')
  await expect(page.getByRole('log').getByRole('listitem')).toHaveCount(1)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('the live feed has as many rows, nodes and objects after 3,500 events as after 1,000', async ({
  view: { page, open, send },
  context,
}) => {
  await open('live')
  await expect(page.getByRole('heading', { name: 'Waiting for the first event' })).toBeVisible()
  const rows = page.getByRole('log').getByRole('listitem')
  const devtools = await context.newCDPSession(page)
  const receive = async (round: number) => {
    await send(Array.from({ length: 250 }, () => event(`round ${round}.`, { text: 'x'.repeat(500) })))
    // The page polls immediately when it becomes visible.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect(rows.first()).toContainText(`round ${round}.`)
  }
  const measure = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    const { nodes, jsEventListeners } = await devtools.send('Memory.getDOMCounters')
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    return { rows: await rows.count(), nodes, listeners: jsEventListeners, heap: usedSize }
  }
  // Rows are full after 500 events.
  for (let round = 1; round <= 4; round++) await receive(round)
  const some = await measure()
  for (let round = 5; round <= 14; round++) await receive(round)
  // Again after a while, because one collection leaves objects that the next one frees.
  await expect(async () => {
    const many = await measure()
    expect(many.rows).toBe(some.rows)
    expect(many.nodes).toBeLessThanOrEqual(some.nodes * 1.05)
    expect(many.listeners).toBeLessThanOrEqual(some.listeners * 1.05)
    expect(many.heap).toBeLessThanOrEqual(some.heap * 1.1)
  }).toPass({ timeout: 60_000 })
})

test('the live feed works in eight tabs, although a browser opens only six connections', async ({
  view: { page, open, send },
  context,
}) => {
  await open('live')
  const others = await Promise.all(Array.from({ length: 7 }, () => context.newPage()))
  await Promise.all(others.map((other) => other.goto(page.url())))
  const tabs = [page, ...others]
  for (const tab of tabs) await expect(tab.getByRole('heading', { name: 'Waiting for the first event' })).toBeVisible()
  await send([event('for all')])
  for (const tab of tabs) await expect(tab.getByRole('log').getByRole('listitem')).toContainText('for all')
})
