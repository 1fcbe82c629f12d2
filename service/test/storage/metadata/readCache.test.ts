import { createReadCache } from '../../../src/storage/metadata/readCache.ts'

/** Creates a store that counts its reads. */
const createStore = () => {
  const store = { value: 'value' as string | undefined, version: 1, reads: 0 }
  const read = async (_id: string) => {
    store.reads += 1
    return store.value
  }
  return { store, read }
}

test('the metadata read cache reads a value once between two changes, separately for each argument', async () => {
  const { store, read } = createStore()
  const cached = createReadCache(() => store.version)('thing', read)
  expect([await cached('a'), await cached('a'), await cached('b')]).toEqual(['value', 'value', 'value'])
  expect(store.reads).toBe(2)
  Object.assign(store, { value: 'other', version: 2 })
  expect(await cached('a')).toBe('other')
})

test('the metadata read cache separates different reads with equal arguments', async () => {
  const cacheReads = createReadCache(() => 1)
  const [person, group] = [
    cacheReads('person', async (id: string) => `person ${id}`),
    cacheReads('group', async (id: string) => `group ${id}`),
  ]
  expect([await person('1'), await group('1'), await person('1')]).toEqual(['person 1', 'group 1', 'person 1'])
})

test('the metadata read cache skips missing values and values that mayCache rejects', async () => {
  const { store, read } = createStore()
  store.value = undefined
  const cached = createReadCache(() => 1)('thing', read, (value) => value !== 'temporary')
  await cached('a')
  store.value = 'temporary'
  expect([await cached('a'), await cached('a')]).toEqual(['temporary', 'temporary'])
  expect(store.reads).toBe(3)
})

test('the metadata read cache does not return a value read before a change after it', async () => {
  const store = { version: 1, value: 'old' }
  let go = () => {}
  const started = new Promise<void>((done) => (go = done))
  const cached = createReadCache(() => store.version)('thing', async (_id: string) => {
    const { value } = store
    await started
    return value
  })
  const slow = cached('a')
  Object.assign(store, { version: 2, value: 'new' })
  go()
  expect([await slow, await cached('a')]).toEqual(['old', 'new'])
})

test('the metadata read cache reads every time without a version to watch', async () => {
  const { store, read } = createStore()
  const cached = createReadCache(undefined)('thing', read)
  await cached('a')
  await cached('a')
  expect(store.reads).toBe(2)
})
