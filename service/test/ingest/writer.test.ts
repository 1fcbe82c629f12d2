import type { Row } from '../../src/ingest/storeBatch.ts'
import { createWriter, type Writer } from '../../src/ingest/writer.ts'
import { type JsonLines, StorageError, type Statement } from '../../src/storage/storage.ts'

const uuid = (n: number) => `0193f3a0-0000-7000-8000-${String(n).padStart(12, '0')}`

interface Given {
  readonly row: Row
  readonly line: string
}

const row = (n: number, { projectId = 1, event = 'e', text = '', isNamed = true } = {}): Given => ({
  row: {
    index: 0,
    projectId,
    uuid: uuid(n),
    sentUuid: isNamed ? uuid(n) : undefined,
    structured: [],
    distinctId: 'd',
    timestamp: 0,
    identity: { groups: [] },
    groupIndexes: new Map(),
  },
  line: JSON.stringify({ project_id: projectId, uuid: uuid(n), event, text }),
})

/** Passes rows to the writer and returns the indexes of those it cannot store. */
const write = async (writer: Writer, given: readonly Given[]) => {
  const unstorable = await writer.write(
    given.map((each) => each.row),
    Buffer.from(given.map(({ line }) => `${line}\n`).join('')),
  )
  for (const { row: of, line } of unstorable) expect(JSON.parse(line.toString())).toMatchObject({ uuid: of.uuid })
  return unstorable.map(({ row: of }) => given.findIndex((each) => each.row === of))
}

const textsOf = (lines: JsonLines): string[] =>
  Buffer.isBuffer(lines) ? lines.toString().split('\n').filter(Boolean) : [...lines]

/** Stores rows in memory. Tests can make it fail or block. */
const createStore = () => {
  const stored: { project_id: number; uuid: string; event: string }[] = []
  const inserts: number[] = []
  let fault: (lines: readonly string[]) => Error | undefined = () => undefined
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
    insert: async (_: string, given: JsonLines) => {
      await gate
      const lines = textsOf(given)
      const error = fault(lines)
      if (error) throw error
      inserts.push(lines.length)
      stored.push(...lines.map((line) => JSON.parse(line)))
    },
    ready: async () => true,
  }
}

const named = (store: ReturnType<typeof createStore>) => store.stored.map(({ event }) => event)

test('a UUID repeated in one call is stored once, from its first row', async () => {
  const store = createStore()
  await write(createWriter(store), [row(1, { event: 'first' }), row(1, { event: 'second' }), row(2)])
  expect(named(store)).toEqual(['first', 'e'])
})

test('a stored UUID is not stored again', async () => {
  const store = createStore()
  const writer = createWriter(store)
  await write(writer, [row(1, { event: 'first' })])
  expect(await write(writer, [row(1, { event: 'again' }), row(2)])).toEqual([])
  expect(named(store)).toEqual(['first', 'e'])
})

test('a UUID that arrives while it is being stored waits and is stored once', async () => {
  const store = createStore()
  const writer = createWriter(store)
  const open = store.hold()
  const calls = [write(writer, [row(1)]), write(writer, [row(1)]), write(writer, [row(1), row(2)])]
  open()
  await Promise.all(calls)
  expect(store.stored).toHaveLength(2)
})

test('the writer stores a large delivery in parts and other deliveries in between', async () => {
  const store = createStore()
  const writer = createWriter(store)
  const large = Array.from({ length: 30 }, (_, n) => row(n, { event: 'large', text: 'x'.repeat(200_000) }))
  const order: string[] = []
  const open = store.hold()
  const calls = [
    write(writer, large).then(() => order.push('large')),
    write(writer, [row(100, { event: 'small' })]).then(() => order.push('small')),
  ]
  open()
  await Promise.all(calls)
  expect(order).toEqual(['small', 'large'])
  expect(Math.max(...store.inserts)).toBeLessThan(6)
  expect(named(store)).toHaveLength(31)
  expect(writer.waiting()).toEqual({ events: 0, chars: 0 })
})

test('the writer stops a large delivery after three times the wait of one part, and a retry stores the rest', async () => {
  jest.useFakeTimers()
  try {
    const store = createStore()
    // Each part takes most of its timeout: four are stored within 600 ms, and the fifth is on its way then.
    const insert = async (...given: Parameters<typeof store.insert>) => {
      await new Promise((resolve) => setTimeout(resolve, 130))
      await store.insert(...given)
    }
    const writer = createWriter({ ...store, insert }, { waitMs: 200 })
    const large = Array.from({ length: 50 }, (_, n) => row(n, { text: 'x'.repeat(200_000) }))
    const startedAt = Date.now()
    const outcome = write(writer, large).then(
      () => 'stored',
      ({ code }: { code: string }) => [code, Date.now() - startedAt],
    )
    await jest.advanceTimersByTimeAsync(5_000)
    expect(await outcome).toEqual(['engine_unavailable', 600])
    expect(writer.waiting()).toEqual({ events: 0, chars: 0 })
    await writer.close()
    expect(store.inserts).toEqual([4, 4, 4, 4, 4])
    expect(await write(createWriter(store), large)).toEqual([])
    expect(store.stored).toHaveLength(50)
  } finally {
    jest.useRealTimers()
  }
})

test('the writer returns the rows of a large delivery that cannot be stored', async () => {
  const store = createStore()
  store.failWith((lines) =>
    lines.some((line) => line.includes('poison')) ? new StorageError('data', 'poison') : undefined,
  )
  const large = Array.from({ length: 30 }, (_, n) =>
    row(n, { event: n % 10 === 7 ? 'poison' : 'large', text: 'x'.repeat(200_000) }),
  )
  expect(await write(createWriter(store), large)).toEqual([7, 17, 27])
  expect(named(store)).toHaveLength(27)
})

test('one UUID in two projects is two events', async () => {
  const store = createStore()
  await write(createWriter(store), [row(1), row(1, { projectId: 2 })])
  expect(store.stored.map(({ project_id }) => project_id)).toEqual([1, 2])
})

test('rows that arrive during a flush are batched into the next flush', async () => {
  const store = createStore()
  const writer = createWriter(store)
  const open = store.hold()
  const calls = Array.from({ length: 50 }, (_, n) => write(writer, [row(n)]))
  open()
  await Promise.all(calls)
  expect(store.inserts).toEqual([1, 49])
})

test('a row that cannot be stored does not fail other rows', async () => {
  const store = createStore()
  store.failWith((lines) =>
    lines.some((line) => line.includes('poison')) ? new StorageError('data', 'no') : undefined,
  )
  const rows = Array.from({ length: 9 }, (_, n) => row(n, { event: n === 3 || n === 7 ? 'poison' : 'e' }))
  expect(await write(createWriter(store), rows)).toEqual([3, 7])
  expect(store.stored).toHaveLength(7)
})

test('a repeat of a row that cannot be stored is not reported as stored', async () => {
  const store = createStore()
  store.failWith((lines) =>
    lines.some((line) => line.includes('poison')) ? new StorageError('data', 'no') : undefined,
  )
  expect(await write(createWriter(store), [row(1, { event: 'poison' }), row(2), row(1)])).toEqual([0, 2])
  expect(named(store)).toEqual(['e'])
})

test('the other rows of a delivery with a repeat are stored unchanged', async () => {
  const store = createStore()
  const writer = createWriter(store)
  await write(writer, [row(2)])
  await write(writer, [row(1, { text: 'a\nb\u2028é😀' }), row(2, { event: 'again' }), row(3, { event: 'last' })])
  expect(store.stored.map(({ uuid: id, event }) => [id, event])).toEqual([
    [uuid(2), 'e'],
    [uuid(1), 'e'],
    [uuid(3), 'last'],
  ])
  expect(store.stored[1]).toMatchObject({ text: 'a\nb\u2028é😀' })
})

// An event without a client UUID is as likely to be stored after a failure as any other.
test.each([
  ['of the client', true],
  ['from the service', false],
])('a transient failure is retried without duplicates for a UUID %s', async (_, isNamed) => {
  const store = createStore()
  let failures = 3
  store.failWith((lines) => {
    failures -= 1
    if (failures < 0) return undefined
    // The worst case: the rows were stored and the response was lost.
    if (failures === 0) store.stored.push(...lines.map((line) => JSON.parse(line)))
    return new StorageError('unavailable', 'away')
  })
  expect(await write(createWriter(store), [row(1, { isNamed })])).toEqual([])
  expect(store.stored).toHaveLength(1)
})

test('the writer waits a bounded time for an unavailable engine', async () => {
  const store = createStore()
  store.failWith(() => new StorageError('unavailable', 'away'))
  const writer = createWriter(store, { waitMs: 250 })
  await expect(write(writer, [row(1)])).rejects.toMatchObject({
    code: 'engine_unavailable',
    details: { retryAfterSeconds: 5 },
  })
  store.failWith(() => undefined)
  expect(await write(writer, [row(1)])).toEqual([])
})

test('the writer rejects waiting deliveries on an internal error and accepts later ones', async () => {
  const store = createStore()
  store.failWith(() => new TypeError('bug'))
  const writer = createWriter(store)
  await expect(write(writer, [row(1)])).rejects.toMatchObject({ code: 'internal_error' })
  store.failWith(() => undefined)
  expect(await write(writer, [row(1)])).toEqual([])
})

test('closing the writer stores pending rows and rejects new ones', async () => {
  const store = createStore()
  const writer = createWriter(store)
  const open = store.hold()
  const calls = [write(writer, [row(1)]), write(writer, [row(2)])]
  const closing = writer.close()
  await expect(write(writer, [row(3)])).rejects.toMatchObject({ code: 'engine_unavailable' })
  open()
  await Promise.all([...calls, closing])
  expect(store.stored).toHaveLength(2)
})

describe('the buffer limit of the writer', () => {
  const big = (n: number) => row(n, { text: 'x'.repeat(600) })

  test('rejects rows as retryable until buffered rows are stored', async () => {
    const store = createStore()
    const writer = createWriter(store, { maxChars: 3_000 })
    const open = store.hold()
    const held = [1, 2, 3].map((n) => write(writer, [big(n)]))
    await expect(write(writer, [big(4)])).rejects.toMatchObject({
      code: 'ingest_overloaded',
      details: { retryAfterSeconds: 5 },
    })
    expect(() => writer.assertRoom(1, 600)).toThrow('ingest_overloaded')
    expect(writer.waiting()).toMatchObject({ events: 3 })
    open()
    await Promise.all(held)
    expect(writer.waiting()).toEqual({ events: 0, chars: 0 })
    expect(await write(writer, [big(4)])).toEqual([])
    expect(store.stored).toHaveLength(4)
  })

  test('accepts a single delivery of any size', async () => {
    expect(await write(createWriter(createStore(), { maxChars: 10 }), [big(1)])).toEqual([])
  })

  test('does not reject rows of one project because of another', async () => {
    const store = createStore()
    const writer = createWriter(store, { maxChars: 3_000 })
    const open = store.hold()
    const greedy = [1, 2, 3].map((n) => write(writer, [big(n)]))
    await expect(write(writer, [big(4)])).rejects.toMatchObject({ code: 'ingest_overloaded' })
    const modest = write(writer, [row(5, { projectId: 2, text: 'x'.repeat(600) })])
    open()
    await Promise.all([...greedy, modest])
    expect(store.stored).toHaveLength(4)
    expect(writer.waiting()).toEqual({ events: 0, chars: 0 })
  })

  test('counts the person updates of events', async () => {
    const store = createStore()
    const writer = createWriter(store, { maxChars: 10_000 })
    const open = store.hold()
    const set = Array.from({ length: 1_000 }, (_, n) => [`n${n}`, '1'] as const)
    const one = row(1)
    const held = write(writer, [
      { ...one, row: { ...one.row, identity: { person: { set, setOnce: [] }, groups: [] } } },
    ])
    expect(writer.waiting().chars).toBeGreaterThan(100_000)
    open()
    await held
  })

  test('frees the space of rows that are given up', async () => {
    const store = createStore()
    store.failWith(() => new StorageError('unavailable', 'away'))
    const writer = createWriter(store, { waitMs: 100, maxChars: 1_000 })
    await expect(write(writer, [big(1)])).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(writer.waiting()).toEqual({ events: 0, chars: 0 })
  })
})

test('the writer rejects rows immediately while the disk is full, acknowledges stored ones, and continues once there is space', async () => {
  const store = createStore()
  const changes: boolean[] = []
  const writer = createWriter(store, { onFull: (isFull) => void changes.push(isFull) })
  await write(writer, [row(1)])
  store.failWith(() => new StorageError('full', 'no space'))
  for (const n of [2, 3]) await expect(write(writer, [row(n)])).rejects.toMatchObject({ code: 'disk_full' })
  expect(await write(writer, [row(1)])).toEqual([])
  store.failWith(() => undefined)
  expect(await write(writer, [row(2)])).toEqual([])
  expect(changes).toEqual([true, false])
  expect(named(store)).toHaveLength(2)
})

test('the writer reports the numbers of stored and repeated rows', async () => {
  const batches: object[] = []
  const writer = createWriter(createStore(), {
    onBatch: ({ stored, repeats }) => void batches.push({ stored, repeats }),
  })
  await write(writer, [row(1), row(1), row(2)])
  await write(writer, [row(2), row(3)])
  expect(batches).toEqual([
    { stored: 2, repeats: 1 },
    { stored: 1, repeats: 1 },
  ])
})

test('stored rows are not acknowledged until every process can detect repeats, and are stored once', async () => {
  const store = createStore()
  let tries = 0
  const writer = createWriter(store, {
    onChange: async () => {
      tries += 1
      if (tries < 3) throw new StorageError('unavailable', 'away')
    },
  })
  expect(await write(writer, [row(1)])).toEqual([])
  expect([tries, store.stored.length]).toEqual([3, 1])
  const never = createWriter(store, {
    waitMs: 50,
    onChange: () => Promise.reject(new StorageError('unavailable', 'away')),
  })
  await expect(write(never, [row(2)])).rejects.toMatchObject({ code: 'engine_unavailable' })
})

test('a batch waits for the lock among processes and retries if the lock is lost', async () => {
  const store = createStore()
  let turns = 0
  const writer = createWriter(store, {
    async withLock(work) {
      turns += 1
      if (turns === 1) throw new StorageError('unavailable', 'no turn')
      const done = await work()
      if (turns === 2) throw new StorageError('unavailable', 'lost')
      return done
    },
  })
  expect(await write(writer, [row(1)])).toEqual([])
  expect(await write(writer, [row(1), row(2)])).toEqual([])
  expect([turns, store.stored.length]).toEqual([3, 2])
})
