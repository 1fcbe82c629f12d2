import { expect, expectAccessible, test } from '../../support/console'

const MINUTE_MS = 60_000
const SESSIONS = ['0195f000-0000-7000-8000-00000000000a', '0195f000-0000-7000-8000-00000000000b'] as const
const event = (name: string, minutesAgo: number, properties: object = {}) => ({
  event: name,
  timestamp: new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString(),
  properties: { distinct_id: 'ada', $session_id: SESSIONS[0], $pathname: '/pricing', ...properties },
})

/** Lists of people have the beginning of it. */
const LONG = `${'x'.repeat(30_000)} the end`

test('a person is found, viewed and erased everywhere', async ({ view }) => {
  const { page, open, send, service } = view
  await send([
    event('$pageview', 200, { distinct_id: 'anonymous-1', $session_id: SESSIONS[1] }),
    event('$identify', 199, {
      $session_id: SESSIONS[1],
      $anon_distinct_id: 'anonymous-1',
      $set: { name: 'Ada <b>Lovelace</b>', email: 'ada@example.com', plan: 'pro', api_token: 'hunter2', note: LONG },
    }),
    ...Array.from({ length: 700 }, (_, index) => event(index % 2 ? 'viewed' : '$autocapture', 100 - index / 10)),
    event('viewed', 5, { distinct_id: 'grace' }),
  ])
  const flag = {
    key: 'new-checkout',
    active: true,
    filters: { groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['free'] }] }] },
  }
  expect((await service.api('POST', '/feature_flags/', flag)).status).toBe(201)

  await open('people')
  await expect(page.getByRole('row')).toHaveCount(3)
  await page.getByLabel('Search people').fill('ADA@exa')
  await expect(page.getByRole('row')).toHaveCount(2)
  expect(page.url()).toContain('search=ADA')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Ada <b>Lovelace</b>' }).click()

  // The timeline: sessions, pages that load while it is scrolled, only visible lines in the document.
  const lines = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
  await expect(lines.first()).toContainText('events')
  await expect(async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await expect(page.getByText('702 events', { exact: true })).toBeVisible({ timeout: 300 })
  }).toPass()
  await expect(page.getByText('2 events in 1m 00s')).toBeVisible()
  expect(await lines.count()).toBeLessThan(120)
  await lines.last().getByRole('button', { name: '$pageview' }).click()
  await expect(page.getByRole('dialog', { name: '$pageview' })).toContainText('anonymous-1')
  await page.getByRole('button', { name: 'Newer' }).click()
  await expect(page.getByRole('dialog', { name: '$identify' })).toBeVisible()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.evaluate(() => scrollTo(0, 0))
  await page.getByRole('button', { name: 'All events' }).click()
  await page.getByRole('checkbox', { name: '$identify' }).click()
  await page.keyboard.press('Escape')
  await expect(lines).toHaveCount(2)
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'Properties' }).click()
  await expect(page.getByRole('row', { name: 'plan' })).toContainText('pro')
  await expect(page.getByRole('tabpanel')).not.toContainText('hunter2')
  const note = page.getByRole('row', { name: 'note' })
  await expect(note).not.toContainText('the end')
  await note.getByRole('button', { name: 'Show all 30,008 characters of note' }).click()
  await expect(note).toContainText('the end')
  await note.getByRole('button', { name: 'Show less' }).click()
  await page.getByRole('tab', { name: 'Flags' }).click()
  await page.getByRole('button', { name: 'Each condition of new-checkout' }).click()
  await expect(page.getByRole('dialog')).toContainText('"plan" is "pro"')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('tab', { name: 'IDs and merges' }).click()
  await expect(page.getByRole('row', { name: 'anonymous-1' })).toContainText('identify named an anonymous visitor')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Erase' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase this person' })
  await expect(dialog).toContainText('their 2 distinct IDs')
  await dialog.getByLabel('Type the name to confirm').fill('Ada')
  await expect(dialog.getByRole('button', { name: 'Erase' })).toBeDisabled()
  await dialog.getByLabel('Type the name to confirm').fill('Ada <b>Lovelace</b>')
  await dialog.getByRole('button', { name: 'Erase' }).click()
  await expect(page.getByText('The person was erased.')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page.getByRole('link', { name: 'grace' })).toBeVisible()
  await open('events')
  await expect(page.getByRole('table').locator('tbody tr')).toHaveCount(1)
})

test('a link to an unknown person shows that there is no such person', async ({ view: { page, open } }) => {
  await open('people/ada')
  await expect(page.getByRole('heading', { name: 'There is no person with this id' })).toBeVisible()
  await open('people?search=nobody')
  await expect(page.getByRole('heading', { name: 'Nobody found' })).toBeVisible()
  await expectAccessible(page)
})
