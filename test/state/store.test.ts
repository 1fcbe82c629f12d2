import { textBackend } from '../../src/state/backends/textBackend'
import { storageOf } from '../../src/browser/storage'
import { memoryBackend } from '../../src/state/backends/memory'
import { createStore } from '../../src/state/store'

const open = () => createStore(textBackend(storageOf('localStorage')!, 'k'))
const stored = () => JSON.parse(localStorage.getItem('k') ?? 'null')

beforeEach(() => void jest.useFakeTimers())

test('the store collects writes into one task', () => {
  const setItem = jest.spyOn(Storage.prototype, 'setItem')
  const store = open()
  store.set({ a: 1 })
  store.set({ b: 2 })
  expect(setItem).not.toHaveBeenCalled()
  jest.runAllTimers()
  expect(setItem).toHaveBeenCalledTimes(1)
  expect(stored()).toEqual({ a: 1, b: 2 })
})

test('the store returns a value immediately after it was set', () => {
  const store = open()
  store.set({ a: 1 })
  expect(store.get('a')).toBe(1)
})

test('the store removes a value set to undefined', () => {
  const store = open()
  store.set({ a: 1, b: 2 })
  store.flush()
  store.set({ a: undefined })
  store.flush()
  expect(stored()).toEqual({ b: 2 })
  expect(Object.keys(store.all())).toEqual(['b'])
})

test('two tabs that write different names keep the values of both', () => {
  const [one, two] = [open(), open()]
  one.set({ a: 1 })
  two.set({ b: 2 })
  one.flush()
  two.flush()
  expect(stored()).toEqual({ a: 1, b: 2 })
  expect(two.get('a')).toBe(1)
})

test('sync loads values written by another tab', () => {
  const store = open()
  store.set({ mine: 1 })
  localStorage.setItem('k', JSON.stringify({ theirs: 2 }))
  store.sync()
  expect(store.all()).toEqual({ mine: 1, theirs: 2 })
})

test('a store checks whether its changes have lasted, unless no other tab writes there', () => {
  const countTimers = (checks?: number) => {
    const store = createStore(textBackend(storageOf('localStorage')!, 'k'), undefined, checks)
    store.set({ a: String(checks) })
    store.flush()
    const count = jest.getTimerCount()
    jest.runAllTimers()
    return count
  }
  expect(countTimers()).toBe(1)
  expect(countTimers(0)).toBe(0)
})

test('moving to another backend copies all values and clears the old backend', () => {
  const store = open()
  store.set({ a: 1 })
  const memory = memoryBackend()
  store.moveTo(memory)
  expect(localStorage.getItem('k')).toBeNull()
  expect(memory.read()).toEqual({ a: 1 })
})

test('a backend that rejects writes loses no values because they stay in memory', () => {
  const store = createStore({ read: () => undefined, write: () => false, clear: () => {} })
  store.set({ a: 1 })
  store.flush()
  store.refresh()
  store.set({ b: 2 })
  store.flush()
  expect(store.all()).toEqual({ a: 1, b: 2 })
})

test('values that do not fit into a full backend stay in memory and are written again', () => {
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

describe('a concurrent write by another tab', () => {
  /** A tab with a delayed write: `meanwhile` runs between its read and its write. */
  const openSlow = (meanwhile: () => void) => {
    const backend = textBackend(storageOf('localStorage')!, 'k')
    return createStore({
      ...backend,
      write: (values) => {
        meanwhile()
        meanwhile = () => {}
        return backend.write(values)
      },
    })
  }

  test('does not undo changes permanently', () => {
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

  test('does not undo changes permanently if it comes half a second later, as on a busy machine', () => {
    const before = JSON.stringify({ changed: 1 })
    localStorage.setItem('k', before)
    const store = open()
    store.set({ changed: 2 })
    jest.advanceTimersByTime(500)
    expect(stored()).toEqual({ changed: 2 })
    localStorage.setItem('k', before)
    jest.runAllTimers()
    expect(stored()).toEqual({ changed: 2 })
  })

  test('is read before the next event', () => {
    localStorage.setItem('k', JSON.stringify({ distinct_id: 'visitor' }))
    const one = open()
    const two = openSlow(one.flush)
    one.set({ distinct_id: 'ada', $identity_at: 7, plan: 'gold' })
    two.set({ theirs: 1 })
    two.flush()
    one.sync()
    expect(one.all()).toEqual({ distinct_id: 'ada', $identity_at: 7, plan: 'gold', theirs: 1 })
  })

  test('wins when it changes an equal name later', () => {
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

  test('does not restore the person from before a reset', () => {
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

test('a tab that adopts a later visitor does not apply its own recent change of the previous one again', () => {
  const [one, two] = [open(), open()]
  two.set({ distinct_id: 'bob', $user_state: 'identified', $identity_at: 1 })
  two.flush()
  two.set({ distinct_id: 'new', $user_state: 'anonymous', $identity_at: 2 })
  two.flush()
  one.sync()
  one.set({ distinct_id: 'ada', $user_state: 'identified', $identity_at: 3 })
  one.flush()
  two.sync()
  jest.advanceTimersByTime(50)
  two.sync()
  jest.runAllTimers()
  expect(stored()).toEqual({ distinct_id: 'ada', $user_state: 'identified', $identity_at: 3 })
  expect(two.all()).toEqual(stored())
})

describe('two tabs that start simultaneously', () => {
  test('use the visitor stored first and keep the super properties of both', () => {
    const [one, two] = [open(), open()]
    one.set({ distinct_id: 'one', $device_id: 'one', a: 1 })
    two.set({ distinct_id: 'two', $device_id: 'two', b: 2 })
    one.flush()
    two.flush()
    one.sync()
    for (const each of [one, two]) expect(each.all()).toEqual({ distinct_id: 'one', $device_id: 'one', a: 1, b: 2 })
  })

  test('use the id that was set later', () => {
    const [one, two] = [open(), open()]
    one.set({ distinct_id: 'one', $device_id: 'one' })
    two.set({ distinct_id: 'ada', $identity_at: 7 })
    one.flush()
    two.flush()
    one.sync()
    for (const each of [one, two]) expect(each.get('distinct_id')).toBe('ada')
  })
})

test('properties from before a reset in another tab are dropped even if this tab has not written them yet', () => {
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

test('a reset that could not be written is not undone by stored values', () => {
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

test('a visitor that was never stored is replaced by the one stored by another tab', () => {
  const store = createStore()
  store.set({ distinct_id: 'mine', $device_id: 'mine', plan: 'gold' })
  localStorage.setItem('k', JSON.stringify({ distinct_id: 'theirs', $device_id: 'theirs' }))
  store.moveTo(textBackend(storageOf('localStorage')!, 'k'))
  expect(store.all()).toEqual({ distinct_id: 'theirs', $device_id: 'theirs', plan: 'gold' })
  jest.runAllTimers()
  expect(stored()).toEqual(store.all())
})
