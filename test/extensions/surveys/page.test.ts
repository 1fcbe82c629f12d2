import type { Options } from '../../../src/client/publicApi'
import type { LoadExtension } from '../../../src/extensions/contract'
import * as surveys from '../../../src/extensions/surveys/surveys'
import * as surveysView from '../../../src/extensions/surveysView/surveysView'
import * as clicks from '../../../src/extensions/clicks/clicks'
import type { Survey, SurveyQuestion } from '../../../src/types'
import { NO_FLAGS, startAnalytics } from '../../support/startAnalytics'

// Surveys on a page, from the response of the service to the events. e2e/scenarios/surveys/ has what needs a browser.

const EXTENSIONS = { surveys, surveysView, clicks } as Record<string, Awaited<ReturnType<LoadExtension>>>
const load: LoadExtension = async (name) => {
  if (EXTENSIONS[name]) return EXTENSIONS[name]
  throw new Error(`${name} is not here`)
}

const OPEN: SurveyQuestion = { id: 'q', type: 'open', question: 'What is missing?' }

const survey = (changes: Partial<Survey> = {}): Survey => ({
  id: 's1',
  name: 'Survey',
  type: 'popover',
  questions: [OPEN],
  start_date: '2026-11-01T00:00:00Z',
  ...changes,
})

/** Opens a page of a project with these surveys. `flags`: keys that are on. */
const openPage = async (all: readonly Survey[], flags: readonly string[] = [], config: Options = {}) => {
  const started = startAnalytics(config, 'token', undefined, load)
  const { analytics, sent, settle } = started
  const respond = (on: readonly string[]) =>
    started.setApiResponse(200, {
      ...NO_FLAGS,
      flags: Object.fromEntries(on.map((key) => [key, { key, enabled: true }])),
      surveys: all,
    })
  respond(flags)
  await settle(500)
  const rootOf = (id = 's1') => document.querySelector(`.PostHogSurvey-${id}`)?.shadowRoot
  return {
    ...started,
    respond,
    rootOf,
    /** The question that a survey shows; undefined: it is not open. */
    question: (id?: string) => rootOf(id)?.querySelector('.survey-question')?.textContent ?? undefined,
    click: (selector: string, id?: string) => rootOf(id)!.querySelector<HTMLElement>(selector)!.click(),
    write: (text: string) => {
      const field = rootOf()!.querySelector('textarea')!
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
    },
    /** Leaves the page: its code ends, and what it has stored stays. */
    leave: async () => {
      await analytics.shutdown()
      document.body.innerHTML = ''
    },
    /** The events of surveys that the service has received. */
    events: async () => {
      await settle(5000)
      return sent.filter(({ event }) => event.startsWith('survey '))
    },
  }
}

test('closing the intro of a survey captures survey shown and survey dismissed without an answer', async () => {
  const appearance = { displayIntroScreen: true, introScreenHeader: 'A moment?' }
  const { rootOf, click, events } = await openPage([survey({ appearance })])
  expect(rootOf()!.querySelector('.intro-screen')!.textContent).toContain('A moment?')
  expect(rootOf()!.querySelector('.survey-question')).toBeNull()
  click('.form-cancel')
  const [shown, dismissed, ...more] = await events()
  expect([shown!.event, dismissed!.event, more]).toEqual(['survey shown', 'survey dismissed', []])
  expect(dismissed!.properties).toMatchObject({ $survey_partially_completed: false })
  expect(dismissed!.properties).not.toHaveProperty('$survey_response')
})

describe('another person', () => {
  const two = survey({ questions: [OPEN, { ...OPEN, id: 'r', question: 'Why?' }], enable_partial_responses: true })
  const answer = async (page: Awaited<ReturnType<typeof openPage>>, text: string) => {
    page.write(text)
    await page.settle(10)
    page.click('.form-submit')
    await page.settle(10)
  }

  test.each<[title: string, change: (analytics: Awaited<ReturnType<typeof openPage>>['analytics']) => void]>([
    ['reset', (analytics) => analytics.reset()],
    ['identify of another id', (analytics) => analytics.identify('bob')],
  ])('does not continue a survey after %s on a page without surveys', async (_, change) => {
    jest.spyOn(console, 'warn').mockImplementation(() => {})
    const first = await openPage([two])
    first.analytics.identify('alice')
    await first.settle(10)
    await answer(first, 'Tea of Alice')
    await first.leave()
    const without = await openPage([two], [], { disable_surveys: true })
    change(without.analytics)
    await without.leave()
    const next = await openPage([two])
    expect(next.question()).toBe('What is missing?')
    await answer(next, 'Tea of Bob')
    const ofNext = (await next.events()).filter(({ properties }) => properties.distinct_id !== 'alice')
    expect(ofNext.map(({ event }) => event)).toEqual(['survey shown', 'survey sent'])
    expect(JSON.stringify(ofNext)).not.toContain('Alice')
  })

  test('closes the survey of the previous one, in the middle of an answer', async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => {})
    const page = await openPage([two])
    page.analytics.identify('alice')
    page.write('Tea of Alice')
    page.analytics.identify('bob')
    expect(page.question()).toBeUndefined()
  })

  test('does not see a survey that was to be shown to the previous one when surveys had loaded', async () => {
    const slow: LoadExtension = async (name) => {
      await new Promise((done) => setTimeout(done, 3000))
      return load(name)
    }
    const started = startAnalytics({ disable_surveys_automatic_display: true }, 'token', undefined, slow)
    started.setApiResponse(200, { ...NO_FLAGS, surveys: [survey()] })
    await started.settle(1000)
    started.analytics.displaySurvey('s1', { properties: { note: 'Alice' } })
    started.analytics.reset()
    await started.settle(10_000)
    expect(document.querySelector('.PostHogSurvey-s1')).toBeNull()
  })
})

describe('the delay of a survey', () => {
  const delayed = (changes: Partial<Survey> = {}) =>
    survey({
      appearance: { surveyPopupDelaySeconds: 10 },
      internal_targeting_flag_key: 'survey-targeting-1',
      ...changes,
    })

  test('ends without the survey if a flag has changed for the visitor meanwhile', async () => {
    const { analytics, respond, settle, question, events } = await openPage([delayed()], ['survey-targeting-1'])
    respond([])
    analytics.identify('ada')
    await settle(60_000)
    expect([question(), await events()]).toEqual([undefined, []])
  })

  test('ends with the survey if the visitor is identified and flags stay', async () => {
    const { analytics, settle, question } = await openPage([delayed()], ['survey-targeting-1'])
    analytics.identify('ada')
    expect(question()).toBeUndefined()
    await settle(10_000)
    expect(question()).toBe('What is missing?')
  })

  const triggered = delayed({
    conditions: { events: { values: [{ name: 'bought' }] } },
    internal_targeting_flag_key: null,
  })

  test('continues on the next page of the session', async () => {
    const first = await openPage([triggered])
    first.analytics.capture('bought')
    await first.settle(6000)
    await first.leave()
    const { settle, question } = await openPage([triggered])
    expect(question()).toBeUndefined()
    await settle(4000)
    expect(question()).toBe('What is missing?')
  })

  test.each([
    ['on the same page', false],
    ['on the next page', true],
  ])('is dropped by a new session %s', async (_, isNextPage) => {
    const first = await openPage([triggered])
    first.analytics.capture('bought')
    await first.settle(1000)
    if (isNextPage) await first.leave()
    const { analytics, settle, question } = isNextPage ? await openPage([triggered]) : first
    analytics.sessionManager.resetSessionId()
    analytics.capture('viewed')
    await settle(60_000)
    expect(question()).toBeUndefined()
    analytics.capture('bought')
    await settle(10_000)
    expect(question()).toBe('What is missing?')
  })
})

test("a popover with schedule 'always' is shown again on the next page view, not before", async () => {
  const { question, click, settle } = await openPage([survey({ schedule: 'always' })])
  click('.form-cancel')
  await settle(60_000)
  expect(question()).toBeUndefined()
  history.pushState({}, '', '/next')
  await settle(500)
  expect(question()).toBe('What is missing?')
  history.replaceState({}, '', '/')
})

test('two survey widgets can be open at the same time and close separately', async () => {
  const widget = (id: string) => survey({ id, type: 'widget', appearance: { widgetType: 'tab', widgetLabel: id } })
  const { question, click } = await openPage([widget('a'), widget('b')])
  for (const id of ['a', 'b']) click('.ph-survey-widget-tab', id)
  await jest.advanceTimersByTimeAsync(500)
  expect([question('a'), question('b')]).toEqual(['What is missing?', 'What is missing?'])
  click('.form-cancel', 'a')
  expect([question('a'), question('b')]).toEqual([undefined, 'What is missing?'])
  click('.form-cancel', 'b')
  expect(question('b')).toBeUndefined()
})

test.each(['popover', 'widget', 'api'] as const)(
  'displaySurvey shows a survey of type %s, also inline',
  async (type) => {
    document.body.innerHTML = '<div id="here"></div>'
    const appearance = { widgetType: 'selector', widgetSelector: '#missing', surveyPopupDelaySeconds: 60 } as const
    const { analytics, question, settle, click, events } = await openPage([survey({ type, appearance })])
    analytics.displaySurvey('unknown')
    expect(question()).toBeUndefined()
    analytics.displaySurvey('s1', { ignoreDelay: true, properties: { plan: 'pro' } })
    await settle(500)
    expect(question()).toBe('What is missing?')
    analytics.displaySurvey('s1', { displayType: 'inline', selector: '#here', ignoreConditions: true })
    await settle(500)
    expect(document.querySelector('#here .survey-form .survey-question')!.textContent).toBe('What is missing?')
    click('.form-cancel')
    expect((await events()).map(({ event, properties: { plan } }) => [event, plan])).toEqual([
      ['survey shown', 'pro'],
      ['survey shown', undefined],
      ['survey dismissed', 'pro'],
    ])
  },
)

test('the iteration of a survey is captured and stored, and the next iteration is shown again', async () => {
  const iteration = (number: number) =>
    survey({
      current_iteration: number,
      current_iteration_start_date: '2026-11-20T00:00:00Z',
      internal_targeting_flag_key: 'survey-targeting-1',
    })
  const first = await openPage([iteration(1)], ['survey-targeting-1'])
  first.write(' Stars ')
  first.click('.form-submit')
  const events = await first.events()
  expect(events.map(({ event, properties }) => [event, properties.$survey_iteration])).toEqual([
    ['survey shown', 1],
    ['survey sent', 1],
  ])
  expect(events[1]!.properties).toMatchObject({
    $survey_iteration_start_date: '2026-11-20T00:00:00Z',
    $survey_response: 'Stars',
    $set: { '$survey_responded/s1/1': true },
  })
  expect(localStorage.getItem('seenSurvey_s1_1')).toBe('true')
  await first.leave()
  const again = await openPage([iteration(1)], ['survey-targeting-1'])
  expect(again.question()).toBeUndefined()
  await again.leave()
  const next = await openPage([iteration(2)], ['survey-targeting-1'])
  expect(next.question()).toBe('What is missing?')
})

test('clicks in a survey are captured once each, without the answers', async () => {
  const questions = [OPEN, { ...OPEN, id: 'r' }, { ...OPEN, id: 's' }]
  const config = { autocapture: true, rageclick: true, capture_dead_clicks: true }
  const { settle, sent, write, click, question } = await openPage([survey({ questions })], [], config)
  for (const text of ['secret one', 'secret two', 'secret three']) {
    write(text)
    click('.form-submit')
  }
  expect(question()).toBeUndefined()
  await settle(10_000)
  expect(sent.map(({ event }) => event)).toEqual([
    'survey shown',
    '$autocapture',
    '$autocapture',
    '$autocapture',
    'survey sent',
  ])
  const clicked = sent.filter(({ event }) => event === '$autocapture')
  expect(clicked.map(({ properties }) => properties.$el_text)).toEqual(['Submit', 'Submit', 'Submit'])
  expect(JSON.stringify(clicked)).not.toContain('secret')
})

test('on_request_error is called when surveys could not be loaded', async () => {
  jest.spyOn(console, 'warn').mockImplementation(() => {})
  const on_request_error = jest.fn()
  const started = startAnalytics({ on_request_error, advanced_enable_surveys: true }, 'token', undefined, load)
  const { settle } = started
  started.setApiResponse(200, NO_FLAGS)
  const { fetch } = globalThis
  const failed = { status: 503, text: async () => '{"detail":"later"}', headers: { get: () => null } }
  globalThis.fetch = jest.fn(async (url: string, init: RequestInit) =>
    url.includes('/api/surveys/') ? failed : fetch(url, init),
  ) as never
  await settle(500)
  expect(on_request_error.mock.calls).toEqual([
    [{ statusCode: 503, text: '{"detail":"later"}', json: { detail: 'later' } }],
  ])
})

test('no event of a key that is typed into a survey reaches the shortcuts of the page', async () => {
  const { rootOf } = await openPage([survey()])
  const heard: string[] = []
  const types = ['keydown', 'keypress', 'keyup'] as const
  const hear = ({ type, key }: KeyboardEvent) => void heard.push(`${type} ${key}`)
  types.forEach((type) => document.addEventListener(type, hear))
  const field = rootOf()!.querySelector('textarea')!
  const press = (key: string, isComposing = false) =>
    types.forEach((type) =>
      field.dispatchEvent(new KeyboardEvent(type, { key, isComposing, bubbles: true, composed: true })),
    )
  press('s')
  press('Process', true)
  types.forEach((type) => document.removeEventListener(type, hear))
  expect(heard).toEqual([])
})
