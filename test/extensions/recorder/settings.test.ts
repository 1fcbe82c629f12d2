import { typing } from '../../../src/browser/typing'
import { createPolicy, type Policy } from '../../../src/extensions/recorder/sanitize/policy'
import { isStale, settingsOf } from '../../../src/extensions/recorder/settings'
import { POSTHOG_RECORDING } from '../../support/posthogRecording'

test("null in PostHog's settings means the default", () => {
  expect(settingsOf(POSTHOG_RECORDING)).toEqual({
    ...settingsOf(true),
    endpoint: '/s/',
    consoleLogRecordingEnabled: true,
    recordCanvas: false,
  })
})

test.each<[name: string, value: unknown, read: unknown]>([
  ['endpoint', '.evil.example/s/', undefined],
  ['sampleRate', '0.25', 0.25],
  ['sampleRate', 'a quarter', undefined],
  ['minimumDurationMilliseconds', '2000', 2000],
  ['minimumDurationMilliseconds', -5, undefined],
  ['linkedFlag', { flag: 'beta', variant: null }, { flag: 'beta', variant: undefined }],
  ['linkedFlag', ['beta'], undefined],
  ['urlTriggers', { url: '/pay' }, [{ url: '/pay' }]],
  ['urlBlocklist', '/pay', [{ url: '/pay' }]],
  ['eventTriggers', 'paid', ['paid']],
  ['triggerMatchType', 'most', 'any'],
  ['networkPayloadCapture', { recordBody: 'false', recordHeaders: null }, { recordBody: false, recordHeaders: true }],
  ['networkPayloadCapture', [], { recordBody: false, recordHeaders: false }],
  ['recordCanvas', 'false', false],
  ['version', '2', 2],
  [
    'triggerGroups',
    [
      null,
      { id: 5, sampleRate: '0.5', conditions: { events: [null, { name: 'paid' }], properties: 'x', matchType: 1 } },
    ],
    [
      {
        id: '5',
        sampleRate: 0.5,
        minDurationMs: undefined,
        conditions: {
          matchType: 'any',
          events: [{ name: 'paid', properties: [] }],
          urls: undefined,
          flag: undefined,
          properties: [],
        },
      },
    ],
  ],
])('the setting %s is read from %j', (name, value, read) => {
  expect((settingsOf({ [name]: value }) as Record<string, unknown>)[name]).toEqual(read)
})

const policyOf = (masking: unknown) =>
  createPolicy({ maskAllInputs: false }, settingsOf({ masking })!, {
    outgoingText: (url) => url,
    sensitiveName: /^pass/,
    typing,
  }) as Policy

test.each<[masking: unknown, isStrict: boolean, masksInputs: boolean]>([
  [null, false, false],
  [{}, false, false],
  [{ maskAllInputs: null }, false, false],
  [{ maskAllInputs: false }, false, false],
  [{ maskAllInputs: true }, false, true],
  [{ maskAllInputs: 'false' }, false, true],
  [{ maskAllInputs: 1 }, false, true],
  ['total', true, true],
  [[], true, true],
  [1, true, true],
])('masking of %j: masks everything %p, masks inputs %p', (masking, isStrict, masksInputs) => {
  globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS
  const policy = policyOf(masking)
  expect([policy.isStrict, policy.masksAllInputs]).toEqual([isStrict, masksInputs])
})

test.each([5, {}, ['.a'], 'p{'])(
  'a selector of %j records nothing, because it might mask something',
  (blockSelector) => {
    expect(policyOf({ blockSelector })).toMatch('blockSelector expects a CSS selector')
  },
)

test.each([
  [{}, false],
  [{ cache_timestamp: Date.now() - 3_000_000 }, false],
  [{ cache_timestamp: Date.now() - 4_000_000 }, true],
  [{ cache_timestamp: Date.now() + 4_000_000 }, true],
  [{ cache_timestamp: null }, true],
  [{ cache_timestamp: 'today' }, true],
  [true, false],
  [null, false],
])('settings %j are too old: %p', (settings, tooOld) => {
  expect(isStale(settings)).toBe(tooOld)
})
