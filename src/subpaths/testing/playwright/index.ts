import { readFileSync } from 'node:fs'
import {
  test as base,
  expect as baseExpect,
  type BrowserContext,
  type ConsoleMessage,
  type Page,
} from '@playwright/test'
import type { CheckedPlan } from 'trailmark/plan'
import { type Captures, type Collector, createCollector } from 'trailmark/testing/collector'
import { passBotFilter, redirectBeacons } from '../inPage'
import { matchersFor, type PlanOrCheck, problemsOf } from '../matchers'

export type { Context, Result } from '../matchers'
import { explainPage, flushPage } from './pageSender'

/** Options of the fixture, for `use` of the configuration or a test file. */
export interface AnalyticsOptions {
  /** The `api_host` that the site is built with, such as `https://t.example.com`. Its requests go to the collector, whatever their token. */
  analyticsHost: string | undefined
  /** The plan that all events must match: its object, a path, or a function. Default: none. */
  analyticsPlan: PlanOrCheck | string | undefined
  /** What fails a test, besides its own expectations. Default: all. */
  analyticsFailures: readonly ('rejected' | 'console' | 'plan')[]
}

/** What the page of a test has captured. */
export interface PageAnalytics extends Captures {
  /** Returns the warnings and errors of the SDK in the console, such as about wrong options. */
  warnings(): string[]
}

const captures = new WeakMap<BrowserContext, PageAnalytics>()

const planOf = (plan: AnalyticsOptions['analyticsPlan']): PlanOrCheck | undefined =>
  typeof plan === 'string' ? (JSON.parse(readFileSync(plan, 'utf8')) as CheckedPlan) : plan

/** Sends the requests of a site for `host` to the project of the test. The browser itself cannot turn HTTPS into HTTP. */
const redirect = async (context: BrowserContext, host: string, target: string) => {
  await context.addInitScript(redirectBeacons, [host, target] as const)
  await context.route(
    (url) => url.href.startsWith(host),
    async (route) => {
      try {
        const url = target + route.request().url().slice(host.length)
        const postData = route.request().postDataBuffer() ?? undefined
        await route.fulfill({ response: await route.fetch({ url, postData }) })
      } catch {
        // The page or the test has ended.
        await route.abort().catch(() => {})
      }
    },
  )
}

/** Attaches a project of the collector to a context, and all of its pages. */
const attach = async (context: BrowserContext, project: Captures): Promise<PageAnalytics> => {
  let warnings: string[] = []
  const onConsole = (message: ConsoleMessage) => {
    if (/^(error|warning)$/.test(message.type()) && message.text().startsWith('[trailmark]'))
      warnings.push(message.text())
  }
  const watch = (page: Page) => void page.on('console', onConsole)
  context.pages().forEach(watch)
  context.on('page', watch)
  await context.addInitScript(passBotFilter)
  const analytics: PageAnalytics = {
    ...project,
    warnings: () => [...warnings],
    reset: () => {
      project.reset()
      warnings = []
    },
    flush: async () => (await Promise.all(context.pages().map(flushPage))).every(Boolean),
    explain: async (name) => (await Promise.all(context.pages().map((page) => explainPage(page, name)))).flat(),
  }
  captures.set(context, analytics)
  return analytics
}

interface Fixtures {
  /** What the page has captured, and what its SDK is answered. `url` and `token` are for `init`. */
  analytics: PageAnalytics
}

/** Playwright's `test` with the fixture `analytics`. A test fails on a rejected event, a wrong option or an event outside the plan. */
export const test = base.extend<Fixtures & AnalyticsOptions, { collector: Collector }>({
  analyticsHost: [undefined, { option: true }],
  analyticsPlan: [undefined, { option: true }],
  analyticsFailures: [['rejected', 'console', 'plan'], { option: true }],
  collector: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from the first parameter.
    async ({}, use) => {
      const collector = await createCollector()
      await use(collector)
      await collector.stop()
    },
    { scope: 'worker' },
  ],
  analytics: [
    async ({ context, collector, analyticsHost, analyticsPlan, analyticsFailures }, use, info) => {
      const project = collector.project()
      const analytics = await attach(context, project)
      if (analyticsHost) await redirect(context, analyticsHost, collector.hostFor(project))
      await use(analytics)
      if (info.errors.length) return
      await analytics.flush()
      await analytics.quiet()
      const plan = planOf(analyticsPlan)
      const problems = [
        ...(analyticsFailures.includes('rejected') ? problemsOf({ events: () => [], bad: analytics.bad }) : []),
        ...(analyticsFailures.includes('console') ? analytics.warnings() : []),
        ...(plan && analyticsFailures.includes('plan')
          ? problemsOf({ events: analytics.events, bad: () => [] }, plan)
          : []),
      ]
      if (problems.length) throw new Error(`Analytics of this page:\n${problems.map((line) => `  ${line}`).join('\n')}`)
    },
    { auto: true },
  ],
})

type Target = Page | BrowserContext | Captures

const capturedOf = (target: Target): Captures => {
  if ('events' in target) return target
  const found = captures.get('context' in target ? target.context() : target)
  if (!found) throw new Error('expected a page of the fixture: use `test` of trailmark/testing/playwright.')
  return found
}

/** Playwright's `expect` with matchers for pages, contexts and collectors. */
export const expect = baseExpect.extend(matchersFor<Target>(capturedOf))
