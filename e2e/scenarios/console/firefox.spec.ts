import { launchFirefox, newPage } from '../../support/firefox'
import { expect, test } from '../../support/console'

test('in Firefox: sign-in, overview with a filter, live events and a SQL query', async ({ own }) => {
  const properties = { $session_id: 's', $pathname: '/basket', $current_url: 'https://shop.example/basket' }
  const sent = await fetch(`${own.url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: own.token, batch: [{ event: '$pageview', distinct_id: 'ada', properties }] }),
  })
  expect(sent.status).toBe(200)

  const firefox = await launchFirefox()
  try {
    const page = await newPage(firefox)
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    const see = (text: string) => page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text)
    const press = (name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click()

    await page.goto(`${own.url}/console/projects/${own.projectId}/overview?period=24h`)
    await page.locator('input[type="password"]').fill(own.key)
    await press('Sign in')
    await see('/basket')
    await press('/basket')
    await page.waitForFunction(() => location.search.includes('f=is,$pathname,/basket'))

    await page.goto(`${own.url}/console/projects/${own.projectId}/live`)
    await see('$pageview')

    await page.goto(`${own.url}/console/projects/${own.projectId}/insights/sql`)
    await press('Run')
    await page.waitForFunction(() => document.querySelector('tbody')?.innerText.includes('$pageview'), {
      timeout: 60_000,
    })
    expect(problems).toEqual([])
  } finally {
    await firefox.close()
  }
})

test('in Firefox: a person can leave while the code of a page loads', async ({ own, site }) => {
  site.page('/', '<title>Another site</title>')
  const firefox = await launchFirefox()
  try {
    const page = await newPage(firefox)
    await page.goto(`${own.url}/console/projects/${own.projectId}/setup`)
    await page.locator('input[type="password"]').fill(own.key)
    await page.locator('::-p-aria([name="Sign in"][role="button"])').click()
    await page.waitForSelector('nav a[href$="/people"]')
    // Requests of the page's code are never answered.
    await page.setRequestInterception(true)
    const isLoading = new Promise<void>((done) => {
      page.on('request', (request) => (request.url().includes('/peoplePage') ? done() : void request.continue()))
    })
    await page.$eval('nav a[href$="/people"]', (link) => link.click())
    await isLoading
    await page.evaluate((url) => location.assign(url), site.url)
    await page.waitForFunction(() => document.title === 'Another site')
  } finally {
    await firefox.close()
  }
})
