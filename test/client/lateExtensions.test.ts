import type { Extension, LoadExtension } from '../../src/extensions/contract'
import * as exceptions from '../../src/extensions/exceptions/exceptions'
import * as surveys from '../../src/extensions/surveys/surveys'
import type { CapturedEvent, Properties } from '../../src/types'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'

// Calls of methods whose extension has not loaded yet, or never does.

const EXTENSIONS: Record<string, unknown> = { exceptions, surveys }

/** Returns the message of a captured exception. */
const valueOf = ({ properties }: { properties: Properties }) =>
  (properties.$exception_list as { value: string }[])[0]!.value

/** Starts a client of a project with surveys. `respond` lets the extensions load, or fail. */
const start = (hasSurveys = true) => {
  let respond = (_: boolean) => {}
  const response = new Promise<boolean>((done) => {
    respond = done
  })
  const load: LoadExtension = async (name) => {
    if (!EXTENSIONS[name] || !(await response)) throw new Error(`${name} is blocked`)
    return EXTENSIONS[name] as Extension
  }
  const started = startAnalytics({}, 'token', undefined, load)
  started.setApiResponse(200, { ...NO_FLAGS, surveys: hasSurveys ? [{ id: 's1' }] : false })
  return { ...started, respond }
}

test('calls run in order, each with its own moment, when the extension has loaded', async () => {
  const { analytics, sent, settle, respond } = start()
  // Begins the session.
  analytics.capture('begin')
  analytics.register({ step: 1 })
  analytics.captureException(new Error('first'))
  const at = Date.now()
  await settle(1000)
  analytics.register({ step: 2 })
  analytics.captureException(new Error('second'))
  analytics.identify('ada')
  await settle(1000)
  respond(true)
  await settle()
  const captured = sent.filter(({ event }) => event === '$exception')
  expect(captured.map(valueOf)).toEqual(['first', 'second'])
  expect(captured.map(({ properties }) => properties.step)).toEqual([1, 2])
  expect(captured.map(({ timestamp }) => Date.parse(timestamp) - at)).toEqual([0, 1000])
  expect(captured.some(({ properties }) => properties.distinct_id === 'ada')).toBe(false)
  expect(analytics.drops()).toEqual({})
})

test.each([
  ['is blocked', true, { isLoaded: false, error: 'surveys are off or blocked' }],
  ['is not needed', false, { isLoaded: true, error: 'no surveys' }],
])('every call is answered when the extension of surveys %s', async (_, hasSurveys, context) => {
  const warnings = listenToConsole('warn')
  const { analytics, settle, respond } = start(hasSurveys)
  const answers: unknown[] = []
  const stop = analytics.onSurveysLoaded(() => answers.push('stopped'))
  analytics.getSurveys((...answer) => answers.push(answer))
  const before = analytics.canRenderSurveyAsync('s1')
  analytics.displaySurvey('s1')
  stop()
  expect([answers, analytics.canRenderSurvey('s1')]).toEqual([[], { visible: false }])
  respond(false)
  await settle(1000)
  const reason = { visible: false, disabledReason: context.error }
  expect(answers).toEqual([[[], context]])
  expect(await before).toEqual(reason)
  expect(await analytics.canRenderSurveyAsync('s1')).toEqual(reason)
  expect(analytics.canRenderSurvey('s1')).toEqual(reason)
  expect(warnings.filter((line) => line.includes('displaySurvey'))).toHaveLength(1)
})

test.each(['is blocked', 'has not loaded when the page is left', 'has not loaded at shutdown'])(
  'exceptions are captured as text when their extension %s',
  async (when) => {
    const { analytics, settle, respond } = start()
    const captured: CapturedEvent[] = []
    analytics.on('eventCaptured', (event) => captured.push(event))
    analytics.addExceptionStep('a step')
    analytics.captureException(new Error('lost'), { page: 'cart' })
    if (when === 'is blocked') respond(false)
    else if (when.endsWith('left')) dispatchEvent(new Event('pagehide'))
    else void analytics.shutdown()
    await settle()
    expect(captured.map(valueOf)).toEqual(['Error: lost'])
    expect(captured[0]!.properties).toMatchObject({ page: 'cart', $event_time_override_provided: true })
  },
)

test('a call of the previous person that waits does not read the page for the next', async () => {
  const { analytics, sent, settle } = start()
  analytics.displaySurvey('s1')
  analytics.reset()
  history.replaceState(null, '', '/next')
  analytics.identify('ada')
  await settle()
  const identified = sent.find(({ event }) => event === '$identify')
  expect(identified!.$set_once).toMatchObject({ $initial_current_url: 'http://localhost/next' })
})
