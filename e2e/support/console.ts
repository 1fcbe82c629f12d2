import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { ROOT } from './root'
import { expect, test as base } from './scenario'
import { type Service, startService } from './service'

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** The console of a project of the test's own, in a page that is signed in. */
export interface Console {
  readonly service: Service
  readonly page: Page
  /** Opens a page of the project by its path, such as `people?search=a`. */
  open(path: string): Promise<void>
  /** Stores events. The token is the project's. */
  send(events: readonly object[]): Promise<void>
}

interface Fixtures {
  /** Whether the test needs its own service, because it changes or lists more than its project. */
  ownService: boolean
  own: Service
  /** What the browser complained about: errors of the console, and of its content security policy. */
  problems: string[]
  view: Console
}

export const test = base.extend<Fixtures>({
  ownService: [false, { option: true }],
  own: async ({ ownService, service }, use) => {
    if (!ownService) return use(await service.createProject())
    const started = await startService()
    await use(started)
    await started.stop()
  },
  problems: async ({ page }, use) => {
    const problems: string[] = []
    // Requests that a test makes fail are errors of the network, which the console shows.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
    await use(problems)
    expect(problems).toEqual([])
  },
  view: async ({ own, page, problems: _problems }, use) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const signedIn = await page.request.post(`${own.url}/api/console/session`, {
      headers: { origin: own.url },
      data: { key: own.key },
    })
    expect(signedIn.status()).toBe(201)
    await use({
      service: own,
      page,
      open: async (path) => {
        await page.goto(`${own.url}/console/projects/${own.projectId}/${path}`)
      },
      send: async (batch) => {
        const response = await fetch(`${own.url}/batch/`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ api_key: own.token, batch, historical_migration: true }),
        })
        expect(response.status).toBe(200)
      },
    })
  },
})

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

interface Axe {
  run(options: object): Promise<{ violations: Violation[] }>
}

const WCAG = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
const CONTRAST = { type: 'rule', values: ['color-contrast'] }

/** Rules of each theme. Both have the same elements and differ in their colors only. */
const RULES = { light: WCAG, dark: CONTRAST } as const

/** Returns the violations of WCAG 2.2 AA that axe finds on the shown page. Check it in the light theme too. */
export const findViolations = async (page: Page, theme: keyof typeof RULES): Promise<readonly string[]> => {
  // Not by a script element, which the content security policy forbids. Once per document, because it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const violations = await page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    return (await axe.run({ runOnly: only, resultTypes: ['violations'] })).violations
  }, RULES[theme])
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).join('\n')}`,
  )
}

/**
 * Fails on any violation of WCAG 2.2 AA that axe finds at 1,440 and 390 px, in both themes, which differ in their colors
 * only, and on sideways scrolling at 320 px.
 */
export const expectAccessible = async (page: Page): Promise<void> => {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findViolations(page, colorScheme), `${colorScheme}, ${width} px`).toEqual([])
    }
  }
  await page.setViewportSize({ width: 320, height: 900 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await page.setViewportSize({ width: 1440, height: 900 })
}

export { expect }
