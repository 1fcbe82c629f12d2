import { meets, type PropertyCondition } from '../../../src/extensions/recorder/conditions'
import { decide } from '../../../src/extensions/recorder/decide'
import type { RemoteGroup, RemoteSettings } from '../../../src/extensions/recorder/settings'
import { createTriggers } from '../../../src/extensions/recorder/triggers'
import type { CapturedEvent, Properties } from '../../../src/types'
import { recorderHost } from './recorderHost'

const START = { hasFailed: false, hasSettings: true, isEnabled: true }
const captured = (event: string, properties: Properties = {}) => ({ event, properties }) as CapturedEvent

const run = (settings: RemoteSettings, inputs: Parameters<typeof recorderHost>[0] = {}) => {
  const all = recorderHost(inputs)
  const triggers = createTriggers(all.host, settings)
  return { ...all, triggers, status: () => decide({ ...START, ...triggers.facts() })[0] }
}

const CONDITIONS: [condition: PropertyCondition, properties: Properties, isMet: boolean][] = [
  [{ key: 'plan', value: 'pro' }, { plan: 'pro' }, true],
  [{ key: 'plan', operator: 'exact', value: ['free', 'pro'] }, { plan: 'pro' }, true],
  [{ key: 'seats', value: '3' }, { seats: 3 }, true],
  [{ key: 'plan', operator: 'is_not', value: 'pro' }, { plan: 'pro' }, false],
  [{ key: 'plan', operator: 'is_not', value: 'pro' }, {}, true],
  [{ key: 'email', operator: 'icontains', value: '@EXAMPLE' }, { email: 'a@example.com' }, true],
  [{ key: 'email', operator: 'not_icontains', value: '@example' }, { email: 'a@example.com' }, false],
  [{ key: 'path', operator: 'regex', value: '^/shop' }, { path: '/shop/1' }, true],
  [{ key: 'path', operator: 'not_regex', value: '^/shop' }, { path: '/shop/1' }, false],
  [{ key: 'path', operator: 'regex', value: '(' }, { path: '(' }, false],
  [{ key: 'path', operator: 'not_regex', value: '(' }, { path: '(' }, false],
  [{ key: 'amount', operator: 'gt', value: 10 }, { amount: 11 }, true],
  [{ key: 'amount', operator: 'lte', value: 10 }, { amount: 11 }, false],
  [{ key: 'plan', operator: 'is_set' }, { plan: false }, true],
  [{ key: 'plan', operator: 'is_set' }, { plan: null }, false],
  [{ key: 'plan', operator: 'is_not_set' }, {}, true],
  [{ key: 'plan', operator: 'newer_than', value: 1 }, { plan: 2 }, false],
]
test.each(CONDITIONS)('the trigger condition %j is met by properties %j: %p', (condition, properties, isMet) => {
  expect(meets([condition], properties)).toBe(isMet)
})

describe('startSessionRecording', () => {
  const BLOCKING: RemoteSettings = { sampleRate: 0, linkedFlag: 'beta', urlTriggers: [{ url: '/never' }] }

  test('an override of all triggers records the session on later pages too, but not the next session', () => {
    const { host, stored, rotate, status } = run(BLOCKING)
    expect(status()).toBe('buffering')
    host.shared.override = true
    expect(status()).toBe('sampled')
    expect(host.shared.override).toBeUndefined()
    expect(stored).toMatchObject({
      $replay_override_sampling: 'session-1',
      $replay_override_linked_flag: 'session-1',
      $replay_override_url_trigger: 'session-1',
      $replay_override_event_trigger: 'session-1',
    })
    expect(run(BLOCKING, { stored }).status()).toBe('sampled')
    rotate('session-2')
    expect(status()).toBe('buffering')
  })

  test.each([
    [{ linked_flag: true }, { linkedFlag: 'beta' }],
    [{ url_trigger: true }, { urlTriggers: [{ url: '/never' }] }],
    [{ event_trigger: true }, { eventTriggers: ['never'] }],
  ])('the override %j activates that trigger only', (override, settings: RemoteSettings) => {
    const { host, status } = run({ ...settings, triggerMatchType: 'all', sampleRate: 1 })
    expect(status()).toBe('buffering')
    host.shared.override = override
    expect(status()).toBe('sampled')
    const other = run({ ...BLOCKING, triggerMatchType: 'all' })
    other.host.shared.override = { sampling: true }
    expect(other.status()).toBe('buffering')
  })
})

test('whether a session is in the sample is decided once, even if the rate changes', () => {
  const stored = {}
  expect(run({ sampleRate: '1' }, { stored }).status()).toBe('sampled')
  expect(run({ sampleRate: 0 }, { stored }).status()).toBe('sampled')
  expect(stored).toEqual({ $session_is_sampled: 'session-1', $replay_sample_rate: 1 })
  expect(run({}, { stored }).status()).toBe('active')
  expect(stored).toEqual({})
  expect(run({ sampleRate: 1 }, { config: { session_recording: { sampleRate: 0 } } }).status()).toBe('disabled')
})

test.each<[reason: string | undefined, settings: RemoteSettings, inputs: { override?: unknown; stored?: Properties }]>([
  [undefined, {}, {}],
  ['sampled', { sampleRate: 1 }, {}],
  ['sampled', { version: 2, triggerGroups: [{ id: 'all' }] }, {}],
  ['sampling_overridden', { sampleRate: 0 }, { override: { sampling: true } }],
  ['linked_flag_overridden', { linkedFlag: 'beta' }, { override: { linked_flag: true } }],
  ['linked_flag_matched', { linkedFlag: 'beta' }, { stored: { $enabled_feature_flags: { beta: true } } }],
  ['url_trigger_matched', { urlTriggers: [{ url: '.' }] }, {}],
  ['event_trigger_matched', { eventTriggers: ['paid'] }, { override: { event_trigger: true } }],
])('a recording starts with the reason %s in a project with %j', (reason, settings, { override, stored }) => {
  const { host, triggers, status } = run(settings, { stored })
  host.shared.override = override
  expect(status()).toMatch(/active|sampled/)
  expect(triggers.facts().startReason).toBe(reason)
})

test('an override of the sample removes the stored sample rate', () => {
  const { host, stored, status } = run({ sampleRate: 0 })
  expect(status()).toBe('disabled')
  expect(stored.$replay_sample_rate).toBe(0)
  host.shared.override = true
  expect(status()).toBe('sampled')
  expect(stored).toMatchObject({ $session_is_sampled: 'session-1' })
  expect(stored).not.toHaveProperty('$replay_sample_rate')
})

test('a trigger event activates the recording on all pages of the session', () => {
  const stored = {}
  const { triggers, status } = run({ eventTriggers: ['checkout'] }, { stored })
  triggers.onCaptured(captured('other'))
  expect(status()).toBe('buffering')
  triggers.onCaptured(captured('checkout'))
  expect(status()).toBe('active')
  expect(run({ eventTriggers: ['checkout'] }, { stored }).status()).toBe('active')
})

test.each([
  ['beta', { beta: true }, 'active'],
  ['beta', { beta: false }, 'buffering'],
  [{ flag: 'beta', variant: 'any' }, { beta: 'blue' }, 'active'],
  [{ flag: 'beta', variant: 'red' }, { beta: 'blue' }, 'buffering'],
] as const)('the linked flag %j with values %j: %s', (linkedFlag, flags, status) => {
  expect(run({ linkedFlag }, { stored: { $enabled_feature_flags: flags } }).status()).toBe(status)
})

test('invalid URL patterns of recording triggers log errors and match nothing', () => {
  const { errors, status } = run({ urlTriggers: [{ url: '(' }], urlBlocklist: [{ url: '[' }] })
  expect(status()).toBe('buffering')
  expect(errors).toHaveLength(2)
})

describe('trigger groups', () => {
  const run2 = (group: Partial<RemoteGroup>, inputs?: Parameters<typeof recorderHost>[0]) =>
    run({ version: 2, triggerGroups: [{ id: 'g', ...group }] }, inputs)
  const PAID: RemoteGroup['conditions'] = {
    events: [{ name: 'paid', properties: [{ key: 'amount', operator: 'gt', value: 100 }] }],
  }

  test('are activated by an event only with the properties of its condition', () => {
    const { triggers, status } = run2({ conditions: PAID })
    triggers.onCaptured(captured('paid', { amount: 5 }))
    expect(status()).toBe('buffering')
    triggers.onCaptured(captured('paid', { amount: 500 }))
    expect(status()).toBe('sampled')
  })

  test('are activated by properties of the person or of an event', () => {
    const conditions = { properties: [{ key: 'plan', value: 'pro' }] }
    expect(run2({ conditions }, { stored: { $stored_person_properties: { plan: 'pro' } } }).status()).toBe('sampled')
    const { triggers, status } = run2({ conditions })
    expect(status()).toBe('buffering')
    triggers.onCaptured(captured('any', { plan: 'pro' }))
    expect(status()).toBe('sampled')
  })

  test('need every condition with matchType all, and again in a new session', () => {
    const { triggers, status, rotate } = run2(
      {
        conditions: { ...PAID, matchType: 'all', urls: [{ url: 'localhost' }], flag: 'beta' },
      },
      { stored: { $enabled_feature_flags: { beta: true } } },
    )
    expect(status()).toBe('buffering')
    triggers.onCaptured(captured('paid', { amount: 500 }))
    expect(status()).toBe('sampled')
    rotate('session-2')
    expect(status()).toBe('buffering')
  })

  test('have their own sample rates', () => {
    expect(run2({ sampleRate: 0 }).status()).toBe('disabled')
    expect(run2({ sampleRate: '1.0' }).status()).toBe('sampled')
    const groups = [
      { id: 'a', sampleRate: 0 },
      { id: 'b', sampleRate: 1 },
    ]
    expect(run({ version: 2, triggerGroups: groups, sampleRate: 0 }).status()).toBe('sampled')
  })

  test('are replaced by an override of all triggers', () => {
    const { host, status } = run2({ sampleRate: 0 })
    host.shared.override = true
    expect(status()).toBe('sampled')
  })

  test('are ignored in settings without version 2', () => {
    expect(run({ triggerGroups: [{ id: 'a', sampleRate: 0 }] }).status()).toBe('active')
  })
})
