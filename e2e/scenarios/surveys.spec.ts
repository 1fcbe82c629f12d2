import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import type { Config, Survey, SurveyQuestion } from '../../src/types'
import { ROOT } from '../support/root'
import { BUILDS, expect, test as base } from '../support/scenario'
import type { Service, StoredEvent } from '../support/service'

// Surveys in a browser, from the service's definitions to its stored events. Eligibility and branches have unit tests.

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const QUIET = { capture_pageview: false, capture_pageleave: false, autocapture: false, capture_dead_clicks: false }
const OPEN: SurveyQuestion = { type: 'open', question: 'What can we do better?' }

type Draft = Partial<Omit<Survey, 'id'>>

interface Fixtures {
  own: Service
  /** Adds a page of a project of its own to the site. */
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

const test = base.extend<Fixtures>({
  own: async ({ service }, use) => use(await service.createProject()),
  place: async ({ own, site }, use) => {
    const SNIPPET = readFileSync(join(ROOT, 'examples/snippet/snippet.js'), 'utf8')
    await use((path, body = '<main><h1>Shop</h1></main>', config = {}, build = 'script', headers = {}) => {
      const options = JSON.stringify({
        defaults: '2026-01-30',
        opt_out_useragent_filter: true,
        request_queue_config: { flush_interval_ms: 250 },
        api_host: own.url,
        ...QUIET,
        ...config,
      })
      const init = `analytics.init(${JSON.stringify(own.token)}, ${options})`
      const tag =
        build === 'script'
          ? `<script nonce="n">${SNIPPET}\n${init}</script>`
          : `<script type="module" nonce="n">import { analytics } from '/sdk/main.js'; window.analytics = analytics; ${init}</script>`
      site.page(
        path,
        `<!doctype html><html lang="en"><head><title>Shop</title><meta name="viewport" content="width=device-width">${tag}</head><body>${body}</body></html>`,
        headers,
      )
    })
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

const boxOf = (page: Page, { id }: Survey) => page.locator(`.PostHogSurvey-${id}`)

for (const build of BUILDS)
  test(`${build} build: a popover asks an open question once, and its events are stored`, async ({
    page,
    site,
    place,
    launch,
    reported,
  }) => {
    const survey = await launch({ appearance: { displayThankYouMessage: true } })
    place('/', undefined, {}, build)
    await page.goto(site.url)
    const box = boxOf(page, survey)
    await expect(box.locator('.survey-question')).toHaveText('What can we do better?')
    await expect(box.locator('.form-submit')).toBeDisabled()
    // Nobody asked for the survey.
    expect(await page.evaluate(() => document.activeElement!.tagName)).toBe('BODY')
    await box.locator('textarea').fill('  Faster checkout ')
    await box.locator('.form-submit').click()
    await expect(box.locator('.thank-you-message')).toContainText('Thank you!')
    await box.locator('.form-submit').click()
    await expect(box).toHaveCount(0)
    const events = await reported(2)
    expect(events.map(({ event }) => event)).toEqual(['survey shown', 'survey sent'])
    const [shown, sent] = events.map(({ properties }) => properties)
    expect(shown).toMatchObject({ $survey_id: survey.id, $survey_name: survey.name })
    expect(sent).toMatchObject({
      $survey_id: survey.id,
      $survey_completed: true,
      $survey_response: 'Faster checkout',
      [`$survey_response_${survey.questions[0]!.id}`]: 'Faster checkout',
      $survey_questions: [{ id: survey.questions[0]!.id, question: OPEN.question, response: 'Faster checkout' }],
      $set: { [`$survey_responded/${survey.id}`]: true },
    })
    await page.reload()
    await page.waitForFunction(
      () => new Promise((done) => window.analytics.getActiveMatchingSurveys((all) => done(!all.length))),
    )
    await expect(box).toHaveCount(0)
  })
