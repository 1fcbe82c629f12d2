import { createPersonFacts } from '../../src/persons/facts.ts'
import { createRecentIds } from '../../src/ingest/recentIds.ts'
import type { Row } from '../../src/ingest/storeBatch.ts'
import { createWriter } from '../../src/ingest/writer.ts'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { type Storage, StorageError, SMALL_READ } from '../../src/storage/storage.ts'
import { startTestEngine, type TestEngine } from '../sql/support/engine.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine
let storage: Storage
beforeAll(async () => {
  engine = await startTestEngine()
  const place = { url: engine.url }
  storage = createClickhouse(() => place, { tables: TABLES })
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

interface Given {
  readonly row: Row
  readonly line: string
}

/** Returns a row with its JSON line, which `change` corrupts in a way that event validation would reject. */
const given = (name: string, change: (line: string) => string = (line) => line): Given => {
  const uuid = uuidv7(Date.now())
  const line = JSON.stringify({
    project_id: 1,
    uuid,
    event: name,
    distinct_id: 'd',
    timestamp: Date.now(),
    elements_chain: '',
    $session_id: '',
    $window_id: '',
    properties: { a: 1 },
  })
  const identity = { person: { set: [], setOnce: [] }, groups: [] }
  return {
    row: {
      index: 0,
      projectId: 1,
      uuid,
      sentUuid: uuid,
      structured: [],
      distinctId: name,
      timestamp: 0,
      identity,
      groupIndexes: new Map(),
    },
    line: change(line),
  }
}

const bytesOf = (all: readonly Given[]) => Buffer.from(all.map(({ line }) => `${line}\n`).join(''))
const storedOf = async (name: string) =>
  (
    await storage.rows<{ n: number }>(
      { text: `SELECT count() AS n FROM db.events WHERE event = '${name}'` },
      SMALL_READ,
    )
  )[0]!.n

/** Lines that the engine rejects, by kind. */
const BROKEN: Readonly<Record<string, (line: string) => string>> = {
  'a lone surrogate': (line) => line.replace('"distinct_id":"d"', '"distinct_id":"\\ud83d"'),
  'a number beyond the range of its column': (line) => line.replace('"project_id":1', '"project_id":-1'),
  'an invalid id': (line) => line.replace(/"uuid":"[^"]+"/, '"uuid":"none"'),
  'properties that are a list': (line) => line.replace('{"a":1}', '[1]'),
  'an invalid number': (line) => line.replace('"a":1', '"a":1e400'),
  'properties too deep': (line) => line.replace('"a":1', `"a":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`),
  'truncated JSON': (line) => line.slice(0, 40),
  'an open string': (line) => `${line.slice(0, -1)},"x":"`,
}

test.each(Object.entries(BROKEN))('a row with %s does not fail other rows', async (kind, change) => {
  const writer = createWriter(storage, { before: createPersonFacts(storage).store, waitMs: 60_000 })
  const name = kind.replace(/'/g, '')
  const poisoned = [given(name), given(name, change), given(name), given(name, change), given(name)]
  const [unstorable, ...others] = await Promise.all([
    writer.write(
      poisoned.map(({ row }) => row),
      bytesOf(poisoned),
    ),
    ...Array.from({ length: 5 }, () => {
      const own = given(name)
      return writer.write([own.row], bytesOf([own]))
    }),
  ])
  expect(unstorable.map(({ row }) => row.uuid).sort()).toEqual([poisoned[1]!.row.uuid, poisoned[3]!.row.uuid].sort())
  expect(others).toEqual(others.map(() => []))
  expect(await storedOf(name)).toBe(8)
})

test('thousands of rows that the engine rejects take few statements', async () => {
  let inserts = 0
  const counting: Storage = {
    ...storage,
    insert: (...args) => {
      inserts += 1
      return storage.insert(...args)
    },
  }
  const all = Array.from({ length: 3_000 }, (_, n) => given('flood', n % 2 ? BROKEN['an invalid id'] : undefined))
  const unstorable = await createWriter(counting).write(
    all.map(({ row }) => row),
    bytesOf(all),
  )
  expect(unstorable).toHaveLength(1_500)
  expect(await storedOf('flood')).toBe(1_500)
  expect(inserts).toBeLessThan(10)
})

test('a delivery that fails for an unknown reason is retried alone and delays no others', async () => {
  const odd = given('odd')
  const others = Array.from({ length: 20 }, () => given('beside an odd one'))
  let storeOthers = () => {}
  const areStored = new Promise<void>((done) => (storeOthers = done))
  const failing: Storage = {
    ...storage,
    insert: async (table, rows, options) => {
      if (!String(rows).includes('"event":"odd"')) return storage.insert(table, rows, options)
      // Alone, it is retried only after all others are stored.
      if (rows.length === 1) await areStored
      throw new StorageError('query', 'of no known kind', 'ODD')
    },
  }
  const writer = createWriter(failing, { waitMs: 10_000 })
  const refused = writer.write([odd.row], bytesOf([odd])).catch((error: unknown) => error)
  await Promise.all(others.map((each) => writer.write([each.row], bytesOf([each]))))
  storeOthers()
  expect(await refused).toMatchObject({ code: 'engine_unavailable' })
  expect(await storedOf('beside an odd one')).toBe(20)
})

test('person updates of a row that the engine rejects do not block other rows', async () => {
  const facts = createPersonFacts(storage)
  const { row } = given('x')
  const rowOf = (distinctId: string): Row => ({
    ...row,
    distinctId,
    identity: { person: { set: [['plan', '"gold"']], setOnce: [] }, groups: [] },
  })
  // Event validation never passes a lone surrogate.
  await facts.store([rowOf('before'), rowOf('\ud83d'), rowOf('after')])
  const found = await storage.rows<{ id: string }>(
    {
      text: "SELECT DISTINCT distinct_id AS id FROM db.person_properties WHERE name = 'plan' ORDER BY id",
    },
    SMALL_READ,
  )
  expect(found.map(({ id }) => id)).toEqual(['after', 'before'])
})

test('ids that were stored before are known after a load', async () => {
  let at = Date.now()
  const stored = given('remembered')
  const random = given('remembered', (line) => line.replace(/("uuid":"[^"]{14})7/, '$14'))
  const randomId = (JSON.parse(random.line) as { uuid: string }).uuid
  const rows = [stored.row, { ...random.row, uuid: randomId }]
  await createWriter(storage).write(rows, bytesOf([stored, random]))
  const ids = createRecentIds(storage, { now: () => at })
  const known = () =>
    [stored.row.uuid, uuidv7(at), uuidv7(at - 61_000), randomId].map((uuid) => ids.isStored({ projectId: 1, uuid }))
  await ids.load()
  expect(known()).toEqual([undefined, undefined, undefined, undefined])
  at += 60_000
  await ids.load()
  at -= 60_000
  expect(known()).toEqual([true, false, undefined, undefined])
  expect(ids.isStored({ projectId: 2, uuid: stored.row.uuid })).toBe(false)
})
