import Cookies from 'js-cookie'
import { bothBackends } from '../../../src/state/backends/both'
import { cookieBackend, cookieStorage } from '../../../src/state/backends/cookie'
import { memoryBackend } from '../../../src/state/backends/memory'
import { textBackend } from '../../../src/state/backends/textBackend'
import { storageOf } from '../../../src/browser/storage'
import { newest } from '../../../src/state/newest'

const COOKIE = { days: 365, secure: false, crossSubdomain: true }

const BACKENDS = {
  memory: memoryBackend,
  cookie: () => cookieBackend('ph_t', COOKIE),
  localStorage: () => textBackend(storageOf('localStorage')!, 'ph_t'),
  sessionStorage: () => textBackend(storageOf('sessionStorage')!, 'ph_t'),
  'localStorage+cookie': () =>
    bothBackends(cookieBackend('ph_t', COOKIE), textBackend(storageOf('localStorage')!, 'ph_t')),
}

describe.each(Object.entries(BACKENDS))('backend %s', (_, make) => {
  test('returns undefined before the first write', () => expect(make().read()).toBeUndefined())

  test('reads the values it wrote', () => {
    const backend = make()
    backend.write({ distinct_id: 'é; "ü', $sesid: [1, 'a', 2] })
    expect(backend.read()).toEqual({ distinct_id: 'é; "ü', $sesid: [1, 'a', 2] })
  })

  test('returns undefined after being cleared and accepts new writes', () => {
    const backend = make()
    backend.write({ distinct_id: 'a' })
    backend.clear()
    expect(backend.read()).toBeUndefined()
    backend.write({ distinct_id: 'a' })
    expect(backend.read()).toEqual({ distinct_id: 'a' })
  })
})

test('a stored value that is not an object reads as undefined', () => {
  localStorage.setItem('ph_t', '[1]')
  expect(BACKENDS.localStorage().read()).toBeUndefined()
  localStorage.setItem('ph_t', '{broken')
  expect(BACKENDS.localStorage().read()).toBeUndefined()
})

test('a full storage does not throw and keeps its previous values', () => {
  const backend = BACKENDS.localStorage()
  backend.write({ a: 1 })
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  expect(() => backend.write({ a: 2 })).not.toThrow()
  expect(backend.read()).toEqual({ a: 1 })
})

test('the cookie stores ids only', () => {
  BACKENDS['localStorage+cookie']().write({
    distinct_id: 'a',
    $device_id: 'd',
    plan: 'gold',
    $initial_person_info: { r: '', u: 'https://long.example' },
  })
  expect(JSON.parse(decodeURIComponent(document.cookie.split('=')[1]!))).toEqual({ distinct_id: 'a', $device_id: 'd' })
})

test('cookies are read once to find the values, and once to verify a write', () => {
  const get = jest.spyOn(Document.prototype, 'cookie', 'get')
  const backend = BACKENDS['localStorage+cookie']()
  backend.read()
  expect(get).toHaveBeenCalledTimes(1)
  get.mockClear()
  backend.write({ distinct_id: 'a' })
  expect(get).toHaveBeenCalledTimes(1)
  expect(BACKENDS.cookie().read()).toEqual({ distinct_id: 'a' })
})

test.each(['ph_t=1', 'ph_t=a=b; ph_t=2', 'ph_t="%C3%A9"', 'ph_t=%', 'x=%; ph_t=%3D%zz', 'ph%5Ft=1', 'x=ph_t=1', ''])(
  'the cookies %p are decoded as js-cookie does it',
  (text) => {
    jest.spyOn(Document.prototype, 'cookie', 'get').mockReturnValue(text)
    expect(cookieStorage(COOKIE, newest).getItem('ph_t')).toBe(Cookies.get('ph_t') ?? null)
  },
)

test('a cookie overwritten by another tab during the write is not treated as too large', () => {
  const [one, two] = [BACKENDS.cookie(), BACKENDS.cookie()]
  one.write({ distinct_id: 'a' })
  const { set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!
  let isFirst = true
  jest.spyOn(Document.prototype, 'cookie', 'set').mockImplementation((text: string) => {
    set!.call(document, text)
    if (isFirst) {
      isFirst = false
      two.write({ distinct_id: 'a', theirs: 1 })
    }
  })
  expect(one.write({ distinct_id: 'a', plan: 'gold' })).toBe(true)
  expect(BACKENDS.cookie().read()).toEqual({ distinct_id: 'a', theirs: 1 })
  expect(one.hasChanged!()).toBe(true)
})

test('a cookie over 4 kB keeps the ids in the cookie and the rest in memory until reset', () => {
  // jsdom accepts cookies of any size.
  const { set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!
  jest
    .spyOn(Document.prototype, 'cookie', 'set')
    .mockImplementation((text: string) => text.length < 4096 && set!.call(document, text))
  const backend = BACKENDS.cookie()
  const ids = { distinct_id: 'ada', $sesid: [1, 's', 1] }
  expect(backend.write({ ...ids, small: 1, big: 'x'.repeat(5000) })).toBe(true)
  expect(BACKENDS.cookie().read()).toEqual(ids)
  expect(backend.read()).toMatchObject({ ...ids, small: 1, big: expect.stringMatching(/^x{5000}$/) })
  BACKENDS.cookie().write({ distinct_id: 'new', $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
  expect(backend.hasChanged!()).toBe(true)
  expect(backend.read()).toEqual({ distinct_id: 'new', $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
})
