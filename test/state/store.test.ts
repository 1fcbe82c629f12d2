import { webStorageBackend } from '../../src/state/backends/webStorage'
import { memoryBackend } from '../../src/state/backends/memory'
import { createStore } from '../../src/state/store'

const open = () => createStore(webStorageBackend(localStorage, 'k'))
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

test('a tab takes over what another has written, when the browser tells', () => {
  const store = open()
  store.set({ mine: 1 })
  localStorage.setItem('k', JSON.stringify({ theirs: 2 }))
  window.dispatchEvent(new StorageEvent('storage', { key: 'k', storageArea: localStorage }))
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
