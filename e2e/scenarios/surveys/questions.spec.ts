import type { SurveyQuestion } from '../../../src/types'
import { expect } from '../../support/scenario'
import { AXE, boxOf, type Draft, expectAccessible, OPEN, test } from '../../support/surveys'

// Questions, answers and their events. Eligibility and branches have unit tests.

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
  // In one task, because the delay may end between two steps of a test.
  await page.evaluate(() => {
    window.analytics.capture('opened')
    window.analytics.capture('left')
  })
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

test('each iteration asks once, three quick clicks on Submit are not a rage click, and pages for posthog-js place a survey', async ({
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
