import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../src/types'
import { pause } from '../support/pause'
import { ROOT } from '../support/root'
import { expect, SHOP, test } from '../support/tabs'

/** The rows of the guide's table: options, and what happens before the visitor decides. */
const ROWS = [
  ...readFileSync(resolve(ROOT, 'docs/guides/consent.md'), 'utf8').matchAll(
    /^\| `(\{.*\})` \| (\S.*?) \| (\S+) \| (\S+) \|$/gm,
  ),
].map(([, options, captures, stores, requests]) => ({ options: options!, captures, stores, requests }))

test("the guide's table has a row for each combination of options", () => expect(ROWS.length).toBeGreaterThan(10))

for (const { options, captures, stores, requests } of ROWS)
  test(`before a decision, ${options} captures, stores and requests what the guide says`, async ({
    context,
    site,
    service,
    put,
  }) => {
    put('npm', '/', '<button>Go</button>', JSON.parse(options) as Partial<Config>)
    const page = await context.newPage()
    const bodies: string[] = []
    const flags: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) return
      if (request.url().includes('/flags/')) flags.push(request.url())
      else bodies.push(request.postDataBuffer()?.toString() ?? '')
    })
    await page.addInitScript(() => {
      const writes: string[] = []
      Object.assign(window, { writes })
      const { setItem } = Storage.prototype
      Storage.prototype.setItem = function (name, value) {
        writes.push(name)
        setItem.call(this, name, value)
      }
      const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!
      Object.defineProperty(document, 'cookie', {
        get: () => get!.call(document) as string,
        set: (text: string) => {
          writes.push(text)
          set!.call(document, text)
        },
      })
      const { open } = IDBFactory.prototype
      IDBFactory.prototype.open = function (...args) {
        writes.push(args[0])
        return open.apply(this, args)
      }
    })
    await page.goto(`http://${SHOP}:${new URL(site.url).port}/`)
    await page.waitForFunction(() => window.analytics)
    await page.locator('button').click()
    const captured = await page.evaluate(() => {
      window.analytics.register({ plan: 'gold' })
      window.analytics.register_for_session({ basket: 7 })
      history.pushState(null, '', '/next')
      return window.analytics.capture('x')?.properties
    })
    await pause(page, 1000)
    // Back and forth, as when a visitor changes tabs or pages before they decide.
    await page.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await pause(page, 300)
    const answer = (is: unknown) => (is ? 'yes' : 'no')
    expect({
      captures: captured?.$cookieless_mode ? 'without ids' : answer(captured),
      stores: answer((await page.evaluate(() => (window as unknown as { writes: string[] }).writes)).length),
      requests: answer(flags.length),
    }).toEqual({ captures, stores, requests })
    expect(answer(bodies.length)).toBe(answer(captures !== 'no'))
    if (stores === 'no') {
      const { cookies, origins } = await context.storageState({ indexedDB: true })
      expect({ cookies, origins }).toEqual({ cookies: [], origins: [] })
    }
  })
