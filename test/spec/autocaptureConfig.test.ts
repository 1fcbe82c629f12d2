import type { AutocaptureConfig } from '../../src/types'
import { act, itIsAMember, show, tableOf } from '../support/specRows'
import { startAnalytics } from '../support/startAnalytics'

// The specification, "AutocaptureConfig".
const { row, close } = tableOf(
  'url_allowlist',
  'dom_event_allowlist',
  'element_allowlist',
  'css_selector_allowlist',
  'element_attribute_ignorelist',
  'capture_copied_text',
)

const PAGE = `
  <form id="f" class="shop" data-open="o" data-secret="s"><a id="a" href="#">link</a><button id="b" type="button" data-open="o" data-secret="s">button</button>
    <input id="i"><select id="s"><option>1</option></select><textarea id="t"></textarea><label id="l">label</label></form>
  <button id="other">other</button><p id="p">words to copy</p>`

/** Returns the type and tag of the events captured for user actions on the page. */
const seen = async (
  autocapture: AutocaptureConfig | boolean,
  acts: [selector: string, type?: string][],
  later?: AutocaptureConfig,
) => {
  show(PAGE)
  const { analytics, sent, settle } = startAnalytics({ autocapture: later ? false : autocapture })
  if (later) analytics.set_config({ autocapture: later })
  await settle()
  acts.forEach(([selector, type]) => act(selector, type))
  await settle()
  return sent.map(
    ({ properties }) => `${String(properties.$event_type)} ${/^[a-z]+/.exec(properties.$elements_chain as string)![0]}`,
  )
}
const ACTS: [string, string?][] = [['#b'], ['#a'], ['#i', 'change'], ['#f', 'submit']]
const ALL = ['click button', 'click a', 'change input', 'submit form']

row('url_allowlist', () => {
  itIsAMember('autocapture', 'url_allowlist', { wrong: ['https://a', 5, null, {}], right: ['localhost'] })
  test('captures everything when undefined', async () => expect(await seen({}, ACTS)).toEqual(ALL))
  test('captures nothing when empty', async () => expect(await seen({ url_allowlist: [] }, ACTS)).toEqual([]))
  test.each([
    ['the hostname', '/shop', ['localhost'], true],
    ['the full URL', '/shop', ['http://localhost/shop'], true],
    ['the full URL with regular expression characters', '/shop?q=a+b', ['http://localhost/shop?q=a+b'], true],
    ['another URL', '/shop', ['http://localhost/blog'], false],
    ['one of two entries', '/shop', ['/blog', '/shop'], true],
    ['a regular expression', '/shop/17', [/\/shop\/\d+$/], true],
    ['a regular expression that does not match', '/shop/x', [/\/shop\/\d+$/], false],
    ['a regular expression with the g flag, used repeatedly', '/shop', [/shop/g], true],
    ['an invalid regular expression next to a matching one', '/shop', ['(', 'shop'], true],
  ])('%s: captures on %s with %j: %p', async (_, path, url_allowlist, on) => {
    history.replaceState(null, '', path)
    expect(await seen({ url_allowlist }, ACTS)).toEqual(on ? ALL : [])
  })
  test('follows the URL in a single-page app', async () => {
    show(PAGE)
    const { sent, settle } = startAnalytics({ autocapture: { url_allowlist: ['/shop'] } })
    act('#b')
    history.pushState(null, '', '/shop')
    act('#b')
    await settle()
    expect(sent.map(({ properties }) => properties.$pathname)).toEqual(['/shop'])
  })
  test('can be changed by set_config', async () =>
    expect(await seen(false, ACTS, { url_allowlist: ['elsewhere'] })).toEqual([]))
})

row('dom_event_allowlist', () => {
  itIsAMember('autocapture', 'dom_event_allowlist', { wrong: ['click', 5, null, {}, [5]], right: ['click'] })
  test('captures everything when undefined', async () =>
    expect(await seen({ dom_event_allowlist: undefined }, ACTS)).toEqual(ALL))
  test('captures nothing when empty', async () => expect(await seen({ dom_event_allowlist: [] }, ACTS)).toEqual([]))
  test.each([
    ['click', ['click button', 'click a']],
    ['change', ['change input']],
    ['submit', ['submit form']],
  ])('%s: captures only events of this type', async (type, expected) =>
    expect(await seen({ dom_event_allowlist: [type] }, ACTS)).toEqual(expected),
  )
  test('can be changed by set_config', async () =>
    expect(await seen(false, ACTS, { dom_event_allowlist: ['change'] })).toEqual(['change input']))
})

row('element_allowlist', () => {
  itIsAMember('autocapture', 'element_allowlist', { wrong: ['a', 5, null, {}, [5]], right: ['a'] })
  test('captures everything when undefined', async () =>
    expect(await seen({ element_allowlist: undefined }, ACTS)).toEqual(ALL))
  test('captures nothing when empty', async () => expect(await seen({ element_allowlist: [] }, ACTS)).toEqual([]))
  test.each([
    ['a', '#a', 'click', 'click a'],
    ['button', '#b', 'click', 'click button'],
    ['form', '#f', 'submit', 'submit form'],
    ['input', '#i', 'change', 'change input'],
    ['select', '#s', 'change', 'change select'],
    ['textarea', '#t', 'change', 'change textarea'],
    ['label', '#l', 'click', 'click label'],
  ])('%s: captures only elements with this tag', async (tag, selector, type, expected) =>
    expect(
      await seen({ element_allowlist: [tag] }, [
        [selector, type],
        ...(tag === 'button' ? [] : ([['#other']] as [string][])),
      ]),
    ).toEqual([expected]),
  )
  test('can be changed by set_config', async () =>
    expect(await seen(false, ACTS, { element_allowlist: ['a'] })).toEqual(['click a']))
})

row('css_selector_allowlist', () => {
  itIsAMember('autocapture', 'css_selector_allowlist', { wrong: ['.a', 5, null, {}, [5]], right: ['.a'] })
  test('captures everything when undefined', async () =>
    expect(await seen({ css_selector_allowlist: undefined }, ACTS)).toEqual(ALL))
  test('captures nothing when empty', async () => expect(await seen({ css_selector_allowlist: [] }, ACTS)).toEqual([]))
  test('captures only matching elements and their children', async () =>
    expect(await seen({ css_selector_allowlist: ['.nothing', '.shop'] }, [['#b'], ['#other']])).toEqual([
      'click button',
    ]))
  test('ignores an invalid selector', async () =>
    expect(await seen({ css_selector_allowlist: ['!!', '#other'] }, [['#b'], ['#other']])).toEqual(['click button']))
  test('can be changed by set_config', async () =>
    expect(await seen(false, ACTS, { css_selector_allowlist: ['#a'] })).toEqual(['click a']))
})

row('element_attribute_ignorelist', () => {
  itIsAMember('autocapture', 'element_attribute_ignorelist', {
    wrong: ['data-secret', 5, null, {}, [5]],
    right: ['data-secret'],
  })

  const chain = async (autocapture: AutocaptureConfig, rageclick = false) => {
    show(PAGE)
    const { sent, settle } = startAnalytics({ autocapture, rageclick })
    act('#b', 'click', 3)
    await settle()
    return JSON.stringify(sent)
  }
  test.each([[undefined], [[]]])('%j: captures all attributes', async (list) => {
    const text = await chain({ element_attribute_ignorelist: list })
    expect(text).toContain('attr__data-secret')
    expect(text).toContain('attr__data-open')
  })
  test.each([[false], [true]])('omits the listed attributes of all elements (rage clicks: %p)', async (rageclick) => {
    const text = await chain({ element_attribute_ignorelist: ['data-secret'] }, rageclick)
    expect(text).not.toContain('secret')
    expect(text).toContain('attr__data-open')
  })
  test.each(['id', 'class', 'href'])('omits %s from every part of the event', async (name) => {
    show('<a id="told-id" class="told-class" href="#told-href">go</a>')
    const { sent, settle } = startAnalytics({ autocapture: { element_attribute_ignorelist: [name] } })
    act('a')
    await settle()
    expect(JSON.stringify(sent[0]!.properties.$elements_chain)).not.toContain(`told-${name}`)
  })
  test('can be changed by set_config', async () => {
    show(PAGE)
    const { analytics, sent, settle } = startAnalytics({ autocapture: true })
    analytics.set_config({ autocapture: { element_attribute_ignorelist: ['data-secret'] } })
    act('#b')
    await settle()
    expect(JSON.stringify(sent)).not.toContain('secret')
  })
})

row('capture_copied_text', () => {
  itIsAMember('autocapture', 'capture_copied_text', { wrong: ['yes', 1, null], right: true })

  const copy = async (autocapture: AutocaptureConfig | boolean, type: string) => {
    show(PAGE)
    const { sent, settle } = startAnalytics({ autocapture })
    await settle()
    getSelection()!.selectAllChildren(document.querySelector('#p')!)
    act('#p', type)
    await settle()
    return sent.map(({ event, properties }) => [event, properties.$selected_content, properties.$copy_type])
  }
  test.each(['copy', 'cut'])('captures the text of %s when true', async (type) =>
    expect(await copy({ capture_copied_text: true }, type)).toEqual([['$copy_autocapture', 'words to copy', type]]),
  )
  test.each([[true], [{}], [{ capture_copied_text: false }]])('%j: captures no text', async (autocapture) => {
    expect(await copy(autocapture, 'copy')).toEqual([])
    expect(await copy(autocapture, 'cut')).toEqual([])
  })
})

close()
