import type { LoadExtension } from '../../src/extensions/contract'
import * as surveysExtension from '../../src/extensions/surveys/surveys'
import { AS_SHIPPED, act, itIsAnOption, leavePage, namesOf, show, tableOf } from '../support/specRows'
import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'

// The specification, "Main options".
const { row, close } = tableOf(
  'api_host',
  'ui_host',
  'autocapture',
  'before_send',
  'bootstrap',
  'capture_pageview',
  'capture_pageleave',
  'capture_dead_clicks',
  'cross_subdomain_cookie',
  'custom_blocked_useragents',
  'defaults',
  'disable_persistence',
  'disable_surveys',
  'disable_session_recording',
  'enable_recording_console_log',
  'enable_heatmaps',
  'evaluation_contexts',
  'external_scripts_inject_target',
  'flags_api_host',
  'loaded',
  'mask_all_text',
  'mask_all_element_attributes',
  'opt_out_capturing_by_default',
  'opt_out_persistence_by_default',
  'opt_out_useragent_filter',
  'persistence',
  'property_denylist',
  'person_profiles',
  'rate_limiting',
  'session_recording',
  'session_idle_timeout_seconds',
  'xhr_headers',
  'rageclick',
)

const BUTTON = '<button id="b" data-kind="k">Buy</button>'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** Everything stored in the browser. */
const stored = () => [localStorage.length, sessionStorage.length, document.cookie]
const ENTRY = 'ph_token_posthog'
const holds = (entry = ENTRY) => ({
  localStorage: !!localStorage.getItem(entry),
  sessionStorage: !!sessionStorage.getItem(entry),
  cookie: document.cookie.includes(`${entry}=`),
})

row('api_host', () => {
  itIsAnOption('api_host', {
    fallback: 'https://us.i.posthog.com',
    wrong: [5, null, {}, true],
    right: 'https://a.example',
  })

  test('is the host of requests, including its path, without a trailing slash', async () => {
    const { analytics, requests, settle } = startAnalytics({ api_host: 'https://shop.example/ingest/' })
    analytics.capture('x')
    await settle()
    expect(requests.length).toBeGreaterThan(0)
    for (const { url } of requests) expect(url).toMatch(/^https:\/\/shop\.example\/ingest\/[a-z]/)
  })

  test('is the US ingestion host by default', async () => {
    const { analytics, requests, settle } = startAnalytics({ api_host: undefined })
    analytics.capture('x')
    await settle()
    for (const { url } of requests) expect(url).toMatch(/^https:\/\/us\.i\.posthog\.com\/[a-z]/)
  })

  test('applies to later events when changed by set_config', async () => {
    const { analytics, requests, settle } = startAnalytics()
    analytics.capture('x')
    await settle()
    analytics.set_config({ api_host: 'https://other.example' })
    const before = requests.length
    analytics.capture('y')
    await settle()
    expect(requests.length).toBeGreaterThan(before)
    for (const { url } of requests.slice(before)) expect(url).toMatch(/^https:\/\/other\.example\//)
  })
})

row('ui_host', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('ui_host', { fallback: undefined, wrong: [5, {}, true], right: 'https://app.example' })

  test('is used for links, not for requests', async () => {
    const { analytics, requests, settle } = startAnalytics({ ui_host: 'https://app.example' })
    analytics.capture('x')
    await settle()
    expect(analytics.get_session_replay_url()).toMatch(/^https:\/\/app\.example\//)
    for (const { url } of requests) expect(url).toMatch(/^https:\/\/events\.example\.com\//)
  })
})

row('autocapture', () => {
  itIsAnOption('autocapture', {
    fallback: true,
    wrong: ['yes', 1, null, []],
    right: { dom_event_allowlist: ['click'] },
  })

  const clickWith = async (config: object) => {
    show(BUTTON)
    const started = startAnalytics(config)
    await started.settle()
    act('#b')
    await started.settle()
    return namesOf(started.sent)
  }
  test('captures clicks by default', async () =>
    expect(await clickWith({ autocapture: undefined })).toEqual(['$autocapture']))
  test('captures clicks when true', async () =>
    expect(await clickWith({ autocapture: true })).toEqual(['$autocapture']))
  test('captures a click that an AutocaptureConfig allows', async () =>
    expect(await clickWith({ autocapture: {} })).toEqual(['$autocapture']))
  test('captures no clicks when false', async () => expect(await clickWith({ autocapture: false })).toEqual([]))
  test('does not affect pageview capture when false', async () =>
    expect(await clickWith({ autocapture: false, capture_pageview: true })).toEqual(['$pageview']))

  test('is turned on and off by set_config', async () => {
    show(BUTTON)
    const { analytics, sent, settle } = startAnalytics({ autocapture: false })
    act('#b')
    analytics.set_config({ autocapture: true })
    act('#b')
    analytics.set_config({ autocapture: false })
    act('#b')
    await settle()
    expect(namesOf(sent)).toEqual(['$autocapture'])
  })
})

row('before_send', () => {
  itIsAnOption('before_send', { fallback: expect.any(Function), wrong: [5, 'x', null, {}], right: () => null })

  test('returns events unchanged by default', () => {
    const { analytics } = startAnalytics()
    const event = { uuid: 'u', event: 'x', properties: { a: 1 }, timestamp: new Date() }
    expect((analytics.config.before_send as (input: typeof event) => unknown)(event)).toEqual(event)
  })

  test('modifies an event before it is sent', async () => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => ({ ...event, event: `${event.event}!`, properties: { ...event.properties, more: 1 } }),
    })
    analytics.capture('x')
    await settle()
    expect(sent).toEqual([expect.objectContaining({ event: 'x!', properties: expect.objectContaining({ more: 1 }) })])
  })

  test.each([[null], [undefined]])('rejects an event by returning %p', async (result) => {
    const { analytics, sent, settle } = startAnalytics({
      before_send: (event) => (event.event === 'no' ? result : event),
    })
    expect(analytics.capture('no')).toBeUndefined()
    analytics.capture('yes')
    await settle()
    expect(namesOf(sent)).toEqual(['yes'])
  })

  test('receives automatic events too', async () => {
    const { sent, settle } = startAnalytics({
      capture_pageview: true,
      before_send: (event) => (event.event === '$pageview' ? null : event),
    })
    await settle()
    expect(sent).toEqual([])
  })

  test('can be changed by set_config', async () => {
    const { analytics, sent, settle } = startAnalytics()
    analytics.capture('a')
    analytics.set_config({ before_send: () => null })
    analytics.capture('b')
    await settle()
    expect(namesOf(sent)).toEqual(['a'])
  })
})

row('bootstrap', () => {
  itIsAnOption('bootstrap', { fallback: {}, wrong: ['x', 5, null, []], right: { distinctID: 'x' } })

  test('sets distinctID as the anonymous visitor before the first request', () => {
    const { analytics } = startAnalytics({ bootstrap: { distinctID: 'visitor-1' } })
    expect(analytics.get_distinct_id()).toBe('visitor-1')
    expect(analytics.capture('x')!.properties).toMatchObject({
      distinct_id: 'visitor-1',
      $is_identified: false,
      $process_person_profile: false,
    })
  })

  test('marks the visitor as identified with isIdentifiedID: true and generates a separate device id', () => {
    const { analytics } = startAnalytics({ bootstrap: { distinctID: 'person-1', isIdentifiedID: true } })
    expect(analytics.capture('x')!.properties).toMatchObject({
      distinct_id: 'person-1',
      $is_identified: true,
      $process_person_profile: true,
      $device_id: expect.stringMatching(uuid),
    })
  })

  test('does not change the current visitor when passed to set_config', () => {
    const { analytics } = startAnalytics()
    const id = analytics.get_distinct_id()
    analytics.set_config({ bootstrap: { distinctID: 'late' } })
    expect(analytics.get_distinct_id()).toBe(id)
  })

  test.each([
    [{ distinctID: 5 }, 'bootstrap.distinctID expects'],
    [{ isIdentifiedID: 'yes' }, 'bootstrap.isIdentifiedID expects'],
    [{ featureFlags: ['a'] }, 'bootstrap.featureFlags expects'],
  ])('%j: logs one message naming the key with a wrong type and generates an id', (bootstrap, line) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ bootstrap: bootstrap as never })
    expect(lines).toEqual([expect.stringContaining(line)])
    expect(analytics.get_distinct_id()).toMatch(uuid)
  })
})

row('capture_pageview', () => {
  itIsAnOption('capture_pageview', { fallback: true, wrong: ['always', 5, null, []], right: 'history_change' })

  const walk = async (config: object) => {
    const { sent, settle } = startAnalytics(config)
    await settle()
    history.pushState(null, '', '/two')
    await settle()
    history.replaceState(null, '', '/three')
    await settle()
    const gone = new Promise((resolve) => window.addEventListener('popstate', resolve, { once: true }))
    history.back()
    await settle()
    await gone
    await settle()
    return sent.map(({ event, properties }) => [event, properties.$pathname])
  }
  test('captures one pageview at page load by default', async () =>
    expect(await walk({ capture_pageview: undefined })).toEqual([['$pageview', '/']]))
  test('captures one pageview at page load when true', async () =>
    expect(await walk({ capture_pageview: true })).toEqual([['$pageview', '/']]))
  test('captures no pageview when false', async () => expect(await walk({ capture_pageview: false })).toEqual([]))
  test('captures a pageview at page load and on each path change with history_change', async () =>
    expect(await walk({ capture_pageview: 'history_change' })).toEqual([
      ['$pageview', '/'],
      ['$pageview', '/two'],
      ['$pageview', '/three'],
      ['$pageview', '/'],
    ]))
  test("defaults to history_change when defaults is '2025-05-24' or later", async () =>
    expect((await walk({ capture_pageview: undefined, defaults: '2025-05-24' })).length).toBe(4))

  test('is turned on by set_config, capturing the current page, and turned off', async () => {
    const { analytics, sent, settle } = startAnalytics({ capture_pageview: false })
    await settle()
    analytics.set_config({ capture_pageview: 'history_change' })
    await settle()
    history.pushState(null, '', '/two')
    await settle()
    analytics.set_config({ capture_pageview: false })
    history.pushState(null, '', '/three')
    await settle()
    expect(sent.map(({ event, properties }) => [event, properties.$pathname])).toEqual([
      ['$pageview', '/'],
      ['$pageview', '/two'],
    ])
  })
})

row('capture_pageleave', () => {
  itIsAnOption('capture_pageleave', { fallback: true, wrong: ['always', 5, null], right: false })

  const leaveWith = async (config: object) => leavePage(startAnalytics(config).settle)
  test('captures $pageleave by default', async () =>
    expect(await leaveWith({ capture_pageleave: undefined })).toEqual(['$pageleave']))
  test('captures $pageleave when true, with or without pageviews', async () =>
    expect(await leaveWith({ capture_pageleave: true, capture_pageview: false })).toEqual(['$pageleave']))
  test('captures no $pageleave when false', async () =>
    expect(await leaveWith({ capture_pageleave: false })).toEqual([]))

  test('is turned off and on by set_config', async () => {
    const { analytics, settle } = startAnalytics({ capture_pageleave: true })
    analytics.set_config({ capture_pageleave: false })
    expect(await leavePage(settle)).toEqual([])
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
    analytics.set_config({ capture_pageleave: true })
    expect(await leavePage(settle)).toEqual(['$pageleave'])
  })
})

row('capture_dead_clicks', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('capture_dead_clicks', { fallback: true, wrong: ['yes', 1, null], right: false })
})

row('cross_subdomain_cookie', () => {
  itIsAnOption('cross_subdomain_cookie', { fallback: true, wrong: ['yes', 1, null], right: false })

  // crossSubdomainCookie.test.ts and e2e/scenarios/specRows.spec.ts cover hosts with several domain levels.
  test.each([[true], [false]])(
    '%p: sets the cookie for the current host when the host has one label',
    async (cross_subdomain_cookie) => {
      const { settle } = startAnalytics({ cross_subdomain_cookie })
      await settle()
      expect(holds().cookie).toBe(true)
    },
  )
})

row('custom_blocked_useragents', () => {
  itIsAnOption('custom_blocked_useragents', { fallback: [], wrong: ['bot', 5, null, {}, [5]], right: ['my-bot'] })

  test('drops events of a matching user agent, ignoring case', async () => {
    const { analytics, sent, settle } = startAnalytics({
      opt_out_useragent_filter: false,
      custom_blocked_useragents: ['JSDOM/'],
    })
    analytics.capture('x')
    await settle()
    expect(sent).toEqual([])
    expect(analytics.drops()).toEqual({ bot: 1 })
  })

  test('sends events of other user agents', async () => {
    const { analytics, sent, settle } = startAnalytics({
      opt_out_useragent_filter: false,
      custom_blocked_useragents: ['another'],
    })
    analytics.capture('x')
    await settle()
    expect(namesOf(sent)).toEqual(['x'])
  })

  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
    expect(analytics.capture('x')).toBeDefined()
    analytics.set_config({ custom_blocked_useragents: ['jsdom'] })
    expect(analytics.capture('x')).toBeUndefined()
  })
})

row('defaults', () => {
  test('is unset by default', () => expect(startAnalytics().analytics.config.defaults).toBe('unset'))

  test.each([['latest'], ['2025-13-40'], ['20260130'], [20260130], [null], [true]])(
    '%j: logs one message and uses the legacy behavior',
    (defaults) => {
      const lines = listenToConsole('error')
      const { analytics } = startAnalytics({ ...AS_SHIPPED, defaults: defaults as string })
      expect(lines).toEqual([expect.stringMatching(/defaults expects .*Using "unset"/)])
      expect(analytics.config).toMatchObject({
        defaults: 'unset',
        capture_pageview: true,
        rageclick: true,
        external_scripts_inject_target: 'body',
      })
    },
  )

  test('is sent with every event as $config_defaults', async () => {
    const { analytics, sent, settle } = startAnalytics({ defaults: '2025-11-30' })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties.$config_defaults).toBe('2025-11-30')
  })
})

row('disable_persistence', () => {
  itIsAnOption('disable_persistence', { fallback: false, wrong: ['yes', 1, null], right: true })

  test('stores no cookie, no session storage and no local storage when true', async () => {
    const { analytics, sent, settle } = startAnalytics({ ...AS_SHIPPED, disable_persistence: true })
    analytics.register({ plan: 'gold' })
    analytics.register_for_session({ tab: 1 })
    analytics.capture('x')
    await settle()
    expect(stored()).toEqual([0, 0, ''])
    expect(sent.find(({ event }) => event === 'x')!.properties).toMatchObject({ plan: 'gold', tab: 1 })
  })

  test('restores the visitor after a reload when false', async () => {
    const first = startAnalytics({ disable_persistence: false })
    await first.settle()
    expect(startAnalytics().analytics.get_distinct_id()).toBe(first.analytics.get_distinct_id())
  })

  test('clears and restores stored data when changed by set_config', async () => {
    const { analytics, settle } = startAnalytics()
    const id = analytics.get_distinct_id()
    await settle()
    expect(holds()).toMatchObject({ localStorage: true, cookie: true })
    analytics.set_config({ disable_persistence: true })
    analytics.capture('x')
    await settle()
    expect(holds()).toEqual({ localStorage: false, sessionStorage: false, cookie: false })
    analytics.set_config({ disable_persistence: false })
    await settle()
    expect(holds()).toMatchObject({ localStorage: true, cookie: true })
    expect(analytics.get_distinct_id()).toBe(id)
  })
})

const SURVEY = { id: 's', name: 'S', type: 'api', questions: [{ type: 'open', question: 'Why?' }] }

row('disable_surveys', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('disable_surveys', { fallback: false, wrong: ['yes', 1, null], right: true })

  test.each([
    [true, [], false],
    [false, [SURVEY], true],
  ])('%p: getSurveys returns %j', async (disable_surveys, surveys, isRequested) => {
    const load: LoadExtension = async () => surveysExtension
    const { analytics, apiRequests, setApiResponse, settle } = startAnalytics({ disable_surveys }, 't', undefined, load)
    setApiResponse(200, { ...NO_FLAGS, surveys: [SURVEY] })
    const listener = jest.fn()
    analytics.getSurveys(listener)
    await settle()
    expect(listener.mock.calls.map(([received]) => received)).toEqual([surveys])
    expect(apiRequests.some(({ url }) => url.endsWith('/api/surveys/?token=t'))).toBe(isRequested)
  })
})

row('disable_session_recording', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('disable_session_recording', { fallback: false, wrong: ['yes', 1, null], right: true })
})

row('enable_recording_console_log', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('enable_recording_console_log', { fallback: false, wrong: ['yes', 1, null], right: true })
})

row('enable_heatmaps', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('enable_heatmaps', { fallback: undefined, wrong: ['yes', 1, {}], right: true })
})

row('evaluation_contexts', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('evaluation_contexts', { fallback: undefined, wrong: ['web', 5, {}], right: ['web'] })
})

row('external_scripts_inject_target', () => {
  itIsAnOption('external_scripts_inject_target', { fallback: 'body', wrong: ['foot', 5, null, true], right: 'head' })

  test("is 'head' when defaults is '2026-01-30' or later", () =>
    expect(startAnalytics({ defaults: '2026-01-30' }).analytics.config.external_scripts_inject_target).toBe('head'))
  // externalScripts.test.ts covers where tags are inserted. The npm build creates none.
})

row('flags_api_host', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('flags_api_host', { fallback: null, wrong: [5, {}, true], right: 'https://flags.example' })
})

row('loaded', () => {
  itIsAnOption('loaded', { fallback: expect.any(Function), wrong: ['x', 5, null, {}], right: () => {} })

  test('is called once with a working instance', async () => {
    const seen: unknown[] = []
    const { analytics, sent, settle } = startAnalytics({
      loaded: (instance) => {
        seen.push(instance, instance.get_distinct_id())
        instance.register({ plan: 'gold' })
        instance.capture('from loaded')
      },
    })
    await settle()
    expect(seen).toEqual([analytics, analytics.get_distinct_id()])
    expect(sent).toEqual([
      expect.objectContaining({ event: 'from loaded', properties: expect.objectContaining({ plan: 'gold' }) }),
    ])
  })

  test('is called before the first pageview', async () => {
    const { sent, settle } = startAnalytics({
      capture_pageview: true,
      loaded: (instance) => instance.register({ plan: 'gold' }),
    })
    await settle()
    expect(sent[0]!.properties.plan).toBe('gold')
  })

  test('does not stop init when it throws', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics({
      loaded: () => {
        throw new Error('no')
      },
    })
    expect(analytics.capture('x')).toBeDefined()
  })
})

row('mask_all_text', () => {
  itIsAnOption('mask_all_text', { fallback: false, wrong: ['yes', 1, null], right: true })

  const textOf = async (config: object, type = 'click') => {
    show('<form id="f"><button type="button"><span id="s">Secret words</span></button> and more secrets</form>')
    const { sent, settle } = startAnalytics(config)
    await settle()
    if (type !== 'click') getSelection()!.selectAllChildren(document.querySelector('#s')!)
    act('#s', type, 3)
    await settle()
    expect(sent.length).toBeGreaterThan(0)
    return JSON.stringify(sent)
  }
  test('captures the text of clicked elements when false', async () =>
    expect(await textOf({ autocapture: true })).toContain('Secret words'))
  test('captures no text of any element when true', async () =>
    expect(await textOf({ autocapture: true, mask_all_text: true })).not.toMatch(/secret/i))
  test('captures no text with a rage click when true', async () =>
    expect(await textOf({ rageclick: true, mask_all_text: true })).not.toMatch(/secret/i))

  test('captures no copied text when true', async () => {
    show('<p id="p">Secret words</p>')
    const { sent, settle } = startAnalytics({ autocapture: { capture_copied_text: true }, mask_all_text: true })
    getSelection()!.selectAllChildren(document.querySelector('#p')!)
    act('#p', 'copy')
    await settle()
    expect(JSON.stringify(sent)).not.toMatch(/secret/i)
  })

  test('can be changed by set_config', async () => {
    show(BUTTON)
    const { analytics, sent, settle } = startAnalytics({ autocapture: true })
    act('#b')
    analytics.set_config({ mask_all_text: true })
    act('#b')
    await settle()
    expect(sent.map(({ properties }) => properties.$el_text)).toEqual(['Buy', undefined])
  })
})

row('mask_all_element_attributes', () => {
  itIsAnOption('mask_all_element_attributes', { fallback: false, wrong: ['yes', 1, null], right: true })

  const attributesOf = async (config: object) => {
    show('<form id="f" data-secret="1"><a id="b" class="secret" href="https://else.example/secret">Go</a></form>')
    document.querySelector('#b')!.addEventListener('click', (event) => event.preventDefault())
    const { sent, settle } = startAnalytics(config)
    await settle()
    act('#b', 'click', 3)
    await settle()
    expect(sent.length).toBeGreaterThan(0)
    return JSON.stringify(sent)
  }
  test('captures attributes when false', async () =>
    expect(await attributesOf({ autocapture: true })).toContain('data-secret'))
  test('captures no attributes of any element when true', async () => {
    const text = await attributesOf({ autocapture: true, mask_all_element_attributes: true })
    expect(text).not.toMatch(/secret|attr__/)
    expect(text).toContain('Go')
  })
  test('captures no attributes with a rage click when true', async () =>
    expect(await attributesOf({ rageclick: true, mask_all_element_attributes: true })).not.toMatch(/secret|attr__/))

  test('can be changed by set_config', async () => {
    show(BUTTON)
    const { analytics, sent, settle } = startAnalytics({ autocapture: true })
    act('#b')
    analytics.set_config({ mask_all_element_attributes: true })
    act('#b')
    await settle()
    expect(sent.map(({ properties }) => /data-kind/.test(properties.$elements_chain as string))).toEqual([true, false])
  })
})

row('opt_out_capturing_by_default', () => {
  itIsAnOption('opt_out_capturing_by_default', { fallback: false, wrong: ['yes', 1, null], right: true })

  test('captures no manual and no automatic events until opt_in_capturing when true', async () => {
    show(BUTTON)
    const { analytics, sent, settle } = startAnalytics({
      ...AS_SHIPPED,
      opt_out_useragent_filter: true,
      opt_out_capturing_by_default: true,
    })
    analytics.capture('before')
    act('#b')
    await settle()
    expect(sent).toEqual([])
    expect(analytics.has_opted_out_capturing()).toBe(true)
    analytics.opt_in_capturing()
    analytics.capture('after')
    act('#b')
    await settle()
    expect(namesOf(sent).sort()).toEqual(['$autocapture', '$dead_click', '$opt_in', '$pageview', 'after'])
  })

  test('captures events without an opt-in when false', () => {
    const { analytics } = startAnalytics({ opt_out_capturing_by_default: false })
    expect([analytics.has_opted_out_capturing(), analytics.capture('x')?.event]).toEqual([false, 'x'])
  })

  test('applies to visitors without a decision, and only to them, when changed by set_config', () => {
    const { analytics } = startAnalytics()
    analytics.set_config({ opt_out_capturing_by_default: true })
    expect(analytics.capture('x')).toBeUndefined()
    analytics.opt_in_capturing()
    expect(analytics.capture('x')).toBeDefined()
  })
})

row('opt_out_persistence_by_default', () => {
  itIsAnOption('opt_out_persistence_by_default', { fallback: false, wrong: ['yes', 1, null], right: true })

  test.each([[true], [false]])(
    'stores nothing in the browser until opt_in_capturing when true (opt_out_capturing_by_default: %p)',
    async (opt_out_capturing_by_default) => {
      const { analytics, settle } = startAnalytics({
        opt_out_persistence_by_default: true,
        opt_out_capturing_by_default,
      })
      const id = analytics.get_distinct_id()
      analytics.capture('x')
      await settle()
      expect(stored()).toEqual([0, 0, ''])
      analytics.opt_in_capturing()
      await settle()
      expect(holds()).toMatchObject({ localStorage: true, cookie: true })
      expect(localStorage.getItem(ENTRY)).toContain(id)
    },
  )

  test('does not stop capturing when true', async () => {
    const { analytics, sent, settle } = startAnalytics({ opt_out_persistence_by_default: true })
    analytics.capture('x')
    await settle()
    expect(namesOf(sent)).toEqual(['x'])
  })

  test('restores a visitor who opted in earlier when true', async () => {
    const first = startAnalytics({ opt_out_persistence_by_default: true })
    first.analytics.opt_in_capturing()
    await first.settle()
    const again = startAnalytics({ opt_out_persistence_by_default: true })
    expect(again.analytics.get_distinct_id()).toBe(first.analytics.get_distinct_id())
  })

  test('clears stored data when turned on by set_config', async () => {
    const { analytics, settle } = startAnalytics()
    await settle()
    expect(holds().localStorage).toBe(true)
    analytics.set_config({ opt_out_persistence_by_default: true })
    analytics.capture('x')
    await settle()
    expect(holds()).toEqual({ localStorage: false, sessionStorage: false, cookie: false })
  })
})

row('opt_out_useragent_filter', () => {
  itIsAnOption('opt_out_useragent_filter', { fallback: false, wrong: ['yes', 1, null], right: true })

  const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
  const captureAs = (agent: string, opt_out_useragent_filter: boolean | undefined) => {
    jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent)
    return startAnalytics({ opt_out_useragent_filter }).analytics.capture('x')
  }
  const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

  test.each([[false], [undefined]])('%p: drops events of a bot', (filter) =>
    expect(captureAs(BOT, filter)).toBeUndefined(),
  )
  test.each([[false], [undefined]])('%p: sends events of a browser without $browser_type', (filter) =>
    expect(captureAs(PERSON, filter)!.properties).not.toHaveProperty('$browser_type'),
  )
  test('sends events of a bot with $browser_type bot when true', () =>
    expect(captureAs(BOT, true)!.properties.$browser_type).toBe('bot'))
  test('sends events of a browser with $browser_type browser when true', () =>
    expect(captureAs(PERSON, true)!.properties.$browser_type).toBe('browser'))

  test('can be changed by set_config', () => {
    jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(BOT)
    const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
    expect(analytics.capture('x')).toBeUndefined()
    analytics.set_config({ opt_out_useragent_filter: true })
    expect(analytics.capture('x')).toBeDefined()
  })
})

row('persistence', () => {
  itIsAnOption('persistence', {
    fallback: 'localStorage+cookie',
    wrong: ['disk', 'localstorage', 5, null],
    right: 'memory',
  })

  const BACKENDS = [
    ['localStorage', { localStorage: true, cookie: false }],
    ['sessionStorage', { localStorage: false, sessionStorage: true, cookie: false }],
    ['cookie', { localStorage: false, cookie: true }],
    ['memory', { localStorage: false, sessionStorage: false, cookie: false }],
    ['localStorage+cookie', { localStorage: true, cookie: true }],
  ] as const

  test.each(BACKENDS)('%s: stores the visitor only in this backend', async (persistence, expected) => {
    const { analytics, settle } = startAnalytics({ persistence })
    analytics.register({ plan: 'gold' })
    await settle()
    expect(holds()).toMatchObject(expected)
  })

  test.each(BACKENDS)('%s: restores the visitor after a reload, except for memory', async (persistence) => {
    const first = startAnalytics({ persistence })
    await first.settle()
    expect(startAnalytics({ persistence }).analytics.get_distinct_id() === first.analytics.get_distinct_id()).toBe(
      persistence !== 'memory',
    )
  })

  test.each(BACKENDS)('%s: set_config moves the visitor to this backend', async (persistence, expected) => {
    const { analytics, settle } = startAnalytics({ persistence: persistence === 'memory' ? 'localStorage' : 'memory' })
    const id = analytics.get_distinct_id()
    analytics.set_config({ persistence })
    await settle()
    expect(holds()).toMatchObject(expected)
    expect(analytics.get_distinct_id()).toBe(id)
  })
})

row('property_denylist', () => {
  itIsAnOption('property_denylist', { fallback: [], wrong: ['secret', 5, null, {}, [5]], right: ['secret'] })

  test('removes the listed properties from every source', async () => {
    const { analytics, sent, settle } = startAnalytics({ property_denylist: ['secret', 'plan', '$current_url'] })
    analytics.register({ plan: 'gold' })
    analytics.capture('x', { secret: 1, open: 1 })
    await settle()
    for (const name of ['secret', 'plan', '$current_url']) expect(sent[0]!.properties).not.toHaveProperty(name)
    expect(sent[0]!.properties.open).toBe(1)
  })

  test('removes listed properties that the SDK adds last', async () => {
    const denied = [
      '$process_person_profile',
      '$is_identified',
      '$lib_rate_limit_remaining_tokens',
      '$session_id',
      '$browser_type',
      '$active_feature_flags',
    ]
    const { analytics, sent, settle } = startAnalytics({
      property_denylist: denied,
      bootstrap: { featureFlags: { a: true } },
    })
    analytics.capture('x')
    await settle()
    for (const name of denied) expect(sent[0]!.properties).not.toHaveProperty([name])
  })

  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics()
    analytics.set_config({ property_denylist: ['secret'] })
    expect(analytics.capture('x', { secret: 1 })!.properties).not.toHaveProperty('secret')
    analytics.set_config({ property_denylist: [] })
    expect(analytics.capture('x', { secret: 1 })!.properties.secret).toBe(1)
  })
})

row('person_profiles', () => {
  itIsAnOption('person_profiles', { fallback: 'identified_only', wrong: ['sometimes', 5, null, true], right: 'always' })

  const profile = (analytics: { capture(name: string): { properties: Record<string, unknown> } | undefined }) =>
    analytics.capture('x')!.properties.$process_person_profile
  test('always: processes a person profile for every event', () =>
    expect(profile(startAnalytics({ person_profiles: 'always' }).analytics)).toBe(true))
  test('identified_only: processes a person profile for identified visitors only', () => {
    const { analytics } = startAnalytics({ person_profiles: 'identified_only' })
    expect(profile(analytics)).toBe(false)
    analytics.identify('u1')
    expect(profile(analytics)).toBe(true)
  })
  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics()
    expect(profile(analytics)).toBe(false)
    analytics.set_config({ person_profiles: 'always' })
    expect(profile(analytics)).toBe(true)
  })
})

row('rate_limiting', () => {
  itIsAnOption('rate_limiting', {
    fallback: { events_per_second: 10, events_burst_limit: 100 },
    wrong: [5, 'x', null, []],
    right: { events_per_second: 1 },
  })

  const arrive = async (config: object) => {
    listenToConsole('error')
    const { analytics, sent, settle } = startAnalytics(config)
    for (let index = 0; index < 300; index++) analytics.capture('x')
    await settle()
    return sent.filter(({ event }) => event === 'x').length
  }
  test('allows a burst of 100 events by default', async () => expect(await arrive({})).toBe(100))
  test('allows a burst of events_burst_limit events', async () =>
    expect(await arrive({ rate_limiting: { events_per_second: 1, events_burst_limit: 7 } })).toBe(7))
  test('allows a burst of 10 times events_per_second without events_burst_limit', async () =>
    expect(await arrive({ rate_limiting: { events_per_second: 3 } })).toBe(30))
  test('uses 10 events per second without events_per_second', async () =>
    expect(await arrive({ rate_limiting: {} })).toBe(100))
  test.each([
    ['events_per_second', 'many'],
    ['events_burst_limit', null],
  ])('%s %j: logs one message that names it and uses the default', async (name, value) => {
    const lines = listenToConsole('error')
    const { analytics } = startAnalytics({ rate_limiting: { [name]: value } })
    expect(lines).toEqual([expect.stringContaining(`rate_limiting.${name} expects`)])
    for (let index = 0; index < 150; index++) analytics.capture('x')
    expect(analytics.drops()).toEqual({ rate_limited: 50 })
  })

  test('limits the average rate to events_per_second', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics({ rate_limiting: { events_per_second: 5, events_burst_limit: 5 } })
    let through = 0
    for (let second = 0; second < 20; second++) {
      for (let index = 0; index < 30; index++) through += analytics.capture('x') ? 1 : 0
      jest.advanceTimersByTime(1000)
    }
    expect(through).toBe(100)
  })

  test('can be changed by set_config', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    analytics.set_config({ rate_limiting: { events_per_second: 1, events_burst_limit: 2 } })
    expect([1, 2, 3].map(() => !!analytics.capture('x'))).toEqual([true, true, false])
  })
})

row('session_recording', () => {
  beforeEach(() => void listenToConsole('warn'))
  itIsAnOption('session_recording', { fallback: {}, wrong: ['yes', 5, null, [], true], right: { maskAllInputs: true } })

  test("enables strictMinimumDuration with defaults '2025-11-30' or later and keeps explicit options", () => {
    expect(startAnalytics({ defaults: '2025-11-30' }).analytics.config.session_recording).toEqual({
      strictMinimumDuration: true,
    })
    expect(
      startAnalytics({ defaults: '2025-11-30', session_recording: { sampleRate: 1 } }).analytics.config
        .session_recording,
    ).toEqual({ strictMinimumDuration: true, sampleRate: 1 })
    expect(
      startAnalytics({ defaults: '2025-11-30', session_recording: { strictMinimumDuration: false } }).analytics.config
        .session_recording,
    ).toEqual({ strictMinimumDuration: false })
  })

  test('keeps the dated default when set_config changes other members', () => {
    const { analytics } = startAnalytics({ defaults: '2025-11-30' })
    analytics.set_config({ session_recording: { sampleRate: 1 } })
    expect(analytics.config.session_recording).toEqual({ strictMinimumDuration: true, sampleRate: 1 })
  })
})

row('session_idle_timeout_seconds', () => {
  itIsAnOption('session_idle_timeout_seconds', { fallback: 1800, wrong: ['60', null, {}, NaN, 90.5], right: 600 })

  const survives = (config: object, seconds: number) => {
    const { analytics } = startAnalytics(config)
    const session = analytics.capture('x')!.properties.$session_id
    jest.advanceTimersByTime(seconds * 1000)
    return analytics.capture('x')!.properties.$session_id === session
  }
  test.each([
    [{}, 1799, true],
    [{}, 1801, false],
    [{ session_idle_timeout_seconds: 120 }, 119, true],
    [{ session_idle_timeout_seconds: 120 }, 121, false],
    [{ session_idle_timeout_seconds: 7200 }, 7199, true],
    [{ session_idle_timeout_seconds: 7200 }, 7201, false],
  ])('%j: keeps the session after %i idle seconds: %p', (config, seconds, expected) =>
    expect(survives(config, seconds)).toBe(expected),
  )

  test('is restarted by activity', () => {
    const { analytics } = startAnalytics()
    const session = analytics.get_session_id()
    for (let index = 0; index < 3; index++) {
      jest.advanceTimersByTime(1_700_000)
      analytics.capture('x')
    }
    expect(analytics.get_session_id()).toBe(session)
  })

  test('can be changed by set_config', () => {
    const { analytics } = startAnalytics()
    const session = analytics.capture('x')!.properties.$session_id
    analytics.set_config({ session_idle_timeout_seconds: 60 })
    jest.advanceTimersByTime(61_000)
    expect(analytics.capture('x')!.properties.$session_id).not.toBe(session)
  })
})

row('xhr_headers', () => {
  itIsAnOption('xhr_headers', { fallback: {}, wrong: ['x', 5, null, []], right: { 'X-A': '1' } })

  test('are sent with every request in addition to the headers of the SDK', async () => {
    const { analytics, requests, settle } = startAnalytics({ xhr_headers: { 'X-Team': 'web' } })
    analytics.capture('x')
    await settle()
    expect(requests.length).toBeGreaterThan(0)
    for (const { init } of requests) expect(init.headers).toMatchObject({ 'X-Team': 'web' })
    expect(requests.at(-1)!.init.headers).toHaveProperty('Content-Type')
  })

  test('can be changed by set_config', async () => {
    const { analytics, requests, settle } = startAnalytics()
    analytics.set_config({ xhr_headers: { 'X-Team': 'late' } })
    analytics.capture('x')
    await settle()
    expect(requests.at(-1)!.init.headers).toMatchObject({ 'X-Team': 'late' })
  })
})

row('rageclick', () => {
  itIsAnOption('rageclick', { fallback: true, wrong: ['yes', 1, null, []], right: { content_ignorelist: true } })

  const rageWith = async (config: object, html = BUTTON) => {
    show(html)
    const { sent, settle } = startAnalytics(config)
    await settle()
    act('#b', 'click', 3)
    await settle()
    return namesOf(sent)
  }
  test('captures three quick clicks by default', async () =>
    expect(await rageWith({ rageclick: undefined })).toEqual(['$rageclick']))
  test('captures three quick clicks when true', async () =>
    expect(await rageWith({ rageclick: true })).toEqual(['$rageclick']))
  test('captures three quick clicks with a RageclickConfig that does not ignore them', async () =>
    expect(await rageWith({ rageclick: {} })).toEqual(['$rageclick']))
  test('captures no rage clicks when false', async () => expect(await rageWith({ rageclick: false })).toEqual([]))

  const NEXT = '<button id="b">Next</button>'
  test.each([[undefined], [true], [{}], [{ css_selector_ignorelist: ['.x'] }]])(
    "%j: enables content_ignorelist with defaults '2025-11-30' or later",
    async (rageclick) => expect(await rageWith({ defaults: '2025-11-30', rageclick }, NEXT)).toEqual([]),
  )
  test.each([[undefined], [true], [{}]])('%j: does not enable content_ignorelist without defaults', async (rageclick) =>
    expect(await rageWith({ rageclick }, NEXT)).toEqual(['$rageclick']),
  )
  test("allows content_ignorelist to be turned off with defaults '2025-11-30'", async () =>
    expect(await rageWith({ defaults: '2025-11-30', rageclick: { content_ignorelist: false } }, NEXT)).toEqual([
      '$rageclick',
    ]))

  test('is turned on and off by set_config', async () => {
    show(BUTTON)
    const { analytics, sent, settle } = startAnalytics({ rageclick: false })
    act('#b', 'click', 4)
    analytics.set_config({ rageclick: true })
    act('#b', 'click', 4)
    await settle(1000)
    analytics.set_config({ rageclick: false })
    act('#b', 'click', 4)
    await settle()
    expect(namesOf(sent)).toEqual(['$rageclick'])
  })

  test.each([[true], [{}], [{ css_selector_ignorelist: ['.x'] }]])(
    "%j passed to set_config keeps the content_ignorelist of defaults '2025-11-30'",
    async (rageclick) => {
      show(NEXT)
      const { analytics, sent, settle } = startAnalytics({ defaults: '2025-11-30', rageclick: false })
      analytics.set_config({ rageclick })
      act('#b', 'click', 3)
      await settle()
      expect(sent).toEqual([])
    },
  )
})

close()
