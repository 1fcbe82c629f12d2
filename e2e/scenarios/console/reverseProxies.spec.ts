import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page, Request } from 'playwright/test'
import config from '../../../playwright.config'
import { expect, test as base } from '../../support/console'
import { KEY_HASH, printedConfigs, PROXIES, type ProxyName, type ReverseProxy } from '../../support/reverseProxy'
import { type Service, startService } from '../../support/service'

// The configurations that docs/operate/operations.md prints, in the real proxies, with TLS.

interface Fixtures {
  /** Starts a proxy, which ends with the test. */
  start(name: ProxyName, config: string): Promise<ReverseProxy>
  requestLog: void
}

const { executablePath, args } = config.projects![0]!.use!.launchOptions!
const test = base.extend<Fixtures>({
  start: async ({}, use, info) => {
    const proxies: ReverseProxy[] = []
    await use(async (name, text) => {
      const proxy = await PROXIES[name].start(text)
      proxies.push(proxy)
      return proxy
    })
    if (info.status !== info.expectedStatus) for (const { output } of proxies) console.log(output())
    await Promise.all(proxies.map(({ stop }) => stop()))
  },
  // Failures are rare and hard to reproduce, so this logs which requests failed or were never answered.
  requestLog: [
    async ({ page }, use, info) => {
      const states = new Map<Request, string>()
      page.on('request', (request) => states.set(request, 'waits'))
      page.on('requestfinished', (request) => states.delete(request))
      page.on('requestfailed', (request) => states.set(request, request.failure()?.errorText ?? 'failed'))
      await use()
      if (info.status !== info.expectedStatus)
        console.log(
          `${info.title}: requests that failed or wait`,
          [...states].map(([request, state]) => `${request.method()} ${request.url()} ${state}`),
        )
    },
    { auto: true },
  ],
})

test.use({
  launchOptions: {
    executablePath,
    args: [
      ...args!,
      '--host-resolver-rules=MAP *.example.com 127.0.0.1',
      // Not `ignoreHTTPSErrors`: Chromium then repeats each request on a connection that failed, and on a busy machine, where
      // requests wait for connections of others, gives up with ERR_TOO_MANY_RETRIES.
      `--ignore-certificate-errors-spki-list=${KEY_HASH}`,
    ],
  },
})

/** Signs in with the printed link, or with a key without one, loads a page again, and signs out. `at`: URL of the console. */
const useConsole = async (page: Page, at: string, { key, projectId }: Service, link?: string) => {
  await page.goto(link ? `${at}#${link.split('#')[1]}` : at)
  if (!link) {
    await page.getByLabel('Personal API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click()
  // The heading alone is there before the code of the page.
  await expect(page.getByRole('searchbox', { name: 'Search people' })).toBeVisible()
  expect(page.url()).toBe(`${at}projects/${projectId}/people`)
  const [cookie, ...others] = await page.context().cookies()
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict' })
  expect(others).toEqual([])
  await page.reload()
  await expect(page.getByRole('heading', { name: 'People', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to Trailmark' })).toBeVisible()
}

const NAMES = Object.keys(PROXIES) as ProxyName[]

test('the console works behind the printed configurations of a host', async ({ page, start, problems: _problems }) => {
  const service = await startService({ TRAILMARK_CONSOLE_HOSTS: 'console.example.com' })
  let link: string | undefined = service.consoleLink
  for (const name of NAMES) {
    const { port } = await start(name, printedConfigs(name, service.url).console)
    await useConsole(page, `https://console.example.com:${port}/console/`, service, link)
    link = undefined
  }
  await service.stop()
})

test('the console works below a path, which the proxy leaves in the URL or removes', async ({
  page,
  start,
  problems: _problems,
}) => {
  const service = await startService({
    TRAILMARK_CONSOLE_HOSTS: 'console.example.com',
    TRAILMARK_CONSOLE_BASE: '/trailmark',
  })
  let link: string | undefined = service.consoleLink
  for (const name of NAMES)
    for (const change of [(block: string) => block, PROXIES[name].removePath]) {
      const config = change(printedConfigs(name, service.url).path)
      const { port } = await start(name, PROXIES[name].onHost('console.example.com', config))
      await useConsole(page, `https://console.example.com:${port}/trailmark/console/`, service, link)
      link = undefined
    }
  await service.stop()
})

for (const name of NAMES)
  test(`a site that forwards events by ${name} forwards no other path`, async ({ page, service, start }) => {
    const { onHost, notForwarded } = PROXIES[name]
    const { url, token, projectId } = service
    const { port } = await start(name, onHost('shop.example.com', printedConfigs(name, url).events))
    await page.goto(`https://shop.example.com:${port}/`)
    const statusOf = (path: string, body?: object) =>
      page.evaluate(
        async ([path, body]) => (await fetch(`/ingest${path}`, body ? { method: 'POST', body } : {})).status,
        [path, body && JSON.stringify(body)] as const,
      )
    const $host = `${name}.example.com`
    const event = { event: 'forwarded', properties: { distinct_id: 'visitor', $host } }
    expect(await statusOf('/e/', { api_key: token, batch: [event] })).toBe(200)
    expect(await statusOf('/flags/?v=2', { token, distinct_id: 'visitor' })).toBe(200)
    expect(await statusOf('/static/analytics.js')).toBe(200)
    expect(await statusOf('/a.js')).toBe(200)
    expect(await statusOf('/surveys.js')).toBe(200)
    await expect.poll(async () => (await service.events($host)).length).toBe(1)
    const others = ['/', '/console/', `/api/projects/${projectId}/endpoints/`, '/_health', '/metrics']
    for (const path of others) expect([path, await statusOf(path)]).toEqual([path, notForwarded])
  })

for (const name of NAMES)
  test(`a site that forwards events by ${name} keeps its cookies, credentials and forged addresses`, async ({
    page,
    start,
  }) => {
    const seen: IncomingHttpHeaders[] = []
    const service = createServer(({ headers }, response) => {
      seen.push(headers)
      response.end('{}')
    })
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const { port } = await start(name, PROXIES[name].onHost('shop.example.com', printedConfigs(name, url).events))
    await page.goto(`https://shop.example.com:${port}/`)
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      await page.evaluate(
        async ([path, headers]) => {
          document.cookie = 'session=site; Secure'
          document.cookie = '__Host-trailmark_toolbar_1=mine; Path=/; Secure'
          await fetch(`/ingest${path}`, { headers: { 'x-forwarded-for': '6.6.6.6', ...headers } })
        },
        [path, headers] as const,
      )
      return seen.at(-1)!
    }
    for (const path of ['/e/', '/a.js', '/surveys.js']) {
      const headers = await ask(path, { authorization: 'Basic site' })
      expect(JSON.stringify([headers.cookie ?? '', headers.authorization ?? ''])).not.toContain('site')
      expect(headers['x-forwarded-for'] ?? '').not.toContain('6.6.6.6')
    }
    const toolbar = await ask('/toolbar/session', { authorization: 'Bearer memory', 'x-trailmark-toolbar': '1' })
    expect([toolbar.cookie, toolbar.authorization]).toEqual(['__Host-trailmark_toolbar_1=mine', 'Bearer memory'])
    service.closeAllConnections()
    await new Promise((done) => service.close(done))
  })
