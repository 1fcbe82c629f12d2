import type { CDPSession } from 'playwright/test'
import { ALL_PARTS, setUpAllParts } from '../support/allParts'
import { HOSTILE_PAGES } from '../support/hostilePages'
import { startProxy } from '../support/proxy'
import { expect, pageWith, test as base } from '../support/scenario'
import type { Service } from '../support/service'

// Pages that break the browser's built-ins, with every part on. They break Playwright's code too, so the
// page does everything itself with functions that it has kept, and answers by the debugger.

/** A project for all pages of a worker, which do not change it. */
const test = base.extend<object, { own: Service }>({
  own: [
    async ({ service }, use) => {
      const own = await service.createProject()
      await setUpAllParts(own)
      await use(own)
    },
    { scope: 'worker' },
  ],
})

// Requests are not recorded on localhost.
test.use({ hostName: 'shop.example.localhost' })

const COUNT = 5
/** Longest task, ms. A loop never ends. */
const MAX_BLOCK_MS = 5000
const MAX_REQUESTS = 100

/** What the page uses itself, kept before anything is broken. */
const KEEP = `<script>
  const kept = { setTimeout: setTimeout.bind(window), now: performance.now.bind(performance), click: HTMLElement.prototype.click,
    append: Element.prototype.append, dispatch: EventTarget.prototype.dispatchEvent, find: Document.prototype.getElementById }
  const report = { thrown: '', isDone: false, block: 0, isLoaded: false }
  let last = kept.now()
  const tick = () => {
    const now = kept.now()
    if (now - last > report.block) report.block = now - last
    last = now
    kept.setTimeout(tick, 20)
  }
  tick()
  const attempt = (what, run) => {
    try { run() } catch (error) { report.thrown += what + ': ' + error + '; ' }
  }
  const wait = (ms, run) => kept.setTimeout(run, ms)
</script>`

/** Captures events, and does what every part watches. */
const act = (code: string) => `<button id="buy">Buy</button><input id="field"><div id="late"></div><script>
  const find = (id) => kept.find.call(document, id)
  const capture = (index) => attempt('capture', () => analytics.capture('mine', { index, nested: { list: [index] } }))
  const begin = () => {
    attempt('the page', () => { ${code} })
    for (let index = 0; index < 3; index++) capture(index)
    attempt('identify', () => analytics.identify('ada', { plan: 'pro' }))
    attempt('register', () => analytics.register({ shop: 'a' }))
    attempt('captureException', () => analytics.captureException(new Error('caught')))
    const [button, field, late] = [find('buy'), find('field'), find('late')]
    for (let times = 0; times < 3; times++) attempt('click', () => kept.click.call(button))
    attempt('a value', () => (field.value = 'typed'))
    attempt('input', () => kept.dispatch.call(field, new Event('input', { bubbles: true })))
    attempt('change', () => kept.dispatch.call(field, new Event('change', { bubbles: true })))
    attempt('error', () => kept.dispatch.call(window, new ErrorEvent('error', { error: new Error('reported') })))
    wait(400, () => {
      attempt('a text', () => kept.append.call(late, 'later'))
      capture(3)
      attempt('reads', () => [analytics.get_distinct_id(), analytics.get_session_id(), analytics.getFeatureFlag('x'), analytics.explain()])
      wait(400, () => {
        capture(4)
        attempt('flush', () => analytics.flush())
        wait(400, () => (report.isDone = true))
      })
    })
  }
  const started = kept.now()
  const whenLoaded = () => {
    report.isLoaded = window.analytics?.__loaded === true
    if (report.isLoaded || kept.now() - started > 4000) wait(300, begin)
    else wait(20, whenLoaded)
  }
  whenLoaded()
</script>`

const answer = async (debug: CDPSession) =>
  JSON.parse(
    (
      (await debug.send('Runtime.evaluate', {
        // The page may have broken JSON.
        expression: `'{"isDone":' + report.isDone + ',"block":' + report.block + ',"isLoaded":' + report.isLoaded + ',"thrown":"' + encodeURIComponent(report.thrown) + '"}'`,
        returnByValue: true,
      })) as { result: { value: string } }
    ).result.value,
  ) as { isDone: boolean; block: number; isLoaded: boolean; thrown: string }

for (const [name, { code, arrives, when: phase = 'before' }] of Object.entries(HOSTILE_PAGES))
  for (const when of phase === 'both' ? (['before', 'after'] as const) : [phase]) {
    const mustArrive = !arrives || arrives === when
    const promise = `nothing is thrown, and no event is ${mustArrive ? 'lost or ' : ''}stored twice`
    test(`${name}, broken ${when} the SDK starts: ${promise}`, async ({ page, context, site, own }) => {
      const proxy = await startProxy(own.url)
      const target = { url: proxy.url, token: own.token }
      const html = pageWith('script', target, '/', act(when === 'after' ? code : ''), ALL_PARTS)
      const isBroken = when === 'before' ? `<script>attempt('the page', () => { ${code} })</script>` : ''
      site.page('/', html.replace('<head>', `<head>${KEEP}${isBroken}`))
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(String(error.stack ?? error)))
      const debug = await context.newCDPSession(page)
      await page.goto(site.url)
      const isDone = async () => {
        const { isDone: is, thrown } = await answer(debug)
        return is || `${decodeURIComponent(thrown)} ${errors.join()}`
      }
      await expect.poll(isDone).toBe(true)
      const { thrown, block } = await answer(debug)
      // A page that breaks nothing sends what has waited.
      site.page('/next', pageWith('script', target, '/next', ''))
      await page.goto(`${site.url}/next`)
      await page.bringToFront()

      const indexes = async () =>
        (await own.events(site.host))
          .filter(({ event }) => event === 'mine')
          .map(({ properties }) => properties.index as number)
          .sort()
      const all = Array.from({ length: COUNT }, (_, index) => index)
      if (!mustArrive) {
        const stored = await indexes()
        expect(stored).toEqual([...new Set(stored)])
      } else await expect.poll(indexes).toEqual(all)
      expect(decodeURIComponent(thrown)).toBe('')
      expect(errors).toEqual([])
      expect(block).toBeLessThan(MAX_BLOCK_MS)
      expect(proxy.deliveries().length).toBeLessThan(MAX_REQUESTS)
      await proxy.stop()
    })
  }
