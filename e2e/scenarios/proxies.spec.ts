import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as hono from 'hono'
import { run as runCheck } from '../../src/cli/commands/check'
import { sendTestEvent } from '../../src/cli/init/testEvent'
import * as proxies from '../../src/subpaths/proxy'
import { handlerOf, listenerOf, WEB_RECIPES } from '../../test/support/proxyRecipes'
import { OPTIONS } from '../support/options'
import { expect, test } from '../support/scenario'
import { QUIET } from '../support/world'

// The recipes of docs/guides/proxies.md in front of a service, with a page in a browser.

const load = (id: string): unknown => (id === 'hono' ? hono : proxies)

/** Returns the listener of a site with a recipe and one page. */
const siteWith = (name: string, service: string, page: () => string): RequestListener => {
  const proxy = Object.assign(name === 'node' ? () => undefined : handlerOf(name, service, load), { prefix: '/ingest' })
  const forward = name === 'node' ? listenerOf(service, load) : proxies.toNode(proxy as proxies.Proxy)
  return (request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(page())
    else void (forward as (...args: unknown[]) => unknown)(request, response, () => response.writeHead(404).end())
  }
}

const listen = async (server: Server) => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `localhost:${(server.address() as AddressInfo).port}`
}

for (const name of ['node', ...WEB_RECIPES])
  test(`${name}: the script runs, and its events arrive once, also the last ones`, async ({ page, service }) => {
    let host = ''
    const html = () =>
      `<!doctype html><title>Shop</title><script src="/ingest/a.js"></script>
      <script>analytics.init(${JSON.stringify(service.token)}, ${JSON.stringify({ ...OPTIONS, ...QUIET, api_host: '/ingest' })})</script>`
    const server = createServer(siteWith(name, service.url, html))
    host = await listen(server)
    await page.goto(`http://${host}/`)
    await page.evaluate(() => {
      window.analytics.capture('bought')
      window.analytics.flush()
    })
    await expect.poll(async () => (await service.events(host)).length).toBe(1)
    const status = await page.evaluate(async () => (await fetch('/ingest/console/')).status)
    expect(status).toBe(404)
    await page.evaluate(() => {
      window.analytics.capture('left')
      location.href = 'about:blank'
    })
    await expect
      .poll(async () => (await service.events(host)).map(({ event }) => event).sort())
      .toEqual(['bought', 'left'])
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

test('commands store a test event, report a wrong token, and find nothing wrong with a site behind a proxy', async ({
  service,
}) => {
  await sendTestEvent({ host: service.url, token: service.token })
  const rows = await service.query("SELECT count() FROM events WHERE event = 'trailmark init'")
  expect(rows).toEqual([[1]])
  await expect(sendTestEvent({ host: service.url, token: 'phc_nobody' })).rejects.toThrow(/Check --host and --token/)

  let token = service.token
  const html = () => `<!doctype html><script src="/ingest/a.js" data-token="${token}" data-api-host="/ingest"></script>`
  const server = createServer(siteWith('hono', service.url, html))
  const host = await listen(server)
  const check = async () => {
    const lines: string[] = []
    const io = { out: (line: string) => lines.push(line), err: () => undefined, cwd: '/', env: {} }
    await runCheck([`http://${host}/`, '--json'], io)
    return (JSON.parse(lines[0]!) as { findings: { code: string; seen: string }[] }).findings
  }
  expect(await check()).toEqual([])
  token = 'phc_nobody'
  expect(await check()).toEqual([expect.objectContaining({ code: 'token' })])
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})
