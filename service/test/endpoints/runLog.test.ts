import { createRunLog, type RunRecord } from '../../src/endpoints/runLog.ts'
import type { Endpoint } from '../../src/storage/metadata/metadata.ts'
import { type JsonLines, StorageError } from '../../src/storage/storage.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const createStore = () => {
  const inserts: string[] = []
  let fault: Error | undefined
  return {
    inserts,
    failWith: (next: Error | undefined) => void (fault = next),
    insert: async (_: string, bytes: JsonLines) => {
      inserts.push(String(bytes))
      if (fault) throw fault
    },
  }
}

const endpoints = {
  get: async (_: number, name: string) =>
    name === 'gone' ? undefined : ({ id: `id of ${name}`, currentVersion: 3 } as Endpoint),
}

const setUp = () => {
  const store = createStore()
  let dropped = 0
  const log = createRunLog({ storage: store, endpoints, count: () => void (dropped += 1) })
  const note = (endpoint: string, more: Partial<RunRecord> = {}) =>
    log.note({
      projectId: 1,
      endpoint,
      variables: [],
      keyLabel: 'key',
      at: 0,
      durationMs: 1.234,
      code: '',
      ...more,
    })
  const lines = (at = -1) =>
    store.inserts
      .at(at)!
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { store, log, note, lines, dropped: () => dropped }
}

const UNAVAILABLE = new StorageError('unavailable', 'The engine is away')

test('stores waiting runs together, without those of endpoints that do not exist', async () => {
  const { store, note, lines } = setUp()
  note('a', { path: 'live', rows: 7, variables: ['plan', '\ud800'] })
  note('gone', { code: 'not_found' })
  note('b', { version: 2 })
  expect(store.inserts).toEqual([])
  await jest.advanceTimersByTimeAsync(2_000)
  expect(store.inserts).toHaveLength(1)
  expect(lines()).toEqual([
    {
      project_id: 1,
      endpoint_id: 'id of a',
      at: '1970-01-01T00:00:00.000Z',
      version: 3,
      code: '',
      path: 'live',
      duration_ms: 1.23,
      rows: 7,
      key_label: 'key',
      run_token_id: '',
      variables: ['plan', '\ufffd'],
    },
    expect.objectContaining({ endpoint_id: 'id of b', version: 2, path: '', rows: null }),
  ])
})

test('inserts a batch again unchanged until it is stored, and later runs after it', async () => {
  const { store, note } = setUp()
  store.failWith(UNAVAILABLE)
  note('a')
  await jest.advanceTimersByTimeAsync(2_000)
  note('b')
  await jest.advanceTimersByTimeAsync(2_000)
  store.failWith(undefined)
  await jest.advanceTimersByTimeAsync(6_000)
  const [first, ...rest] = store.inserts
  expect(rest).toHaveLength(3)
  expect(rest.slice(0, 2)).toEqual([first, first])
  expect(rest[2]).toContain('id of b')
})

test('holds a bounded number of runs, and counts the others', async () => {
  const { store, note, dropped, lines } = setUp()
  for (let n = 0; n < 10_003; n += 1) note('a')
  expect(dropped()).toBe(3)
  await jest.advanceTimersByTimeAsync(2_000)
  await jest.advanceTimersByTimeAsync(2_000)
  expect([lines(0).length, lines(1).length, store.inserts.length]).toEqual([5_000, 5_000, 2])
})

test('stores all waiting runs when it is closed', async () => {
  const { store, log, note, lines } = setUp()
  for (let n = 0; n < 7_000; n += 1) note('a')
  await log.close()
  expect([lines(0).length, lines(1).length]).toEqual([5_000, 2_000])
  store.failWith(UNAVAILABLE)
  note('a')
  await expect(log.close()).resolves.toBeUndefined()
})
