import { createRecentIds } from '../../src/ingest/recentIds.ts'
import type { Row } from '../../src/ingest/storeBatch.ts'
import { createWriter, type Writer } from '../../src/ingest/writer.ts'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { type JsonLines, StorageError, type Statement } from '../../src/storage/storage.ts'
import { createRandom } from '../service/support/random.ts'
import { randomRuns } from '../sql/support/randomRuns.ts'

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

interface IdRange {
  readonly from: string
  readonly until: string
  readonly limit: number
}

/** Stores rows in memory. Tests can make it fail or block. */
const createStore = () => {
  const stored: { project_id: number; uuid: string; event: string }[] = []
  const inserts: number[] = []
  const lookups: object[] = []
  const lastIds = ({ from, until, limit }: IdRange) =>
    stored
      .filter(({ uuid: id }) => id[14] === '7' && id >= from && id < until)
      .sort((a, b) => (a.uuid < b.uuid ? 1 : -1))
      .slice(0, limit)
      .map(({ project_id, uuid: id }) => ({ projectId: project_id, uuid: id }))
  let fault: (lines: readonly string[]) => Error | undefined = () => undefined
  let gate: Promise<void> = Promise.resolve()
  return {
    stored,
    inserts,
    lookups,
    failWith: (next: typeof fault) => void (fault = next),
    hold: () => {
      let open = () => {}
      gate = new Promise((resolve) => (open = resolve))
      return open
    },
    rows: async <R>({ params }: Statement) => {
      lookups.push(params!)
      if ('from' in params!) return lastIds(params as unknown as IdRange) as R[]
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

describe('events whose ids the service remembers', () => {
  const START = Date.UTC(2026, 0, 1)
  const ofUuid = (id: string, projectId = 1): Given => {
    const { row: of, line } = row(1, { projectId })
    return { row: { ...of, uuid: id, sentUuid: id }, line: line.replace(of.uuid, id) }
  }

  test('need no lookup, unless they are older than what is remembered or have no time', async () => {
    const store = createStore()
    let at = START
    const now = () => at
    const writer = createWriter(store, { recentIds: createRecentIds(store, { now }) })
    await write(writer, [ofUuid(uuidv7(at))])
    expect(store.lookups).toHaveLength(1) // an insert of an earlier process may still be running
    at += 60_000
    const fresh = ofUuid(uuidv7(at))
    await write(writer, [fresh])
    expect(store.lookups.slice(1)).toMatchObject([{ limit: 10_000 }])
    await write(writer, [fresh, ofUuid(uuidv7(at))])
    expect([store.lookups.length, store.stored.length]).toEqual([2, 3])
    const late = uuidv7(at - 3_600_000)
    const random = '5ab3c2d1-1111-4222-8333-123456789abc'
    await write(writer, [ofUuid(late), ofUuid(random), ofUuid(uuidv7(at))])
    expect(store.lookups.slice(2)).toEqual([{ projectId: 1, ids: [late, random] }])
  })

  test('need a lookup if more ids are stored than can be loaded', async () => {
    const store = createStore()
    let at = START
    const restart = () => createWriter(store, { recentIds: createRecentIds(store, { capacity: 2, now: () => at }) })
    const ids = [1, 2, 2, 3].map((ms) => ofUuid(uuidv7(at + 120_000 + ms)))
    await write(restart(), ids)
    const writer = restart()
    at += 121_000
    for (const again of ids) await write(writer, [again])
    expect(store.stored).toHaveLength(4)
  })

  // Deliveries of new and repeated ids of every age, while time passes, inserts fail before or after they stored their rows,
  // and processes restart. Few ids are remembered, so that most are forgotten soon. `isShared`: two processes store events.
  test.each([
    ['one process', false],
    ['two processes', true],
  ])('are stored exactly once by %s, like all others', async (_, isShared) => {
    jest.useFakeTimers()
    try {
      for (let seed = 1; seed <= randomRuns(50); seed += 1) {
        const { below, chance, pick } = createRandom(seed)
        const store = createStore()
        let at = START
        const now = () => at
        let turn: Promise<unknown> = Promise.resolve()
        const withLock = <T>(work: () => Promise<T>) => {
          const done = turn.then(work)
          turn = done.catch(() => {})
          return done
        }
        const start = () => {
          const recentIds = isShared ? undefined : createRecentIds(store, { capacity: 1 + below(12), now })
          return { recentIds, writer: createWriter(store, { recentIds, withLock, waitMs: 60_000 }) }
        }
        const processes = isShared ? [start(), start()] : [start()]
        const sent: { readonly id: string; readonly projectId: number }[] = []
        const given = (): Given => {
          if (!sent.length || chance(0.6)) {
            const id = uuidv7(
              at + pick([0, 0, 0, -1, 3, -5_000, -90_000, 30_000, 400_000_000, -400_000_000, 400 * 86_400_000]),
            )
            sent.push({ id: chance(0.15) ? `${id.slice(0, 14)}4${id.slice(15)}` : id, projectId: pick([1, 1, 2]) })
          }
          const { id, projectId } = chance(0.8) ? sent.at(-1)! : pick(sent)
          return ofUuid(id, projectId)
        }
        const delivered = new Set<string>()
        for (let step = 0; step < 25; step += 1) {
          at += pick([0, 1, 50, 5_000, 61_000, 61_000])
          if (chance(0.1)) processes[0] = start()
          if (chance(0.2)) processes[0]!.recentIds?.forget()
          let failures = chance(0.2) ? 1 : 0
          const isLate = chance(0.5)
          store.failWith((lines) => {
            failures -= 1
            if (failures < 0) return undefined
            if (isLate) store.stored.push(...lines.map((line) => JSON.parse(line)))
            return new StorageError('unavailable', 'away')
          })
          const deliveries = Array.from({ length: 1 + below(3) }, () => Array.from({ length: 1 + below(4) }, given))
          for (const { row: of } of deliveries.flat()) delivered.add(`${of.projectId}:${of.uuid}`)
          const stored = Promise.all(deliveries.map((each) => write(pick(processes).writer, each)))
          await jest.advanceTimersByTimeAsync(1_000)
          await stored
        }
        const keys = store.stored.map(({ project_id, uuid: id }) => `${project_id}:${id}`).sort()
        expect({ seed, keys }).toEqual({ seed, keys: [...delivered].sort() })
      }
    } finally {
      jest.useRealTimers()
    }
  })
})
