import { typing } from '../../../src/browser/typing'
import { startAutocapture } from '../../../src/sources/autocapture/startAutocapture'
import type { Config, Properties } from '../../../src/types'

let stop = () => {}
afterEach(() => {
  stop()
  typing.fields.clear()
})

const start = (html: string, config: Partial<Config> = {}) => {
  document.body.innerHTML = html
  const captured: [string, Properties][] = []
  stop = startAutocapture({
    config: { autocapture: true, mask_all_text: false, mask_all_element_attributes: false, ...config } as Config,
    captureLater: (event, describe) => void captured.push([event, describe()]),
  })
  return captured
}
const fire = (selector: string, type = 'click') =>
  document
    .querySelector(selector)!
    .dispatchEvent(
      type === 'click'
        ? new MouseEvent(type, { bubbles: true, composed: true })
        : new Event(type, { bubbles: true, composed: true }),
    )

test('a click on a button captures the element, its text and its position', () => {
  const captured = start('<p></p><button class="b a" id="buy" data-x="1">Buy <span>now</span></button>')
  fire('#buy')
  expect(captured).toEqual([
    [
      '$autocapture',
      {
        $event_type: 'click',
        $ce_version: 1,
        $el_text: 'Buy now',
        $elements_chain:
          'button.a.b:attr__class="b a"attr__data-x="1"attr__id="buy"attr_id="buy"nth-child="2"nth-of-type="1"text="Buy now";body:nth-child="2"nth-of-type="1"',
      },
    ],
  ])
})

test('an event on a text node is captured for its parent element', () => {
  const captured = start('<button>Buy</button>')
  document
    .querySelector('button')!
    .firstChild!.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
  expect(captured).toMatchObject([['$autocapture', { $el_text: 'Buy' }]])
})

test.each([
  ['a click on a link', '<a href="#">x</a>', 'a', 'click', 1],
  ['a click inside a button', '<button><i>x</i></button>', 'i', 'click', 1],
  ['a click on something with a pointer cursor', '<div id="d" style="cursor:pointer">x</div>', '#d', 'click', 1],
  ['a click on plain text', '<p>x</p>', 'p', 'click', 0],
  ['a change of a select', '<select><option>1</option></select>', 'select', 'change', 1],
  ['a submit of a form', '<form></form>', 'form', 'submit', 1],
  ['a click on a form itself', '<form></form>', 'form', 'click', 0],
  ['a change of an element that is not a field', '<div id="d"></div>', '#d', 'change', 0],
  ['an element marked ph-no-capture', '<div class="ph-no-capture"><button>x</button></div>', 'button', 'click', 0],
  ['an element marked ph-no-autocapture', '<button class="ph-no-autocapture">x</button>', 'button', 'click', 0],
])('autocapture captures the expected number of events for %s', (_, html, selector, type, count) => {
  const captured = start(html)
  fire(selector, type)
  expect(captured).toHaveLength(count)
})

describe('autocapture lists', () => {
  test.each([
    ['url_allowlist', [], 0],
    ['url_allowlist', ['localhost'], 1],
    ['url_allowlist', [/^https:/], 0],
    ['url_allowlist', ['(', 'localhost'], 1],
    ['dom_event_allowlist', [], 0],
    ['dom_event_allowlist', ['click'], 1],
    ['dom_event_allowlist', ['change'], 0],
    ['element_allowlist', [], 0],
    ['element_allowlist', ['button'], 1],
    ['element_allowlist', ['form'], 0],
    ['css_selector_allowlist', [], 0],
    ['css_selector_allowlist', ['.shop'], 1],
    ['css_selector_allowlist', ['.other', '!!'], 0],
    ['element_attribute_ignorelist', [], 1],
  ])('%s %j captures %i events', (name, list, count) => {
    const captured = start('<div class="shop"><button>x</button></div>', { autocapture: { [name]: list } })
    fire('button')
    expect(captured).toHaveLength(count)
  })

  test('attributes on element_attribute_ignorelist are omitted', () => {
    const captured = start('<button data-secret="s" data-open="o">x</button>', {
      autocapture: { element_attribute_ignorelist: ['data-secret'] },
    })
    fire('button')
    expect(captured[0]![1].$elements_chain).toContain('data-open')
    expect(captured[0]![1].$elements_chain).not.toContain('secret')
  })
})

test('mask_all_text omits the text and mask_all_element_attributes the attributes of all elements', () => {
  const html = '<form id="f"><a id="a" class="c" href="https://else.example/path">Go</a></form>'
  const masked = start(html, { mask_all_text: true, mask_all_element_attributes: true })
  fire('a')
  expect(masked[0]![1]).toEqual({
    $event_type: 'click',
    $ce_version: 1,
    $elements_chain:
      'a:nth-child="1"nth-of-type="1";form:nth-child="1"nth-of-type="1";body:nth-child="2"nth-of-type="1"',
  })
})

test('a click on a link to another host captures its URL', () => {
  const captured = start('<a href="https://else.example/path">Go</a>')
  fire('a')
  expect(captured[0]![1].$external_click_url).toBe('https://else.example/path')
})

test('data-ph-capture-attribute of the innermost element wins', () => {
  const captured = start(
    '<div data-ph-capture-attribute-plan="a" data-ph-capture-attribute-area="b"><button data-ph-capture-attribute-plan="c">x</button></div>',
  )
  fire('button')
  expect(captured[0]![1]).toMatchObject({ plan: 'c', area: 'b' })
})

test('a click inside an open shadow root captures the real target and its hosts', () => {
  const captured = start('<div id="host"></div>')
  const root = document.querySelector('#host')!.attachShadow({ mode: 'open' })
  root.innerHTML = '<button id="inner">x</button>'
  root.querySelector('#inner')!.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
  expect(captured[0]![1].$elements_chain).toMatch(/^button:.*;div:.*;body:/)
})

test('copied text is captured only with capture_copied_text', () => {
  const html = '<p id="p">copied words</p>'
  const select = () => getSelection()!.selectAllChildren(document.querySelector('#p')!)
  const silent = start(html)
  select()
  fire('#p', 'copy')
  expect(silent).toEqual([])
  stop()
  const captured = start(html, { autocapture: { capture_copied_text: true } })
  select()
  fire('#p', 'copy')
  expect(captured).toEqual([
    ['$copy_autocapture', expect.objectContaining({ $selected_content: 'copied words', $copy_type: 'copy' })],
  ])
})

test('typed text and elements marked or named as sensitive are never sent', () => {
  const S = 'SECRET'
  const captured = start(`
    <form id="f">
      <input id="i" name="city" value="${S}" placeholder="${S}" data-v="${S}">
      <input type="password" id="w" value="${S}" aria-label="ok">
      <input type="hidden" name="h" value="${S}">
      <input id="card" name="cc-number" data-v="${S}" aria-label="${S}">
      <textarea id="t">${S}</textarea>
      <select id="s"><option value="${S}">${S}</option></select>
      <div id="e" contenteditable="true" data-v="${S}">${S}</div>
      <a class="ph-sensitive" id="l" href="https://else.example/${S}" data-v="${S}" data-ph-capture-attribute-x="${S}">${S}</a>
      <button id="n">4111 1111 1111 1111 <span>123-45-6789</span></button>
      <button id="a" title="4111-1111-1111-1111">ok</button>
    </form>`)
  for (const id of ['i', 'w', 'card', 't', 's', 'e', 'l', 'n', 'a']) fire(`#${id}`)
  fire('#i', 'change')
  fire('#f', 'submit')
  expect(captured.length).toBeGreaterThan(8)
  const text = JSON.stringify(captured)
  expect(text).not.toContain(S)
  expect(text).not.toMatch(/4111|123-45/)
})

test('autocapture captures text and attributes on a page with the Array.from of MooTools', () => {
  const native = Array.from
  // https://mootools.net/core/docs/1.6.0/Types/Array#Array:Array-from: accepts no function and returns arrays unchanged.
  Array.from = ((item: ArrayLike<unknown>) => (item == null ? [] : Array.prototype.slice.call(item))) as never
  try {
    const captured = start('<a id="buy" href="#">Buy <span>now</span></a>')
    fire('#buy')
    expect(captured[0]![1]).toMatchObject({ $el_text: 'Buy now' })
  } finally {
    Array.from = native
  }
})

test.each([
  [
    'ph-include inside ph-sensitive',
    '<p class="ph-sensitive"><button id="x" class="ph-include HIDDEN">HIDDEN</button></p>',
  ],
  ['a password field', '<input type="password" id="x" class="HIDDEN" aria-label="HIDDEN">'],
  ['a hidden field', '<input type="hidden" id="x" class="HIDDEN" aria-label="HIDDEN">'],
  ['a child of an editor', '<form><div contenteditable><p><b id="x" title="HIDDEN">HIDDEN</b></p></div></form>'],
  [
    'a non-editable element in an editor',
    '<form><p contenteditable="plaintext-only"><i id="x" contenteditable="false">HIDDEN</i></p></form>',
  ],
  ['a link in an editor', '<p contenteditable><a id="x" href="https://else.example/HIDDEN">HIDDEN</a></p>'],
  ['an option in a list box', '<form><select size="3"><option id="x" value="HIDDEN">HIDDEN</option></select></form>'],
  ['an ARIA text box', '<form><p role="textbox"><span id="x">HIDDEN</span></p></form>'],
  [
    'a button in ph-sensitive',
    '<p class="ph-sensitive"><i><button id="x" title="HIDDEN" data-ph-capture-attribute-a="HIDDEN">HIDDEN</button></i></p>',
  ],
  ['a button in a data list', '<datalist><button id="x" title="HIDDEN">HIDDEN</button></datalist>'],
  ['a button in an output', '<output><button id="x" title="HIDDEN">HIDDEN</button></output>'],
  [
    'a button in a component with a value',
    '<x-chips value="1"><button id="x" title="HIDDEN">HIDDEN</button></x-chips>',
  ],
  [
    'a button deep in a component with a value',
    '<x-chips value="1"><section><p><button id="x" title="HIDDEN">HIDDEN</button></p></section></x-chips>',
  ],
  ['a button in an editor', '<p contenteditable="true"><button id="x" title="HIDDEN">HIDDEN</button></p>'],
  ['a button with a name that names a secret', '<button id="x" name="ssn" title="HIDDEN">HIDDEN</button>'],
  ['an option outside a list', '<label><option id="x" title="HIDDEN">HIDDEN</option></label>'],
  ['a password field that shows its value', '<input type="text" id="x" name="pwd" class="HIDDEN" value="HIDDEN">'],
  [
    'a button that contains an element marked ph-sensitive',
    '<button id="x"><span class="ph-sensitive">HIDDEN</span></button>',
  ],
  [
    'a button that contains an element marked ph-no-capture',
    '<button id="x"><i class="ph-no-capture"><span>HIDDEN</span></i></button>',
  ],
  ['a button that contains an editor', '<button id="x"><span contenteditable="true">HIDDEN</span></button>'],
])('autocapture captures only the position of %s', (_, html) => {
  const captured = start(html)
  fire('#x')
  expect(captured).toHaveLength(1)
  expect(JSON.stringify(captured)).not.toContain('HIDDEN')
})

test.each(['', 'name=""'])(
  'autocapture captures only the position of a button with an id that names a secret: %s',
  (name) => {
    const captured = start(`<button id="card-num" ${name} title="HIDDEN">HIDDEN</button>`)
    fire('button')
    expect(captured).toHaveLength(1)
    expect(JSON.stringify(captured)).not.toContain('HIDDEN')
  },
)

test.each(['isContentEditable', 'designMode'])(
  'autocapture captures only the position of an element editable by %s',
  (name) => {
    const captured = start('<section><button id="x" title="HIDDEN">HIDDEN</button></section>')
    // jsdom implements neither.
    const [target, value] =
      name === 'designMode' ? [Document.prototype, 'on'] : [document.querySelector('section')!, true]
    Object.defineProperty(target, name, { value, configurable: true })
    fire('#x')
    delete (target as unknown as Record<string, unknown>)[name]
    expect(captured).toHaveLength(1)
    expect(JSON.stringify(captured)).not.toContain('HIDDEN')
  },
)

test('mask_all_text also omits the text of elements around the target', () => {
  const captured = start('<a href="#"><button>HIDDEN <i>HIDDEN</i></button>HIDDEN</a>', { mask_all_text: true })
  fire('i')
  expect(captured).toHaveLength(1)
  expect(JSON.stringify(captured)).not.toContain('HIDDEN')
})

describe('copied text', () => {
  const select = (node: Node) => getSelection()!.selectAllChildren(node)
  const copying = { autocapture: { capture_copied_text: true } }

  test.each<[title: string, html: string, config: Partial<Config>]>([
    ['is not captured with mask_all_text', '<p id="x">words</p>', { mask_all_text: true }],
    ['is not captured in an element with an id that names a secret', '<p id="ssn"><b id="x">words</b></p>', {}],
    ['is not captured when it includes a private element', '<p id="x">words <output>42</output></p>', {}],
  ])('%s', (_, html, config) => {
    const captured = start(html, { ...copying, ...config })
    select(document.querySelector('#x')!)
    fire('#x', 'copy')
    expect(captured).toEqual([])
  })

  const EDITOR = 'contenteditable="true" role="textbox"'
  test.each([
    ['of an editor is captured', `<div id="e" ${EDITOR}><p id="x">words</p></div>`, 'words'],
    [
      'of an editor that is a custom element is captured',
      '<x-editor id="e" value contenteditable><p id="x">words</p></x-editor>',
      'words',
    ],
    [
      'of an editor is not captured under ph-sensitive',
      `<div class="ph-sensitive"><div id="e" ${EDITOR}><p id="x">words</p></div></div>`,
      undefined,
    ],
    [
      'of an editor is not captured with a marked part',
      `<div id="e" ${EDITOR}><p id="x">words <b class="ph-sensitive">x</b></p></div>`,
      undefined,
    ],
    [
      'of an editor is not captured under ph-no-capture',
      `<div id="e" ${EDITOR} class="ph-no-capture"><p id="x">words</p></div>`,
      undefined,
    ],
    [
      'of an editor is not captured with the name of a secret',
      `<div id="password" ${EDITOR}><p id="x">words</p></div>`,
      undefined,
    ],
    [
      'of an editor inside a field is not captured',
      `<div role="combobox"><div id="e" ${EDITOR}><p id="x">words</p></div></div>`,
      undefined,
    ],
    [
      'of a field inside an editor is not captured',
      `<div id="e" ${EDITOR}><textarea id="x">words</textarea></div>`,
      undefined,
    ],
    ['of a textarea is not captured', '<textarea id="x">words</textarea>', undefined],
  ])('%s when it is cut or copied', (_, html, expected) => {
    for (const type of ['cut', 'copy']) {
      typing.fields.clear()
      const captured = start(html, copying)
      // A person has typed all of it.
      document.querySelector('#e')?.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
      select(document.querySelector('#x')!)
      fire('#x', type)
      expect(captured.map(([, properties]) => properties.$selected_content)).toEqual(expected ? [expected] : [])
      if (expected) expect(captured[0]).toEqual(['$copy_autocapture', expect.objectContaining({ $copy_type: type })])
    }
  })

  test('of an editor is not captured if it repeats what was typed elsewhere, or reaches beyond the editor', () => {
    const html = `<input id="i"><section><div id="e" ${EDITOR}><p id="x">words of a secret</p></div>more</section>`
    const captured = start(html, copying)
    document.querySelector<HTMLInputElement>('#i')!.value = 'secret'
    fire('#i', 'input')
    select(document.querySelector('#x')!)
    fire('#x', 'cut')
    document.querySelector<HTMLInputElement>('#i')!.value = ''
    select(document.querySelector('section')!)
    fire('#x', 'cut')
    expect(captured).toEqual([])
    select(document.querySelector('#x')!)
    fire('#x', 'cut')
    expect(captured).toHaveLength(1)
  })

  test.each([
    ['is captured in a shadow root', '<p id="p">words</p>', 1],
    ['is not captured in a shadow root that contains a private element', '<p id="p">words</p><output>42</output>', 0],
  ])('%s', (_, html, count) => {
    const captured = start('<div id="host"></div>words', copying)
    const root = document.querySelector('#host')!.attachShadow({ mode: 'open' })
    root.innerHTML = html
    // Browsers report a selection inside a shadow root as one outside of it.
    select(document.body)
    root.querySelector('#p')!.dispatchEvent(new Event('copy', { bubbles: true, composed: true }))
    expect(captured).toHaveLength(count)
  })
})

test('autocapture drops text and attributes that repeat typed text', () => {
  const captured = start(
    '<div id="grow"><input id="i"><button id="b">Create "a typed text"</button><a id="a">x</a></div>',
  )
  const input = document.querySelector<HTMLInputElement>('#i')!
  input.value = 'a typed text'
  fire('#i', 'input')
  document.querySelector('#grow')!.setAttribute('data-value', 'a typed text')
  document.querySelector('#a')!.setAttribute('href', '/find?q=a+typed%20text')
  document.querySelector('#b')!.setAttribute('data-ph-capture-attribute-name', 'a typed text')
  fire('#b')
  fire('#a')
  expect(captured).toHaveLength(2)
  expect(JSON.stringify(captured)).not.toContain('typed')
})

test('autocapture drops an external link and an attribute that repeat typed text in URL-encoded form', () => {
  const captured = start('<input id="i"><a id="a" href="#">x</a>')
  document.querySelector<HTMLInputElement>('#i')!.value = 'typed & gone'
  fire('#i', 'input')
  document.querySelector('#a')!.setAttribute('href', 'https://else.example/find?q=typed+%26+gone')
  fire('#a')
  expect(captured).toHaveLength(1)
  expect(JSON.stringify(captured)).not.toContain('typed')
})
