import { typing } from '../../../src/browser/typing'
import { redactUrls } from '../../../src/lib/redact'
import { SENSITIVE_NAME } from '../../../src/lib/sensitive'
import { createPolicy, type Policy } from '../../../src/extensions/recorder/sanitize/policy'
import { createSanitizer } from '../../../src/extensions/recorder/sanitize/sanitize'
import type { SessionRecordingConfig } from '../../../src/types'

beforeAll(() => {
  // jsdom has no CSS namespace.
  globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS
})

const policyOf = (options: SessionRecordingConfig = {}, remote = {}) =>
  createPolicy(options, { masking: remote }, { outgoingText: redactUrls, sensitiveName: SENSITIVE_NAME, typing })

/** Ids of the page's nodes, in the order of the document. */
const numbered = () => {
  const nodes = new Map<number, Node>()
  const walk = (node: Node) => {
    nodes.set(nodes.size + 1, node)
    node.childNodes.forEach(walk)
  }
  walk(document)
  const idOf = (wanted: Node) => [...nodes].find(([, node]) => node === wanted)![0]
  return { nodes, idOf }
}

/** Sanitizes incremental data of a page with this HTML. `dataOf` gets the id of an element by its selector. */
const sanitized = (
  html: string,
  dataOf: (id: (selector: string) => number) => object,
  options: SessionRecordingConfig = {},
) => {
  document.body.innerHTML = html
  const { nodes, idOf } = numbered()
  const { sanitize } = createSanitizer(policyOf(options) as Policy, (id) => nodes.get(id) ?? null, redactUrls)
  const data = dataOf((selector) => idOf(document.querySelector(selector)!))
  return sanitize({ type: 3, data, timestamp: 1 })?.data as any
}

const changed = (attributes: object, html = '<p id="a"></p>', options = {}) =>
  sanitized(
    html,
    (id) => ({ source: 0, texts: [], removes: [], adds: [], attributes: [{ id: id('#a'), attributes }] }),
    options,
  )?.attributes[0]?.attributes

describe('the recording policy', () => {
  test.each([
    [{ maskTextSelector: '::::' }, 'maskTextSelector'],
    [{ blockSelector: 'div[' }, 'blockSelector'],
    [{ maskTextClass: 'two words' }, 'maskTextClass'],
    [{ maskTextFn: 'no function' }, 'maskTextFn'],
    [{ masking: 'strickt' }, 'masking'],
  ])('rejects %p with a message that names the option', (options, name) => {
    expect(policyOf(options as SessionRecordingConfig)).toContain(name)
  })

  const OTHER = { recordCrossOriginIframes: true }
  test.each<[SessionRecordingConfig, string, boolean]>([
    [{}, 'src="https://other.example/"', true],
    [OTHER, 'src="https://other.example/"', false],
    [OTHER, 'src="//other.example/"', false],
    [OTHER, `src="${location.origin}/a"`, true],
    [OTHER, 'src="/a"', true],
    [OTHER, 'src="https://other.example/" srcdoc="a"', true],
    [OTHER, '', true],
    [OTHER, 'src="javascript:1"', true],
    [OTHER, 'src="https://other.example/" class="ph-no-capture"', true],
    [{ ...OTHER, masking: 'strict' }, 'src="https://other.example/"', true],
    [{ recordSameOriginIframes: true }, 'src="/a"', false],
    [{ ...OTHER, recordSameOriginIframes: true }, 'src="/a"', false],
    [{ recordSameOriginIframes: true, masking: 'strict' }, 'src="/a"', true],
  ])('with %p records a frame with %s as a box: %p', (options, attributes, isBox) => {
    document.body.innerHTML = `<iframe ${attributes}></iframe>`
    const { blockSelector } = policyOf(options) as Policy
    expect(document.querySelector('iframe')!.matches(blockSelector)).toBe(isBox)
  })

  test('rejects an invalid selector in the project settings', () => {
    expect(policyOf({}, { maskTextSelector: '::::' })).toContain("the project's")
  })

  test.each([[{}], [{ blockClass: 'other', blockSelector: '.map' }]])('blocks the toolbar with %p', (options) => {
    expect((policyOf(options) as Policy).blockSelector.split(',')).toContain('.toolbar-global-fade-container')
  })

  test('is only made stricter by the project settings', () => {
    const strict = policyOf({ maskAllInputs: false }, { maskAllInputs: true, maskAllElementAttributes: true }) as Policy
    expect([strict.masksInput('text'), strict.masksAttributes]).toEqual([true, true])
    const open = policyOf({}, { maskAllInputs: false, maskAllElementAttributes: false }) as Policy
    expect([open.masksInput('text'), open.masksAttributes]).toEqual([true, false])
  })
})

describe('recorded input', () => {
  const typed = (field: string, options = {}) =>
    sanitized(field, (id) => ({ source: 5, id: id('#a'), text: 'hunter22', isChecked: false }), options)?.text

  test.each(['text', 'search', 'unknown', 'number'])('is masked in a field of type %s by default', (type) => {
    expect(typed(`<input id="a" type="${type}">`)).toBe('********')
  })

  test('is shown with maskAllInputs: false, except in the types maskInputOptions lists', () => {
    expect(typed('<input id="a">', { maskAllInputs: false })).toBe('hunter22')
    expect(typed('<input id="a">', { maskAllInputs: false, maskInputOptions: { text: true } })).toBe('********')
  })

  test.each([
    '<input id="a" type="password">',
    '<input id="a" type="email">',
    '<input id="a" type="tel">',
    '<input id="a" autocomplete="section-x cc-number">',
    '<input id="a" autocomplete="new-password">',
    '<input id="a" name="card_cvc_password" autocomplete="one-time-code">',
    '<input id="a" data-rr-is-password="true">',
  ])('is always masked in %s', (field) => {
    expect(typed(field, { maskAllInputs: false, maskInputFn: (value: string) => value })).toBe('********')
  })

  test.each([
    ['its result', () => 'X', 'X'],
    [
      'a mask, if it throws',
      () => {
        throw new Error('x')
      },
      '********',
    ],
    ['a mask, if it returns no string', () => undefined, '********'],
  ])('with maskInputFn is %s', (_, maskInputFn, expected) => {
    expect(typed('<input id="a">', { maskInputFn: maskInputFn as never })).toBe(expected)
  })

  test('is masked in a field that was removed', () => {
    expect(sanitized('', () => ({ source: 5, id: 99, text: 'hunter22', isChecked: false })).text).toBe('********')
  })
})

describe('recorded text', () => {
  const text = (html: string, options = {}) =>
    sanitized(
      html,
      (id) => ({ source: 0, adds: [], removes: [], attributes: [], texts: [{ id: id('#a') + 1, value: 'Ada L' }] }),
      options,
    ).texts[0].value

  test('is not masked by default', () => expect(text('<p id="a">x</p>')).toBe('Ada L'))
  test.each([
    ['a class', '<div class="ph-mask"><p id="a">x</p></div>', {}],
    ['a selector', '<div class="name"><p id="a">x</p></div>', { maskTextSelector: '.name' }],
    ['a pattern of classes', '<div class="private-1"><p id="a">x</p></div>', { maskTextClass: /^private/ }],
    ["'strict'", '<p id="a">x</p>', { masking: 'strict' }],
    ['an editor', '<div contenteditable><p id="a">x</p></div>', {}],
  ])('is masked by %s', (_, html, options) => expect(text(html, options)).toBe('*** *'))
  test('of a style element is not masked', () => expect(text('<style id="a">x</style>')).toBe('Ada L'))

  test('is the result of maskTextFn if it is masked, or asterisks if the function throws', () => {
    expect(text('<p id="a" class="ph-mask">x</p>', { maskTextFn: () => 'N' })).toBe('N')
    const maskTextFn = () => {
      throw new Error('x')
    }
    expect(text('<p id="a" class="ph-mask">x</p>', { maskTextFn })).toBe('*** *')
  })

  test('is left out in an element that is recorded as a box', () => {
    const html = '<div class="ph-no-capture"><p id="a">x</p></div>'
    expect(
      sanitized(html, (id) => ({
        source: 0,
        adds: [],
        removes: [],
        attributes: [],
        texts: [{ id: id('#a') + 1, value: 'Ada' }],
      })),
    ).toBeUndefined()
  })
})

describe('recorded attributes', () => {
  test('are those on the list with valid values', () => {
    expect(
      changed({
        title: 'Hello',
        width: '12px',
        height: '<b>',
        onclick: 'x()',
        srcdoc: '<p>',
        'data-state': 'open',
        nonce: 'n',
      }),
    ).toEqual({ title: 'Hello', width: '12px', 'data-state': 'open' })
  })

  test("keep the layout with 'strict': sizes, classes, and styles without strings and URLs", () => {
    expect(
      changed(
        {
          title: 'Hello',
          class: 'row user-731905284617',
          style: 'width: 5px; --n: "Ada"; background: url(/x.png)',
          'data-state': 'open',
          href: 'https://shop.test/orders/731905284617?q=1#h',
        },
        undefined,
        { masking: 'strict' },
      ),
    ).toEqual({
      title: '*****',
      class: expect.stringMatching(/^row user-x\w+$/),
      style: 'width: 5px; --n: ; background: url()',
      href: 'https://shop.test/orders/-',
    })
  })

  test('have the same hash in a class and in CSS, so styles apply', () => {
    const strict = { masking: 'strict' } as const
    const { class: hashed } = changed({ class: 'u731905284617' }, undefined, strict)
    const { rule } = sanitized(
      '',
      () => ({ source: 8, id: 1, adds: [{ rule: '.u731905284617 { color: red }' }] }),
      strict,
    ).adds[0]
    expect(rule).toBe(`.${hashed} { color: red }`)
  })

  test.each([
    ['javascript:alert(1)', undefined],
    ['blob:https://shop.test/1', undefined],
    ['https://shop.test/?token=abc&page=2', 'https://shop.test/?token=redacted&page=2'],
    ['data:text/html,<p>', undefined],
    ['#icon', '#icon'],
  ])('with href %s have the value %s', (href, expected) => expect(changed({ href })?.href).toBe(expected))

  test('have the result of maskAttributeFn and are left out if it throws', () => {
    expect(changed({ title: 'Ada' }, undefined, { maskAttributeFn: (name: string) => `[${name}]` })).toEqual({
      title: '[title]',
    })
    const maskAttributeFn = () => {
      throw new Error('x')
    }
    expect(changed({ title: 'Ada' }, undefined, { maskAttributeFn })).toBeUndefined()
  })
})

test.each([
  ['an unknown type', { type: 99, data: { secret: 1 } }],
  ['an unknown source', { type: 3, data: { source: 99 } }],
  ['an unknown custom event', { type: 5, data: { tag: 'x', payload: { secret: 1 } } }],
  ['a plugin', { type: 6, data: { plugin: 'x', payload: 'secret' } }],
  ['data that makes it throw', { type: 3, data: { source: 0, texts: 5 } }],
])('the sanitizer drops a recorder event with %s', (_, event) => {
  const { sanitize } = createSanitizer(policyOf() as Policy, () => null, redactUrls)
  expect(sanitize({ ...event, timestamp: 1 })).toBeUndefined()
})

describe('text typed by a person', () => {
  afterEach(() => typing.fields.clear())

  /** Types into a field, as the page observes it. */
  const type = (field: Element, value: string) => {
    const stop = typing.follow()
    if ('value' in field) field.value = value
    else field.textContent = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
    stop()
  }
  /** Sanitizes a text and attributes of `#a` after `value` was typed into `#field`. */
  const afterTyping = (html: string, value: string, text: string, attributes = {}, options = {}) => {
    const data = sanitized(
      html,
      (id) => {
        type(document.querySelector('#field')!, value)
        const texts = [{ id: id('#a') + 1, value: text }]
        return { source: 0, texts, removes: [], adds: [], attributes: [{ id: id('#a'), attributes }] }
      },
      options,
    )
    return { text: data.texts[0]?.value, attributes: data.attributes[0]?.attributes }
  }
  const PAGE = '<input id="field"><p id="a">x</p>'

  test.each([
    ['laptop', 'Results for laptop', 'Results for *****'],
    ['a+b (c)', '"a+b (c)" and a+b (c)', '"*****" and *****'],
    ['two  words', 'No two words found', 'No ***** found'],
    ['other', 'Results for laptop', 'Results for laptop'],
    ['    a', 'a banana', 'a banana'],
  ])('%p in %j is recorded as %j', (typed, text, expected) => {
    expect(afterTyping(PAGE, typed, text).text).toBe(expected)
  })

  test('is masked in attributes that repeat it', () => {
    const attributes = {
      title: 'Buy laptop',
      'data-value': 'laptop',
      id: 'o-laptop',
      class: 'o laptop',
      href: '/find?q=laptop',
    }
    expect(afterTyping(PAGE, 'laptop', '', attributes).attributes).toEqual({
      title: 'Buy *****',
      'data-value': '*****',
      id: 'o-*****',
      class: 'o *****',
      href: '/find?q=*****',
    })
  })

  test('is masked in attributes of its own field even when it is short', () => {
    const { attributes } = sanitized('<input id="a">', (id) => {
      type(document.querySelector('#a')!, '1234')
      const changes = { title: '1234', 'data-value': '1234', 'aria-valuetext': '1234', 'aria-valuenow': '1234' }
      return { source: 0, texts: [], removes: [], adds: [], attributes: [{ id: id('#a'), attributes: changes }] }
    }).attributes[0]
    expect(attributes).toEqual({ title: '****', 'aria-valuetext': '****' })
  })

  test('is recorded where the page repeats it if inputs are not masked', () => {
    expect(afterTyping(PAGE, 'laptop', 'Results for laptop', {}, { maskAllInputs: false }).text).toBe(
      'Results for laptop',
    )
  })

  test.each([
    ['search?q=divorce%20lawyer', 'search?q=*****'],
    ['search?q=divorce+lawyer&page=2', 'search?q=*****&page=2'],
    ['search/divorce%20lawyer#results', 'search/*****#results'],
    // Requests for what was typed until then, as search-as-you-type sends them.
    ['search?q=Divorce%20la', 'search?q=*****'],
    ['suggest/divor', 'suggest/*****'],
    ['search?q=div', 'search?q=div'],
    ['search?q=%zz', 'search?q=%zz'],
  ])('is masked in URLs of the page and of requests: %s', (path, expected) => {
    document.body.innerHTML = PAGE
    type(document.querySelector('#field')!, 'divorce lawyer')
    const { sanitize, pageUrl } = createSanitizer(policyOf() as Policy, () => null, redactUrls)
    const href = `https://divorce.example/${path}`
    const meta = sanitize({ type: 4, data: { href, width: 1, height: 1 }, timestamp: 1 })!.data as { href: string }
    const changed = { tag: '$url_changed', payload: { href } }
    const custom = sanitize({ type: 5, data: changed, timestamp: 1 })!.data as { payload: { href: string } }
    expect([pageUrl(href), meta.href, custom.payload.href]).toEqual(
      Array(3).fill(`https://divorce.example/${expected}`),
    )
  })

  test.each([
    '<div class="CodeMirror"><pre id="a">x</pre></div>',
    '<div class="monaco-editor"><i id="a">x</i></div>',
    '<div role="combobox"><i id="a">x</i></div>',
    '<div role="Searchbox"><i id="a">x</i></div>',
    '<ul role="listbox"><li id="a">x</li></ul>',
    '<output id="a">x</output>',
    '<p class="ph-sensitive"><i id="a">x</i></p>',
  ])('is masked in an element that renders it: %s', (html) => {
    expect(afterTyping(`<input id="field">${html}`, '', 'typed').text).toBe('*****')
  })

  test('is masked in an edited element that has no contenteditable attribute', () => {
    const text = sanitized('<div id="field"><p id="a">x</p></div>', (id) => {
      const stop = typing.follow()
      document.querySelector('#field')!.dispatchEvent(new Event('input', { bubbles: true }))
      stop()
      return { source: 0, texts: [{ id: id('#a') + 1, value: 'typed' }], removes: [], adds: [], attributes: [] }
    }).texts[0].value
    expect(text).toBe('*****')
  })

  test('is masked as the value of a custom element', () => {
    expect(changed({ value: 'typed' }, '<x-field id="a"></x-field>')).toEqual({ value: '********' })
  })
})
