import { expect } from '../../support/scenario'
import { AXE, boxOf, expectAccessible, OPEN, test } from '../../support/surveys'

// Widgets, hosted surveys, and sites without surveys. Eligibility and branches have unit tests.

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
    .poll(async () => (await own.api('GET', `/surveys/${survey.id}/results`)).body)
    .toMatchObject({ completed: { events: 1, people: 1 } })
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

test('a page that has removed its body gets no error from a widget', async ({ page, site, place, launch }) => {
  await launch({ type: 'widget', appearance: { widgetType: 'tab', widgetLabel: 'Feedback' } })
  const errors: string[] = []
  const warnings: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => warnings.push(message.text()))
  place('/', '<script nonce="n">addEventListener("load", () => document.body.remove())</script>')
  await page.goto(site.url)
  await expect.poll(() => warnings.join()).toContain('widget failed')
  expect(errors).toEqual([])
})
