import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import type { Config, Survey, SurveyQuestion } from '../../src/types'
import { ROOT } from './root'
import { type BUILDS, expect, test as base } from './scenario'
import type { Service, StoredEvent } from './service'
import { snippetPage } from './snippetPage'

/** axe-core, which checks accessibility in a page. */
export const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
export const OPEN: SurveyQuestion = { type: 'open', question: 'What can we do better?' }

export type Draft = Partial<Omit<Survey, 'id'>>

interface Fixtures {
  own: Service
  /** Adds a page with its own project to the site. */
  place(
    path: string,
    body?: string,
    config?: Partial<Config>,
    build?: (typeof BUILDS)[number],
    head?: Record<string, string>,
  ): void
  /** Creates a running survey and returns it. */
  launch(survey: Draft): Promise<Survey>
  /** Stored events of surveys. */
  reported(count: number): Promise<StoredEvent[]>
}

export const test = base.extend<Fixtures>({
  own: async ({ service }, use) => use(await service.createProject()),
  place: async ({ own, site }, use) => {
    await use((path, body = '<main><h1>Shop</h1></main>', config = {}, build = 'script', headers = {}) =>
      site.page(path, snippetPage(own, { body, config, build }), headers),
    )
  },
  launch: async ({ own }, use) => {
    let number = 0
    await use(async (survey) => {
      const { status, body } = await own.api('POST', '/surveys', {
        name: `Survey ${(number += 1)}`,
        type: 'popover',
        questions: [OPEN],
        start_date: new Date(Date.now() - 60_000).toISOString(),
        ...survey,
      })
      expect(status, JSON.stringify(body)).toBe(201)
      return body as unknown as Survey
    })
  },
  reported: async ({ own, site }, use) => {
    await use(async (count) => {
      let events: StoredEvent[] = []
      await expect
        .poll(async () => {
          events = (await own.events(site.host)).filter(({ event }) => event.startsWith('survey '))
          return events.length
        })
        .toBe(count)
      return events
    })
  },
})

/** The element of a survey, which has its shadow root. */
export const boxOf = (page: Page, { id }: Survey) => page.locator(`.PostHogSurvey-${id}`)

/** Fails on violations of WCAG 2.2 AA in a survey, in light and dark, from right to left, and on a narrow screen. */
export const expectAccessible = async (page: Page, survey: Survey) => {
  for (const [colorScheme, width, dir] of [
    ['dark', 320, 'rtl'],
    ['light', 1280, 'ltr'],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 720 })
    await page
      .locator(`.PostHogSurvey-${survey.id}`)
      .evaluate((host, value) => ((host as HTMLElement).dir = value), dir)
    const violations = await page.evaluate(async (selector) => {
      interface Violation {
        id: string
        nodes: { html: string; failureSummary: string }[]
      }
      const { axe } = globalThis as unknown as {
        axe: { run(...args: object[]): Promise<{ violations: Violation[] }> }
      }
      const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
      const scope = { include: { fromShadowDom: [selector, '.ph-survey'] } }
      const result = await axe.run(scope, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] })
      return result.violations.map(({ id, nodes }) => [id, nodes.map((node) => [node.html, node.failureSummary])])
    }, `.PostHogSurvey-${survey.id}`)
    expect(violations, `${colorScheme}, ${width}px, ${dir}`).toEqual([])
    const box = (await page.locator(`.PostHogSurvey-${survey.id} .ph-survey`).boundingBox())!
    expect([box.x >= 0, box.x + box.width <= width, box.y >= 0, box.y + box.height <= 720]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
}
