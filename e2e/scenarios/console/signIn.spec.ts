import { expect, expectAccessible, test } from '../../support/console'

test.use({ ownService: true })

test('the console asks for a key, shows why it was rejected, and returns to the requested page', async ({
  own,
  page,
  problems: _problems,
}) => {
  const address = `${own.url}/console/projects/${own.projectId}/overview?period=30d`
  await page.goto(`${address}#t=used`)
  await expect(page.getByText('not valid')).toBeVisible()
  expect(page.url()).toBe(address)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in to Trailmark' })).toBeVisible()
  await expect(page.getByText('not valid')).toBeHidden()
  await expectAccessible(page)

  await page.getByLabel('Personal API key').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('not valid')).toBeVisible()

  await page.getByLabel('Personal API key').fill(own.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  expect(page.url()).toBe(address)
})

test('an expired session asks for the key in a dialog over the page, which keeps its state', async ({
  view: { page, open, service },
}) => {
  await open('overview')
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  await expect(page.getByText('Loading', { exact: true })).toHaveCount(0)
  const visitors = page.getByRole('button', { name: /^Visitors/ })
  await expect(visitors).toBeVisible()
  await page.context().clearCookies()
  // The page's own requests may notice it first.
  await page.keyboard.press('t')
  await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible()
  await page.getByLabel('Personal API key').fill(service.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeHidden()
  await page.keyboard.press('t')
  await expect(page.getByRole('button', { name: 'Last 30 days' })).toBeVisible()
  await expect(visitors).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a late response to a request of the ended session does not ask for the key again', async ({
  view: { page, open, service },
}) => {
  await open('settings')
  await page.getByLabel('Name').fill('Shop')
  await page.context().clearCookies()
  let respond = () => {}
  const isSignedIn = new Promise<void>((done) => (respond = done))
  await page.route(`**/api/projects/${service.projectId}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    const response = await route.fetch()
    expect(response.status()).toBe(401)
    await isSignedIn
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('tab', { name: 'Keys' }).click()
  const question = page.getByRole('heading', { name: 'Your session has ended' })
  await expect(question).toBeVisible()
  await page.getByLabel('Personal API key').fill(service.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(question).toBeHidden()
  const late = page.waitForResponse((response) => response.status() === 401)
  respond()
  await late
  await page.getByRole('tab', { name: 'Project' }).click()
  await expect(page.getByLabel('Name')).toBeVisible()
  await expect(question).toBeHidden()
})
