// What a test leaves behind would reach into the next: every test starts with an empty browser.
beforeEach(() => {
  if (typeof window === 'undefined') return
  // jsdom has no beacons, which every page has: these take nothing.
  navigator.sendBeacon ??= () => false
  localStorage.clear()
  sessionStorage.clear()
  for (const pair of document.cookie.split('; ')) document.cookie = `${pair.split('=')[0]}=; max-age=0; path=/`
  document.body.innerHTML = ''
  history.replaceState(null, '', '/')
})

// A guard against what never ends, not a measure of speed: a busy machine takes its time.
jest.setTimeout(30_000)

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

export {}
