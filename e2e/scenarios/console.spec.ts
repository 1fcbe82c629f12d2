import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { expect, test as base } from '../support/scenario'
import { type Service, startService } from '../support/service'

const test = base.extend<{ consoleService: Service }>({
  // A service with an empty console, because these tests are about its origin, not its pages.
  consoleService: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'trailmark-console-'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><html><head><base href="/"><title>Console</title>')
    const service = await startService({ TRAILMARK_CONSOLE_STATIC: folder })
    await use(service)
    await service.stop()
    await rm(folder, { recursive: true })
  },
})

interface Init {
  method?: string
  mode?: 'no-cors'
  headers?: Record<string, string>
  body?: string
}

/** Sends a request from a page and returns its status. 0: the page may not read the response. */
const send = (page: Page, url: string, init: Init = {}): Promise<number> =>
  page.evaluate(
    async ({ url, init }) =>
      fetch(url, { credentials: 'include', ...init }).then(
        ({ status }) => status,
        () => 0,
      ),
    { url, init },
  )

test('a page on another port of localhost reads and changes nothing with the session of the console', async ({
  page,
  site,
  consoleService: service,
}) => {
  const origin = service.url.replace('127.0.0.1', 'localhost')
  const endpoints = `${origin}/api/projects/${service.projectId}/endpoints/`
  const session = `${origin}/api/console/session`
  const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
  const signIn = { ...json, body: JSON.stringify({ key: service.key }) }
  const create = (name: string) => ({
    ...json,
    body: JSON.stringify({ name, query: { kind: 'HogQLQuery', query: 'SELECT 1' } }),
  })

  await page.goto(`${origin}/console/overview`)
  await expect(page).toHaveTitle('Console')
  expect(await send(page, session, signIn)).toBe(201)
  expect(await send(page, session)).toBe(200)
  expect(await send(page, endpoints)).toBe(200)
  expect(await send(page, endpoints, create('own'))).toBe(201)
  expect(await page.evaluate(() => document.cookie)).toBe('')

  site.page('/attack', '<!doctype html><html><head><link rel="icon" href="data:,"></head><body></body></html>')
  await page.goto(`${site.url}/attack`)
  expect(await send(page, endpoints)).toBe(0)
  expect(await send(page, session)).toBe(0)
  expect(await send(page, session, signIn)).toBe(0)
  expect(await send(page, endpoints, create('foreign'))).toBe(0)
  expect(await send(page, `${endpoints}own/`, { method: 'DELETE' })).toBe(0)
  // Requests that need no preflight, whose responses are hidden from the page.
  await send(page, endpoints, { method: 'POST', mode: 'no-cors', body: create('foreign').body })
  await send(page, `${endpoints}own/run`, { method: 'POST', mode: 'no-cors' })
  await send(page, endpoints, { mode: 'no-cors' })
  expect(
    await page.evaluate(
      (url) =>
        new Promise((done) => {
          const script = document.createElement('script')
          script.onload = () => done('loaded')
          script.onerror = () => done('failed')
          script.src = url
          document.body.append(script)
        }),
      `${origin}/console/overview`,
    ),
  ).toBe('failed')
  // Navigations within a site carry the cookie: the service finds the session and rejects where the request comes from.
  await page.setContent(
    `<form method="post" action="${endpoints}" enctype="text/plain"><input name='{"name":"foreign","x":"' value='"}'></form>`,
  )
  await Promise.all([page.waitForURL(endpoints), page.evaluate(() => document.forms[0]!.submit())])
  await expect(page.locator('body')).toContainText('cross_origin_request')
  await page.goto(`${site.url}/attack`)
  await Promise.all([
    page.waitForURL(`${endpoints}own/`),
    page.evaluate((url) => location.assign(url), `${endpoints}own/`),
  ])
  await expect(page.locator('body')).toContainText('cross_origin_request')

  const names = ((await service.api('GET', '/endpoints/')).body.results as { name: string }[]).map(({ name }) => name)
  expect(names.sort()).toEqual(['events_of_host', 'own'])
  await page.goto(`${origin}/console/overview`)
  expect(await send(page, session)).toBe(200)
})
