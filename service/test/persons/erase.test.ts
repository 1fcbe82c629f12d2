import { ApiError } from '../../src/lib/apiError.ts'
import { createErase } from '../../src/persons/erase.ts'
import { MetadataUnavailable } from '../../src/storage/metadata/metadata.ts'
import { StorageError } from '../../src/storage/storage.ts'

const PERSON = { projectId: 1, id: 'ada', withEvents: true }

/** Erases a person. `failures`: how each call of the stores fails, in order. Returns what was done, and how it ended. */
const eraseWith = async (failures: (call: number) => Error | undefined, ids = ['ada', 'laptop']) => {
  const [done, lines]: [string[], string[]] = [[], []]
  let [calls, now] = [0, 0]
  const attempt = async <Value>(what: string, result: Value): Promise<Value> => {
    const failure = failures((calls += 1))
    if (failure) throw failure
    done.push(what)
    return result
  }
  const erase = createErase({
    storage: { remove: ({ table }) => attempt(table, undefined) },
    persons: { distinctIds: () => attempt('ids', ids) },
    forget: () => attempt('person', undefined),
    tables: ['events'],
    erasers: [
      { erase: () => attempt('recordings', undefined), onErased: () => attempt('caches', undefined) },
      { whileDeleting: (_project, _ids, work) => attempt('stale days', undefined).then(work) },
    ],
    log: (line) => void lines.push(line),
    now: () => now,
    wait: async (ms) => void (now += ms),
  })
  const ended = await erase(PERSON).then(
    () => 'erased',
    (error: Error) => error,
  )
  return { done, ended, lines, ms: now }
}

const UNAVAILABLE = new ApiError('engine_unavailable', { retryAfterSeconds: 2 })
const ALL = ['ids', 'recordings', 'stale days', 'events', 'person', 'caches']

test.each([
  ['a closed connection', new StorageError('unavailable', 'other side closed')],
  ['a busy engine', new StorageError('capacity', '')],
  ['a deletion that the engine gave up', new StorageError('query', 'DELETE … ada', 'UNFINISHED')],
  ['a lookup that the engine does not answer', UNAVAILABLE],
  ['a busy metadata store', new MetadataUnavailable('The Postgres server at DATABASE_URL does not respond')],
])('goes on after %s, at any step that follows the lookup of the person', async (_, failure) => {
  for (let failed = 2; failed <= ALL.length; failed += 1) {
    const { done, ended, lines } = await eraseWith((call) => (call === failed ? failure : undefined))
    expect(ended).toBe('erased')
    expect([...new Set(done)]).toEqual(ALL)
    expect(lines).toHaveLength(1)
    expect(lines.join()).not.toContain('ada')
  }
})

test('waits for a free slot to look up the person', async () => {
  const busy = new ApiError('query_capacity', { retryAfterSeconds: 2 })
  const { done, ended } = await eraseWith((call) => (call < 4 ? busy : undefined))
  expect([ended, done]).toEqual(['erased', ALL])
})

test('discards results of a person that is erased already, because a process may have been killed before it did', async () => {
  const { done, ended } = await eraseWith(() => undefined, [])
  expect([done, ended]).toMatchObject([['ids', 'caches'], { code: 'not_found' }])
})

test('rejects when the event store does not respond for two minutes, so that the client can repeat the request', async () => {
  const { ended, ms } = await eraseWith((call) => (call > 3 ? new StorageError('unavailable', 'other side closed') : undefined)) // prettier-ignore
  expect(ended).toMatchObject({ code: 'engine_unavailable', details: { retryAfterSeconds: 5 } })
  expect(ms).toBe(120_000)
})

test.each([
  ['an engine that does not respond before anything is deleted', UNAVAILABLE],
  ['a person that does not exist', new ApiError('not_found')],
  ['a full disk', new StorageError('full', 'No space left on device')],
])('rejects at once for %s', async (_, failure) => {
  const { ended, lines } = await eraseWith((call) => (call === 1 ? failure : undefined))
  expect([ended, lines]).toEqual([failure, []])
})
