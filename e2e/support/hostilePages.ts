/** Code of a page that breaks what the SDK builds on. */
export interface HostilePage {
  /** Runs when the page is broken. */
  code: string
  /**
   * When the page may be broken so that events still arrive: only `before` or only `after` the SDK starts. `never`: they
   * need not arrive. Unset: they always arrive. In every case, no event is stored twice and nothing is thrown.
   */
  arrives?: 'before' | 'after' | 'never'
  /** When the page is broken. Unset: before the SDK starts, which breaks what runs later too. */
  when?: 'after' | 'both'
}

const THROWS = `() => { throw new Error('the page threw') }`
const NEVER = `() => new Promise(() => {})`
const getter = (object: string, name: string, body: string) =>
  `Object.defineProperty(${object}, '${name}', { configurable: true, get: ${body} })`
const value = (object: string, name: string, body: string) =>
  `Object.defineProperty(${object}, '${name}', { configurable: true, writable: true, value: ${body} })`
const each = (names: string, toCode: (name: string) => string) => names.split(' ').map(toCode).join(';')

const STORAGE = 'getItem setItem removeItem key'

export const HOSTILE_PAGES: Record<string, HostilePage> = {
  // Storage
  'localStorage throws': { code: getter('window', 'localStorage', THROWS) },
  'sessionStorage throws': { code: getter('window', 'sessionStorage', THROWS) },
  'no storage': {
    code: `${value('window', 'localStorage', 'undefined')};${value('window', 'sessionStorage', 'null')}`,
  },
  'methods of storage throw': { code: each(STORAGE, (name) => `Storage.prototype.${name} = ${THROWS}`), when: 'both' },
  'storage has garbage': { code: `Storage.prototype.getItem = () => '{"a":[' ` },
  'storage has values of other types': { code: `Storage.prototype.getItem = () => '[null, 1, {"distinct_id": {}}]'` },
  'storage returns objects': { code: `Storage.prototype.getItem = () => ({})`, when: 'both' },
  'storage parses its values': {
    code: `{ const { getItem } = Storage.prototype; Storage.prototype.getItem = function (name) { const text = getItem.call(this, name); try { return JSON.parse(text) } catch { return text } } }`,
  },
  'storage stores nothing': { code: `Storage.prototype.setItem = () => {}`, when: 'both' },
  'cookies throw': {
    code: `Object.defineProperty(document, 'cookie', { configurable: true, get: ${THROWS}, set: ${THROWS} })`,
  },
  'cookies are garbage': {
    code: `Object.defineProperty(document, 'cookie', { configurable: true, get: () => ';;=%E0%A4%A;=;' + 'x'.repeat(5000), set: () => {} })`,
  },
  'cookies are not a string': {
    code: `Object.defineProperty(document, 'cookie', { configurable: true, get: () => undefined, set: () => {} })`,
  },
  'indexedDB never answers': { code: `IDBFactory.prototype.open = () => new EventTarget()` },
  'indexedDB.open throws': { code: `IDBFactory.prototype.open = ${THROWS}` },
  'indexedDB.open returns nothing': { code: `IDBFactory.prototype.open = () => undefined` },
  'no indexedDB': { code: value('window', 'indexedDB', 'undefined') },
  'indexedDB throws': { code: getter('window', 'indexedDB', THROWS) },
  'transactions throw': { code: `IDBDatabase.prototype.transaction = ${THROWS}` },
  'no locks': { code: value('navigator', 'locks', 'undefined') },
  'locks never answer': { code: `LockManager.prototype.request = ${NEVER}` },
  'locks throw': { code: `LockManager.prototype.request = ${THROWS}; LockManager.prototype.query = ${THROWS}` },
  'locks reject': {
    code: `LockManager.prototype.request = LockManager.prototype.query = () => Promise.reject(new Error('no'))`,
  },
  'LockManager.query never resolves': { code: `LockManager.prototype.query = ${NEVER}` },
  'a flood of storage events': {
    code: `for (let at = 0; at < 2000; at++) dispatchEvent(new StorageEvent('storage', { key: at % 2 ? null : 'trailmark x', newValue: '{' }))`,
  },
  'a flood of messages': {
    code: `const channel = new BroadcastChannel('trailmark'); for (let at = 0; at < 2000; at++) { channel.postMessage([at]); postMessage({ type: 'rrweb', event: at }, '*') }`,
  },

  // Network
  'no fetch': { code: value('window', 'fetch', 'undefined') },
  'fetch throws': { code: `window.fetch = ${THROWS}` },
  'fetch never resolves': { code: `window.fetch = ${NEVER}` },
  'fetch rejects': { code: `window.fetch = () => Promise.reject(new Error('no'))` },
  'fetch resolves with nothing': { code: `window.fetch = async () => undefined` },
  'fetch resolves with an HTML page': { code: `window.fetch = async () => new Response('<!doctype html>')` },
  'fetch returns no promise': { code: `window.fetch = () => ({ ok: true, status: 200 })` },
  'response bodies never end': {
    code: `Response.prototype.text = Response.prototype.json = Response.prototype.arrayBuffer = ${NEVER}`,
  },
  'no sendBeacon': { code: value('navigator', 'sendBeacon', 'undefined') },
  'sendBeacon throws': { code: `Navigator.prototype.sendBeacon = ${THROWS}` },
  'sendBeacon sends nothing': { code: `Navigator.prototype.sendBeacon = () => true` },
  'sendBeacon returns false': { code: `Navigator.prototype.sendBeacon = () => false` },
  'no XMLHttpRequest': { code: value('window', 'XMLHttpRequest', 'undefined') },
  'XMLHttpRequest throws': { code: `window.XMLHttpRequest = function () { throw new Error('the page threw') }` },
  'CompressionStream throws': {
    code: `window.CompressionStream = class { constructor() { throw new Error('the page threw') } }`,
  },
  'CompressionStream never ends': {
    code: `window.CompressionStream = class { readable = new ReadableStream({ pull: ${NEVER} }); writable = new WritableStream() }`,
  },
  'CompressionStream fails': {
    code: `window.CompressionStream = class { readable = new ReadableStream({ start: (to) => to.error(new Error('no')) }); writable = new WritableStream() }`,
  },
  'no TextEncoder': { code: value('window', 'TextEncoder', 'undefined') },
  'TextEncoder throws': { code: `TextEncoder.prototype.encode = ${THROWS}` },
  'Blob throws': { code: `window.Blob = function () { throw new Error('the page threw') }` },
  'URL throws': { code: `window.URL = function () { throw new Error('the page threw') }` },
  'no URLSearchParams': { code: value('window', 'URLSearchParams', 'undefined') },

  // Time and randomness
  'the clock stands still': { code: `Date.now = () => 1e12; performance.now = () => 5` },
  'the clock jumps': {
    code: `{ let at = 0; const real = Date.now; Date.now = () => real() + (at++ % 2 ? 864e5 : -864e5) }`,
  },
  'the clock returns NaN': { code: `Date.now = () => NaN` },
  'the clock throws': { code: `Date.now = ${THROWS}`, arrives: 'never' },
  'performance.now runs backward': { code: `{ let at = 1e9; Performance.prototype.now = () => (at -= 1000) }` },
  'no crypto': { code: value('window', 'crypto', 'undefined') },
  'random values are constant': {
    code: `Crypto.prototype.getRandomValues = (array) => array; Crypto.prototype.randomUUID = () => '00000000-0000-4000-8000-000000000000'; Math.random = () => 0`,
  },
  'random values throw': { code: `Crypto.prototype.getRandomValues = Crypto.prototype.randomUUID = ${THROWS}` },
  'Prototype.js 1.6 quotes dates': {
    code: `Date.prototype.toJSON = function () { return '"' + this.getUTCFullYear() + '-01-01T00:00:00Z"' }`,
    when: 'both',
  },
  'dates throw': { code: `Date.prototype.toJSON = Date.prototype.toISOString = ${THROWS}`, when: 'both' },
  'the performance clock throws': { code: `Performance.prototype.now = ${THROWS}` },
  'sizes throw': {
    code: `${each('width height', (name) => getter('Screen.prototype', name, THROWS))};${each('innerWidth innerHeight devicePixelRatio', (name) => getter('window', name, THROWS))}`,
  },
  'timers never run': { code: `window.setTimeout = window.setInterval = () => 1`, arrives: 'never', when: 'both' },
  'timers run early': {
    code: `{ const real = window.setTimeout; window.setTimeout = (run, ms) => real(run, ms / 100) }`,
  },
  'timers throw': { code: `window.setTimeout = ${THROWS}`, arrives: 'never' },
  'queueMicrotask does nothing': { code: `window.queueMicrotask = () => {}` },
  'timers are not cleared': { code: `window.clearTimeout = () => {}` },
  'idle callbacks never run': { code: `window.requestIdleCallback = () => 1; window.requestAnimationFrame = () => 1` },

  // Language
  'JSON.stringify throws': { code: `JSON.stringify = ${THROWS}`, arrives: 'never', when: 'both' },
  'JSON.parse throws': { code: `JSON.parse = ${THROWS}` },
  'Prototype.js adds toJSON methods': {
    code: `Array.prototype.toJSON = function () { return '[' + this.join() + ']' }; String.prototype.toJSON = function () { return '"' + this + '"' }`,
  },
  'toJSON throws': { code: `Object.prototype.toJSON = ${THROWS}` },
  'Object.prototype has enumerable members': {
    code: each('a each toJson event properties uuid config', (name) => `Object.prototype.${name} ??= function () {}`),
  },
  'every object is thenable': { code: `Object.prototype.then = function () {}` },
  'Array.prototype has enumerable members': {
    code: each('contains remove last', (name) => `Array.prototype.${name} = function () {}`),
  },
  'Array.from is garbled': { code: `Array.from = (items) => [items, items]` },
  'callbacks of promises are wrapped': {
    code: `{ const { then } = Promise.prototype; Promise.prototype.then = function (...all) { return then.apply(this, all.map((run) => run && ((value) => run(value)))) } }`,
  },
  'Promise is replaced': { code: `window.Promise = class extends Promise {}` },
  'NodeList is not iterable': {
    code: `delete NodeList.prototype[Symbol.iterator]; delete HTMLCollection.prototype[Symbol.iterator]; delete DOMTokenList.prototype[Symbol.iterator]`,
  },
  'structuredClone throws': { code: `window.structuredClone = ${THROWS}` },
  'the console throws': { code: each('log info warn error debug', (name) => `console.${name} = ${THROWS}`) },
  'no console': { code: value('window', 'console', 'undefined') },
  'stacks are objects': { code: `Error.prepareStackTrace = (_, sites) => sites` },
  'stacks throw': { code: `Error.prepareStackTrace = ${THROWS}` },
  'stackTraceLimit is frozen': {
    code: `Object.defineProperty(Error, 'stackTraceLimit', { value: 1, writable: false })`,
  },
  'an old library replaces the methods of arrays': {
    code: `Object.assign(Array.prototype, {
      forEach(run, self) { for (let at = 0; at < this.length; at++) run.call(self, this[at], at, this) },
      map(run, self) { const all = []; for (let at = 0; at < this.length; at++) all[at] = run.call(self, this[at], at, this); return all },
      filter(run, self) { const all = []; for (let at = 0; at < this.length; at++) if (run.call(self, this[at], at, this)) all[all.length] = this[at]; return all },
      some(run, self) { for (let at = 0; at < this.length; at++) if (run.call(self, this[at], at, this)) return true; return false },
      find(run, self) { for (let at = 0; at < this.length; at++) if (run.call(self, this[at], at, this)) return this[at] },
      includes(value) { return this.indexOf(value) >= 0 },
      remove() {}, first() {}, clone() {},
    })`,
  },
  'an old library replaces Object.keys, values, entries and assign': {
    code: `Object.keys = (object) => { const all = []; for (const name in object) if (Object.prototype.hasOwnProperty.call(object, name)) all.push(name); return all }
      Object.values = (object) => Object.keys(object).map((name) => object[name]); Object.entries = (object) => Object.keys(object).map((name) => [name, object[name]])
      Object.assign = (target, ...all) => { for (const each of all) for (const name of Object.keys(each ?? {})) target[name] = each[name]; return target }`,
  },
  'the console and callbacks of the site throw': {
    code: `${each('log info warn error debug', (name) => `console.${name} = ${THROWS}`)}; window.analytics?.on('eventCaptured', ${THROWS})
      ; window.analytics?.set_config?.({ on_request_error: ${THROWS}, loaded: ${THROWS} })`,
  },

  // Document
  'no MutationObserver': { code: value('window', 'MutationObserver', 'undefined') },
  'MutationObserver throws': {
    code: `window.MutationObserver = class { constructor() { throw new Error('the page threw') } }`,
  },
  'no PerformanceObserver': { code: value('window', 'PerformanceObserver', 'undefined') },
  'PerformanceObserver throws': { code: `PerformanceObserver.prototype.observe = ${THROWS}` },
  'listeners are wrapped': {
    code: `{ const { addEventListener } = EventTarget.prototype; EventTarget.prototype.addEventListener = function (type, run, options) { return addEventListener.call(this, type, run && ((event) => (run.handleEvent ?? run).call(this, event)), options) } }`,
  },
  'addEventListener does nothing': { code: `EventTarget.prototype.addEventListener = () => {}` },
  'events have no path': { code: `Event.prototype.composedPath = ${THROWS}` },
  'targets of events throw': { code: getter('Event.prototype', 'target', THROWS) },
  'pushState throws': { code: `History.prototype.pushState = History.prototype.replaceState = ${THROWS}` },
  'no Navigation API, pushState throws': {
    code: `${value('window', 'navigation', 'undefined')};History.prototype.pushState = ${THROWS}`,
  },
  'document.body is replaced': {
    code: `addEventListener('click', () => document.body.replaceWith(document.createElement('body')), { once: true })`,
  },
  'the document is emptied': {
    code: `addEventListener('click', () => document.documentElement.replaceChildren(), { once: true })`,
  },
  'elements cannot be measured': {
    code: `Element.prototype.getBoundingClientRect = ${THROWS}; window.getComputedStyle = ${THROWS}`,
  },
  'selectors throw': {
    code: each('matches closest querySelector querySelectorAll', (name) => `Element.prototype.${name} = ${THROWS}`),
  },
  'attachShadow throws': { code: `Element.prototype.attachShadow = ${THROWS}` },
  'attributes throw': {
    code: each('getAttribute hasAttribute getAttributeNames', (name) => `Element.prototype.${name} = ${THROWS}`),
  },
  'a huge window.name': { code: `window.name = 'x'.repeat(1e6)` },
  'navigator throws': {
    code: `for (const name of Object.getOwnPropertyNames(Navigator.prototype)) if (name !== 'constructor') ${getter('navigator', 'name', THROWS).replace("'name'", 'name')}`,
    when: 'both',
  },
  'no Intl': { code: value('window', 'Intl', 'undefined') },
  'the title throws': { code: getter('Document.prototype', 'title', THROWS) },
  'the referrer throws': { code: getter('Document.prototype', 'referrer', THROWS) },
  'visibility throws': { code: getter('Document.prototype', 'visibilityState', THROWS) },
}
