import { AS_SHIPPED, act, namesOf, show, tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "Versioning": the table of `defaults` values.
const { row, close } = tableOf('unset', '2025-05-24', '2025-11-30', '2026-01-30')

/** The four behaviors that dates change, as seen during a visit. */
const behavior = async (defaults: string | undefined, more: object = {}) => {
  const lines = [...listenToConsole('error'), ...listenToConsole('warn')]
  show('<button id="b">Next</button>')
  const { analytics, sent, settle } = startAnalytics({
    ...AS_SHIPPED,
    opt_out_useragent_filter: true,
    autocapture: false,
    defaults,
    ...more,
  })
  await settle()
  history.pushState(null, '', '/two')
  await settle()
  act('#b', 'click', 3)
  await settle()
  expect(lines).toEqual([])
  return {
    pageviews: namesOf(sent).filter((name) => name === '$pageview').length,
    rageOnNext: namesOf(sent).includes('$rageclick'),
    strictMinimumDuration: analytics.config.session_recording.strictMinimumDuration === true,
    scripts: analytics.config.external_scripts_inject_target,
  }
}
const LEGACY = { pageviews: 1, rageOnNext: true, strictMinimumDuration: false, scripts: 'body' }
const MAY_2025 = { ...LEGACY, pageviews: 2 }
const NOVEMBER_2025 = { ...MAY_2025, rageOnNext: false, strictMinimumDuration: true }
const JANUARY_2026 = { ...NOVEMBER_2025, scripts: 'head' }

row('unset', () => {
  test.each([['unset'], [undefined], ['2020-01-01'], ['2025-05-23']])(
    '%s: uses the legacy behavior',
    async (defaults) => expect(await behavior(defaults)).toEqual(LEGACY),
  )
})

row('2025-05-24', () => {
  test.each([['2025-05-24'], ['2025-05-25'], ['2025-11-29']])(
    "%s: capture_pageview defaults to 'history_change'",
    async (defaults) => expect(await behavior(defaults)).toEqual(MAY_2025),
  )
})

row('2025-11-30', () => {
  test.each([['2025-11-30'], ['2025-12-01'], ['2026-01-29']])(
    '%s: also enables strictMinimumDuration and content_ignorelist',
    async (defaults) => expect(await behavior(defaults)).toEqual(NOVEMBER_2025),
  )
})

row('2026-01-30', () => {
  test.each([['2026-01-30'], ['2026-02-01'], ['2031-12-31']])(
    "%s: also sets external_scripts_inject_target to 'head'",
    async (defaults) => expect(await behavior(defaults)).toEqual(JANUARY_2026),
  )
  test('is overridden by explicit options', async () =>
    expect(
      await behavior('2026-01-30', {
        capture_pageview: true,
        rageclick: { content_ignorelist: false },
        session_recording: { strictMinimumDuration: false },
        external_scripts_inject_target: 'body',
      }),
    ).toEqual(LEGACY))
})

// A date of posthog-js that the specification does not have.
test.each([
  ['2026-01-30', 'Mobile Safari'],
  ['2026-05-30', 'Google Search App'],
])('%s: reports the browser of Google\'s app as "%s"', async (defaults, browser) => {
  const agent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/318.0 Mobile/15E148'
  jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent)
  const { analytics, sent, settle } = startAnalytics({ defaults })
  analytics.capture('x')
  await settle()
  expect(sent[0]!.properties.$browser).toBe(browser)
})

describe('set_config', () => {
  test('with a date changes only options that were not set explicitly', () => {
    listenToConsole('warn')
    const { analytics } = startAnalytics({ ...AS_SHIPPED, external_scripts_inject_target: 'body' })
    analytics.set_config({ defaults: '2026-01-30' })
    expect(analytics.config).toMatchObject({
      defaults: '2026-01-30',
      capture_pageview: 'history_change',
      rageclick: { content_ignorelist: true },
      session_recording: { strictMinimumDuration: true },
      external_scripts_inject_target: 'body',
    })
    analytics.set_config({ defaults: 'unset' })
    expect(analytics.config).toMatchObject({
      defaults: 'unset',
      capture_pageview: true,
      rageclick: true,
      session_recording: {},
    })
  })
})

close()
