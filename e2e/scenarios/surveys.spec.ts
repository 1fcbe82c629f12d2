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
    // The survey opened automatically.
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

/** Fails on violations of WCAG 2.2 AA in a survey, in light and dark, from right to left, and on a narrow screen. */
const expectAccessible = async (page: Page, survey: Survey) => {
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

test('all types of questions can be answered by keyboard, are accessible, and comply with a strict policy', async ({
  page,
  site,
  place,
  own,
  launch,
  reported,
}) => {
  const link = 'https://shop.example/terms'
  const questions: SurveyQuestion[] = [
    {
      ...OPEN,
      description: 'In <b>your</b> words<script>window.hacked = 1</script>',
      validation: [{ type: 'min_length', value: 3 }],
    },
    { type: 'single_choice', question: 'Which color?', choices: ['Red', 'Blue', 'Other'], hasOpenChoice: true },
    { type: 'multiple_choice', question: 'Which sizes?', choices: ['S', 'M', 'L'] },
    {
      type: 'rating',
      question: 'How likely?',
      display: 'number',
      scale: 10,
      lowerBoundLabel: 'Not',
      upperBoundLabel: 'Very',
    },
    {
      type: 'rating',
      question: 'How was it?',
      display: 'emoji',
      scale: 5,
      lowerBoundLabel: 'Bad',
      upperBoundLabel: 'Good',
      skipSubmitButton: true,
    },
    { type: 'rating', question: 'Happy?', display: 'emoji', scale: 2, optional: true },
    { type: 'link', question: 'Read the terms', link, buttonText: 'Terms' },
  ]
  const survey = await launch({
    questions,
    appearance: {
      allowGoBack: true,
      displayThankYouMessage: true,
      thankYouMessageDescription: 'We read <i>everything</i>',
    },
  })
  const policy = `default-src 'none'; script-src 'nonce-n' ${own.url}; connect-src ${own.url}; style-src 'none'; require-trusted-types-for 'script'; trusted-types trailmark`
  place('/', '<main><h1>Shop</h1><button id="before">Before</button></main>', {}, 'script', {
    'Content-Security-Policy': policy,
  })
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.addInitScript(AXE)
  await page.goto(site.url)
  const box = boxOf(page, survey)
  const heading = box.locator('.survey-question')
  const submit = box.locator('.form-submit')
  const next = async (question: string) => {
    await expectAccessible(page, survey)
    await page.keyboard.press('Enter')
    await expect(heading).toHaveText(question)
  }
  await expect(heading).toHaveText(OPEN.question)
  await expect(box.locator('.survey-question-description b')).toHaveText('your')
  await expect(box.locator('.validation-hint')).toHaveText('Enter at least 3 characters')
  await page.locator('#before').focus()
  await page.keyboard.press('Tab')
  await expect(box.locator('.form-cancel')).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.type('no')
  await expect(submit).toBeDisabled()
  await page.keyboard.type('thing')
  await page.keyboard.press('Tab')
  await expect(submit).toBeFocused()
  await next('Which color?')
  // The focus stays in the survey, at its new question.
  await expect(heading).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(box.locator('#surveyQuestion1Choice2, #surveyQuestion1Choice1').last()).toBeChecked()
  await box.locator('#surveyQuestion1Choice2Open').fill('Green')
  await next('Which sizes?')
  await box.getByLabel('L', { exact: true }).check()
  await box.getByLabel('S', { exact: true }).check()
  await submit.focus()
  await next('How likely?')
  await expect(box.locator('.ratings-number')).toHaveCount(11)
  await box.locator('button[aria-label="Rate 0"]').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await expect(box.locator('[aria-checked=true]')).toHaveText('9')
  await submit.focus()
  await next('How was it?')
  // Arrow keys choose and never submit.
  await box.locator('button[aria-label="Rate 1"]').focus()
  await page.keyboard.press('ArrowRight')
  await expect(box.locator('.rating-active')).toHaveAttribute('aria-label', 'Rate 2')
  await next('Happy?')
  await box.locator('.form-back').click()
  await expect(box.locator('.rating-active')).toHaveAttribute('aria-label', 'Rate 2')
  await submit.click()
  await expectAccessible(page, survey)
  await submit.click()
  await expect(submit).toHaveAttribute('href', link)
  await expectAccessible(page, survey)
  await submit.evaluate((element) => element.addEventListener('click', (event) => event.preventDefault()))
  await submit.click()
  await expect(box.locator('.thank-you-message-body i')).toHaveText('everything')
  await expectAccessible(page, survey)
  await expect(box.locator('.thank-you-message')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(box).toHaveCount(0)
  const [, sent] = await reported(2)
  expect(
    (sent!.properties.$survey_questions as { response: unknown }[]).map(({ response }) => response ?? null),
  ).toEqual(['nothing', 'Green', ['S', 'L'], 9, 2, null, 'link clicked'])
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(problems).toEqual([])
})

test('a widget opens from its tab, a button and the page, gives the focus back, and stays closed once it was dismissed', async ({
  page,
  site,
  place,
  launch,
  reported,
}) => {
  const tab = await launch({
    type: 'widget',
    schedule: 'always',
    appearance: {
      widgetType: 'tab',
      widgetLabel: 'Feedback',
      widgetColor: 'white',
      tabPosition: 'left',
      position: 'middle_left',
    },
  })
  const selector = await launch({
    type: 'widget',
    questions: [{ ...OPEN, question: 'From the page?' }],
    appearance: { widgetType: 'selector', widgetSelector: '#give', position: 'next_to_trigger' },
  })
  place(
    '/',
    '<main style="padding:200px 20px"><button id="give">Give feedback</button></main><script nonce="n">clicks = 0; addEventListener("click", () => clicks += 1)</script>',
  )
  await page.addInitScript(AXE)
  await page.goto(site.url)
  const button = boxOf(page, tab).locator('.ph-survey-widget-tab')
  await expect(button).toHaveText('Feedback')
  expect(await button.evaluate((element) => [getComputedStyle(element).left, getComputedStyle(element).color])).toEqual(
    ['0px', 'rgb(2, 6, 23)'],
  )
  for (let time = 0; time < 2; time += 1) {
    await button.click()
    // The visitor opened the survey.
    await expect(boxOf(page, tab).locator('textarea')).toBeFocused()
    if (!time) await expectAccessible(page, tab)
    await page.keyboard.press('Escape')
    await expect(boxOf(page, tab).locator('.ph-survey')).toHaveCount(0)
    await expect(button).toBeFocused()
  }
  const give = page.locator('#give[PHWidgetSurveyClickListener]')
  await give.click()
  const form = boxOf(page, selector).locator('.ph-survey')
  await expect(form.locator('.survey-question')).toHaveText('From the page?')
  const [at, from] = [(await form.boundingBox())!, (await give.boundingBox())!]
  expect(Math.abs(at.y - (from.y + from.height + 12))).toBeLessThan(2)
  await form.locator('.form-cancel').click()
  await expect(form).toHaveCount(0)
  await expect(page.locator('[PHWidgetSurveyClickListener]')).toHaveCount(0)
  await page.evaluate(
    (id) => dispatchEvent(new CustomEvent('ph:show_survey_widget', { detail: { surveyId: id } })),
    tab.id,
  )
  await expect(boxOf(page, tab).locator('.ph-survey')).toBeVisible()
  // Pages close a survey by dispatching an event.
  await page.evaluate((id) => dispatchEvent(new CustomEvent('PHSurveyClosed', { detail: { surveyId: id } })), tab.id)
  await expect(boxOf(page, tab).locator('.ph-survey')).toHaveCount(0)
  const dismissed = (await reported(8)).filter(({ event }) => event === 'survey dismissed')
  expect(dismissed.map(({ properties }) => properties.$survey_partially_completed)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('events arm and cancel surveys, a delay can be canceled, and branches, partial answers and reloads keep one submission', async ({
  page,
  site,
  place,
  launch,
  reported,
}) => {
  const survey = await launch({
    questions: [
      {
        type: 'rating',
        question: 'How likely?',
        display: 'number',
        scale: 10,
        skipSubmitButton: true,
        branching: { type: 'response_based', responseValues: { detractors: 2, promoters: 'end' } },
      },
      { ...OPEN, question: 'Skipped' },
      { ...OPEN, question: 'What is missing?' },
    ],
    enable_partial_responses: true,
    conditions: {
      events: { values: [{ name: 'bought', propertyFilters: { plan: { values: ['pro'], operator: 'exact' } } }] },
    },
  })
  const delayed = await launch({
    name: 'Delayed',
    appearance: { surveyPopupDelaySeconds: 1 },
    conditions: { events: { values: [{ name: 'opened' }] }, cancelEvents: { values: [{ name: 'left' }] } },
  })
  place('/')
  await page.goto(site.url)
  const capture = (name: string, properties = {}) =>
    page.evaluate(
      ([event, more]) => void window.analytics.capture(event as string, more as Record<string, unknown>),
      [name, properties],
    )
  await page.waitForFunction(
    () => new Promise((done) => window.analytics.onSurveysLoaded((all) => done(all.length === 2))),
  )
  await capture('opened')
  await capture('left')
  await capture('bought', { plan: 'free' })
  expect(await page.evaluate((id) => window.analytics.canRenderSurveyAsync(id), survey.id)).toEqual({
    visible: false,
    disabledReason: 'condition not met: event',
  })
  await capture('bought', { plan: 'pro' })
  const box = boxOf(page, survey)
  await box.locator('.question-0-rating-3').click()
  await expect(box.locator('.survey-question')).toHaveText('What is missing?')
  await expect(boxOf(page, delayed)).toHaveCount(0)
  await page.reload()
  // The survey is armed until it is answered, but only in memory, so the event is needed again.
  await page.waitForFunction(
    () => new Promise((done) => window.analytics.onSurveysLoaded((all) => done(all.length === 2))),
  )
  await capture('bought', { plan: 'pro' })
  await expect(box.locator('.survey-question')).toHaveText('What is missing?')
  await box.locator('textarea').fill('Nothing')
  await page.keyboard.press('Control+Enter')
  await expect(box).toHaveCount(0)
  const events = await reported(5)
  expect(events.map(({ event }) => event)).toEqual([
    'survey shown',
    'survey sent',
    'survey abandoned',
    'survey shown',
    'survey sent',
  ])
  const sent = events.filter(({ event }) => event === 'survey sent').map(({ properties }) => properties)
  expect(
    sent.map(({ $survey_completed, $survey_response, $survey_response_2 }) => [
      $survey_completed,
      $survey_response,
      $survey_response_2,
    ]),
  ).toEqual([
    [false, 3, undefined],
    [true, 3, 'Nothing'],
  ])
  expect(new Set(sent.map(({ $survey_submission_id }) => $survey_submission_id)).size).toBe(1)
})

test('a survey is shown in one tab, is removed on opt-out and reset, and is shown inline in the page’s own style', async ({
  page,
  site,
  place,
  launch,
  context,
}) => {
  const survey = await launch({
    questions: [{ ...OPEN, translations: { de: { question: 'Was fehlt?' } } }],
    appearance: { backgroundColor: '#123456' },
  })
  place('/', '<main><h1>Shop</h1><div id="here"></div></main>', { override_display_language: 'de' })
  await page.goto(site.url)
  const box = boxOf(page, survey)
  await expect(box.locator('.survey-question')).toHaveText('Was fehlt?')
  const colors = await box
    .locator('.survey-form')
    .evaluate((form) => [getComputedStyle(form).backgroundColor, getComputedStyle(form).color])
  expect(colors).toEqual(['rgb(18, 52, 86)', 'rgb(255, 255, 255)'])
  const other = await context.newPage()
  await other.goto(site.url)
  await other.waitForFunction(async (id) => (await window.analytics.canRenderSurveyAsync(id)).visible, survey.id)
  await other.evaluate(() => new Promise((done) => requestIdleCallback(done)))
  await expect(boxOf(other, survey)).toHaveCount(0)
  await other.close()

  await page.evaluate(() => window.analytics.renderSurvey('unknown', '#here'))
  const inFrame = await page.evaluate(async () => {
    window.analytics.opt_out_capturing()
    await new Promise(requestAnimationFrame)
    return document.querySelectorAll('[class^=PostHogSurvey]').length
  })
  expect(inFrame).toBe(0)
  await page.evaluate(() => window.analytics.opt_in_capturing())
  await expect(box.locator('.survey-question')).toBeVisible()
  await box.locator('.form-cancel').click()
  await expect(box).toHaveCount(0)
  expect(await page.evaluate((id) => localStorage.getItem(`seenSurvey_${id}`), survey.id)).toBe('true')
  await page.evaluate(() => window.analytics.reset())
  expect(await page.evaluate((id) => localStorage.getItem(`seenSurvey_${id}`), survey.id)).toBeNull()

  await page.evaluate((id) => window.analytics.renderSurvey(id, '#here'), survey.id)
  const inline = page.locator('#here .survey-form')
  await inline.locator('textarea').fill('Alles gut')
  expect(
    await inline.evaluate((form) => [getComputedStyle(form).backgroundColor, form.querySelector('.form-cancel')]),
  ).toEqual(['rgba(0, 0, 0, 0)', null])
  await inline.locator('.form-submit').click()
  await expect(page.locator('#here')).toBeEmpty()
})

test('neither code nor surveys are fetched without surveys or with disable_surveys, and every method returns a value', async ({
  page,
  site,
  place,
  launch,
}) => {
  const requests: string[] = []
  page.on('request', (request) => /surveys/.test(request.url()) && requests.push(request.url()))
  const answers = () =>
    page.evaluate(async () => {
      const { analytics } = window
      const list = (method: 'getSurveys' | 'getActiveMatchingSurveys' | 'onSurveysLoaded') =>
        new Promise((done) => analytics[method]((all, context) => done([all.length, context?.isLoaded])))
      analytics.displaySurvey('x')
      return [
        await list('getSurveys'),
        await list('getActiveMatchingSurveys'),
        await list('onSurveysLoaded'),
        (await analytics.canRenderSurveyAsync('x')).visible,
        analytics.canRenderSurvey('x').visible,
      ]
    })
  place('/')
  await page.goto(site.url)
  expect(await answers()).toEqual([[0, true], [0, true], [0, true], false, false])
  const survey = await launch({})
  place('/', undefined, { disable_surveys: true })
  await page.goto(site.url)
  expect(await answers()).toEqual([[0, false], [0, false], [0, false], false, false])
  expect(requests).toEqual([])
  place('/', undefined, { disable_surveys_automatic_display: true })
  await page.goto(site.url)
  expect(await page.evaluate((id) => window.analytics.canRenderSurveyAsync(id), survey.id)).toEqual({ visible: true })
  await expect(boxOf(page, survey)).toHaveCount(0)
  await page.evaluate(
    (id) => window.analytics.displaySurvey(id, { initialResponses: { 0: 'Given' }, properties: { plan: 'pro' } }),
    survey.id,
  )
  await page.waitForFunction((id) => localStorage.getItem(`seenSurvey_${id}`), survey.id)
  await expect(boxOf(page, survey)).toHaveCount(0)
  await page.evaluate((id) => window.analytics.displaySurvey(id, { ignoreConditions: true }), survey.id)
  await expect(boxOf(page, survey).locator('textarea')).toBeVisible()
  await page.evaluate(() => window.analytics.set_config({ disable_surveys: true }))
  await expect(boxOf(page, survey)).toHaveCount(0)
})

test('the hosted page takes answers from its URL, passes questions that need no button, and stores nothing', async ({
  page,
  own,
  launch,
}) => {
  const survey = await launch({
    type: 'external_survey',
    questions: [
      { type: 'rating', question: 'How likely?', display: 'number', scale: 10, skipSubmitButton: true },
      { type: 'single_choice', question: 'Which color?', choices: ['Red', 'Blue'] },
    ],
    appearance: { displayThankYouMessage: true },
  })
  // Events of automated browsers are dropped, and the page has no option for tests.
  await page.addInitScript(() => {
    const names = { webdriver: false, userAgent: navigator.userAgent.replace('Headless', ''), userAgentData: undefined }
    for (const [name, value] of Object.entries(names)) Object.defineProperty(navigator, name, { value })
  })
  await page.goto(`${own.url}/external_surveys/${survey.id}?q0=8&q1=1&plan=pro&q0=%`)
  await expect(page.locator('#survey .survey-question')).toHaveText('Which color?')
  await expect(page.getByLabel('Blue')).toBeChecked()
  await page.locator('.form-submit').click()
  await expect(page.locator('#survey .thank-you-message')).toContainText('Thank you!')
  await expect
    .poll(async () => (await own.api('GET', `/surveys/${survey.id}/results`)).body, { timeout: 20_000 })
    .toMatchObject({ completed: { events: 1, people: 1 } })
})

test('without Web Locks and a sanitizer of the browser, a lease keeps a survey in one tab and DOMPurify cleans it', async ({
  page,
  site,
  place,
  own,
  launch,
  context,
}) => {
  const survey = await launch({
    questions: [
      {
        ...OPEN,
        question: 'W'.repeat(60),
        description:
          '<h2>In</h2> <p><b>your</b> words</p><svg viewBox="0 0 1 1"><path d="M0 0"/></svg><script>hacked = 1</script>' +
          '<img src="x:" onerror="hacked = 1"><a href="javascript:hacked = 1">x</a>',
      },
    ],
  })
  await context.addInitScript(() => {
    Object.defineProperty(navigator, 'locks', { value: undefined })
    delete (Element.prototype as { setHTML?: unknown }).setHTML
  })
  place('/')
  await page.goto(site.url)
  const description = boxOf(page, survey).locator('.survey-question-description')
  await expect(description.locator('b')).toHaveText('your')
  expect(
    await description.evaluate((element) => [...element.querySelectorAll('*')].map(({ localName }) => localName)),
  ).toEqual(['h2', 'p', 'b', 'svg', 'path', 'a'])
  await expect(description.locator('a')).not.toHaveAttribute('href')
  // Long words wrap.
  const form = boxOf(page, survey).locator('.survey-form')
  expect(await form.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true)
  const lease = () => page.evaluate((id) => localStorage.getItem(`survey:${id}`), survey.id)
  expect(await lease()).not.toBeNull()

  const other = await context.newPage()
  await other.goto(site.url)
  await other.waitForFunction(async (id) => (await window.analytics.canRenderSurveyAsync(id)).visible, survey.id)
  // Long enough for a renewal, which keeps the lease.
  const first = await lease()
  await expect.poll(lease).not.toBe(first)
  await expect(boxOf(other, survey)).toHaveCount(0)
  await other.close()
  // The lease of the previous page does not block the survey on the next.
  await page.reload()
  await boxOf(page, survey).locator('.form-cancel').click()
  expect(await lease()).toBeNull()
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)

  // A page that forbids DOMPurify's policy: DOMPurify returns nothing, and the text is shown without formatting.
  await page.evaluate(() => window.analytics.reset())
  place('/strict', undefined, {}, 'script', {
    'Content-Security-Policy': `script-src 'nonce-n' ${own.url}; require-trusted-types-for 'script'; trusted-types trailmark`,
  })
  await page.goto(`${site.url}/strict`)
  await expect(description).toContainText('your words')
  await expect(description.locator('*')).toHaveCount(0)
})

test('a popover leaves the focus of the page visible, works in a modal dialog and above a keyboard, and follows the language', async ({
  page,
  site,
  place,
  launch,
  reported,
}) => {
  const survey = await launch({
    questions: [{ ...OPEN, translations: { de: { question: 'Was fehlt?' } } }],
    conditions: { url: '/dialog' },
    appearance: { displayThankYouMessage: true, autoDisappear: true },
  })
  await page.clock.install()
  place(
    '/dialog',
    '<style>dialog{transform:scale(.5);overflow:hidden}</style><dialog><h1>Cart</h1><button>Keep</button></dialog><script nonce="n">document.querySelector("dialog").showModal()</script>' +
      '<button id="first">First</button><button id="corner" style="position:fixed;bottom:60px;right:60px">Corner</button>',
  )
  await page.goto(`${site.url}/dialog`)
  const box = boxOf(page, survey).locator('.ph-survey')
  const rectOf = async (selector: string) => (await page.locator(selector).boundingBox())!
  const question = box.locator('.survey-question')
  await page.locator('dialog .ph-survey textarea').fill('In the dialog')
  // Styles of the dialog do not move it.
  const inDialog = (await page.locator('dialog .ph-survey').boundingBox())!
  expect([inDialog.width, Math.round(inDialog.x + inDialog.width)]).toEqual([300, 1250])
  // It moves out of a closing dialog with its text and focus, and into a dialog that opens later.
  await page.evaluate(() => document.querySelector('dialog')!.close())
  const field = page.locator('body > [class^=PostHogSurvey] textarea')
  await expect(field).toHaveValue('In the dialog')
  await expect(field).toBeFocused()
  await page.evaluate(() => document.querySelector('dialog')!.showModal())
  await page.locator('dialog .ph-survey textarea').fill('In the dialog again')
  // Without its dialog it is on the page again, and it is not restored if the page removes it.
  await page.evaluate(() => document.querySelector('dialog')!.remove())
  await expect(field).toHaveValue('In the dialog again')
  await page.evaluate(() => document.querySelector('[class^=PostHogSurvey]')!.remove())
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await expect(box).toHaveCount(0)
  place(
    '/dialog/none',
    '<button id="first">First</button><button id="corner" style="position:fixed;bottom:60px;right:60px">Corner</button>',
  )
  await page.goto(`${site.url}/dialog/none`)
  await expect(box).toBeVisible()
  const at = (await box.boundingBox())!
  expect(at.x).toBeGreaterThan(640)
  await page.locator('#first').focus()
  await page.keyboard.press('Tab')
  await expect(page.locator('#corner')).toBeFocused()
  const [moved, corner] = [(await box.boundingBox())!, await rectOf('#corner')]
  expect(moved.x + moved.width).toBeLessThanOrEqual(corner.x)
  await page.keyboard.press('Shift+Tab')
  expect(await box.boundingBox()).toEqual(at)

  // A phone's on-screen keyboard shrinks the visual viewport.
  await page.evaluate(() => {
    Object.defineProperty(visualViewport!, 'height', { value: 420 })
    visualViewport!.dispatchEvent(new Event('resize'))
  })
  const above = (await box.boundingBox())!
  expect([above.y >= 0, above.y + above.height <= 420]).toEqual([true, true])

  // A survey without an answer follows the language of the browser.
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'language', { value: 'de-CH', configurable: true })
    dispatchEvent(new Event('languagechange'))
  })
  await expect(question).toHaveText('Was fehlt?')
  expect(await question.evaluate((element) => (element.getRootNode() as ShadowRoot).host.getAttribute('lang'))).toBe(
    'de',
  )
  await box.locator('textarea').fill('Nichts')
  await box.locator('.form-submit').click()
  const thanks = box.locator('.thank-you-message')
  await expect(thanks).toBeVisible()
  // The message stays while the pointer is over it.
  await thanks.hover()
  await page.clock.fastForward(5000)
  await expect(thanks).toBeVisible()
  await page.mouse.move(10, 10)
  await page.clock.fastForward(5000)
  await expect(box).toHaveCount(0)
  const events = await reported(3)
  expect(events.map(({ event, properties: { $survey_language: language } }) => [event, language ?? null])).toEqual([
    ['survey shown', null],
    ['survey shown', null],
    ['survey sent', 'de'],
  ])
})

test('each iteration asks once, three quick clicks on Submit are no rage click, and pages for posthog-js place a survey', async ({
  page,
  context,
  site,
  own,
  place,
  launch,
  reported,
}) => {
  const weeksAgo = (count: number) => new Date(Date.now() - count * 7 * 86_400_000 - 60_000).toISOString()
  const questions = ['One?', 'Two?', 'Three?'].map((question): SurveyQuestion => ({
    ...OPEN,
    question,
    optional: true,
  }))
  const survey = await launch({
    questions,
    schedule: 'recurring',
    iteration_count: 3,
    iteration_frequency_days: 7,
    start_date: weeksAgo(1),
  } as Draft)
  place('/', '<main><h1>Shop</h1><div id="here"></div></main>', { autocapture: true, rageclick: true })
  const box = boxOf(page, survey)
  await page.goto(site.url)
  const submit = (await box.locator('.form-submit').boundingBox())!
  await page.mouse.click(submit.x + 20, submit.y + 10, { clickCount: 3, delay: 20 })
  await expect(box).toHaveCount(0)
  const isSilent = () =>
    page.evaluate(() => new Promise((done) => window.analytics.getActiveMatchingSurveys((all) => done(!all.length))))
  await page.reload()
  await page.waitForFunction(() => window.analytics?.__loaded)
  expect(await isSilent()).toBe(true)
  await own.api('PATCH', `/surveys/${survey.id}`, { start_date: weeksAgo(2) })
  // The browser keeps surveys for a minute.
  await (await context.newCDPSession(page)).send('Network.clearBrowserCache')
  await page.reload()
  await expect(box.locator('.survey-question')).toHaveText('One?')
  await box.locator('.form-cancel').click()
  const events = await reported(4)
  expect(events.map(({ event, properties: { $survey_iteration: iteration } }) => [event, iteration])).toEqual([
    ['survey shown', 2],
    ['survey sent', 2],
    ['survey shown', 3],
    ['survey dismissed', 3],
  ])
  const captured = (await own.events(site.host)).map(({ event }) => event)
  expect(captured.filter((event) => event === '$autocapture')).toHaveLength(4)
  expect(captured).not.toContain('$rageclick')

  await page.evaluate((survey) => {
    const { _surveyManager: manager } = window.analytics.surveys!
    manager!.renderSurvey(survey, document.querySelector('#here')!, { plan: 'pro' })
  }, survey)
  await expect(page.locator('#here .survey-question')).toHaveText('One?')
  expect((await reported(5))[4]!.properties).toMatchObject({ $survey_id: survey.id, plan: 'pro' })
})

test('a popover takes no key from the page, moves nothing of it, and leaves Tab and Escape to it', async ({
  page,
  site,
  place,
  launch,
}) => {
  const survey = await launch({
    questions: [{ ...OPEN, optional: true }],
    conditions: { events: { values: [{ name: 'asked' }] } },
  })
  place(
    '/',
    `<main style="height:3000px;padding-top:1000px"><input id="search"><button id="after">After</button></main>
    <script nonce="n">
      escapes = shifts = 0
      addEventListener('keydown', (event) => (escapes += event.key === 'Escape' && !event.defaultPrevented))
      new PerformanceObserver((list) => (shifts += list.getEntries().length)).observe({ type: 'layout-shift' })
    </script>`,
  )
  await page.goto(site.url)
  await page.waitForFunction(
    () => new Promise((done) => window.analytics.onSurveysLoaded((all) => done(all.length === 1))),
  )
  await page.locator('#search').focus()
  const before = await page.evaluate(() => scrollY)
  const box = boxOf(page, survey).locator('.ph-survey')
  await page.keyboard.type('wool ')
  await page.evaluate(() => void window.analytics.capture('asked'))
  // Until it is visible, and after that.
  let typed = 'wool '
  while (!(await box.isVisible())) {
    await page.keyboard.type('a')
    typed += 'a'
  }
  await page.keyboard.type(' socks')
  await expect(page.locator('#search')).toHaveValue(`${typed} socks`)
  await page.keyboard.press('Escape')
  await expect(box).toBeVisible()
  // Past the survey, which is the last of the page, and back.
  await page.keyboard.press('Tab')
  await expect(page.locator('#after')).toBeFocused()
  for (const selector of ['.form-cancel', 'textarea', '.form-submit']) {
    await page.keyboard.press('Tab')
    await expect(boxOf(page, survey).locator(selector)).toBeFocused()
  }
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(box.locator(':focus')).toHaveCount(0)
  const counts = await page.evaluate(() => {
    const { escapes, shifts } = globalThis as unknown as Record<string, number>
    return [scrollY, escapes, shifts]
  })
  expect(counts).toEqual([before, 1, 0])
  // Inside the survey, Escape closes it.
  await box.locator('textarea').focus()
  await page.keyboard.press('Escape')
  await expect(box).toHaveCount(0)
})
