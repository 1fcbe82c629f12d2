import type { Page, Request } from 'playwright/test'
import config from '../../../playwright.config'
import { expect, test as base } from '../../support/console'
import { printedConfigs, PROXIES, type ProxyName, type ReverseProxy } from '../../support/reverseProxy'
import { type RunningService, startService } from '../../support/service'

// The configurations that docs/operate/operations.md prints, in the real proxies, with TLS.

const { executablePath, args } = config.projects![0]!.use!.launchOptions!
const test = base.extend<{ requestLog: void }>({
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
  launchOptions: { executablePath, args: [...args!, '--host-resolver-rules=MAP *.example.com 127.0.0.1'] },
  ignoreHTTPSErrors: true,
})

/** Signs in with the printed link, loads a page again, and signs out. `base`: URL of the console. */
const useConsole = async (page: Page, service: RunningService, base: string) => {
  await page.goto(`${base}#${service.consoleLink.split('#')[1]}`)
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click()
  // The heading alone is there before the code of the page.
  await expect(page.getByRole('searchbox', { name: 'Search people' })).toBeVisible()
  expect(page.url()).toBe(`${base}projects/${service.projectId}/people`)
  const [cookie, ...others] = await page.context().cookies()
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict' })
  expect(others).toEqual([])
  await page.reload()
  await expect(page.getByRole('heading', { name: 'People', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to Trailmark' })).toBeVisible()
}

for (const name of Object.keys(PROXIES) as ProxyName[]) {
  const { start, onHost, removePath, notForwarded } = PROXIES[name]
  const proxies: ReverseProxy[] = []
  const services: RunningService[] = []
  const startBehind = async (env: Record<string, string>, configOf: (service: RunningService) => string) => {
    const service = await startService(env)
    services.push(service)
    const proxy = await start(configOf(service))
    proxies.push(proxy)
    return { service, port: proxy.port }
  }
  test.describe(name, () => {
    test.afterEach(async ({}, { status, expectedStatus }) => {
      if (status !== expectedStatus) for (const { output } of proxies) console.log(output())
      await Promise.all([...proxies.splice(0), ...services.splice(0)].map(({ stop }) => stop()))
    })

    test('the console works behind the printed configuration of a host', async ({ page, problems: _problems }) => {
      const { service, port } = await startBehind(
        { TRAILMARK_CONSOLE_HOSTS: 'console.example.com' },
        ({ url }) => printedConfigs(name, url).console,
      )
      await useConsole(page, service, `https://console.example.com:${port}/console/`)
    })

    for (const [what, change] of [
      ['leaves', (block: string) => block],
      ['removes', removePath],
    ] as const)
      test(`the console works below a path that the proxy ${what} in the URL`, async ({
        page,
        problems: _problems,
      }) => {
        const { service, port } = await startBehind(
          { TRAILMARK_CONSOLE_HOSTS: 'console.example.com', TRAILMARK_CONSOLE_BASE: '/trailmark' },
          ({ url }) => onHost('console.example.com', change(printedConfigs(name, url).path)),
        )
        await useConsole(page, service, `https://console.example.com:${port}/trailmark/console/`)
      })

    test('a site that forwards events forwards no other path', async ({ page }) => {
      const { service, port } = await startBehind({}, ({ url }) =>
        onHost('shop.example.com', printedConfigs(name, url).events),
      )
      await page.goto(`https://shop.example.com:${port}/`)
      const statusOf = (path: string, body?: object) =>
        page.evaluate(
          async ([path, body]) => (await fetch(`/ingest${path}`, body ? { method: 'POST', body } : {})).status,
          [path, body && JSON.stringify(body)] as const,
        )
      const event = { event: 'forwarded', properties: { distinct_id: 'visitor', $host: 'shop.example.com' } }
      expect(await statusOf('/e/', { api_key: service.token, batch: [event] })).toBe(200)
      expect(await statusOf('/flags/?v=2', { token: service.token, distinct_id: 'visitor' })).toBe(200)
      expect(await statusOf('/static/analytics.js')).toBe(200)
      await expect.poll(async () => (await service.events('shop.example.com')).length).toBe(1)
      const others = ['/', '/console/', `/api/projects/${service.projectId}/endpoints/`, '/_health', '/metrics']
      for (const path of others) expect([path, await statusOf(path)]).toEqual([path, notForwarded])
    })
  })
}
