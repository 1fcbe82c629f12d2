import { startAnalytics } from '../support/startAnalytics'

const KINDS = ['localStorage+cookie', 'localStorage', 'sessionStorage', 'cookie', 'memory'] as const
const NAMES: string[][] = [['getItem'], ['setItem'], ['removeItem'], ['getItem', 'setItem', 'removeItem']]
const forbid = (names: readonly string[]) =>
  names.forEach((name) =>
    jest.spyOn(Storage.prototype, name as 'getItem').mockImplementation(() => {
      throw new DOMException('forbidden', 'SecurityError')
    }),
  )
const clear = () => {
  localStorage.clear()
  sessionStorage.clear()
  for (const pair of document.cookie.split('; ')) document.cookie = `${pair.split('=')[0]}=; max-age=0; path=/`
}
const cookieWrites = jest.fn()
const cookieProperty = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!
const replaceCookies = (get: () => string, set: (text: string) => void) =>
  Object.defineProperty(Document.prototype, 'cookie', { configurable: true, get, set })
const forbidden = () => {
  throw new DOMException('sandboxed', 'SecurityError')
}
const forbidCookies = () => void replaceCookies(forbidden, forbidden)
afterEach(() => {
  Object.defineProperty(Document.prototype, 'cookie', cookieProperty)
  cookieWrites.mockReset()
})
const errors = () => jest.spyOn(console, 'error').mockImplementation(() => {})

describe.each(KINDS)('persistence: %s', (persistence) => {
  const begin = () => {
    const started = startAnalytics({ persistence })
    started.analytics.identify('ada')
    started.analytics.register({ plan: 'gold' })
    started.analytics.group('company', 'acme')
    const { distinct_id, $session_id, $window_id, $device_id } = started.analytics.capture('x')!.properties
    const expected = { distinct_id, $session_id, $window_id, $device_id, plan: 'gold', $groups: { company: 'acme' } }
    return { ...started, expected }
  }

  test('keeps values in the running page when storage is cleared', async () => {
    const { analytics, expected, settle } = begin()
    await settle()
    for (let round = 0; round < 3; round++) {
      clear()
      window.dispatchEvent(new StorageEvent('storage', { key: null, storageArea: localStorage }))
      expect(analytics.capture('y')!.properties).toMatchObject(expected)
      await settle(6000)
      expect(analytics.capture('y')!.properties).toMatchObject(expected)
    }
  })

  test.each([['{}'], ['null'], ['{"plan":"lead"}'], ['broken']])(
    'keeps values when the page overwrites the entry with %s',
    async (text) => {
      const { analytics, expected, settle } = begin()
      await settle()
      localStorage.setItem('ph_token_posthog', text)
      sessionStorage.setItem('ph_token_posthog', text)
      document.cookie = `ph_token_posthog=${encodeURIComponent(text)}; path=/`
      expect(analytics.capture('y')!.properties).toMatchObject(expected)
      await settle(6000)
      expect(analytics.capture('y')!.properties).toMatchObject(expected)
    },
  )

  test.each(NAMES)('keeps values when storage methods %s start to throw', async (...names) => {
    const { analytics, expected, settle } = begin()
    await settle()
    const lines = errors()
    forbid(names)
    forbidCookies()
    expect(analytics.capture('y')!.properties).toMatchObject(expected)
    await settle(6000)
    expect(analytics.capture('y')!.properties).toMatchObject(expected)
    analytics.reset()
    expect(analytics.capture('z')!.properties.distinct_id).not.toBe('ada')
    expect(lines).not.toHaveBeenCalled()
  })

  test.each(NAMES)('captures events when storage methods %s throw from the start', async (...names) => {
    const lines = errors()
    forbid(names)
    forbidCookies()
    const { analytics, sent, settle } = startAnalytics({ persistence })
    analytics.capture('x')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['x'])
    expect(lines).not.toHaveBeenCalled()
  })
})

test('a page without crypto captures events with unique ids', async () => {
  const original = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
  try {
    const { analytics, sent, settle } = startAnalytics()
    for (let index = 0; index < 20; index++) analytics.capture('x')
    await settle()
    expect(new Set(sent.map(({ uuid }) => uuid)).size).toBe(20)
    expect(sent[0]!.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  } finally {
    Object.defineProperty(globalThis, 'crypto', original)
  }
})

describe('an opt-out', () => {
  const optOut = () => {
    const started = startAnalytics()
    started.analytics.opt_in_capturing({ captureEventName: null })
    return started
  }

  test.each([
    ['local storage is full', () => forbid(['setItem'])],
    ['local storage and cookies reject writes', () => (forbid(['setItem', 'removeItem']), forbidCookies())],
    ['storage becomes unavailable', () => (forbid(['getItem', 'setItem', 'removeItem']), forbidCookies())],
  ])('is honored when %s', (_, spoil) => {
    const { analytics } = optOut()
    spoil()
    analytics.opt_out_capturing()
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.get_explicit_consent_status()).toBe('denied')
  })

  test('is stored in a cookie while local storage is full, and in local storage once it has space', () => {
    const { analytics } = optOut()
    const full = jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    analytics.opt_out_capturing()
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(true)
    full.mockRestore()
    analytics.opt_in_capturing()
    expect(localStorage.getItem('__ph_opt_in_out_token')).toBe('1')
    expect(document.cookie).not.toContain('opt_in_out')
  })

  test('is honored after the page clears its storage and after a reload', () => {
    const { analytics } = startAnalytics()
    analytics.opt_out_capturing()
    clear()
    expect(analytics.has_opted_out_capturing()).toBe(true)
    expect(analytics.capture('x')).toBeUndefined()
    expect(startAnalytics().analytics.has_opted_out_capturing()).toBe(true)
  })

  test('is removed when another tab removes it', () => {
    const { analytics } = startAnalytics()
    const other = startAnalytics().analytics
    analytics.opt_out_capturing()
    expect(other.capture('x')).toBeUndefined()
    analytics.clear_opt_in_out_capturing()
    expect(other.get_explicit_consent_status()).toBe('pending')
    expect(other.capture('x')).toBeDefined()
    expect(startAnalytics().analytics.get_explicit_consent_status()).toBe('pending')
  })

  test('is read under opt_out_capturing_cookie_prefix from local storage or a cookie', () => {
    const options = { opt_out_capturing_cookie_prefix: 'my_consent_' }
    localStorage.setItem('my_consent_token', '0')
    expect(startAnalytics(options).analytics.capture('x')).toBeUndefined()
    localStorage.clear()
    document.cookie = 'my_consent_token=no; path=/'
    expect(startAnalytics(options).analytics.capture('x')).toBeUndefined()
  })

  test("is stored in a cookie with opt_out_capturing_persistence_type: 'cookie'", () => {
    const options = { opt_out_capturing_persistence_type: 'cookie' as const }
    startAnalytics(options).analytics.opt_out_capturing()
    expect(document.cookie).toContain('__ph_opt_in_out_token=0')
    expect(localStorage.getItem('__ph_opt_in_out_token')).toBeNull()
    expect(startAnalytics(options).analytics.has_opted_out_capturing()).toBe(true)
  })
})

describe('stores nothing', () => {
  test.each([
    ["persistence: 'memory'", { persistence: 'memory' as const }],
    ['disable_persistence', { disable_persistence: true }],
    ["cookieless_mode: 'always'", { cookieless_mode: 'always' as const }],
    ["cookieless_mode: 'on_reject' before a decision", { cookieless_mode: 'on_reject' as const }],
    [
      'opt_out_persistence_by_default before a decision',
      { opt_out_persistence_by_default: true, opt_out_capturing_by_default: true },
    ],
  ])('with %s', async (_, options) => {
    const setItem = jest.spyOn(Storage.prototype, 'setItem')
    replaceCookies(() => '', cookieWrites)
    const { analytics, settle } = startAnalytics(options)
    analytics.register({ a: 1 })
    analytics.register_for_session({ a: 1 })
    analytics.capture('x')
    analytics.get_session_id()
    await settle(6000)
    analytics.capture('x')
    window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }))
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
    await settle()
    expect([setItem.mock.calls, cookieWrites.mock.calls]).toEqual([[], []])
  })
})
