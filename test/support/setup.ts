// What a test leaves behind would reach into the next: every test starts with an empty browser.
beforeEach(() => {
  if (typeof window === 'undefined') return
  // jsdom has no beacons, which every page has: these take nothing.
  navigator.sendBeacon ??= () => false
  // jsdom has no Request either, which accepts everything here, and no fetch, which never answers here.
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
