import type { Options } from '../../src/client/publicApi'
import type { LoadExtension } from '../../src/extensions/contract'
import { resetClock } from '../../src/extensions/recorder/clock'
import type { RecorderPluginParts } from '../../src/host'
import type { SessionRecordingConfig } from '../../src/types'
import { show, tableOf } from '../support/specRows'
import { NO_FLAGS, startAnalytics } from '../support/startAnalytics'

// Members of `session_recording`, with the real recorder in jsdom. e2e/scenarios/recording*.spec.ts have what only browsers do.
const { row, close } = tableOf(
  'masking',
  'maskAllInputs',
  'maskInputOptions',
  'maskInputFn',
  'maskTextSelector',
  'maskTextClass',
  'maskTextFn',
  'maskAllElementAttributes',
  'maskAttributeFn',
  'attributeFilter',
  'blockSelector',
  'blockClass',
  'ignoreClass',
  'inlineStylesheet',
  'slimDOMOptions',
  'sampling',
  'sampleRate',
  'minimumDurationMilliseconds',
  'strictMinimumDuration',
  'session_idle_threshold_ms',
  'full_snapshot_interval_millis',
  'trigger_pending_buffer_interval_millis',
  'recordHeaders, recordBody',
  'captureCanvas',
)

/** The parts with which canvas, console and network capture were started. */
let plugins: RecorderPluginParts[] = []
const load: LoadExtension = async (name) => {
  if (name === 'recorderPlugins')
    return { start: (host: unknown) => (plugins.push(host as RecorderPluginParts), () => {}) }
  if (name === 'recorderPage') return await import('../../src/extensions/recorderPage/recorderPage')
  if (name !== 'recorder') throw new Error(`${name} is not in this test`)
  return await import('../../src/extensions/recorder/recorder')
}

beforeAll(async () => {
  globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS
  // rrweb keeps `Date.now` as it is when it loads, unless that returns no time. Otherwise its clock would not be the test's.
  jest.spyOn(Date, 'now').mockReturnValueOnce(0)
  // Not within a test: loading takes seconds on a busy machine, while the clock of the page stands still.
  await load('recorder')
  await load('recorderPage')
})
beforeEach(() => {
  plugins = []
  // Each test begins at the same time again, which the recorder would take for a clock that was set back by days.
  resetClock()
})

interface RecordedEvent {
  type: number
  timestamp: number
  data: { source?: number; tag?: string; [member: string]: unknown }
}

const FULL_SNAPSHOT = 2

/** Records a page with this body. `remote`: the project's settings. */
const record = async (
  body: string,
  session_recording: SessionRecordingConfig = {},
  { remote = true, config = {} }: { remote?: unknown; config?: Options } = {},
) => {
  show(`<main>${body}</main>`)
  const started = startAnalytics({ session_recording, ...config }, 'token', undefined, load)
  started.setApiResponse(200, { ...NO_FLAGS, sessionRecording: remote })
  const click = () => document.querySelector('main')!.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  await started.settle(3000)
  const events = () =>
    started.sent.flatMap(({ properties }) => (properties.$snapshot_data ?? []) as unknown as RecordedEvent[])
  return {
    ...started,
    click,
    events,
    snapshots: () => events().filter(({ type }) => type === FULL_SNAPSHOT).length,
    /** The visitor does something. Returns what was recorded until then, as JSON. */
    sentText: async () => {
      click()
      await started.settle(7000)
      return JSON.stringify(events())
    },
    property: (name: string) => started.analytics.calculateEventProperties('x')[name],
  }
}

/** Returns what is recorded of a page, and of what `act` does to it, as JSON. */
const recorded = async (body: string, options?: SessionRecordingConfig, act?: () => void) => {
  const { settle, sentText } = await record(body, options)
  act?.()
  await settle()
  return sentText()
}

const type = (selector: string, value: string) => {
  const field = document.querySelector<HTMLInputElement>(selector)!
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Tests that an option changes whether a word of the page is in the recording. */
const itShows = (title: string, isShown: boolean, body: string, options: SessionRecordingConfig, act?: () => void) =>
  test(title, async () => {
    const text = await recorded(`<p>visible text</p>${body}`, options, act)
    expect(text.includes('Ada')).toBe(isShown)
    expect(text).toContain('"type":2')
  })

row('masking', () => {
  itShows('records text by default', true, '<b>Ada</b>', {})
  itShows("masks all text with 'strict'", false, '<b title="Ada">Ada</b>', { masking: 'strict' })
})
row('maskAllInputs', () => {
  itShows('masks what is typed by default', false, '<input id="i" value="Ada">', {}, () => type('#i', 'Ada L'))
  itShows('shows typed text when false', true, '<input id="i">', { maskAllInputs: false }, () => type('#i', 'Ada'))
})
row('maskInputOptions', () => {
  const options = { maskAllInputs: false, maskInputOptions: { text: true } }
  itShows('masks inputs of these types', false, '<input id="i" type="text">', options, () => type('#i', 'Ada'))
  itShows('shows inputs of other types', true, '<input id="i" type="search">', options, () => type('#i', 'Ada'))
})
row('maskInputFn', () => {
  const maskInputFn = (value: string) => value.replace(/L.*/, 'L')
  itShows('returns what is recorded of a masked value', true, '<input id="i">', { maskInputFn }, () =>
    type('#i', 'Ada Lovelace'),
  )
  itShows('never receives a password', false, '<input id="i" type="password">', { maskInputFn }, () =>
    type('#i', 'Ada'),
  )
})
row('maskTextSelector', () =>
  itShows('masks the text of these elements', false, '<div id="name"><b>Ada</b></div>', { maskTextSelector: '#name' }),
)
row('maskTextClass', () => {
  itShows('masks text in .ph-mask by default', false, '<b class="ph-mask">Ada</b>', {})
  itShows('masks text in elements with this class', false, '<b class="name">Ada</b>', { maskTextClass: 'name' })
  itShows('may be a regular expression', false, '<b class="x-name">Ada</b>', { maskTextClass: /-name$/ })
})
row('maskTextFn', () =>
  itShows('returns what is recorded of masked text', true, '<b class="ph-mask">secret</b>', {
    maskTextFn: () => 'Ada',
  }),
)
row('maskAllElementAttributes', () => {
  itShows('records titles by default', true, '<b title="Ada">x</b>', {})
  itShows('masks titles when true', false, '<b title="Ada">x</b>', { maskAllElementAttributes: true })
})
row('maskAttributeFn', () => {
  const maskAttributeFn = (name: string, value: string) => (name === 'title' ? null : value)
  itShows('leaves an attribute out by returning null', false, '<b title="Ada">x</b>', { maskAttributeFn })
  itShows('returns the value of other attributes', true, '<b class="Ada">x</b>', { maskAttributeFn })
})
row('attributeFilter', () => {
  const change = (name: string) => () => document.querySelector('b')!.setAttribute(name, 'Ada')
  itShows('records changes of these attributes', true, '<b>x</b>', { attributeFilter: ['class'] }, change('class'))
  itShows('ignores changes of all others', false, '<b>x</b>', { attributeFilter: ['class'] }, change('title'))
  itShows('records all attributes in snapshots', true, '<b title="Ada">x</b>', { attributeFilter: ['class'] })
})
row('blockSelector', () =>
  itShows('records these elements as boxes', false, '<div id="chat"><b>Ada</b></div>', { blockSelector: '#chat' }),
)
row('blockClass', () => {
  itShows('blocks .ph-no-capture by default', false, '<b class="ph-no-capture">Ada</b>', {})
  itShows('blocks elements with this class', false, '<b class="chat">Ada</b>', { blockClass: 'chat' })
})
row('ignoreClass', () => {
  const options = { maskAllInputs: false }
  itShows('ignores input in .ph-ignore-input', false, '<input id="i" class="ph-ignore-input">', options, () =>
    type('#i', 'Ada'),
  )
  itShows(
    'ignores input in elements with this class',
    false,
    '<input id="i" class="quiet">',
    { ...options, ignoreClass: 'quiet' },
    () => type('#i', 'Ada'),
  )
})
row('inlineStylesheet', () => {
  itShows('records the rules of a style element', true, '<style>.Ada { color: red }</style>', {})
})
row('slimDOMOptions', () => {
  itShows('never records comments and scripts', false, '<!-- Ada --><script type="x">Ada</script>', {})
  itShows('records a favicon unless it is left out', true, '<link rel="shortcut icon" href="/Ada.png">', {})
  itShows("leaves out the favicon with 'all'", false, '<link rel="shortcut icon" href="/Ada.png">', {
    slimDOMOptions: 'all',
  })
})
row('sampling', () => {
  const moves = async (sampling: SessionRecordingConfig['sampling']) => {
    const { settle, click, events } = await record('<p>x</p>', { sampling })
    document.dispatchEvent(new MouseEvent('mousemove', { clientX: 5, clientY: 5, bubbles: true }))
    click()
    await settle(7000)
    return events().flatMap(({ data }) => data.source ?? [])
  }
  test('records moves and interactions of the pointer', async () =>
    expect(await moves(undefined)).toEqual(expect.arrayContaining([1, 2])))
  test('leaves moves out with mousemove: false', async () => expect(await moves({ mousemove: false })).not.toContain(1))
})

row('sampleRate', () => {
  test('records no session with 0 and adds status and rate to events', async () => {
    const { sentText, property, analytics } = await record('<p>x</p>', { sampleRate: 0 })
    expect(await sentText()).toBe('[]')
    expect(property('$recording_status')).toBe('disabled')
    expect(property('$replay_sample_rate')).toBe(0)
    expect(property('$sdk_debug_replay_stop_reason')).toBe('sampling')
    expect(analytics.explain('$snapshot')).toMatchObject([{ state: 'dropped', reason: 'sampling' }])
  })
  test('wins over the sample rate of the project', async () => {
    const { property, analytics } = await record('<p>x</p>', { sampleRate: 1 }, { remote: { sampleRate: '0' } })
    expect(property('$recording_status')).toBe('sampled')
    expect(analytics.sessionRecording.status).toBe('sampled')
    expect(property('$session_recording_start_reason')).toBe('sampled')
  })
})

const durations = async (options: SessionRecordingConfig, session: number) => {
  const { settle, click, events, analytics } = await record('<p>x</p>', options, {
    // The session begins before the page records.
    config: { loaded: (started) => void started.capture('early') },
    remote: { urlTriggers: [{ url: '/late' }] },
  })
  await settle(session)
  // Recording begins here, because a pending trigger keeps only the last minute.
  analytics.startSessionRecording({ url_trigger: true })
  click()
  await settle(6000)
  return events().length > 0
}
row('minimumDurationMilliseconds', () => {
  test('sends no recording of a shorter session', async () =>
    expect(await durations({ minimumDurationMilliseconds: 60_000 }, 0)).toBe(false))
  test('counts from the start of the session', async () =>
    expect(await durations({ minimumDurationMilliseconds: 60_000 }, 120_000)).toBe(true))
})
row('strictMinimumDuration', () => {
  test('counts from the first recorded event', async () =>
    expect(await durations({ minimumDurationMilliseconds: 119_000, strictMinimumDuration: true }, 120_000)).toBe(false))
})
row('session_idle_threshold_ms', () => {
  test('pauses after this time without input and resumes with a full snapshot', async () => {
    const { settle, click, events, snapshots } = await record('<p>x</p>', { session_idle_threshold_ms: 20_000 })
    click()
    await settle(25_000)
    document.querySelector('p')!.textContent = 'nobody sees this'
    await settle(7000)
    const before = snapshots()
    expect(events().some(({ data }) => data.tag === 'sessionIdle')).toBe(true)
    expect(JSON.stringify(events())).not.toContain('nobody')
    click()
    await settle(7000)
    expect(snapshots()).toBe(before + 1)
  })

  // What a computer that has slept for three days does first.
  test.each<[title: string, wake: (click: () => void) => void]>([
    ['a change of the page', () => (document.querySelector('p')!.textContent = 'awake')],
    ['a click', (click) => click()],
    ['console output', () => plugins[0]!.add(6, { plugin: 'rrweb/console@1', payload: {} })],
    ['a custom event', () => window.dispatchEvent(new Event('online'))],
    ['the next full snapshot', () => {}],
  ])('ends the recording this time after the last input when %s wakes the page', async (_, wake) => {
    const started = await record(
      '<p>x</p>',
      { session_idle_threshold_ms: 60_000 },
      { remote: { consoleLogRecordingEnabled: true } },
    )
    const { settle, click, events, analytics } = started
    click()
    await settle(2000)
    const sessionId = analytics.get_session_id()
    const lastInput = Math.max(...events().map(({ timestamp }) => timestamp), 0) || Date.now()
    jest.setSystemTime(Date.now() + 72 * 3_600_000)
    wake(click)
    await settle(7000)
    const recorded = started.sent
      .filter(({ properties }) => properties.$session_id === sessionId)
      .flatMap(({ properties }) => (properties.$snapshot_data ?? []) as unknown as RecordedEvent[])
    const times = recorded.map(({ timestamp }) => timestamp)
    expect(recorded.some(({ data }) => data.tag === 'sessionIdle')).toBe(true)
    expect(Math.max(...times) - lastInput).toBeLessThanOrEqual(61_000)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })
})
row('full_snapshot_interval_millis', () => {
  test('takes a full snapshot at this interval', async () => {
    const { settle, click, snapshots } = await record('<p>x</p>', { full_snapshot_interval_millis: 10_000 })
    click()
    await settle(35_000)
    expect(snapshots()).toBeGreaterThanOrEqual(3)
  })
})
row('trigger_pending_buffer_interval_millis', () => {
  test('keeps events recorded before a trigger for at most this time', async () => {
    const { settle, click, analytics, events } = await record(
      '<p>too early</p>',
      { trigger_pending_buffer_interval_millis: 5000 },
      { remote: { eventTriggers: ['paid'] } },
    )
    document.querySelector('p')!.textContent = 'just before'
    await settle(20_000)
    expect(events()).toEqual([])
    analytics.capture('paid')
    click()
    await settle(7000)
    const text = JSON.stringify(events())
    expect(text).toContain('just before')
    expect(text).not.toContain('too early')
  })
})

row('recordHeaders, recordBody', () => {
  const OPTIONS: SessionRecordingConfig = { recordHeaders: true, recordBody: true }
  test('do nothing on localhost, unless capture is forced there', async () => {
    const { analytics, settle } = await record('<p>x</p>', OPTIONS)
    expect(plugins).toEqual([])
    analytics.sessionRecording._forceAllowLocalhostNetworkCapture = true
    await settle(2000)
    expect(plugins.at(-1)!.network).toEqual({ timing: false, headers: true, body: true })
  })
  test('are turned off by the project', async () => {
    const { analytics, settle } = await record('<p>x</p>', OPTIONS, {
      remote: { networkPayloadCapture: { recordHeaders: false } },
    })
    analytics.sessionRecording._forceAllowLocalhostNetworkCapture = true
    await settle(2000)
    expect(plugins.at(-1)!.network).toEqual({ timing: false, headers: false, body: true })
  })
})
row('captureCanvas', () => {
  const captureCanvas = { recordCanvas: true }
  test('records canvases', async () => {
    await record('<p>x</p>', { captureCanvas })
    expect(plugins.at(-1)!.recordsCanvas).toBe(true)
  })
  test("is ignored with masking: 'strict'", async () => {
    await record('<p>x</p>', { captureCanvas, masking: 'strict' })
    expect(plugins).toEqual([])
  })
})

test('the recording contains the steps of its budget, and events contain why it stopped', async () => {
  const { settle, click, events, property } = await record('<p>x</p><ul></ul>')
  click()
  const steps = () => events().flatMap(({ data }) => (data.tag === 'recording degraded' ? [data.payload] : []))
  for (let index = 0; index < 150; index++) {
    document.querySelector('p')!.title = `title ${index}`
    await settle(1)
  }
  await settle(5000)
  document.querySelector('ul')!.innerHTML = '<li>x</li>'.repeat(1500)
  await settle(20_000)
  // The session's recording has become too large.
  const [name, value] = Object.entries({ ...sessionStorage }).find(([each]) => each.endsWith('_recording'))!
  sessionStorage.setItem(name, JSON.stringify({ ...JSON.parse(value), size: 151e6 }))
  await settle(2000)
  await settle(2000)
  expect(steps()).toEqual([
    { step: 'attributes', reason: 'changes' },
    { step: 'none', reason: 'changes' },
    { step: 'coalesce', reason: 'changes' },
    { step: 'none', reason: 'changes' },
    { step: 'stop', reason: 'bytes' },
  ])
  expect(property('$recording_status')).toBe('rrweb_error')
  expect(property('$sdk_debug_replay_stop_reason')).toBe('budget')
})

test('a recording whose part the site has dropped says so until the next session', async () => {
  const { analytics, sentText, settle, property } = await record(
    '<p>x</p>',
    {},
    {
      config: { before_send: (event) => (event?.event === '$snapshot' ? null : event) },
    },
  )
  expect(analytics.explain('$snapshot')).toMatchObject([{ state: 'waiting', reason: 'no_activity' }])
  expect(await sentText()).toBe('[]')
  expect(property('$sdk_debug_replay_stop_reason')).toBe('before_send')
  expect(analytics.explain('$snapshot')[0]).toMatchObject({ state: 'dropped', reason: 'before_send' })
  analytics.reset()
  analytics.capture('next')
  await settle(1000)
  expect(property('$sdk_debug_replay_stop_reason')).not.toBe('before_send')
})

test('a page that begins with stored settings goes on when the service sends the same', async () => {
  const sessionRecording = { endpoint: '/s/' }
  // The time at which tests begin.
  const stored = { cache_timestamp: Date.parse('2026-11-21T10:00:00Z'), ...sessionRecording }
  localStorage.setItem('ph_token_posthog', JSON.stringify({ $session_recording_remote_config: stored }))
  show('<p>x</p>')
  const started = startAnalytics({ on_request_error: () => {} }, 'token', undefined, load)
  const { analytics, sent, setApiResponse, settle } = started
  analytics.sessionRecording._forceAllowLocalhostNetworkCapture = true
  setApiResponse(503)
  await settle(3000)
  document.querySelector('p')!.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  await settle(7000)
  const snapshots = () =>
    sent
      .flatMap(({ properties }) => (properties.$snapshot_data ?? []) as unknown as RecordedEvent[])
      .filter(({ type }) => type === FULL_SNAPSHOT).length
  const before = snapshots()
  expect(before).toBeGreaterThan(0)
  setApiResponse(200, { ...NO_FLAGS, sessionRecording, capturePerformance: true })
  analytics.reloadFeatureFlags()
  await settle(7000)
  expect(snapshots()).toBe(before)
  expect(plugins.map(({ network }) => network)).toEqual([{ timing: true, headers: false, body: false }])
})

test('a recording that paused on a busy page resumes with a full snapshot when the page is quiet', async () => {
  const { settle, click, events, property } = await record(`<ul>${'<li>x</li>'.repeat(1500)}</ul>`)
  click()
  const snapshots = () => events().filter(({ type }) => type === FULL_SNAPSHOT).length
  const change = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      for (const item of document.querySelectorAll('li')) item.textContent = `second ${second}`
      await settle(1000)
    }
  }
  await change(40)
  expect(events().find(({ data }) => (data.payload as { step?: string } | undefined)?.step === 'pause')).toBeDefined()
  expect([snapshots(), property('$sdk_debug_replay_rrweb_attached')]).toEqual([1, false])
  await settle(30_000)
  expect([snapshots(), property('$sdk_debug_replay_rrweb_attached')]).toEqual([2, true])
})

test('the recording status is missing_config when stored settings are old and the service does not respond', async () => {
  localStorage.setItem(
    'ph_token_posthog',
    JSON.stringify({ $session_recording_remote_config: { sampleRate: 1, cache_timestamp: 1 } }),
  )
  show('<p>x</p>')
  const { analytics, setApiResponse, settle } = startAnalytics({ on_request_error: () => {} }, 'token', undefined, load)
  setApiResponse(503)
  await settle()
  expect(analytics.sessionRecording.status).toBe('missing_config')
})

close()
