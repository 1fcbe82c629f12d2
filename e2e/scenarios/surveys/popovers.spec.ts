import { BUILDS, expect } from '../../support/scenario'
import { boxOf, OPEN, test } from '../../support/surveys'

// Popovers and inline surveys: where and when they are shown. Eligibility and branches have unit tests.

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
    // A survey that opens automatically does not take the focus.
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
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
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
  // A page that removes everything gets no error.
  await page.reload()
  await expect(box).toBeVisible()
  await page.evaluate(() => document.documentElement.replaceChildren())
  await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(errors).toEqual([])
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
  const events = await reported(4)
  expect(events.map(({ event, properties: { $survey_language: language } }) => [event, language ?? null])).toEqual([
    ['survey shown', null],
    ['survey shown', null],
    ['survey shown', null],
    ['survey sent', 'de'],
  ])
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
