import { version } from '../../package.json'
import { tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "Library version notes", and the legacy names in the tables. Every release of this library has them all.
const { row, close } = tableOf(
  'evaluation_contexts',
  'evaluation_environments',
  'The option to disable /flags',
  'advanced_disable_decide',
)

beforeEach(() => void listenToConsole('warn'))

test('the release is later than every version in the notes', () => {
  expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(2)
})

row('evaluation_contexts', () => {
  test('is supported', () =>
    expect(startAnalytics({ evaluation_contexts: ['web'] }).analytics.config.evaluation_contexts).toEqual(['web']))
})

row('evaluation_environments', () => {
  test('is a legacy name of evaluation_contexts, in init and set_config', () => {
    const { analytics } = startAnalytics({ evaluation_environments: ['web'] })
    expect(analytics.config.evaluation_contexts).toEqual(['web'])
    analytics.set_config({ evaluation_environments: ['docs'] })
    expect(analytics.config.evaluation_contexts).toEqual(['docs'])
  })
  test('is overridden by the current name', () =>
    expect(
      startAnalytics({ evaluation_environments: ['old'], evaluation_contexts: ['new'] }).analytics.config
        .evaluation_contexts,
    ).toEqual(['new']))
  test('is named in the message about a wrong type', () => {
    const lines = listenToConsole('error')
    expect(
      startAnalytics({ evaluation_environments: 'web' } as object).analytics.config.evaluation_contexts,
    ).toBeUndefined()
    expect(lines).toEqual([expect.stringContaining('evaluation_environments expects')])
  })
})

row('The option to disable /flags', () => {
  test('is supported and separate from the option to disable autocapture', () => {
    const { analytics } = startAnalytics({ advanced_disable_flags: false, autocapture: false })
    expect(analytics.config).toMatchObject({ advanced_disable_flags: false, autocapture: false })
  })
})

row('advanced_disable_decide', () => {
  test('is a legacy name of advanced_disable_flags', () =>
    expect(
      startAnalytics({ advanced_disable_flags: undefined, advanced_disable_decide: true }).analytics.config
        .advanced_disable_flags,
    ).toBe(true))
  test('is overridden by the current name', () =>
    expect(
      startAnalytics({ advanced_disable_decide: true, advanced_disable_flags: false }).analytics.config
        .advanced_disable_flags,
    ).toBe(false))
})

close()
