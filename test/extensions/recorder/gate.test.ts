import { typing } from '../../../src/browser/typing'
import type { Chunks } from '../../../src/extensions/recorder/chunks'
import { createGate } from '../../../src/extensions/recorder/gate'
import { createPolicy, type Policy } from '../../../src/extensions/recorder/sanitize/policy'
import { isStale, rememberSettings } from '../../../src/extensions/recorder/settings'
import { createSiteEvents } from '../../../src/extensions/recorder/siteEvents'
import type { Tab } from '../../../src/extensions/recorder/tabState'
import { SENSITIVE_NAME } from '../../../src/lib/sensitive'
import type { SessionRecordingConfig } from '../../../src/types'
import { recorderHost } from './recorderHost'

const LATER = performance.timeOrigin + 10_000

interface GateCase {
  options?: SessionRecordingConfig
  project?: number
  /** When the session began. */
  startedAt?: number
  /** Times of the recorded events that wait, since `startedAt`. */
  span?: [from: number, to: number]
  sequence?: number
}

const gateOf = ({ options = {}, project = 0, startedAt = 1, span = [0, 0], sequence = 0 }: GateCase) => {
  const inputs = recorderHost({ config: { session_recording: options }, startedAt })
  const chunks = { span: () => ({ from: startedAt + span[0], to: startedAt + span[1] }) } as Chunks
  const tab = { read: () => ({ sequence }) } as unknown as Tab
  return { ...inputs, gate: createGate({ host: inputs.host, chunks, tab, projectMinimumMs: project }) }
}

test('the recording of a session that began on this page is sent after the first interaction', () => {
  const { gate, rotate } = gateOf({ startedAt: LATER })
  expect(gate.waitsFor()).toBe('no_activity')
  expect(gate.onInteraction()).toBe(true)
  expect(gate.onInteraction()).toBe(false)
  expect(gate.waitsFor()).toBeUndefined()
  rotate('session-2')
  expect(gate.waitsFor()).toBe('no_activity')
})

test.each([
  ['a session of an earlier page', { startedAt: performance.timeOrigin - 1 }],
  ['a session that was sent in part', { startedAt: LATER, sequence: 1 }],
])('the recording of %s does not wait for an interaction', (_, inputs) => {
  expect(gateOf(inputs).gate.waitsFor()).toBeUndefined()
})

test('the recording of a visible page is sent when the page is hidden or left', () => {
  const { gate } = gateOf({ startedAt: LATER })
  gate.onVisibilityChange()
  expect(gate.waitsFor()).toBeUndefined()
})

test('the recording of a page that was never visible is not sent when the page is left', () => {
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
  const { gate } = gateOf({ startedAt: LATER })
  gate.onVisibilityChange()
  expect(gate.waitsFor()).toBe('no_activity')
  Reflect.deleteProperty(document, 'visibilityState')
  gate.onVisibilityChange()
  expect(gate.waitsFor()).toBe('no_activity')
  gate.onVisibilityChange()
  expect(gate.waitsFor()).toBeUndefined()
})

test.each<[title: string, inputs: GateCase, isOpen: boolean]>([
  ['counts from the start of the session', { project: 5000, span: [4000, 5000] }, true],
  ['is too short', { project: 5000, span: [0, 4999] }, false],
  [
    'strictMinimumDuration: counts from the first recorded event',
    { project: 5000, span: [4000, 5000], options: { strictMinimumDuration: true } },
    false,
  ],
  [
    'strictMinimumDuration: the recorded part is long enough',
    { project: 5000, span: [4000, 9000], options: { strictMinimumDuration: true } },
    true,
  ],
  [
    'the option wins if it is longer',
    { project: 10, span: [0, 4000], options: { minimumDurationMilliseconds: 5000 } },
    false,
  ],
  [
    'the project wins if it is longer',
    { project: 5000, span: [0, 4000], options: { minimumDurationMilliseconds: 10 } },
    false,
  ],
])('minimum duration: %s', (_, inputs, isOpen) => {
  const { gate, stored } = gateOf(inputs)
  expect(gate.waitsFor()).toBe(isOpen ? undefined : 'minimum_duration')
  expect(stored.$session_past_minimum_duration).toBe(isOpen ? 'session-1' : undefined)
})

test('minimum duration: the shortest of the groups that record the session applies', () => {
  const group = { trigger: 'activated', isSampled: true, minimumMs: 1000 } as const
  const { gate } = gateOf({ project: 0, span: [0, 2000] })
  expect(gate.waitsFor([{ ...group, minimumMs: 3000 }])).toBe('minimum_duration')
  expect(
    gate.waitsFor([
      { ...group, minimumMs: 3000 },
      { ...group, isSampled: false },
    ]),
  ).toBe('minimum_duration')
  expect(
    gate.waitsFor([
      { ...group, minimumMs: 3000 },
      { ...group, trigger: 'pending' },
    ]),
  ).toBe('minimum_duration')
  expect(gate.waitsFor([{ ...group, minimumMs: 3000 }, group])).toBeUndefined()
})

test('recording settings expire after an hour and are removed when the project turns recording off', () => {
  const { host, stored, items } = recorderHost({ settings: { sampleRate: 1 } })
  rememberSettings(host)
  const cached = stored.$session_recording_remote_config as { cache_timestamp: number }
  expect(cached).toEqual({ sampleRate: 1, cache_timestamp: expect.any(Number) })
  expect(isStale(cached)).toBe(false)
  expect(isStale({ ...cached, cache_timestamp: Date.now() - 3_600_001 })).toBe(true)
  expect([isStale(true), isStale({ sampleRate: 1 }), isStale(undefined)]).toEqual([false, false, false])

  // Stored settings do not become younger.
  items.sessionRecording = { sampleRate: 0.5, cache_timestamp: 1 }
  rememberSettings(host)
  expect(stored.$session_recording_remote_config).toBe(cached)
  items.sessionRecording = false
  rememberSettings(host)
  expect(stored).toEqual({})
})

describe('events that the site adds to a recording', () => {
  const added = (options: SessionRecordingConfig, use: (events: ReturnType<typeof createSiteEvents>) => unknown) => {
    globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS
    const { host } = recorderHost()
    const policy = createPolicy(
      options,
      {},
      { outgoingText: host.outgoingText, sensitiveName: SENSITIVE_NAME, typing },
    ) as Policy
    const events: object[] = []
    const result = use(createSiteEvents(host, policy, (type, data) => events.push({ type, ...data }) > 0))
    return { result, events }
  }

  test('are recorded without secrets', () => {
    expect(added({}, ({ log }) => log('open /a?token=abc', 'warn')).events).toEqual([
      {
        type: 6,
        plugin: 'rrweb/console@1',
        payload: { level: 'warn', payload: ['"open /a?token=redacted"'], trace: [] },
      },
    ])
    expect(added({}, (events) => events.tryAddCustomEvent('step', { url: '/a?token=abc', n: 1 }))).toEqual({
      result: true,
      events: [{ type: 5, tag: 'step', payload: { url: '/a?token=redacted', n: 1 } }],
    })
  })

  test('are recorded without what a person typed', () => {
    document.body.innerHTML = '<input value="divorce lawyer">'
    const stop = typing.follow()
    document.querySelector('input')!.dispatchEvent(new Event('input', { bubbles: true }))
    stop()
    const { events } = added({}, ({ log, tryAddCustomEvent }) => {
      log('searching divorce lawyer')
      tryAddCustomEvent('search', { query: 'divorce lawyer' })
    })
    typing.fields.clear()
    expect(events).toMatchObject([{ payload: { payload: ['"searching *****"'] } }, { payload: { query: '*****' } }])
  })

  test('have no content in strict recordings', () => {
    const masking = 'strict'
    expect(added({ masking }, ({ log }) => log('secret', 'unknown')).events).toMatchObject([
      { payload: { level: 'log', payload: [] } },
    ])
    expect(added({ masking }, (events) => events.tryAddCustomEvent('step', { a: 1 })).events).toMatchObject([
      { payload: {} },
    ])
  })

  test('are left out when they are too large', () => {
    expect(added({}, (events) => events.tryAddCustomEvent('step', { text: 'x'.repeat(20_000) }))).toEqual({
      result: false,
      events: [],
    })
  })
})
