import { looksSensitive } from '../../src/lib/sensitive'

/** A seeded random number generator, so that a failing page can be reproduced. */
export const randomFrom = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

/** A secret that can be recognized in any output: a word, a payment card, a social security number. */
export const makeSecret = (random: () => number, kind: 'word' | 'card' | 'ssn'): string => {
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('')
  if (kind === 'card') {
    const start = `4${digits(14)}`
    // The last digit makes the number a card's.
    return [...'0123456789'].map((last) => start + last).find(looksSensitive)!
  }
  if (kind === 'ssn') return `${digits(3)}-${digits(2)}-${digits(4)}`
  return `s3cret${digits(10)}`
}

/** Scripts and components that the editors below need. */
export const COMPONENTS = `<script>
  const valueOf = (field) => field.value ?? field.textContent
  const follow = (field, show) => field.addEventListener('input', () => show(valueOf(field)))
  class Field extends HTMLElement {
    static formAssociated = true
    constructor() {
      super()
      this.internals = this.attachInternals()
      this.attachShadow({ mode: 'open', delegatesFocus: true }).innerHTML = '<label><input><div><span class="line"></span></div><button type="button">Clear</button></label>'
      const input = this.shadowRoot.querySelector('input')
      follow(input, (value) => {
        this.internals.setFormValue(value)
        this.setAttribute('value', value)
        this.setAttribute('data-value', value)
        this.title = value
        this.shadowRoot.querySelector('.line').textContent = value
        this.shadowRoot.querySelector('button').setAttribute('aria-label', 'Clear ' + value)
      })
    }
  }
  customElements.define('x-field', Field)
  customElements.define('x-plain', class extends HTMLElement { static formAssociated = true })
  customElements.define('x-closed', class extends HTMLElement {
    constructor() {
      super()
      const root = this.attachShadow({ mode: 'closed', delegatesFocus: true })
      root.innerHTML = '<input>'
      root.querySelector('input').addEventListener('input', (event) => this.setAttribute('value', event.target.value))
    }
  })
  /** Connects what repeats a field to it, and draws the text of fields that are not elements of the browser. */
  const wire = (root) => root.querySelectorAll('[data-field]').forEach((part) => {
    const field = part.parentNode.querySelector('input, textarea, [contenteditable]')
    const show = { text: (value) => (part.textContent = 'Create "' + value + '"'), title: (value) => (part.title = value), wrap: (value) => (part.parentNode.dataset.replicatedValue = value),
      query: (value) => (part.href = '#/find?' + new URLSearchParams({ q: value })), action: (value) => part.setAttribute('formaction', '/find?q=' + encodeURIComponent(value)),
      names: (value) => (part.id = part.className = value) }[part.dataset.field]
    follow(field, show)
  })
  /** Writes the value of a field into its own attributes, as frameworks do. */
  const reflect = (root) => root.querySelectorAll('[data-own]').forEach((field) =>
    follow(field, (value) => field.dataset.own.split(' ').forEach((name) => {
      if (field.type !== 'file' || name !== 'value') field.setAttribute(name, value)
    })))
  /** Moves the content of each marked element into a shadow root of its own, from the inside out. */
  const shell = (root) => [...root.querySelectorAll('[data-shell]')].reverse().forEach((host) =>
    host.attachShadow({ mode: 'open' }).append(...host.childNodes))
  addEventListener('keydown', ({ target, key }) => {
    const drawn = target.shadowRoot?.activeElement ?? target
    if (drawn.matches('[data-drawn]') && key.length === 1) drawn.firstElementChild.append(key)
  })
  addEventListener('submit', (event) => event.preventDefault())
</script><style>[data-user-modify] { -webkit-user-modify: read-write } .hidden { position: absolute; opacity: 0.01; width: 9px }</style>`

/** Editors that a person can type into. `data-type` marks the element. */
export const EDITORS: Record<string, string> = {
  ...Object.fromEntries(
    ['text', 'search', 'email', 'url', 'tel', 'password', 'unheard-of'].map((type) => [
      `input of type ${type}`,
      `<input type="${type}" data-type>`,
    ]),
  ),
  textarea: '<textarea data-type></textarea>',
  ...Object.fromEntries(
    ['="true"', '', '=""', '="plaintext-only"', '="TRUE"'].map((value) => [
      `contenteditable${value}`,
      `<div contenteditable${value} data-type><p class="p"><br></p></div>`,
    ]),
  ),
  'an editor with structure': '<div contenteditable="true" data-type><ul><li><b><i>x</i></b></li></ul></div>',
  'an editor with an island': '<div contenteditable data-type>a <span contenteditable="false">@someone</span> b</div>',
  'an editor that is a custom element': '<x-editor contenteditable data-type><p>x</p></x-editor>',
  'editable by CSS': '<div data-user-modify tabindex="0" data-type><p>x</p></div>',
  'a drawn text box': '<div role="textbox" tabindex="0" data-drawn data-type><span class="line"></span></div>',
  'a drawn combo box': '<div role="combobox" tabindex="0" data-drawn data-type><span class="line"></span></div>',
  'a drawn spin button': '<div role="spinbutton" tabindex="0" data-drawn data-type><b></b></div>',
  'a code editor':
    '<div class="CodeMirror"><textarea class="hidden" data-type></textarea><pre class="line" data-field="text"></pre></div>',
  'a drawn editor without a name':
    '<div><textarea class="hidden" data-type></textarea><p class="line" data-field="text"></p></div>',
  'a preview on a button': '<div><input data-type><button type="button" data-field="text">Create</button></div>',
  'a preview in a title': '<div><input data-type><button type="button" data-field="title">Create</button></div>',
  'a wrapper that grows': '<div class="grow"><textarea data-type></textarea><i data-field="wrap">x</i></div>',
  'a link with a query': '<div><input data-type><a data-field="query" href="#">Find</a></div>',
  'a button with a query': '<div><input data-type><button type="button" data-field="action">Find</button></div>',
  'an output': '<div><input data-type><output data-field="text"></output></div>',
  'a form-associated custom element': '<x-field data-type></x-field>',
  'a custom element with a closed shadow root': '<x-closed tabindex="0" data-type></x-closed>',
}

/** Controls with choices, of which one is the secret. */
export const CHOICES: Record<string, (secret: string) => string> = {
  select: (secret) => `<select><option>a<option value="${secret}" label="${secret}" selected>${secret}</select>`,
  'list box': (secret) =>
    `<select size="3"><optgroup label="${secret}"><option>${secret}<option selected>b</optgroup></select>`,
  'multiple list box': (secret) => `<select multiple><option title="${secret}" class="o">${secret}<option>b</select>`,
  'data list': (secret) => `<datalist style="display: block"><option value="${secret}">${secret}</option></datalist>`,
  'option alone': (secret) => `<option value="${secret}">${secret}</option>`,
  'drawn list box': (secret) =>
    `<ul role="listbox"><li role="option" data-value="${secret}"><a href="#${secret}">${secret}</a></li></ul>`,
  'content of an editor': (secret) =>
    `<div contenteditable><a href="http://127.0.0.1:9/${secret}" title="${secret}" data-id="${secret}" data-ph-capture-attribute-link="${secret}">${secret}</a><button type="button">${secret}</button></div>`,
  'content of an element that is editable by CSS': (secret) =>
    `<div data-user-modify><button type="button" title="${secret}">${secret}</button></div>`,
  'a mention in an element that is editable by CSS': (secret) =>
    `<div data-user-modify><span contenteditable="false" title="${secret}"><button type="button">@someone</button></span></div>`,
  'content of a form-associated custom element': (secret) =>
    `<x-plain><button type="button" title="${secret}">${secret}</button></x-plain>`,
  'content of a component with a value': (secret) =>
    `<x-chips value="x"><button type="button" title="${secret}">${secret}</button></x-chips>`,
  'text of a form-associated custom element': (secret) => `<x-plain title="${secret}">${secret}</x-plain>`,
  ...Object.fromEntries(
    ['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox', 'slider'].map((role) => [
      `content of a drawn ${role}`,
      (secret: string) =>
        `<div role="${role}" aria-valuetext="${secret}"><button type="button" title="${secret}">${secret}</button></div>`,
    ]),
  ),
  'an output': (secret) => `<output title="${secret}"><button type="button">${secret}</button></output>`,
  'a text area with a default': (secret) => `<textarea title="${secret}">${secret}</textarea>`,
  'a code editor': (secret) =>
    `<div class="CodeMirror"><button type="button" title="${secret}">${secret}</button></div>`,
  'a value that a field shows': (secret) =>
    `<input type="text" value="${secret}" title="${secret}" aria-valuetext="${secret}">`,
  'marked around a component': (secret) =>
    `<p class="ph-no-capture"><x-plain><button type="button" title="${secret}">${secret}</button></x-plain></p>`,
  'marked around an exception': (secret) =>
    `<p class="ph-sensitive"><button type="button" class="ph-include" title="${secret}">${secret}</button></p>`,
  'marked outside a shadow root': (secret) =>
    `<p class="ph-sensitive"><span data-shell><button type="button" title="${secret}">${secret}</button></span></p>`,
  'names of a password': (secret) => `<input type="password" id="${secret}" class="${secret}" aria-label="${secret}">`,
  'names of a hidden field': (secret) =>
    `<input type="hidden" id="${secret}" class="${secret}" aria-label="${secret}">`,
}

const digits = (random: () => number, count: number) =>
  Array.from({ length: count }, () => 1 + Math.floor(random() * 9)).join('')

/** Field types with a specific value format, and a secret in that format. No other date has these years. */
export const FORMS: Record<string, (random: () => number) => string> = {
  number: (random) => digits(random, 12),
  range: (random) => digits(random, 12),
  date: (random) => `7${digits(random, 3)}-07-19`,
  'datetime-local': (random) => `7${digits(random, 3)}-07-19T13:37`,
  month: (random) => `7${digits(random, 3)}-07`,
  week: (random) => `7${digits(random, 3)}-W23`,
  time: (random) => `13:37:42.${digits(random, 3)}`,
  color: (random) => `#a${digits(random, 5)}`,
  file: (random) => `s3cret${digits(random, 10)}.pdf`,
}

/** A field of a type, and every place in which pages repeat its value. */
export const field = (type: string) =>
  `<div><input type="${type}" min="0" max="999999999999" step="any" data-type data-own="value data-value title aria-valuetext aria-valuenow">
  <button type="button" data-field="text">Save</button><i data-field="title">Save</i><a data-field="query" href="#">Find</a><output data-field="text"></output></div>`

/** Elements around an editor, each of which autocapture captures. */
export const AROUND: ((html: string) => string)[] = [
  (html) => html,
  (html) => `<form>${html}<button>Send</button></form>`,
  (html) => `<label>Label ${html}</label>`,
  (html) => `<div style="cursor: pointer">${html}</div>`,
  (html) => `<a href="#a">${html}</a>`,
  (html) => `<button type="button"><span>${html}</span></button>`,
  (html) => `<div data-shell>${html}</div>`,
  (html) => `<div class="ph-include"><article><p></p>${html}</article></div>`,
]
