import { expect, test } from '../../support/console'

// A trillion rows.
const SLOW = `SELECT count() FROM (SELECT arrayJoin(range(1000000)) AS a) AS x
  CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = 1`

test('a long query shows that it runs, is canceled in the engine, and keeps its text when the session ends', async ({
  view: { page, open, service },
}) => {
  await open('insights/sql')
  const editor = page.getByRole('textbox', { name: 'SQL query' })
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(SLOW)
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/query'))
  await page.keyboard.press('ControlOrMeta+Enter')
  const { client_query_id: id } = (await sent).postDataJSON() as { client_query_id: string }
  await expect(page.getByRole('progressbar')).toBeVisible()
  await expect.poll(async () => (await service.api('GET', `/query/${id}`)).status).toBe(200)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  await expect.poll(async () => (await service.api('GET', `/query/${id}`)).status).toBe(404)

  await page.context().clearCookies()
  await editor.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.insertText(' LIMIT 1')
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible()
  await page.getByLabel('Personal API key').fill(service.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeHidden()
  await expect(editor).toContainText('LIMIT 1')
})

test('a dialog closes by Escape, and the focus returns to the button that opened it', async ({
  view: { page, open },
}) => {
  await open('insights/sql')
  const opener = page.getByRole('button', { name: 'Save as endpoint' })
  await opener.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Save as endpoint' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(opener).toBeFocused()
})
