import * as exceptions from '../src/pages/settings/exceptionDraft.ts'
import { toGroupingDraft, toGroupingRules } from '../src/pages/settings/groupingDraft.ts'
import { toDraft, toRecording } from '../src/pages/settings/recordingDraft.ts'
import type { RemoteConfig } from '../src/pages/settings/useRemoteConfig.ts'

const RECORDING: RemoteConfig['sessionRecording'] = {
  canvasFps: 4,
  sampleRate: '0.105',
  minimumDurationMilliseconds: 1_500,
  triggerMatchType: 'all',
  urlTriggers: [{ url: '^/a', matching: 'regex' }],
  urlBlocklist: [{ url: '/private', matching: 'regex' }],
  eventTriggers: ['paid', '$exception'],
  linkedFlag: { flag: 'replay', variant: 'b' },
  version: 2,
  triggerGroups: [
    {
      id: 'g1',
      name: 'Errors',
      sampleRate: 1,
      minDurationMs: 0,
      conditions: { matchType: 'any', events: [{ name: '$exception', properties: [{ key: 'a' }] }] },
    },
  ],
  masking: { maskAllInputs: true, blockSelector: '.card' },
  consoleLogRecordingEnabled: true,
  networkPayloadCapture: { recordHeaders: true, recordBody: false },
  recordCanvas: false,
}

describe('the recording form', () => {
  test('stores the settings that it was loaded with', () => {
    const draft = toDraft(RECORDING)
    expect(draft).toMatchObject({ isOn: true, percent: '10.5', minSeconds: '1.5', events: 'paid\n$exception' })
    expect(toRecording(draft, RECORDING)).toEqual({
      ...RECORDING,
      sampleRate: 0.105,
      triggerGroups: [expect.objectContaining({ id: 'g1', sampleRate: 1 })],
    })
    const [group] = (toRecording(draft, RECORDING) as Exclude<typeof RECORDING, boolean>).triggerGroups!
    expect(group!.conditions!.events).toEqual([{ name: '$exception', properties: [{ key: 'a' }] }])
  })

  test('turns recording on without restricting what sites record', () => {
    const draft = toDraft(false)
    expect(toRecording(draft, false)).toBe(false)
    expect(toRecording({ ...draft, isOn: true }, false)).toEqual({
      triggerMatchType: 'any',
      masking: {},
      consoleLogRecordingEnabled: false,
    })
  })
})

test('the exceptions form stores the settings that it was loaded with, and shows one value per line', () => {
  const config: Pick<RemoteConfig, 'autocaptureExceptions' | 'errorTracking'> = {
    autocaptureExceptions: {
      capture_unhandled_errors: true,
      capture_unhandled_rejections: false,
      capture_console_errors: true,
    },
    errorTracking: {
      captureExtensionExceptions: false,
      suppressionRules: [
        { type: 'OR', values: [{ key: '$exception_types', operator: 'exact', value: ['AbortError', 'TimeoutError'] }] },
      ],
    },
  }
  const draft = exceptions.toDraft(config as RemoteConfig)
  expect(draft.rules[0]!.values[0]!.value).toBe('AbortError\nTimeoutError')
  expect(exceptions.toConfig(draft)).toEqual(config)
})

test('the grouping form stores the rules that it was loaded with', () => {
  const rules: Parameters<typeof toGroupingDraft>[0] = [
    { match: { type: 'A', message: 'b*', file: 'c', function: 'd', handled: false }, issue: 'E' },
    { match: { handled: true }, group_by: ['type', 'file'] },
  ]
  expect(toGroupingRules(toGroupingDraft(rules))).toEqual(rules)
})
