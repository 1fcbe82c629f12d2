import { expect, test } from '../../support/console'

test('a tab of the previous release reloads once after an upgrade, and offers a reload if that does not help', async ({
  view: { page, open },
}) => {
  await open('events')
  const documents: string[] = []
  page.on('domcontentloaded', () => documents.push(page.url()))
  // The service no longer has the files that the tab requests until it loads the new page.
  await page.route(/assets\/peoplePage-.*\.js$/, (route) =>
    documents.length ? route.continue() : route.fulfill({ status: 404 }),
  )
  const navigation = page.getByRole('complementary')
  await navigation.getByRole('link', { name: 'People' }).click()
  await expect(page.getByRole('searchbox', { name: 'Search people' })).toBeVisible()
  expect(documents).toEqual([expect.stringMatching(/\/people$/)])

  await page.route(/assets\/flagsPage-.*\.js$/, (route) => route.fulfill({ status: 404 }))
  await navigation.getByRole('link', { name: 'Flags' }).click()
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
  expect(documents).toHaveLength(1)
  await page.unroute(/assets\/flagsPage-.*\.js$/)
  await page.getByRole('button', { name: 'Load again' }).click()
  await expect(page.getByRole('heading', { name: 'No flags yet' })).toBeVisible()
})
