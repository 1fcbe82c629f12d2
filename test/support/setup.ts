// jsdom counts as a bot, whose events are dropped. The tests are about those of people.
if (typeof window !== 'undefined') {
  const { get } = Object.getOwnPropertyDescriptor(Navigator.prototype, 'userAgent')!
  Object.defineProperty(Navigator.prototype, 'userAgent', {
    configurable: true,
    get(this: Navigator) {
      return (get!.call(this) as string).replace(/ jsdom\S*/, '')
    },
  })
}

// State left by one test would affect the next: every test starts with an empty browser.
beforeEach(() => {
  if (typeof window === 'undefined') return
  // jsdom lacks sendBeacon, which every browser has: this one accepts nothing.
  navigator.sendBeacon ??= () => false
  // jsdom also lacks Request, which accepts any arguments here, and fetch, which never resolves here.
  Object.assign(window, { Request: window.Request ?? class {}, fetch: window.fetch ?? (() => new Promise(() => {})) })
  localStorage.clear()
  sessionStorage.clear()
  for (const pair of document.cookie.split('; ')) document.cookie = `${pair.split('=')[0]}=; max-age=0; path=/`
  document.body.innerHTML = ''
  history.replaceState(null, '', '/')
})

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

export {}
