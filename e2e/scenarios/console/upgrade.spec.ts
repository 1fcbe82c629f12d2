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

test('a chunk is requested again if the connection breaks, and does not reload the page if it is no longer wanted', async ({
  view: { page, open },
}) => {
  await open('events')
  const documents: string[] = []
  page.on('domcontentloaded', () => documents.push(page.url()))
  const navigation = page.getByRole('complementary')
  let failures = 1
  await page.route(/assets\/peoplePage-.*\.js$/, (route) =>
    failures-- > 0 ? route.abort('connectionreset') : route.continue(),
  )
  await navigation.getByRole('link', { name: 'People' }).click()
  await expect(page.getByRole('searchbox', { name: 'Search people' })).toBeVisible()

  // A person leaves the page of flags while its code loads, which fails then.
  let fail = () => {}
  const isLeft = new Promise<void>((done) => (fail = done))
  let requests = 0
  await page.route(/assets\/flagsPage-.*\.js$/, async (route) => {
    requests++
    await isLeft
    await route.abort('connectionreset')
  })
  await navigation.getByRole('link', { name: 'Flags' }).click()
  await expect(page.getByRole('heading', { name: 'Flags', exact: true })).toBeVisible()
  await navigation.getByRole('link', { name: 'Surveys' }).click()
  await expect(page.getByRole('link', { name: 'New survey' }).first()).toBeVisible()
  fail()
  await expect.poll(() => requests).toBe(2)
  await page.unroute(/assets\/flagsPage-.*\.js$/)
  await navigation.getByRole('link', { name: 'Flags' }).click()
  await expect(page.getByRole('heading', { name: 'No flags yet' })).toBeVisible()
  expect(documents).toEqual([])
})
