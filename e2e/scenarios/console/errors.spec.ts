import { expect, expectAccessible, test } from '../../support/console'
import { buildFailingApp, FAILING_PAGE } from '../../support/failingApp'
import { ready } from '../../support/ready'
import { pageWith } from '../../support/scenario'
import { QUIET } from '../../support/world'

test('an error becomes an issue with its source, can be resolved, reopens with a later release, and can be ignored', async ({
  view,
  site,
}, { outputDir }) => {
  const { page, open, service } = view
  site.page('/checkout.js', await buildFailingApp(outputDir, service), { 'Content-Type': 'text/javascript' })
  site.page('/', pageWith('script', service, '/', FAILING_PAGE, { ...QUIET, capture_exceptions: true }))
  const shop = await page.context().newPage()
  /** Captures the error as a visitor of a release. */
  const fail = async (release: string) => {
    await shop.goto(site.url)
    await ready(shop)
    await shop.evaluate((id) => window.analytics.register({ $release_id: id }), release)
    await shop.locator('#pay').click()
  }
  const issues = async () =>
    (await service.api('GET', '/error_tracking/issues')).body.results as { state: string; count: number }[]

  await open('errors')
  await expect(page.getByRole('heading', { name: 'No active errors' })).toBeVisible()
  await fail('1.0.0')
  await expect.poll(async () => (await issues()).length).toBe(1)
  await open('errors')
  const row = page.getByRole('row', { name: /RangeError/ })
  await expect(row).toContainText('The cart has no total')
  await expect(row).toContainText('1.0.0')
  await expectAccessible(page)

  await row.getByRole('link', { name: 'RangeError' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'RangeError' })).toBeVisible()
  const frame = page.getByRole('list', { name: 'Frames' }).getByRole('listitem').first()
  await expect(frame).toContainText('checkout.ts:3')
  await expect(frame.getByLabel('Source of checkout.ts')).toContainText(
    "if (cart.total === null) throw new RangeError('The cart has no total')",
  )
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Resolve' }).click()
  await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible()
  await open('errors')
  await expect(page.getByRole('heading', { name: 'No active errors' })).toBeVisible()
  await page.getByLabel('State').selectOption('Resolved')
  await expect(row).toContainText('Resolved')

  await fail('2.0.0')
  await expect.poll(async () => (await issues())[0]).toMatchObject({ state: 'active', count: 2 })
  await open('errors')
  await expect(row).toContainText('Came back')
  await expect(row).toContainText('2.0.0')

  await row.getByRole('link', { name: 'RangeError' }).click()
  await page.getByRole('button', { name: 'Ignore' }).click()
  await page.getByRole('button', { name: 'Stop ignoring' }).click()
  await page.getByLabel('Ignore for a number of events').selectOption('10 more events')
  await expect(page.getByText('Ignored for 10 more events')).toBeVisible()
  await open('errors?state=ignored')
  await expect(row).toContainText('Ignored')
  await open('errors?search=something+else')
  await expect(page.getByRole('heading', { name: 'No issues match' })).toBeVisible()
})
