import { createMemory } from '../../src/storage/records/memory.ts'

/** A store whose reads are counted. */
const createStore = () => {
  const store = { value: 'value' as string | undefined, version: 1, reads: 0 }
  const read = async (_id: string) => {
    store.reads += 1
    return store.value
  }
  return { store, read }
}

test('is read once between two changes, each question on its own', async () => {
  const { store, read } = createStore()
  const remembered = createMemory(() => store.version)('thing', read)
  expect([await remembered('a'), await remembered('a'), await remembered('b')]).toEqual(['value', 'value', 'value'])
  expect(store.reads).toBe(2)
  Object.assign(store, { value: 'other', version: 2 })
  expect(await remembered('a')).toBe('other')
})

test('two kinds of things with one id are not mixed up', async () => {
  const remember = createMemory(() => 1)
  const [person, group] = [
    remember('person', async (id: string) => `person ${id}`),
    remember('group', async (id: string) => `group ${id}`),
  ]
  expect([await person('1'), await group('1'), await person('1')]).toEqual(['person 1', 'group 1', 'person 1'])
})

test('what is not there, or may not be kept, is asked for anew', async () => {
  const { store, read } = createStore()
  store.value = undefined
  const remembered = createMemory(() => 1)('thing', read, (value) => value !== 'passing')
  await remembered('a')
  store.value = 'passing'
  expect([await remembered('a'), await remembered('a')]).toEqual(['passing', 'passing'])
  expect(store.reads).toBe(3)
})

test('an answer that was read while something changed is not taken for a new one', async () => {
  const store = { version: 1, value: 'old' }
  let go = () => {}
  const started = new Promise<void>((done) => (go = done))
  const remembered = createMemory(() => store.version)('thing', async (_id: string) => {
    const { value } = store
    await started
    return value
  })
  const slow = remembered('a')
  Object.assign(store, { version: 2, value: 'new' })
  go()
  expect([await slow, await remembered('a')]).toEqual(['old', 'new'])
})

test('where changes cannot be seen, every question is asked', async () => {
  const { store, read } = createStore()
  const remembered = createMemory(undefined)('thing', read)
  await remembered('a')
  await remembered('a')
  expect(store.reads).toBe(2)
})
