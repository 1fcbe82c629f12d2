import { act, itIsAnOption, leavePage, namesOf, show, tableOf } from '../../support/specRows'
import { listenToConsole, startAnalytics } from '../../support/startAnalytics'
import { BUTTON, MAIN_OPTIONS } from './rows'

// The specification, "Main options": what is captured of a page.
const { row, close } = tableOf(...MAIN_OPTIONS.capture)

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
