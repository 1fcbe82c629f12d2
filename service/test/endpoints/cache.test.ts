import { createCache } from '../../src/endpoints/cache.ts'

const deferred = <Value>() => {
  let resolve!: (value: Value) => void
  let reject!: (error: Error) => void
  const promise = new Promise<Value>((yes, no) => ([resolve, reject] = [yes, no]))
  return { promise, resolve, reject }
}

let time = 0
let loads = 0

const setUp = (maxBytes = 1_000) => {
  time = 1_000
  loads = 0
  const cache = createCache<number>({ maxBytes, now: () => time })
  const ask = (more: Partial<Parameters<typeof cache>[0]> = {}) =>
    cache({
      key: 'k',
      terms: '',
      epoch: 0,
      maxAgeMs: 100,
      isForced: false,
      signal: new AbortController().signal,
      load: async () => ({ value: ++loads, bytes: 10 }),
      ...more,
    })
  return ask
}

test('the result cache returns the cached value and its age to the second caller', async () => {
  const ask = setUp()
  expect(await ask()).toEqual({ value: 1, startedAt: 1_000, isCached: false })
  time += 99
  expect(await ask()).toEqual({ value: 1, startedAt: 1_000, isCached: true })
})

test.each<[string, object]>([
  ['an expired value', {}],
  ['new data', { epoch: 1, maxAgeMs: 1_000 }],
  ['a forced load', { isForced: true, maxAgeMs: 1_000 }],
  ['another key', { key: 'l', maxAgeMs: 1_000 }],
])('the result cache loads again for %s', async (_, more) => {
  const ask = setUp()
  await ask()
  time += 100
  expect(await ask(more)).toMatchObject({ value: 2, isCached: false })
})

test('the result cache measures age from the start of the load', async () => {
  const ask = setUp()
  await ask({ load: async () => ((time += 60), { value: 7, bytes: 1 }) })
  time += 40
  expect(await ask()).toMatchObject({ value: 1 })
})

test('the result cache loads once for concurrent callers', async () => {
  const ask = setUp()
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
  expect(loads).toBe(1)
  expect(new Set(answers.map(({ value }) => value))).toEqual(new Set([1]))
})

test('the result cache does not share a load that began before new data', async () => {
  const ask = setUp()
  const before = deferred<{ value: number; bytes: number }>()
  const first = ask({ load: () => before.promise })
  expect(await ask({ epoch: 1 })).toMatchObject({ value: 1 })
  before.resolve({ value: 99, bytes: 1 })
  expect(await first).toMatchObject({ value: 99 })
  expect(await ask({ epoch: 1 })).toMatchObject({ value: 1, isCached: true })
})

test('the result cache does not share a load with lower limits', async () => {
  const ask = setUp()
  const poor = deferred<{ value: number; bytes: number }>()
  const first = ask({ terms: 'poor', load: () => poor.promise })
  expect(await ask({ terms: 'rich' })).toMatchObject({ value: 1 })
  poor.reject(new Error('too dear'))
  await expect(first).rejects.toThrow('too dear')
})

test('the result cache rejects for all callers when a load fails and caches nothing', async () => {
  const ask = setUp()
  const load = () => Promise.reject(new Error('broken'))
  for (const answer of [ask({ load }), ask({ load })]) await expect(answer).rejects.toThrow('broken')
  expect(await ask()).toMatchObject({ value: 1, isCached: false })
})

test('the result cache continues a load while a caller waits and aborts it when the last caller leaves', async () => {
  const ask = setUp()
  const [first, second] = [new AbortController(), new AbortController()]
  let givenUp: AbortSignal | undefined
  const load = (signal: AbortSignal) => ((givenUp = signal), new Promise<never>(() => {}))
  const answers = [ask({ signal: first.signal, load }), ask({ signal: second.signal, load })]
  first.abort(new Error('gone'))
  await expect(answers[0]).rejects.toThrow('gone')
  expect(givenUp!.aborted).toBe(false)
  second.abort(new Error('gone too'))
  await expect(answers[1]).rejects.toThrow('gone too')
  expect(givenUp!.aborted).toBe(true)
  expect(await ask()).toMatchObject({ value: 1 })
})

test('the result cache evicts the least recently used value', async () => {
  const ask = setUp(25)
  await ask({ key: 'a' })
  await ask({ key: 'b' })
  await ask({ key: 'a' })
  await ask({ key: 'c' })
  expect(await ask({ key: 'a' })).toMatchObject({ isCached: true })
  expect(await ask({ key: 'b' })).toMatchObject({ isCached: false })
})

test('the result cache does not store or evict for a value over the size limit', async () => {
  const ask = setUp(25)
  await ask({ key: 'a' })
  await ask({ key: 'huge', load: async () => ({ value: 5, bytes: 26 }) })
  expect(await ask({ key: 'huge' })).toMatchObject({ isCached: false })
  expect(await ask({ key: 'a' })).toMatchObject({ isCached: true })
})
