import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright/test'
import { clickThrice } from '../support/clickThrice'
import { pause } from '../support/pause'
import { ready } from '../support/ready'
import { ROOT } from '../support/root'
import { expect, test } from '../support/scenario'

const SRC = resolve(ROOT, 'src')
/** Every name in the SDK's code that may be a property. The elements below hide each of them where possible. */
const NAMES = [
  ...new Set(
    readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/\b[a-z]\w*/g) ?? []),
  ),
]
const INHERITED =
  'const inherited = (object) => (object ? [...Object.getOwnPropertyNames(object), ...inherited(Object.getPrototypeOf(object))] : [])'

const errorsOf = (page: Page) => {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on(
    'console',
    (message) =>
      message.type() === 'error' && !message.text().startsWith('Failed to load') && errors.push(message.text()),
  )
  return errors
}

test('captures clicks, changes and submits in forms whose fields hide the properties of the form', async ({
  page,
  site,
  put,
  stored,
}) => {
  put(
    'script',
    '/',
    `<div id="pages"></div><script>
      addEventListener('submit', (event) => event.preventDefault())
      ${INHERITED}
      const names = inherited(HTMLFormElement.prototype)
      const hidden = ${JSON.stringify(NAMES)}.filter((name) => names.includes(name))
      pages.innerHTML = [...hidden.map((name) => [name]), hidden].map((fields, index) =>
        '<form class="form' + index + '">' + fields.map((name) => '<input type="hidden" name="' + name + '">').join('') +
        '<input class="text"><button type="button">Buy</button><button class="send">Send</button></form>').join('')
    </script>`,
    { rate_limiting: { events_per_second: 10_000, events_burst_limit: 100_000 } },
  )
  const errors = errorsOf(page)
  await page.goto(site.url)
  await ready(page)
  const forms = await page.evaluate(() => {
    const all = [...document.querySelectorAll('#pages > form')]
    for (const form of all) {
      const find = (selector: string) => Element.prototype.querySelector.call(form, selector) as HTMLElement
      for (let times = 0; times < 3; times++) find('button').click()
      find('.text').dispatchEvent(new Event('change', { bubbles: true }))
      find('.send').click()
      Element.prototype.setAttribute.call(form, 'data-state', 'sent')
      Element.prototype.append.call(form, 'Thanks')
    }
    return all.length
  })
  expect(forms).toBeGreaterThan(40)
  await page.evaluate(() => window.analytics.flush())
  // Three clicks, a change, a click and a submit in each.
  const events = await stored((all) => all.filter(({ event }) => event === '$autocapture').length >= forms * 6)
  expect(errors).toEqual([])
  for (const index of [0, forms - 1]) {
    const chains = events.filter(({ elements_chain: chain }) => chain.includes(`"form${index}"`))
    expect(chains.filter(({ event }) => event === '$autocapture')).toHaveLength(6)
  }
})

test('captures everything on a page whose images hide the properties of the document', async ({
  page,
  site,
  put,
  stored,
}) => {
  put('script', '/next', 'Next', {})
  put(
    'script',
    '/',
    `<div id="box"></div><script>
      ${INHERITED}
      const names = inherited(document)
      window.hidingCount = 0
      box.innerHTML = ${JSON.stringify(NAMES)}.filter((name) => names.includes(name))
        .map((name) => (hidingCount++, '<img name="' + name + '" id="' + name + '" alt="">')).join('')
    </script><button class="buy">Buy</button>`,
    { capture_pageview: 'history_change' },
  )
  const errors = errorsOf(page)
  await page.goto(site.url)
  await ready(page)
  expect(await page.evaluate(() => (window as unknown as { hidingCount: number }).hidingCount)).toBeGreaterThan(20)
  // Later than a second after the window got the focus.
  await pause(page, 1200)
  await clickThrice(page.locator('.buy'))
  await stored((all) => ['$rageclick', '$dead_click'].every((name) => all.some(({ event }) => event === name)))
  await page.evaluate(() => history.pushState(null, '', '/other'))
  await page.evaluate(() => void window.analytics.capture('mine'))
  await page.goto(`${site.url}/next`)
  const events = await stored(
    (all) =>
      all.some(({ properties }) => properties.$pathname === '/next') &&
      ['$pageleave', 'mine'].every((name) => all.some(({ event }) => event === name)),
  )
  expect(errors).toEqual([])
  expect([...new Set(events.map(({ event }) => event))].sort()).toEqual(
    ['$autocapture', '$dead_click', '$pageleave', '$pageview', '$rageclick', 'mine'].sort(),
  )
  expect(events.find(({ event }) => event === '$pageview')!.properties.title).toBe('/')
})

for (const hiding of ['<form name="cookie"></form>', '<img name="cookie" alt="">'])
  for (const persistence of ['cookie', 'localStorage+cookie'] as const)
    test(`stores the visitor in a cookie with ${persistence} on a page with ${hiding}`, async ({
      page,
      site,
      put,
      stored,
    }) => {
      put('script', '/', `${hiding}<script>hidden = typeof document.cookie</script>`, { persistence })
      put('script', '/next', 'Next', { persistence })
      const errors = errorsOf(page)
      for (const path of ['/', '/next', '/']) {
        await page.goto(site.url + path)
        await ready(page)
      }
      expect(await page.evaluate(() => (window as unknown as { hidden: string }).hidden)).toBe('object')
      const events = await stored((all) => all.filter(({ event }) => event === '$pageview').length === 3)
      expect(new Set(events.map(({ distinct_id }) => distinct_id)).size).toBe(1)
      expect((await page.context().cookies()).map(({ name }) => name)).toContainEqual(
        expect.stringMatching(/_posthog$/),
      )
      expect(errors).toEqual([])
    })
