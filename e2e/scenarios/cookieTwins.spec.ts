import type { Page } from 'playwright/test'
import type { Analytics, Options } from '../../src/client/publicApi'
import { ready } from '../support/ready'
import { expect, SHOP, test } from '../support/tabs'

// A browser keeps one cookie of a name for each domain and path, whether secure or not, and shows scripts only the values.
const PATH = '/shop/deep/page'
const ENTRY = 'ph_t_posthog'
const PLACES = ['', 'shop.example.localhost', 'example.localhost'].flatMap((domain) =>
  ['/', '/shop', '/shop/', '/shop/deep', PATH].map((path) => ({ domain, path })),
)
type Place = (typeof PLACES)[number]

const OPTIONS = {
  opt_out_useragent_filter: true,
  capture_pageview: false,
  capture_pageleave: false,
  autocapture: false,
  advanced_disable_flags: true,
} satisfies Options

const open = async (page: Page, site: { url: string; page(path: string, html: string): void }, options: Options) => {
  const script = `import { analytics } from '/sdk/main.js'; window.analytics = analytics
    window.options = ${JSON.stringify({ ...OPTIONS, api_host: site.url, ...options })}; analytics.init('t', options)`
  site.page(PATH, `<!doctype html><script type="module">${script}</script>`)
  await page.goto(`http://${SHOP}:${new URL(site.url).port}${PATH}`)
  await ready(page)
}

declare global {
  interface Window {
    options: Options
    /** Sets a cookie at a place, as another configuration or another SDK did. */
    setCookie(name: string, value: string, place: Place, isSecure?: boolean): void
    /** Removes everything that the site has stored. */
    clearAll(names: string[], places: Place[]): void
    valuesOf(name: string): string[]
    /** Ends the client and starts another, as a reload does. */
    visit(options: Options): Promise<Analytics>
  }
}

const addHelpers = (page: Page) =>
  page.addInitScript(() => {
    window.setCookie = (name, value, { domain, path }, isSecure) => {
      const age = value ? 9999 : 0
      document.cookie = `${name}=${encodeURIComponent(value)};path=${path};max-age=${age}${domain && `;domain=${domain}`}${isSecure ? ';secure' : ''}`
    }
    window.valuesOf = (name) =>
      document.cookie
        .split('; ')
        .filter((each) => each.startsWith(`${name}=`))
        .map((each) => decodeURIComponent(each.slice(name.length + 1)))
    window.clearAll = (names, places) => {
      localStorage.clear()
      sessionStorage.clear()
      for (const name of names) for (const place of places) window.setCookie(name, '', place)
    }
    window.visit = async (options) => {
      await window.analytics.shutdown()
      return window.analytics.init('t', { ...window.options, ...options })
    }
  })

/** Two texts about a visitor, by what makes the second the newer. */
const AGES = {
  'the later identify': [{ $identity_at: 1000 }, { $identity_at: 2000 }],
  'the later reset': [{ $identity_at: 1000 }, { $identity_at: 500, $last_posthog_reset: '2026-11-21T10:00:00.000Z' }],
  'a decision against another SDK': [{ $user_state: 'identified', $sesid: [9000, 's', 1] }, { $identity_at: 1000 }],
  'the later activity': [{ $sesid: [1000, 's', 1] }, { $sesid: [2000, 's', 1] }],
}

for (const persistence of ['cookie', 'localStorage+cookie'] as const)
  test(`the newest of several cookies decides who the visitor is, and the others are removed, with persistence: '${persistence}'`, async ({
    page,
    site,
  }) => {
    await addHelpers(page)
    await open(page, site, { persistence })
    const wrong = await page.evaluate(
      async ([persistence, entry, places, ages]) => {
        const found: string[] = []
        let row = 0
        for (const cross_subdomain_cookie of [true, false])
          for (const [age, [older, newer]] of Object.entries(ages))
            for (const one of places)
              for (const other of places) {
                if (one === other) continue
                row++
                // Every pair of places occurs, each with some of the rest.
                if (row % 4 !== (cross_subdomain_cookie ? 0 : 1)) continue
                const isSecure = row % 8 < 4
                const title = JSON.stringify([cross_subdomain_cookie, age, one, other])
                const expect = (what: string, is: unknown, should: unknown) => {
                  if (JSON.stringify(is) !== JSON.stringify(should))
                    found.push(`${title} ${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`)
                }
                await window.analytics.shutdown()
                window.clearAll([entry], places)
                window.setCookie(entry, JSON.stringify({ distinct_id: 'old', ...older }), one, isSecure)
                window.setCookie(entry, JSON.stringify({ distinct_id: 'new', ...newer }), other, !isSecure)
                const options = { persistence, cross_subdomain_cookie, secure_cookie: row % 3 === 0 }
                const analytics = await window.visit(options)
                expect('visitor', analytics.get_distinct_id(), 'new')
                expect('cookies', window.valuesOf(entry).length, 1)
                // Rows are many, so only some of them go on.
                if (row % 5) continue
                analytics.identify('alice')
                await window.visit(options)
                expect('after identify and a reload', analytics.get_distinct_id(), 'alice')
                analytics.reset()
                analytics.identify('bob')
                await window.visit(options)
                expect('after reset, identify and a reload', analytics.get_distinct_id(), 'bob')
                await window.visit({ ...options, cross_subdomain_cookie: !cross_subdomain_cookie })
                analytics.identify('bob')
                analytics.register({ plan: row })
                await window.visit(options)
                expect('after another option', analytics.get_distinct_id(), 'bob')
                expect('super property', analytics.get_property('plan'), row)
                expect('cookies at the end', window.valuesOf(entry).length, 1)
              }
        return found.slice(0, 20).concat(row < 1000 ? 'too few rows' : [])
      },
      [persistence, ENTRY, PLACES, AGES] as const,
    )
    expect(wrong).toEqual([])
  })

test('the cookie that is left lies where the options say', async ({ page, site, context }) => {
  await addHelpers(page)
  for (const [cross_subdomain_cookie, domain] of [
    [true, '.example.localhost'],
    [false, SHOP],
  ] as const) {
    await context.clearCookies()
    await open(page, site, { persistence: 'cookie', cross_subdomain_cookie })
    await page.evaluate(
      ([entry, places]) => {
        for (const place of places) window.setCookie(entry, JSON.stringify({ distinct_id: 'x' }), place)
      },
      [ENTRY, PLACES] as const,
    )
    await page.reload()
    await ready(page)
    await page.evaluate(() => window.analytics.identify('ada'))
    const cookies = (await context.cookies()).filter(({ name }) => name === ENTRY)
    expect(cookies).toEqual([expect.objectContaining({ domain, path: '/' })])
    expect(decodeURIComponent(cookies[0]!.value)).toContain('"ada"')
  }
})

test('a refusal beats a grant in every place, and the latest decision of the page lasts', async ({ page, site }) => {
  await addHelpers(page)
  await open(page, site, {})
  const consents = [
    { options: {}, name: '__ph_opt_in_out_t' },
    { options: { opt_out_capturing_cookie_prefix: 'prefix_' }, name: 'prefix_t' },
    { options: { consent_persistence_name: 'consent' }, name: 'consent' },
  ]
  const wrong = await page.evaluate(
    async ([consents, places]) => {
      const found: string[] = []
      let row = 0
      const types = ['localStorage', 'cookie'] as const
      const persistences = ['localStorage+cookie', 'localStorage', 'sessionStorage', 'cookie', 'memory'] as const
      // The first place is local storage.
      const all = [undefined, ...places]
      const put = (name: string, value: string, place: (typeof all)[number]) =>
        place ? window.setCookie(name, value, place, row % 2 === 0) : localStorage.setItem(name, value)
      for (const opt_out_capturing_persistence_type of types)
        for (const grantAt of all)
          for (const refusalAt of all) {
            if (grantAt === refusalAt) continue
            row++
            const { options: named, name } = consents[row % consents.length]!
            const options = {
              ...named,
              opt_out_capturing_persistence_type,
              persistence: persistences[row % persistences.length]!,
              cross_subdomain_cookie: row % 4 < 2,
            }
            const title = JSON.stringify([options, { grantAt, refusalAt }])
            const expect = (what: string, should: string) => {
              const is = window.analytics.get_explicit_consent_status()
              if (is !== should) found.push(`${title} ${what}: ${is}`)
            }
            await window.analytics.shutdown()
            window.clearAll([name], places)
            put(name, '1', grantAt)
            put(name, '0', refusalAt)
            const analytics = await window.visit(options)
            expect('at the start', 'denied')
            if (window.valuesOf(name).length > 1) found.push(`${title}: several cookies`)
            if (row % 5) continue
            await window.visit(options)
            expect('after a reload', 'denied')
            analytics.opt_in_capturing()
            expect('after a grant', 'granted')
            await window.visit(options)
            expect('after a grant and a reload', 'granted')
            put(name, '1', grantAt)
            analytics.opt_out_capturing()
            expect('after a refusal', 'denied')
            await window.visit(options)
            expect('after a refusal and a reload', 'denied')
            put(name, '1', grantAt)
            await window.visit(options)
            // A grant in the very place of the refusal replaces it.
            if (window.valuesOf(name).includes('0') || localStorage.getItem(name) === '0')
              expect('beside a later grant', 'denied')
          }
      return found.slice(0, 20).concat(row < 400 ? 'too few rows' : [])
    },
    [consents, PLACES] as const,
  )
  expect(wrong).toEqual([])
})

test('a cookie of the server that scripts cannot see does not undo identify and consent', async ({
  page,
  site,
  context,
}) => {
  await addHelpers(page)
  for (const domain of ['.example.localhost', SHOP])
    for (const cross_subdomain_cookie of [true, false]) {
      await context.clearCookies()
      // A cookie without a domain belongs to the host alone.
      const where = domain === SHOP ? { url: `http://${SHOP}` } : { domain, path: '/' }
      const hidden = { ...where, httpOnly: true, value: '1' }
      await context.addCookies([ENTRY, '__ph_opt_in_out_t'].map((name) => ({ ...hidden, name })))
      await open(page, site, {
        persistence: 'cookie',
        opt_out_capturing_persistence_type: 'cookie',
        cross_subdomain_cookie,
      })
      await page.evaluate(() => {
        window.analytics.identify('ada')
        window.analytics.opt_out_capturing()
      })
      const state = () =>
        page.evaluate(() => [window.analytics.get_distinct_id(), window.analytics.get_explicit_consent_status()])
      expect(await state()).toEqual(['ada', 'denied'])
      await page.reload()
      await ready(page)
      // Where the cookie of the server is in the only place that the options allow, the id is in memory only.
      const isStored = cross_subdomain_cookie || domain !== SHOP
      expect((await state())[1]).toBe('denied')
      expect((await state())[0] === 'ada').toBe(isStored)
      await page.evaluate(() => localStorage.clear())
      // The page writes once more when it is left.
      await page.goto('about:blank')
    }
})

test('an unfinished move to another path does not bring an earlier visitor back', async ({ page, site }) => {
  await addHelpers(page)
  await open(page, site, { persistence: 'cookie' })
  const ids = await page.evaluate(
    async ([entry]) => {
      const { analytics } = window
      analytics.identify('alice')
      const alice = window.valuesOf(entry)[0]!
      history.pushState(null, '', '/')
      window.setCookie(entry, alice, { domain: '', path: '/shop' })
      analytics.reset()
      analytics.identify('bob')
      history.pushState(null, '', '/shop/deep/page')
      // A task later, cookies are read again.
      await new Promise((done) => setTimeout(done, 100))
      analytics.capture('x')
      const before = analytics.get_distinct_id()
      await window.visit({ persistence: 'cookie' })
      return [before, analytics.get_distinct_id(), window.valuesOf(entry).length]
    },
    [ENTRY] as const,
  )
  expect(ids).toEqual(['bob', 'bob', 1])
})
