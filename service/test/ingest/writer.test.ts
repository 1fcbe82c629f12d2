import type { ReadEvent } from '../../src/ingest/read.ts'
import { createWriter, type Row } from '../../src/ingest/writer.ts'
import { type JsonLine, StorageError, type Statement } from '../../src/storage/storage.ts'

const uuid = (n: number) => `0193f3a0-0000-7000-8000-${String(n).padStart(12, '0')}`

const row = (n: number, { projectId = 1, event = 'e' } = {}): Row => ({
  projectId,
  event: { uuid: uuid(n), event, distinctId: 'd', timestamp: 0, properties: '{}', elementsChain: '', sessionId: '', windowId: '', profile: { groups: [] } } satisfies ReadEvent,
  groupIndexes: new Map(),
})

/** Keeps rows in memory; the tests make it fail, and hold it up. */
const createStore = () => {
  const stored: { project_id: number; uuid: string; event: string }[] = []
  const inserts: number[] = []
  let fault: (lines: readonly JsonLine[]) => Error | undefined = () => undefined
  let gate: Promise<void> = Promise.resolve()
  return {
    stored,
    inserts,
    failWith: (next: typeof fault) => void (fault = next),
    hold: () => {
      let open = () => {}
      gate = new Promise((resolve) => (open = resolve))
      return open
    },
    rows: async <R>({ params }: Statement) => {
      const { projectId, ids } = params as { projectId: number; ids: string[] }
      return stored.filter((each) => each.project_id === projectId && ids.includes(each.uuid)) as R[]
    },
    insert: async (_: string, lines: readonly JsonLine[]) => {
      await gate
      const error = fault(lines)
      if (error) throw error
      inserts.push(lines.length)
      stored.push(...lines.map((line) => JSON.parse(line)))
    },
    ready: async () => true,
  }
}

const named = (store: ReturnType<typeof createStore>) => store.stored.map(({ event }) => event)

test('an id that comes twice in one call is stored once, the first time', async () => {
  const store = createStore()
  await createWriter(store).write([row(1, { event: 'first' }), row(1, { event: 'second' }), row(2)])
  expect(named(store)).toEqual(['first', 'e'])
})

test('an id that is stored already is not stored again', async () => {
  const store = createStore()
  const writer = createWriter(store)
  await writer.write([row(1, { event: 'first' })])
  expect(await writer.write([row(1, { event: 'again' }), row(2)])).toEqual(['stored', 'stored'])
  expect(named(store)).toEqual(['first', 'e'])
})

test('an id that comes while it is being stored waits, and is stored once', async () => {
  const store = createStore()
  const writer = createWriter(store)
  const open = store.hold()
  const calls = [writer.write([row(1)]), writer.write([row(1)]), writer.write([row(1), row(2)])]
  open()
  await Promise.all(calls)
  expect(store.stored).toHaveLength(2)
})

test('one id in two projects is two events', async () => {
  const store = createStore()
  await createWriter(store).write([row(1), row(1, { projectId: 2 })])
  expect(store.stored.map(({ project_id }) => project_id)).toEqual([1, 2])
})

test('what arrives during a flush goes into the next one together', async () => {
  const store = createStore()
  const writer = createWriter(store)
  const open = store.hold()
  const calls = Array.from({ length: 50 }, (_, n) => writer.write([row(n)]))
  open()
  await Promise.all(calls)
  expect(store.inserts).toEqual([1, 49])
})

test('a row that cannot be stored takes no other row with it', async () => {
  const store = createStore()
  store.failWith((lines) => (lines.some((line) => line.includes('poison')) ? new StorageError('data', 'no') : undefined))
  const rows = Array.from({ length: 9 }, (_, n) => row(n, { event: n === 3 || n === 7 ? 'poison' : 'e' }))
  const outcomes = await createWriter(store).write(rows)
  expect(outcomes.flatMap((outcome, index) => (outcome === 'unstorable' ? [index] : []))).toEqual([3, 7])
  expect(store.stored).toHaveLength(7)
})

test('a failure that may pass is tried again, and counts nothing twice', async () => {
  const store = createStore()
  let failures = 3
  store.failWith((lines) => {
    failures -= 1
    if (failures < 0) return undefined
    // The worst case: the rows went in and the answer was lost.
    if (failures === 0) store.stored.push(...lines.map((line) => JSON.parse(line)))
    return new StorageError('unavailable', 'away')
  })
  expect(await createWriter(store).write([row(1)])).toEqual(['stored'])
  expect(store.stored).toHaveLength(1)
})

test('an engine that stays away is waited for in bounds', async () => {
  const store = createStore()
  store.failWith(() => new StorageError('unavailable', 'away'))
  const writer = createWriter(store, { waitMs: 250 })
  await expect(writer.write([row(1)])).rejects.toMatchObject({ code: 'engine_unavailable', facts: { retryAfterSeconds: 5 } })
  store.failWith(() => undefined)
  expect(await writer.write([row(1)])).toEqual(['stored'])
})

test('a fault of ours is told to those who wait, and stops nobody after them', async () => {
  const store = createStore()
  store.failWith(() => new TypeError('bug'))
  const writer = createWriter(store)
  await expect(writer.write([row(1)])).rejects.toMatchObject({ code: 'internal_error' })
  store.failWith(() => undefined)
  expect(await writer.write([row(1)])).toEqual(['stored'])
})

test('closing stores what was handed over and accepts nothing after', async () => {
  const store = createStore()
  const writer = createWriter(store)
  const open = store.hold()
  const calls = [writer.write([row(1)]), writer.write([row(2)])]
  const closing = writer.close()
  await expect(writer.write([row(3)])).rejects.toMatchObject({ code: 'engine_unavailable' })
  open()
  await Promise.all([...calls, closing])
  expect(store.stored).toHaveLength(2)
})

describe('more than can be held', () => {
  const big = (n: number): Row => ({ ...row(n), event: { ...row(n).event, properties: JSON.stringify({ text: 'x'.repeat(600) }) } })

  test('is refused for now, what is held is stored, and then there is room again', async () => {
    const store = createStore()
    const writer = createWriter(store, { maxChars: 3_000 })
    const open = store.hold()
    const held = [1, 2, 3].map((n) => writer.write([big(n)]))
    await expect(writer.write([big(4)])).rejects.toMatchObject({ code: 'ingest_overloaded', facts: { retryAfterSeconds: 5 } })
    expect(() => writer.assertRoom(600)).toThrow('ingest_overloaded')
    expect(writer.waiting()).toMatchObject({ events: 3 })
    open()
    await Promise.all(held)
    expect(writer.waiting()).toEqual({ events: 0, chars: 0 })
    expect(await writer.write([big(4)])).toEqual(['stored'])
    expect(store.stored).toHaveLength(4)
  })

  test('a delivery that is alone is taken whatever its size', async () => {
    expect(await createWriter(createStore(), { maxChars: 10 }).write([big(1)])).toEqual(['stored'])
  })

  test('what is given up makes room', async () => {
    const store = createStore()
    store.failWith(() => new StorageError('unavailable', 'away'))
    const writer = createWriter(store, { waitMs: 100, maxChars: 1_000 })
    await expect(writer.write([big(1)])).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(writer.waiting()).toEqual({ events: 0, chars: 0 })
  })
})

test('an engine without space refuses at once, keeps answering for what it has, and goes on when there is space', async () => {
  const store = createStore()
  const heard: boolean[] = []
  const writer = createWriter(store, { onFull: (isFull) => void heard.push(isFull) })
  await writer.write([row(1)])
  store.failWith(() => new StorageError('full', 'no space'))
  for (const n of [2, 3]) await expect(writer.write([row(n)])).rejects.toMatchObject({ code: 'disk_full' })
  expect(await writer.write([row(1)])).toEqual(['stored'])
  store.failWith(() => undefined)
  expect(await writer.write([row(2)])).toEqual(['stored'])
  expect(heard).toEqual([true, false])
  expect(named(store)).toHaveLength(2)
})

test('it tells what was stored and what was there already', async () => {
  const batches: object[] = []
  const writer = createWriter(createStore(), { onBatch: ({ stored, repeats }) => void batches.push({ stored, repeats }) })
  await writer.write([row(1), row(1), row(2)])
  await writer.write([row(2), row(3)])
  expect(batches).toEqual([{ stored: 2, repeats: 1 }, { stored: 1, repeats: 1 }])
})

test('rows that are in are not told to be as long as not every process can know, and are stored once', async () => {
  const store = createStore()
  let tries = 0
  const writer = createWriter(store, {
    onChange: async () => {
      tries += 1
      if (tries < 3) throw new StorageError('unavailable', 'away')
    },
  })
  expect(await writer.write([row(1)])).toEqual(['stored'])
  expect([tries, store.stored.length]).toEqual([3, 1])
  const never = createWriter(store, { waitMs: 50, onChange: () => Promise.reject(new StorageError('unavailable', 'away')) })
  await expect(never.write([row(2)])).rejects.toMatchObject({ code: 'engine_unavailable' })
})

test('a batch waits for its turn among processes, and for the next where the turn is lost', async () => {
  const store = createStore()
  let turns = 0
  const writer = createWriter(store, {
    async alone(work) {
      turns += 1
      if (turns === 1) throw new StorageError('unavailable', 'no turn')
      const done = await work()
      if (turns === 2) throw new StorageError('unavailable', 'lost')
      return done
    },
  })
  expect(await writer.write([row(1)])).toEqual(['stored'])
  expect(await writer.write([row(1), row(2)])).toEqual(['stored', 'stored'])
  expect([turns, store.stored.length]).toEqual([3, 2])
})
