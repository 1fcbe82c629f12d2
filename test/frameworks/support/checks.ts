import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from 'playwright/test'
import { type Collector, startCollector } from './collector'
import { type Example, prepareExample } from './example'

/**
 * What an example must have, so that one table of checks drives all of them:
 * - pages `/` (title and h1 `Home`), `/pricing` (`Pricing`), `/blog/hello` (`Post hello`), with links `#home`, `#pricing`, `#post`
 *   that navigate without a load, and `#slow` to `/slow`, a page whose data takes 3 s
 * - `#flag`, which shows the value of the flag `new-checkout` on `/`, and `#capture`, a button that captures `button pressed`
 * - on `/`, `#fail`, a button after which rendering throws `Broken on purpose`, inside an error boundary whose fallback has
 *   `role="alert"`
 */
export interface Framework {
  /** Folder in `examples`. */
  example: string
  /** Patterns of the routes, as `$route` of `$pageview`. Absent: the helper adds none. */
  patterns?: { home: string; pricing: string; post: string }
  /** A source with the text `Welcome` on `/`, which the check of hot reload edits. */
  edited: string
  /** Checks that make no sense here, and why. */
  without?: Partial<Record<CheckName, string>>
  /** Checks that only this framework has. */
  more?: Record<string, Check>
}

type Check = (world: World) => Promise<void>

interface World {
  framework: Framework
  example: Example
  collector: Collector
  page: Page
  /** URL of the built application. */
  url: string
  /** Warnings and errors of the console, and uncaught errors. */
  problems: string[]
}

const heading = (page: Page, text: string) => expect(page.locator('h1')).toHaveText(text)
const go = async (page: Page, link: string, title: string) => {
  await page.click(`#${link}`)
  await heading(page, title)
}

/** Resolves once everything that was captured so far has arrived. Events arrive in order. */
const settle = async ({ page, collector }: Pick<World, 'page' | 'collector'>) => {
  const before = collector.events('button pressed').length
  await page.click('#capture')
  await collector.waitFor('button pressed', before + 1)
}

const viewsOf = (collector: Collector) =>
  collector.events('$pageview').map(({ properties: { $pathname, title, $route } }) => [$pathname, title, $route])

const FLAG = 'new-checkout'

const CHECKS = {
  'counts one pageview for a load, a push and a back, with title and route': async (world) => {
    const { page, url, collector, framework, problems } = world
    const { home, pricing, post } = framework.patterns ?? {}
    await page.goto(url)
    await heading(page, 'Home')
    // Before the page is hydrated, a link loads the next one.
    await collector.waitFor('$pageview')
    await go(page, 'pricing', 'Pricing')
    await go(page, 'post', 'Post hello')
    await page.goBack()
    await heading(page, 'Pricing')
    await settle(world)
    expect(viewsOf(collector)).toEqual([
      ['/', 'Home', home],
      ['/pricing', 'Pricing', pricing],
      ['/blog/hello', 'Post hello', post],
      ['/pricing', 'Pricing', pricing],
    ])
    expect(problems).toEqual([])
  },

  'counts no pageview for a navigation that another one aborts': async (world) => {
    const { page, url, collector } = world
    await page.goto(url)
    await heading(page, 'Home')
    await page.click('#slow')
    await go(page, 'pricing', 'Pricing')
    await settle(world)
    expect(viewsOf(collector).map(([path]) => path)).toEqual(['/', '/pricing'])
  },

  'has the flag in the first byte of the server, and shows nothing else': async ({
    page,
    url,
    collector,
    problems,
  }) => {
    collector.setFlags({ [FLAG]: 'short' })
    expect(await (await fetch(url)).text()).toMatch(/id="flag"[^>]*>[^<]*short/)
    await page.addInitScript(() => {
      const seen = ((window as unknown as { seen: unknown[] }).seen = [])
      const look = () => {
        const text = document.querySelector('#flag')?.textContent
        if (text !== undefined && (seen as unknown[]).at(-1) !== text) (seen as unknown[]).push(text)
      }
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
    })
    await page.goto(url)
    await collector.waitFor('$feature_flag_called')
    await settle({ page, collector })
    expect(await page.evaluate(() => (window as unknown as { seen: unknown[] }).seen)).toEqual(['short'])
    expect(collector.events('$feature_flag_called').map(({ properties }) => properties.$feature_flag_response)).toEqual(
      ['short'],
    )
    expect(problems).toEqual([])
  },

  'shows a flag that has changed after the server rendered, without a hydration message': async (world) => {
    const { page, url, collector, problems } = world
    collector.setFlags({ [FLAG]: 'short' }, { [FLAG]: 'long' })
    await page.goto(url)
    await expect(page.locator('#flag')).toHaveText('long')
    expect(problems).toEqual([])
  },

  'keeps the flags of concurrent visitors apart': async ({ url, collector }) => {
    collector.setFlags({ [FLAG]: 'short' })
    const first = await Promise.all(Array.from({ length: 10 }, () => fetch(url).then((answer) => answer.text())))
    const uuids = first.map((html) => html.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? ([] as string[]))
    // Without those that all pages have, such as the id of the build.
    const ids = uuids.map((each) => each.find((id) => !uuids.every((others) => others.includes(id))))
    expect(new Set(ids).size).toBe(10)
    expect(ids).not.toContain(undefined)
  },

  'reports what an error boundary catches': async ({ page, url, collector }) => {
    await page.goto(url)
    await page.click('#fail')
    await expect(page.locator('[role=alert]:not(:empty)')).toBeVisible()
    const [exception] = await collector.waitFor('$exception')
    expect(JSON.stringify(exception!.properties.$exception_list)).toContain('Broken on purpose')
  },

  'starts once in development, whatever is edited': async (world) => {
    const { page, collector, example, framework, problems } = world
    const file = join(example.folder, framework.edited)
    const source = readFileSync(file, 'utf8')
    const server = await example.start('dev')
    try {
      await page.goto(server.url)
      await expect(page.locator('#welcome')).toHaveText('Welcome')
      // The first edit comes after the page is hydrated.
      await collector.waitFor('$pageview')
      for (let edit = 1; edit <= 10; edit += 1) {
        // Again after a while, because watchers of files miss an edit that follows another one too soon.
        await expect(async () => {
          writeFileSync(file, source.replace('Welcome', `Welcome ${edit}`))
          await expect(page.locator('#welcome')).toHaveText(`Welcome ${edit}`, { timeout: 5000 })
        }).toPass()
      }
      await go(page, 'pricing', 'Pricing')
      await settle(world)
      expect(viewsOf(collector).map(([path]) => path)).toEqual(['/', '/pricing'])
      expect(collector.events('button pressed')).toHaveLength(1)
      expect(collector.flagRequests()).toBe(1)
      expect(problems).toEqual([])
    } finally {
      writeFileSync(file, source)
      await server.stop()
    }
  },
} satisfies Record<string, Check>

export type CheckName = keyof typeof CHECKS

/** Declares the checks of a framework, on its example. */
export const checkFramework = (framework: Framework): void => {
  let example: Example
  let collector: Collector
  let server: Awaited<ReturnType<Example['start']>>

  test.describe.configure({ mode: 'default' })
  test.beforeAll(async () => {
    example = await prepareExample(framework.example)
    collector = await startCollector(example.collectorPort)
    server = await example.start('start')
  })
  test.afterAll(async () => {
    collector?.close()
    await server?.stop()
  })

  for (const [name, check] of Object.entries<Check>({ ...CHECKS, ...framework.more })) {
    const reason = framework.without?.[name as CheckName]
    if (reason) continue
    test(name, async ({ page }) => {
      collector.reset()
      // Says HeadlessChrome. The SDK drops events of bots.
      await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'userAgentData', { value: undefined }))
      const problems: string[] = []
      page.on('console', (message) => {
        if (['warning', 'error'].includes(message.type())) problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(String(error)))
      await check({ framework, example, collector, page, url: server.url, problems })
    })
  }
}
