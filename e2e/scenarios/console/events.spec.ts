import { readFile } from 'node:fs/promises'
import { expect, expectAccessible, test } from '../../support/console'

const HOUR_MS = 3_600_000
const at = (agoMs: number) => new Date(Date.now() - agoMs).toISOString()
const event = (name: string, agoMs: number, properties: object) => ({
  event: name,
  timestamp: at(agoMs),
  properties: { distinct_id: 'ada', $session_id: '0195f000-0000-7000-8000-000000000001', ...properties },
})

const HOSTILE = {
  $pathname: '/login',
  password: 'hunter2',
  note: '=cmd()|x',
  html: '<img src=x onerror=alert(1)>',
  rtl: 'مرحبا \u202Eabc',
  link: 'https://example.com/docs',
  bad: 'javascript:alert(1)',
  long: 'x'.repeat(5_000),
}

test('events are filtered, opened, shown with other columns, saved as a file and as SQL', async ({ view }) => {
  const { page, open, send, service } = view
  await send([
    event('login', HOUR_MS, HOSTILE),
    ...Array.from({ length: 120 }, (_, index) =>
      event('viewed', (index + 2) * 60_000, { $pathname: `/p${index % 3}` }),
    ),
  ])
  await open('events')
  const rows = page.getByRole('table', { name: 'Events, newest first' }).locator('tbody tr')
  await expect(rows).toHaveCount(100)
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect(rows).toHaveCount(121)
  await expectAccessible(page)

  // By event and by a value of the details. Back returns to each view.
  await page.getByRole('button', { name: 'All events' }).click()
  await page.getByLabel('Find an event').fill('log')
  await page.getByRole('checkbox', { name: 'login' }).click()
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(1)
  await rows.getByRole('button', { name: 'login' }).click()
  const details = page.getByRole('dialog', { name: 'login' })
  await expect(details.getByRole('row', { name: 'html' })).toContainText('<img src=x onerror=alert(1)>')
  await expect(details.getByRole('link', { name: 'https://example.com/docs' })).toHaveAttribute(
    'rel',
    'noreferrer noopener',
  )
  await expect(details.getByRole('link', { name: 'javascript' })).toHaveCount(0)
  await expect(details).not.toContainText('hunter2')
  await details.getByRole('button', { name: 'Show the value of password' }).click()
  await expect(details).toContainText('hunter2')
  await details.getByRole('button', { name: 'Show all 5,000 characters of long' }).click()
  await expect(details).toContainText('x'.repeat(5_000))
  await expectAccessible(page)
  await details.getByRole('button', { name: 'Exclude note with this value' }).click()
  await expect(page.getByRole('heading', { name: 'No events in this period' })).toBeVisible()
  expect(page.url()).toContain('f=not,note,')
  await page.goBack()
  await expect(rows).toHaveCount(1)

  // Columns and the file: no secrets, no formulas.
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const property of ['password', 'note']) {
    await page.getByLabel('Property', { exact: true }).fill(property)
    await page.getByRole('button', { name: 'Add the property' }).click()
  }
  await page.getByRole('button', { name: 'Remove Browser' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('columnheader')).toHaveText([
    'Event',
    'Person',
    'Page',
    'Country',
    'Time',
    'password',
    'note',
  ])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const csv = await readFile(await (await download).path(), 'utf8')
  expect(csv.split('\r\n')[1]).toMatch(/^login,.*,\/login,,.*,••••••,'=cmd\(\)\|x$/)

  const sql = new URL((await page.getByRole('link', { name: 'Open as SQL' }).getAttribute('href'))!, page.url())
  const answer = await service.api('POST', '/query', {
    query: { kind: 'HogQLQuery', query: sql.searchParams.get('q') },
  })
  expect(answer.status).toBe(200)
  const results = answer.body.results as unknown[][]
  expect(results.map((row) => [row[0], row[2], row[5], row[6]])).toEqual([['login', '/login', 'hunter2', '=cmd()|x']])
  expect(answer.body.columns).toHaveLength(7)
})

test('a broken link to events shows the error and keeps the filters', async ({ view: { page, open, send } }) => {
  await send([event('viewed', HOUR_MS, { $pathname: '/' })])
  await open('events?f=regex,$pathname,(&open=nothing&column=__proto__&from=2026-13-99&to=x')
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('uuid')
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('alert')).toContainText('regular expression')
  await expect(page.getByRole('button', { name: 'Page matches the regular expression (', exact: true })).toBeVisible()
})
