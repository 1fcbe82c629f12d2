import { textBackend } from '../../src/state/backends/textBackend'
import { storageOf } from '../../src/browser/storage'
import { memoryBackend } from '../../src/state/backends/memory'
import { createStore } from '../../src/state/store'

const open = () => createStore(textBackend(storageOf('localStorage')!, 'k'))
const stored = () => JSON.parse(localStorage.getItem('k') ?? 'null')

beforeEach(() => void jest.useFakeTimers())

test('writes are collected into one task', () => {
  const setItem = jest.spyOn(Storage.prototype, 'setItem')
  const store = open()
  store.set({ a: 1 })
  store.set({ b: 2 })
  expect(setItem).not.toHaveBeenCalled()
  jest.runAllTimers()
  expect(setItem).toHaveBeenCalledTimes(1)
  expect(stored()).toEqual({ a: 1, b: 2 })
})

test('what was set is there at once', () => {
  const store = open()
  store.set({ a: 1 })
  expect(store.get('a')).toBe(1)
})

test('undefined forgets', () => {
  const store = open()
  store.set({ a: 1, b: 2 })
  store.flush()
  store.set({ a: undefined })
  store.flush()
  expect(stored()).toEqual({ b: 2 })
  expect(Object.keys(store.all())).toEqual(['b'])
})

test('two tabs that write different names lose nothing of each other', () => {
  const [one, two] = [open(), open()]
  one.set({ a: 1 })
  two.set({ b: 2 })
  one.flush()
  two.flush()
  expect(stored()).toEqual({ a: 1, b: 2 })
  expect(two.get('a')).toBe(1)
})

test('sync takes over what another tab has written', () => {
  const store = open()
  store.set({ mine: 1 })
  localStorage.setItem('k', JSON.stringify({ theirs: 2 }))
  store.sync()
  expect(store.all()).toEqual({ mine: 1, theirs: 2 })
})

test('moving to another backend takes everything along and empties the old one', () => {
  const store = open()
  store.set({ a: 1 })
  const memory = memoryBackend()
  store.moveTo(memory)
  expect(localStorage.getItem('k')).toBeNull()
  expect(memory.read()).toEqual({ a: 1 })
})

test('a place that keeps nothing loses nothing: the values live on in memory', () => {
  const store = createStore({ read: () => undefined, write: () => false, clear: () => {} })
  store.set({ a: 1 })
  store.flush()
  store.refresh()
  store.set({ b: 2 })
  store.flush()
  expect(store.all()).toEqual({ a: 1, b: 2 })
})

test('what a full place does not take stays, and is tried again', () => {
  const store = open()
  store.set({ a: 1 })
  store.flush()
  const full = jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  store.set({ a: 2 })
  store.flush()
  store.refresh()
  expect(store.get('a')).toBe(2)
  full.mockRestore()
  store.set({ b: 3 })
  store.flush()
  expect(stored()).toEqual({ a: 2, b: 3 })
})

describe('a write of another tab that read before this one wrote', () => {
  /** A tab whose next writes come late: `meanwhile` runs between its read and its write. */
  const openSlow = (meanwhile: () => void) => {
    const place = textBackend(storageOf('localStorage')!, 'k')
    return createStore({
      ...place,
      write: (values) => {
        meanwhile()
        meanwhile = () => {}
        return place.write(values)
      },
    })
  }

  test('undoes nothing for good', () => {
    localStorage.setItem('k', JSON.stringify({ changed: 1, removed: 1, kept: { list: [1] } }))
    const one = open()
    const two = openSlow(one.flush)
    one.set({ added: 1, changed: 2, removed: undefined })
    two.set({ theirs: 1 })
    two.flush()
    expect(stored()).toEqual({ changed: 1, removed: 1, kept: { list: [1] }, theirs: 1 })
    jest.runAllTimers()
    expect(stored()).toEqual({ changed: 2, added: 1, kept: { list: [1] }, theirs: 1 })
    two.sync()
    for (const each of [one, two]) expect(each.all()).toEqual(stored())
  })

  test('is known before the next event', () => {
    localStorage.setItem('k', JSON.stringify({ distinct_id: 'visitor' }))
    const one = open()
    const two = openSlow(one.flush)
    one.set({ distinct_id: 'ada', $identity_at: 7, plan: 'gold' })
    two.set({ theirs: 1 })
    two.flush()
    one.sync()
    expect(one.all()).toEqual({ distinct_id: 'ada', $identity_at: 7, plan: 'gold', theirs: 1 })
  })

  test('holds where it changes the same name, and where it comes later', () => {
    const one = open()
    const two = openSlow(one.flush)
    one.set({ plan: 'gold' })
    two.set({ plan: 'lead' })
    two.flush()
    jest.runAllTimers()
    expect(stored()).toEqual({ plan: 'lead' })
    two.set({ plan: undefined })
    jest.runAllTimers()
    one.sync()
    expect(one.all()).toEqual({})
  })

  test('does not bring back the person before a reset', () => {
    const one = open()
    const two = openSlow(one.flush)
    one.set({ distinct_id: 'ada', plan: 'gold' })
    two.set({ distinct_id: 'new', $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
    two.flush()
    jest.runAllTimers()
    expect(stored()).toEqual({ distinct_id: 'new', $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
    expect(one.all()).toEqual(stored())
  })
})

describe('two tabs that start at one moment', () => {
  test('agree on the visitor that is stored first, and keep the super properties of both', () => {
    const [one, two] = [open(), open()]
    one.set({ distinct_id: 'one', $device_id: 'one', a: 1 })
    two.set({ distinct_id: 'two', $device_id: 'two', b: 2 })
    one.flush()
    two.flush()
    one.sync()
    for (const each of [one, two]) expect(each.all()).toEqual({ distinct_id: 'one', $device_id: 'one', a: 1, b: 2 })
  })

  test('agree on the id that was decided later', () => {
    const [one, two] = [open(), open()]
    one.set({ distinct_id: 'one', $device_id: 'one' })
    two.set({ distinct_id: 'ada', $identity_at: 7 })
    one.flush()
    two.flush()
    one.sync()
    for (const each of [one, two]) expect(each.get('distinct_id')).toBe('ada')
  })
})

test('nothing of the person before a reset comes back, though this tab has not written it yet', () => {
  const [one, two] = [open(), open()]
  one.set({ distinct_id: 'ada', plan: 'gold' })
  one.flush()
  two.refresh()
  two.set({ $sesid: [1, 's', 1], plan: 'lead', $groups: { company: 'acme' } })
  one.set({ distinct_id: 'new', plan: undefined, $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
  one.flush()
  two.flush()
  expect(stored()).toEqual({ distinct_id: 'new', $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
  expect(two.all()).toEqual(stored())
})

test('a reset that the storage did not take is not taken back by what is stored', () => {
  const store = open()
  store.set({ distinct_id: 'ada', plan: 'gold' })
  store.flush()
  const full = jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  store.set({ distinct_id: 'new', plan: undefined, $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
  store.flush()
  store.refresh()
  expect(store.all()).not.toHaveProperty('plan')
  full.mockRestore()
  store.flush()
  expect(stored()).toEqual({ distinct_id: 'new', $last_posthog_reset: '2026-11-21T10:00:00.000Z' })
})

test('a visitor that was never stored gives way to the one that another tab has stored', () => {
  const store = createStore()
  store.set({ distinct_id: 'mine', $device_id: 'mine', plan: 'gold' })
  localStorage.setItem('k', JSON.stringify({ distinct_id: 'theirs', $device_id: 'theirs' }))
  store.moveTo(textBackend(storageOf('localStorage')!, 'k'))
  expect(store.all()).toEqual({ distinct_id: 'theirs', $device_id: 'theirs', plan: 'gold' })
  jest.runAllTimers()
  expect(stored()).toEqual(store.all())
})
