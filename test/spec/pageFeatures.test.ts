import * as exceptions from '../../src/extensions/exceptions/exceptions'
import * as heatmaps from '../../src/extensions/heatmaps/heatmaps'
import type { Extension, LoadExtension } from '../../src/extensions/contract'
import type { Metric, MetricName } from '../../src/extensions/webVitals/metrics'
import { startVitals } from '../../src/extensions/webVitals/startVitals'
import type { VitalsParts } from '../../src/host'
import type { Options } from '../../src/client/publicApi'
import type { Properties } from '../../src/types'
import { act, itIsAMember, itIsAnOption, show, tableOf } from '../support/specRows'
import { NO_FLAGS, startAnalytics } from '../support/startAnalytics'

// Options, methods and events of exceptions, web vitals and heatmaps. e2e/scenarios/{exceptions,vitals,heatmaps}.spec.ts have
// what only browsers report, e2e/scenarios/firefox.spec.ts the main stories in Firefox.
const { row, close } = tableOf(
  'capture_exceptions',
  'error_tracking',
  'captureException',
  'addExceptionStep',
  'startExceptionAutocapture, stopExceptionAutocapture',
  '$exception',
  'capture_performance',
  '$web_vitals',
  'capture_heatmaps',
  'enable_heatmaps',
  '$$heatmap',
)

/** The metrics that the page measures, as the extension of web vitals receives them. jsdom measures none. */
let measure: (metric: Partial<Metric> & { name: MetricName }) => void = () => {}
let loaded: string[] = []
beforeEach(() => {
  loaded = []
  show('<button id="b">Buy</button>')
})

const vitals: Extension<VitalsParts> = {
  start: (host) =>
    startVitals(host, (_names, _texts, listener) => {
      measure = (metric) =>
        listener({
          value: 100,
          rating: 'good',
          delta: 100,
          id: `v5-${metric.name}`,
          navigationType: 'navigate',
          navigationId: 1,
          ...metric,
        })
      return () => (measure = () => {})
    }),
}

const EXTENSIONS: Record<string, unknown> = { exceptions, heatmaps, webVitals: vitals, webVitalsAttribution: vitals }
const load: LoadExtension = async (name) => {
  if (!(name in EXTENSIONS)) throw new Error(`${name} is not in this test`)
  loaded.push(name)
  return EXTENSIONS[name] as Extension
}

/** Starts a client in a project with these remote settings, and waits until its extensions run. */
const start = async (config: Options = {}, remote: Properties = {}) => {
  const started = startAnalytics(config, 'token', undefined, load)
  started.setApiResponse(200, { ...NO_FLAGS, ...remote })
  await started.settle(100)
  return started
}

const raise = (error: unknown) => void window.dispatchEvent(new ErrorEvent('error', { error }))
const reject = (reason: unknown) =>
  void window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }))
const log = (...args: unknown[]) => console.error(...args)

/** Returns the messages of the exceptions of a page that throws, rejects and logs an error. */
const captured = async (config: Options, remote: Properties = {}) => {
  jest.spyOn(console, 'error').mockImplementation(() => {})
  const { sent, settle } = await start(config, remote)
  raise(new Error('thrown'))
  reject(new Error('rejected'))
  log('logged')
  await settle()
  return sent
    .filter(({ event }) => event === '$exception')
    .map(({ properties }) => (properties.$exception_list as { value: string }[])[0]!.value)
}

row('capture_exceptions', () => {
  itIsAnOption('capture_exceptions', { fallback: undefined, wrong: ['yes', 1, []], right: true })
  for (const name of ['capture_unhandled_errors', 'capture_unhandled_rejections', 'capture_console_errors'])
    describe(name, () => itIsAMember('capture_exceptions', name, { wrong: ['yes', 1, null], right: true }))

  test.each<[string, Options, Properties, string[]]>([
    ['nothing by default', {}, {}, []],
    ['errors and rejections when true', { capture_exceptions: true }, {}, ['thrown', 'rejected']],
    [
      'console errors too with capture_console_errors',
      { capture_exceptions: { capture_console_errors: true } },
      {},
      ['thrown', 'rejected', 'logged'],
    ],
    [
      'no errors with capture_unhandled_errors: false',
      { capture_exceptions: { capture_unhandled_errors: false } },
      {},
      ['rejected'],
    ],
    [
      'no rejections with capture_unhandled_rejections: false',
      { capture_exceptions: { capture_unhandled_rejections: false } },
      {},
      ['thrown'],
    ],
    [
      'errors and rejections when the project turns them on',
      {},
      { autocaptureExceptions: true },
      ['thrown', 'rejected'],
    ],
    [
      'what the settings of the project select',
      {},
      { autocaptureExceptions: { capture_unhandled_errors: false } },
      ['rejected'],
    ],
    [
      'nothing when false, even if the project turns it on',
      { capture_exceptions: false },
      { autocaptureExceptions: true },
      [],
    ],
  ])('captures %s', async (_, config, remote, expected) => expect(await captured(config, remote)).toEqual(expected))
})

row('error_tracking', () => {
  itIsAnOption('error_tracking', { fallback: {}, wrong: ['yes', 1, true], right: { captureExtensionExceptions: true } })
  for (const name of ['exceptionRateLimiterBucketSize', 'exceptionRateLimiterRefillRate'])
    describe(name, () => itIsAMember('error_tracking', name, { wrong: ['5', null], right: 5 }))
  describe('captureExtensionExceptions', () =>
    itIsAMember('error_tracking', 'captureExtensionExceptions', { wrong: ['yes', 1], right: true }))
  describe('exception_steps', () =>
    itIsAMember('error_tracking', 'exception_steps', { wrong: [true, 5], right: { enabled: false } }))

  test('limits unhandled errors of one type, and captures more every 10 seconds', async () => {
    const { sent, analytics, settle } = await start({
      capture_exceptions: true,
      error_tracking: { exceptionRateLimiterBucketSize: 2, exceptionRateLimiterRefillRate: 3 },
    })
    const flood = () => [1, 2, 3, 4, 5].forEach(() => raise(new TypeError('again')))
    flood()
    raise(new RangeError('another type'))
    await settle(10_000)
    expect(sent).toHaveLength(3)
    expect(analytics.drops()).toEqual({ rate_limited: 3 })
    flood()
    await settle(10_000)
    expect(sent).toHaveLength(5)
  })

  test.each<[string, Options, Properties, number]>([
    ['drops exceptions of browser extensions', {}, {}, 0],
    [
      'captures exceptions of browser extensions with captureExtensionExceptions',
      { error_tracking: { captureExtensionExceptions: true } },
      {},
      1,
    ],
    [
      'captures exceptions of browser extensions if the project turns it on',
      {},
      { errorTracking: { captureExtensionExceptions: true } },
      1,
    ],
    [
      'prefers the option of the site to the settings of the project',
      { error_tracking: { captureExtensionExceptions: false } },
      { errorTracking: { captureExtensionExceptions: true } },
      0,
    ],
  ])('%s', async (_, config, remote, count) => {
    const { sent, analytics, settle } = await start(config, remote)
    const stack = 'Error: injected\n    at run (chrome-extension://abc/inject.js:1:2)'
    analytics.captureException(Object.assign(new Error('injected'), { stack }))
    await settle()
    expect(sent).toHaveLength(count)
    expect(analytics.drops()).toEqual(count ? {} : { noise: 1 })
  })

  test.each<[object, string[] | undefined]>([
    [{ enabled: false }, undefined],
    [{ max_bytes: 150 }, ['third']],
    [{}, ['first', 'second', 'third']],
  ])('exception_steps %j keeps the steps %j', async (exception_steps, messages) => {
    const { sent, analytics, settle } = await start({ error_tracking: { exception_steps } })
    for (const message of ['first', 'second', 'third']) analytics.addExceptionStep(message, { note: 'x'.repeat(30) })
    analytics.captureException(new Error('x'))
    await settle()
    const steps = sent[0]!.properties.$exception_steps as Properties[] | undefined
    expect(steps?.map(({ $message }) => $message)).toEqual(messages)
  })
})

row('captureException', () => {
  test('captures a handled error with properties, and returns the event', async () => {
    const { sent, analytics, settle } = await start()
    analytics.captureException(new Error('loads the code'))
    await settle()
    const event = analytics.captureException(new TypeError('x is not a function'), { plan: 'pro' })
    await settle()
    expect(event).toMatchObject({ event: '$exception', uuid: sent[1]!.uuid })
    expect(sent[1]!.properties).toMatchObject({
      plan: 'pro',
      $exception_level: 'error',
      $exception_list: [
        {
          type: 'TypeError',
          value: 'x is not a function',
          mechanism: { type: 'generic', handled: true, synthetic: false },
        },
      ],
    })
  })

  test('is not limited like unhandled errors', async () => {
    const { sent, analytics, settle } = await start({ error_tracking: { exceptionRateLimiterBucketSize: 1 } })
    for (let index = 0; index < 20; index += 1) analytics.captureException(new Error('again'))
    await settle()
    expect(sent).toHaveLength(20)
  })

  test('accepts any value', async () => {
    const { sent, analytics, settle } = await start()
    const values = [undefined, null, 0, '', {}, Symbol('s'), Object.create(null)]
    for (const value of values) analytics.captureException(value)
    await settle()
    expect(sent).toHaveLength(values.length)
  })
})

row('addExceptionStep', () => {
  test('adds steps with message, time and properties to the next exception only', async () => {
    const { sent, analytics, settle } = await start()
    analytics.addExceptionStep('Cart opened', { items: 2 })
    for (const invalid of ['', '  ', 5, undefined]) analytics.addExceptionStep(invalid as string)
    analytics.captureException(new Error('first'))
    analytics.captureException(new Error('second'))
    await settle()
    expect(sent.map(({ properties }) => properties.$exception_steps)).toEqual([
      [{ $message: 'Cart opened', $timestamp: expect.stringMatching(/^2026-.*Z$/), items: 2 }],
      undefined,
    ])
  })
})

row('startExceptionAutocapture, stopExceptionAutocapture', () => {
  test('write capture_exceptions, which starts and stops capturing', async () => {
    const { sent, analytics, settle } = await start()
    analytics.startExceptionAutocapture()
    expect(analytics.config.capture_exceptions).toBe(true)
    await settle()
    raise(new Error('one'))
    analytics.stopExceptionAutocapture()
    expect(analytics.config.capture_exceptions).toBe(false)
    raise(new Error('two'))
    analytics.startExceptionAutocapture({ capture_unhandled_errors: false })
    expect(analytics.config.capture_exceptions).toEqual({ capture_unhandled_errors: false })
    raise(new Error('three'))
    await settle()
    expect(sent).toHaveLength(1)
  })
})

row('$exception', () => {
  test('has the outermost call first, at most 50 frames, and up to four causes', async () => {
    const { sent, analytics, settle } = await start()
    const stack = `Error: deep\n${Array.from({ length: 80 }, (_, index) => `    at call${index} (https://shop.test/app.js:${index + 1}:5)`).join('\n')}`
    const chain = (depth: number): Error =>
      new Error(`cause ${depth}`, depth < 9 ? { cause: chain(depth + 1) } : undefined)
    analytics.captureException(Object.assign(new Error('deep', { cause: chain(1) }), { stack }))
    await settle()
    const [first, ...causes] = sent[0]!.properties.$exception_list as {
      value: string
      mechanism: Properties
      stacktrace: { type: string; frames: Properties[] }
    }[]
    expect(first!.stacktrace.type).toBe('raw')
    expect(first!.stacktrace.frames).toHaveLength(50)
    expect(first!.stacktrace.frames.at(-1)).toEqual({
      platform: 'web:javascript',
      filename: 'https://shop.test/app.js',
      function: 'call0',
      lineno: 1,
      colno: 5,
      in_app: true,
    })
    expect(causes.map(({ value }) => value)).toEqual(['cause 1', 'cause 2', 'cause 3', 'cause 4'])
    expect(causes[0]!.mechanism).toMatchObject({ type: 'chained', exception_id: 1, parent_id: 0 })
  })

  test('is dropped if a suppression rule of the project applies', async () => {
    const rules = [{ type: 'AND', values: [{ key: '$exception_types', operator: 'exact', value: 'TypeError' }] }]
    const { sent, analytics, settle } = await start({}, { errorTracking: { suppressionRules: rules } })
    analytics.captureException(new TypeError('known'))
    analytics.captureException(new RangeError('new'))
    await settle()
    expect(sent).toHaveLength(1)
    expect(analytics.drops()).toEqual({ suppressed: 1 })
  })

  test('has the release that a build tool has set', async () => {
    Object.assign(self, { _posthogReleaseId: '1.4.2' })
    const { sent, analytics, settle } = await start()
    analytics.captureException(new Error('x'))
    await settle()
    Reflect.deleteProperty(self, '_posthogReleaseId')
    expect(sent[0]!.properties.$release_id).toBe('1.4.2')
  })
})

row('capture_performance', () => {
  itIsAnOption('capture_performance', { fallback: undefined, wrong: ['yes', 1, []], right: true })
  for (const [name, wrong, right] of [
    ['web_vitals', ['yes', 1], true],
    ['web_vitals_allowed_metrics', ['LCP', [1]], ['LCP']],
    ['web_vitals_attribution', ['yes', 1], true],
    ['web_vitals_delayed_flush_ms', ['5', null], 5],
    ['network_timing', ['yes', 1], true],
  ] as const)
    describe(name, () => itIsAMember('capture_performance', name, { wrong: [...wrong], right }))

  test.each<[string, Options, Properties, string[]]>([
    ['nothing by default', {}, {}, []],
    ['web vitals when true', { capture_performance: true }, {}, ['webVitals']],
    ['web vitals with web_vitals', { capture_performance: { web_vitals: true } }, {}, ['webVitals']],
    ['nothing with network_timing alone', { capture_performance: { network_timing: true } }, {}, []],
    [
      'attribution with web_vitals_attribution',
      { capture_performance: { web_vitals: true, web_vitals_attribution: true } },
      {},
      ['webVitalsAttribution'],
    ],
    ['web vitals when the project turns them on', {}, { capturePerformance: { web_vitals: true } }, ['webVitals']],
    [
      'nothing when false, even if the project turns it on',
      { capture_performance: false },
      { capturePerformance: { web_vitals: true } },
      [],
    ],
  ])('loads %s', async (_, config, remote, expected) => {
    await start(config, remote)
    expect(loaded).toEqual(expected)
  })
})

row('$web_vitals', () => {
  const ALL: MetricName[] = ['LCP', 'CLS', 'FCP', 'INP']
  const metricsOf = ({ properties }: { properties: Properties }) =>
    Object.keys(properties).flatMap((name) => /^\$web_vitals_(\w+)_value$/.exec(name)?.[1] ?? [])

  test('has values and metrics with their page and session, as soon as all four are known', async () => {
    const { analytics, sent, settle } = await start({
      capture_performance: true,
      request_queue_config: { flush_interval_ms: 250 },
    })
    analytics.capture('x')
    ALL.forEach((name) => measure({ name }))
    await settle(300)
    expect(sent.map(metricsOf)).toEqual([[], expect.arrayContaining(ALL)])
    const { properties } = sent[1]!
    expect(properties).toMatchObject({
      $current_url: 'http://localhost/',
      $web_vitals_LCP_value: 100,
      $web_vitals_LCP_event: {
        name: 'LCP',
        value: 100,
        rating: 'good',
        $current_url: 'http://localhost/',
        $session_id: properties.$session_id,
        $window_id: properties.$window_id,
        timestamp: expect.any(Number),
      },
    })
  })

  test.each<[string, Options['capture_performance'], number]>([
    ['5 seconds', true, 5000],
    ['web_vitals_delayed_flush_ms', { web_vitals: true, web_vitals_delayed_flush_ms: 700 }, 700],
  ])('is captured %s after the first metric', async (_, capture_performance, ms) => {
    const { analytics, settle } = await start({ capture_performance })
    const events: string[] = []
    analytics.on('eventCaptured', ({ event }) => void events.push(event))
    measure({ name: 'FCP' })
    await settle(ms - 10)
    expect(events).toEqual([])
    await settle(20)
    expect(events).toEqual(['$web_vitals'])
  })

  test.each<[string, Options['capture_performance'], string[]]>([
    ['all but TTFB by default', true, ALL],
    [
      'those in web_vitals_allowed_metrics',
      { web_vitals: true, web_vitals_allowed_metrics: ['TTFB', 'LCP'] },
      ['LCP', 'TTFB'],
    ],
  ])('has %s', async (_, capture_performance, names) => {
    const { sent, settle } = await start({ capture_performance })
    for (const name of [...ALL, 'TTFB'] as const) measure({ name })
    await settle(10_000)
    expect(metricsOf(sent[0]!).sort()).toEqual([...names].sort())
  })

  test('has no values of 15 minutes and more', async () => {
    const { sent, settle } = await start({ capture_performance: true })
    measure({ name: 'LCP', value: 900_000 })
    measure({ name: 'FCP', value: 899_999 })
    await settle(10_000)
    expect(sent.map(metricsOf)).toEqual([['FCP']])
  })
})

/** Returns the types of the points of a page with one click. */
const pointsOf = async (config: Options, remote: Properties = {}) => {
  const { analytics, settle } = await start(config, remote)
  const events: Properties[] = []
  analytics.on('eventCaptured', ({ event, properties }) => void (event === '$$heatmap' && events.push(properties)))
  act('#b')
  await settle(6000)
  return events
}
const hasClick = (events: readonly Properties[]) => JSON.stringify(events).includes('"type":"click"')

row('capture_heatmaps', () => {
  itIsAnOption('capture_heatmaps', { fallback: undefined, wrong: ['yes', 1, []], right: true })
  describe('flush_interval_milliseconds', () =>
    itIsAMember('capture_heatmaps', 'flush_interval_milliseconds', { wrong: ['5', null], right: 100 }))
  test.each<[Options, boolean]>([
    [{ capture_heatmaps: true }, true],
    [{ capture_heatmaps: {} }, true],
    [{ capture_heatmaps: false, enable_heatmaps: true }, false],
    [{ capture_heatmaps: true, enable_heatmaps: false }, true],
  ])('%j captures: %s', async (config, expected) => expect(hasClick(await pointsOf(config))).toBe(expected))
  test('sends points after the interval', async () => {
    const { analytics, settle } = await start({ capture_heatmaps: { flush_interval_milliseconds: 200 } })
    const events: string[] = []
    analytics.on('eventCaptured', ({ event }) => void events.push(event))
    act('#b')
    await settle(190)
    expect(events).toEqual([])
    await settle(20)
    expect(events).toEqual(['$$heatmap'])
  })
})

row('enable_heatmaps', () => {
  // Its default and type are a row of mainOptions/startup.test.ts.
  test.each<[Options, Properties, boolean]>([
    [{}, {}, false],
    [{ enable_heatmaps: true }, {}, true],
    [{}, { heatmaps: true }, true],
    [{ enable_heatmaps: false }, { heatmaps: true }, false],
  ])('%j in a project with %j captures: %s', async (config, remote, expected) => {
    expect(hasClick(await pointsOf(config, remote))).toBe(expected)
    expect(loaded.includes('heatmaps')).toBe(expected)
  })
})

row('$$heatmap', () => {
  test('has points by URL', async () => {
    const [properties] = await pointsOf({ capture_heatmaps: true })
    expect(properties!.$heatmap_data).toEqual({
      'http://localhost/': expect.arrayContaining([
        expect.objectContaining({ type: 'click', x: 5, y: 5, target_fixed: false }),
      ]),
    })
  })

  test('has a point for a pointer that rests for half a second, in the window if its element is fixed', async () => {
    show('<div style="position:fixed"><button id="b">Buy</button></div>')
    const { analytics, settle } = await start({ capture_heatmaps: true })
    const points: unknown[] = []
    analytics.on(
      'eventCaptured',
      ({ properties }) => void points.push(...Object.values(properties.$heatmap_data as object).flat()),
    )
    const move = (x: number) =>
      document
        .querySelector('#b')!
        .dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: x, clientY: 3 }))
    move(1)
    await settle(300)
    move(2)
    await settle(6000)
    expect(points.filter((point) => (point as Properties).type === 'mousemove')).toEqual([
      expect.objectContaining({ x: 2, y: 3, target_fixed: true }),
    ])
  })
})

close()
