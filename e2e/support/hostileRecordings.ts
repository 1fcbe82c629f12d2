/** A page that is hard to record. */
export interface HostileRecording {
  /** Options of `session_recording`. */
  readonly options?: object
  /** Runs before the SDK starts. */
  readonly before?: string
  readonly html?: string
  /** Runs once the page is recorded. */
  readonly act: string
  /** What must get into the recording. */
  readonly shows: readonly string[]
  /** Whether the recording tells how much is left out, because the recorder cannot read it. */
  readonly isLeftOut?: true
  /** The steps that the recording must tell of, in order. */
  readonly steps?: readonly string[]
}

const MASKED = '<p class="ph-mask">a masked secret</p>'
const ADD = `document.body.insertAdjacentHTML('beforeend', '<p>added later</p>${MASKED}')`

/** A property of a prototype that throws, as one of a library that expects other arguments. */
const throwing = (names: readonly string[]) =>
  names.map((name) => `${name} = function () { throw new Error('patched ${name}') }`).join(';')

const getter = (owner: string, name: string) =>
  `Object.defineProperty(${owner}.prototype, '${name}', { configurable: true, get() { throw new Error('patched ${name}') } })`

export const HOSTILE_RECORDINGS: Readonly<Record<string, HostileRecording>> = {
  'changes 20,000 nodes a second all over the page': {
    html: `${Array.from({ length: 40 }, () => `<section>${'<b>x</b>'.repeat(50)}</section>`).join('')}<div id="secret" class="ph-mask"></div>`,
    act: `
      const all = [...document.querySelectorAll('b')]
      let count = 0
      setInterval(() => {
        for (let each = 0; each < 1000; each++) all[count++ % all.length].textContent = 'text ' + count
        secret.textContent = 'a masked secret ' + count
      }, 50)`,
    shows: ['"text '],
    steps: ['coalesce', 'pause'],
  },
  'changes 20,000 nodes a second in one part': {
    html: `<section>${'<b>x</b>'.repeat(2000)}</section>`,
    act: `
      const all = [...document.querySelectorAll('b')]
      let count = 0
      setInterval(() => {
        for (let each = 0; each < 1000; each++) all[count++ % all.length].textContent = 'text ' + count
      }, 50)`,
    shows: ['"text '],
    steps: ['coalesce', 'block'],
  },
  'replaces the document': {
    act: `
      document.open()
      document.write('<!doctype html><html><body><h1>rewritten page</h1><input id="field">${MASKED}<p id="echo"></p></body></html>')
      document.close()
      setTimeout(() => {
        field.focus()
        field.value = 'a typed secret'
        field.dispatchEvent(new Event('input', { bubbles: true }))
        echo.textContent = 'You typed a typed secret'
        document.body.append('after the input')
      }, 4000)`,
    shows: ['rewritten page', 'after the input', '"text":"********"'],
  },
  'replaces the root element': {
    act: `
      const html = document.createElement('html')
      html.innerHTML = '<body><h1>another root</h1>${MASKED}</body>'
      document.documentElement.replaceWith(html)`,
    shows: ['another root'],
  },
  'has 300 shadow roots': {
    html: '<div id="hosts"></div>',
    before: `
      addEventListener('DOMContentLoaded', () => {
        for (let index = 0; index < 300; index++) {
          const host = hosts.appendChild(document.createElement('my-card'))
          host.attachShadow({ mode: 'open' }).innerHTML = '<style>p { color: red }</style><p>root ' + index + '</p>${MASKED}'
        }
      })`,
    act: `
      for (const { shadowRoot } of document.querySelectorAll('my-card')) {
        shadowRoot.querySelector('p').textContent = 'changed in its root'
        shadowRoot.querySelector('.ph-mask').textContent = 'another masked secret'
      }`,
    shows: ['"root 0"', '"root 299"', 'changed in its root'],
  },
  'has 50 frames': {
    options: { recordSameOriginIframes: true },
    html: Array.from(
      { length: 50 },
      (_, index) => `<iframe src="/frame?${index}" style="width: 90px; height: 40px"></iframe>`,
    ).join(''),
    act: `
      for (const { contentDocument } of document.querySelectorAll('iframe'))
        contentDocument.body.insertAdjacentHTML('beforeend', '<p>changed in a frame</p>${MASKED}')`,
    shows: ['in a frame', 'changed in a frame'],
  },
  'patches observers': {
    act: `${throwing(['MutationObserver.prototype.observe', 'MutationObserver.prototype.takeRecords'])}; ${ADD}`,
    shows: ['added later'],
  },
  'patches methods of elements': {
    act: `${throwing(['Element.prototype.matches', 'Element.prototype.closest', 'Node.prototype.contains', 'Node.prototype.getRootNode'])}; ${ADD}`,
    shows: [],
    isLeftOut: true,
  },
  'patches properties of nodes': {
    act: `${['childNodes', 'isConnected'].map((name) => getter('Node', name)).join(';')}; ${getter('HTMLInputElement', 'value')}; ${ADD}`,
    shows: ['added later'],
  },
  'patches collections': {
    act: `${throwing(['WeakMap.prototype.get', 'WeakMap.prototype.set', 'NodeList.prototype.forEach', 'Array.from'])}; ${ADD}`,
    // Nothing may get into the recording, and nothing tells so.
    shows: [],
  },
  'returns garbage from its patches': {
    act: `
      Element.prototype.getAttribute = () => ({ toString() { return 'garbage' } })
      Document.prototype.querySelectorAll = () => null
      Node.prototype.getRootNode = () => undefined
      ${ADD}`,
    shows: ['added later'],
  },
}
