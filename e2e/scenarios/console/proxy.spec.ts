import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '../../support/console'
import { startService } from '../../support/service'

const PREFIX = '/tools/trailmark'

/** Starts a reverse proxy that passes on what is below a prefix, and returns its origin and the paths of other requests. */
const startProxy = async (target: string) => {
  const outside: string[] = []
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    if (!url.startsWith(`${PREFIX}/`)) {
      outside.push(url)
      return void outgoing.writeHead(404).end()
    }
    const passed = request(`${target}${url.slice(PREFIX.length)}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { origin: `http://127.0.0.1:${port}`, outside, stop }
}

test('behind a prefix of a proxy, the one-time link signs in once, and all pages stay below the prefix', async ({
  page,
  problems: _problems,
}) => {
  const service = await startService({ TRAILMARK_CONSOLE_BASE: PREFIX })
  const proxy = await startProxy(service.url)
  const link = service.consoleLink.replace(service.url, proxy.origin)
  const requested: string[] = []
  page.on('request', (sent) => void requested.push(sent.url()))
  await page.goto(link)
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  expect(page.url()).toContain(`${proxy.origin}${PREFIX}/console/projects/${service.projectId}/overview`)
  // The token is no longer in the URL, and no request contained it.
  const token = link.split('#t=')[1]!
  expect(await page.evaluate(() => location.hash)).toBe('')
  expect(requested.filter((url) => url !== link && url.includes(token))).toEqual([])

  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click()
  await expect(page.getByRole('heading', { name: 'People', exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'People', exact: true })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  expect(proxy.outside).toEqual([])

  // The link works once.
  const other = await page.context().browser()!.newContext()
  const stranger = await other.newPage()
  await stranger.goto(link)
  await expect(stranger.getByRole('heading', { name: 'Sign in to Trailmark' })).toBeVisible()
  await other.close()
  proxy.stop()
  await service.stop()
})
