import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, expectAccessible, test } from '../../support/console'

const run = promisify(execFile)

test('an endpoint is created, changed, compared, rolled back, run by the shown command, and deleted', async ({
  view: { page, open, send, service },
}) => {
  await send([{ event: 'signup', distinct_id: 'a', properties: {} }])
  await open('endpoints')
  await page.getByRole('button', { name: 'New endpoint' }).click()
  await page.getByLabel('Name').fill('events_by_name')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { name: 'events_by_name' })).toBeVisible()

  const editor = page.getByRole('textbox', { name: 'Query of events_by_name' })
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('SELECT count() AS events FROM events WHERE evnt = {variables.host}')
  await page.getByRole('button', { name: 'Save as version 2' }).click()
  await expect(page.getByRole('alert')).toContainText("no column 'evnt'")
  await page.reload()
  await expect(editor).toContainText('evnt')
  await page.getByRole('button', { name: 'Save as version 2' }).click()
  await page.getByRole('button', { name: 'Replace with event' }).click()
  await page.getByLabel('host', { exact: true }).fill('signup')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('row', { name: '1', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Save as version 2' }).click()
  await expect(page.getByRole('button', { name: 'Save as version 3' })).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'Use' }).click()
  const command = await page.getByLabel('Command with curl').innerText()
  const { stdout } = await run('sh', ['-c', `${command} -s`], { env: { ...process.env, TRAILMARK_KEY: service.key } })
  expect(JSON.parse(stdout)).toMatchObject({ name: 'events_by_name', columns: ['events'] })
  await expect(page.getByLabel('Chart', { exact: true })).toContainText('endpoint="events_by_name"')
  await page.getByLabel('Pin host').fill('signup')
  await page.getByRole('button', { name: 'Create run token' }).click()
  const token = await page.getByLabel('Run token', { exact: true }).innerText()
  const byToken = await fetch(`${service.url}/api/projects/${service.projectId}/endpoints/events_by_name/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(await byToken.json()).toMatchObject({ results: [[1]] })
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'Runs' }).click()
  // Runs are stored within seconds.
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('row', { name: /OK 2 live/ })).toHaveCount(2, { timeout: 1_000 })
  }).toPass()
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.getByRole('button', { name: 'Difference' }).click()
  await expect(page.locator('.cm-deletedChunk').first()).toContainText('SELECT event')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Roll back to version 1' }).click()
  await expect(page.getByRole('row', { name: /^3 Current/ })).toBeVisible()
  expect((await service.api('GET', '/endpoints/events_by_name')).body).toMatchObject({ current_version: 3 })

  await page.getByRole('button', { name: 'Deactivate' }).click()
  await expect(page.getByText('This endpoint is deactivated')).toBeVisible()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { name: 'Endpoints', exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'events_by_name' })).toBeHidden()
  await expectAccessible(page)
})

test('materialization is previewed and switched on and off, and violations are marked in the query', async ({
  view: { page, open, send, service },
}) => {
  await send([{ event: 'signup', distinct_id: 'a', properties: {} }])
  const query = (sql: string) => ({ query: { kind: 'HogQLQuery', query: sql } })
  await service.api('PUT', '/endpoints/plain', query('SELECT event, count() AS n FROM events GROUP BY event'))
  const joined =
    'SELECT count() FROM events e JOIN sessions s ON e.$session_id = s.session_id WHERE e.event = {variables.host}'
  await service.api('PUT', '/endpoints/joined', query(joined))

  await open('endpoints/plain?tab=materialization')
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByLabel('Stored query')).toContainText('SELECT')
  await page.getByRole('button', { name: 'Materialize', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Stop materializing' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Stop materializing' }).click()
  await expect(page.getByRole('heading', { name: 'Not materialized' })).toBeVisible()

  await open('endpoints/joined?tab=materialization')
  await expect(page.getByRole('heading', { name: 'Why it cannot be materialized' })).toBeVisible()
  await expect(page.locator('.cm-lintRange-error').first()).toContainText('events e JOIN')
  await expectAccessible(page)
})

test('errors of an insight are marked in its JSON, when it runs and when it is saved', async ({
  view: { service, page, open },
}) => {
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }] }
  expect((await service.api('POST', '/endpoints/', { name: 'visitors', query })).status).toBe(201)
  await open('endpoints/visitors?tab=query')
  const text = page.getByLabel('Query of visitors')
  await text.fill(JSON.stringify({ ...query, series: [{ ...query.series[0], math: 'mode' }] }, undefined, 2))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByText('Line 7: "query.series.0.math" must be one of')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show the error in the text' }).click()
  expect(
    await text.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd)),
  ).toBe('"mode"')
  await page.keyboard.insertText('"total')
  await expect(page.getByText('This is not JSON')).toBeVisible()
  await page.keyboard.insertText('ly"')
  await page.getByRole('button', { name: /^Save as version/ }).click()
  await expect(page.getByText('Line 7: "query.series.0.math" must be one of')).toBeVisible()
  await page.getByRole('button', { name: 'Show the error in the text' }).click()
  await page.keyboard.insertText('"total"')
  await page.getByRole('button', { name: /^Save as version/ }).click()
  await expect(page.getByText('Saved version 2.')).toBeVisible()
})
