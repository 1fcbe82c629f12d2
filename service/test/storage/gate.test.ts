import { createEngineGate, createSlots, MAX_RUN_SLOTS, READER_SLOTS } from '../../src/storage/gate.ts'
import { engineConfig } from '../../src/storage/embedded/config.ts'
import { type Storage, SMALL_READ, NO_CALLER } from '../../src/storage/storage.ts'

const LIMITS = { slots: 6, share: 1, waitMs: 60_000, maxWaiting: 5 }
const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

/** Enters `times` times and reports how many got a slot. */
const enterTimes = async (enter: ReturnType<typeof createSlots>, projectId: number, times: number) => {
  const slots: (() => void)[] = []
  const failures: unknown[] = []
  for (let n = 0; n < times; n += 1)
    enter(projectId).then(
      (leave) => slots.push(leave),
      (error) => failures.push(error),
    )
  await settled()
  return { slots, failures }
}

test('the gate reserves slots for other projects when one project requests all', async () => {
  const enter = createSlots(LIMITS)
  expect((await enterTimes(enter, 1, 6)).slots).toHaveLength(3)
  expect((await enterTimes(enter, 2, 6)).slots).toHaveLength(2)
  expect((await enterTimes(enter, 3, 1)).slots).toHaveLength(1)
})

test('the gate gives a freed slot to the waiting project with the fewest slots', async () => {
  const enter = createSlots({ ...LIMITS, slots: 3, share: 10 })
  const first = await enterTimes(enter, 1, 5)
  const second = await enterTimes(enter, 2, 2)
  expect([first.slots.length, second.slots.length]).toEqual([3, 0])
  first.slots[0]!()
  await settled()
  expect([first.slots.length, second.slots.length]).toEqual([3, 1])
})

test('leaving the gate twice frees one slot', async () => {
  const enter = createSlots({ ...LIMITS, slots: 2 })
  const leave = await enter(1)
  leave()
  leave()
  expect((await enterTimes(enter, 1, 3)).slots).toHaveLength(1)
})

test('the gate rejects with "capacity" after the wait limit, and immediately if too many are waiting', async () => {
  const enter = createSlots({ ...LIMITS, slots: 1, waitMs: 20, maxWaiting: 1 })
  await enter(1)
  const waiting = enter(1)
  await expect(enter(1)).rejects.toMatchObject({ name: 'StorageError', kind: 'capacity' })
  await expect(waiting).rejects.toMatchObject({ name: 'StorageError', kind: 'capacity' })
})

test('an aborted caller leaves the queue of the gate, and its slot goes to the next', async () => {
  const enter = createSlots({ ...LIMITS, slots: 1 })
  const leave = await enter(1)
  const gone = new AbortController()
  const first = enter(1, gone.signal)
  const second = enter(1)
  gone.abort()
  await expect(first).rejects.toMatchObject({ kind: 'unavailable' })
  leave()
  expect(await second).toBeInstanceOf(Function)
})

test('the writer does not wait for a slot of the gate', async () => {
  const never = new Promise<never>(() => {})
  const storage = {
    rowsDatabase: 'db',
    run: () => never,
    rows: async () => [],
    work: () => never,
  } as unknown as Storage
  const gate = createEngineGate(storage)
  for (let n = 0; n < 200; n += 1) {
    gate.runs
      .run(
        { text: '' },
        { projectId: 1 + (n % 50), maxSeconds: 1, maxMemoryBytes: 1, maxRows: 1, maxBytes: 10_000_000 },
        NO_CALLER,
      )
      .catch(() => {})
    gate.background.work({ text: '' }, { maxSeconds: 1, maxMemoryBytes: 1 }).catch(() => {})
  }
  await settled()
  expect(await gate.ingest.rows({ text: '' }, SMALL_READ)).toEqual([])
  expect(await gate.lookups.rows({ text: '' }, SMALL_READ)).toEqual([])
})

test('READER_SLOTS is the number of concurrent statements of the read-only user that the gate allows', async () => {
  let active = 0
  const never = () => {
    active += 1
    return new Promise<never>(() => {})
  }
  const storage = { rowsDatabase: 'db', run: never, work: never } as unknown as Storage
  const gate = createEngineGate(storage, MAX_RUN_SLOTS)
  const limits = { maxSeconds: 1, maxMemoryBytes: 1, maxRows: 1, maxBytes: 10_000_000 }
  for (const { run } of [gate.runs, gate.validation, gate.lookups, gate.background])
    for (let projectId = 1; projectId <= 100; projectId += 1)
      run({ text: '' }, { projectId, ...limits }, NO_CALLER).catch(() => {})
  await settled()
  expect(active).toBe(READER_SLOTS)
})

test('the limit of concurrent reads of the embedded engine is READER_SLOTS', () => {
  const config = engineConfig({
    file: 'f',
    port: 1,
    key: 'k',
    writerPassword: 'w',
    readerPassword: 'r',
    memoryBytes: 1,
    isSmall: false,
    diskReserveBytes: 0,
    tables: [],
  })
  expect(config).toContain(`<max_concurrent_queries_for_user>${READER_SLOTS}<`)
})
