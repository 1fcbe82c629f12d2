import type { Page, Request } from 'playwright/test'
import { expect, expectAccessible, test } from '../support/console'

/** Bytes of everything that the first page and its idle time load, as they are sent. */
const MAX_FIRST_LOAD = 100_000

/** One of each kind: the first page, prose, tables of figures, tables of text, code with pictures. */
const KINDS = ['index', 'guides/consent', 'reference/comparison', 'guides/troubleshooting', 'guides/chart']

const openPage = (page: Page, url: string, path: string) => page.goto(`${url}/docs/${path}`)

/** Waits until the page has loaded the search, which it does when it is idle. */
const searchIsLoaded = (page: Page) => page.waitForFunction(() => 'searchTrailmarkDocs' in globalThis)

test('docs load little, and are searched by keyboard without a network', async ({ page, service, problems: _ }) => {
  let bytes = 0
  const count = (request: Request) =>
    request.sizes().then(
      ({ responseBodySize }) => (bytes += responseBodySize),
      // The page was closed meanwhile.
      () => undefined,
    )
  page.on('requestfinished', count)
  await openPage(page, service.url, '')
  await expect(page).toHaveURL(`${service.url}/docs/index.html`)
  await searchIsLoaded(page)
  await expect.poll(() => bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(MAX_FIRST_LOAD)
  page.off('requestfinished', count)

  await page.context().setOffline(true)
  await page.keyboard.press('/')
  const input = page.getByRole('combobox', { name: 'Search' })
  await expect(input).toBeFocused()
  await page.keyboard.type('reverse proxy')
  const first = page.getByRole('option').first()
  await expect(first).toHaveAttribute('aria-selected', 'true')
  await expect(first).toHaveAttribute('href', `${service.url}/docs/guides/proxies.html`)
  await page.keyboard.press('ArrowDown')
  await expect(first).toHaveAttribute('aria-selected', 'false')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Escape')
  await expect(input).toBeHidden()

  await page.context().setOffline(false)
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Serving the SDK from your own domain/)
})

test('docs are accessible on every kind of page, in both themes', async ({ page, service, problems: _ }) => {
  for (const kind of KINDS) {
    await openPage(page, service.url, `${kind}.html`)
    await expectAccessible(page)
  }
  await page.keyboard.press('/')
  await page.keyboard.type('consent')
  await expect(page.getByRole('option').first()).toBeVisible()
  await expectAccessible(page)
})

test('docs keep the chosen theme, copy code and name the section that is read', async ({
  page,
  context,
  service,
  problems: _,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.emulateMedia({ colorScheme: 'light' })
  await openPage(page, service.url, 'guides/consent.html')
  const theme = page.getByRole('button', { name: /^Theme/ })
  await theme.click()
  await theme.click()
  await page.reload()
  await expect(theme).toHaveAccessibleName('Theme: dark')
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')

  await page.getByRole('button', { name: 'Copy' }).first().focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("analytics.init('my-token', {")

  const list = page.getByRole('navigation', { name: 'On this page' })
  await list.getByRole('link', { name: 'What a decision does' }).click()
  await expect(list.locator('[aria-current]')).toHaveText('What a decision does')
  await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link').last().click()
  await expect(page).not.toHaveURL(/consent/)
})

test('docs have Markdown for agents, under a strict policy', async ({ page, service }) => {
  const [html, twin, index] = await Promise.all(
    ['guides/consent.html', 'guides/consent.md', 'llms.txt'].map((path) =>
      page.request.get(`${service.url}/docs/${path}`),
    ),
  )
  expect(twin!.headers()['content-type']).toBe('text/markdown; charset=utf-8')
  expect(await twin!.text()).toMatch(/^# Consent\n/)
  expect(index!.headers()['content-type']).toBe('text/plain; charset=utf-8')
  const policy = html!.headers()['content-security-policy']!
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
})
