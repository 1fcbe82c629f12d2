import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createMaterializations,
  type Materializations,
} from '../../../src/endpoints/materialization/materializations.ts'
import type { State } from '../../../src/endpoints/materialization/tables/state.ts'
import { tableReading } from '../../../src/endpoints/materialization/plan.ts'
import { compileQuery, parseQuery } from '../../../src/sql/compile.ts'
import { createClickhouse } from '../../../src/storage/clickhouse.ts'
import {
  type Endpoint,
  type EndpointVersion,
  openMetadata,
  type Metadata,
} from '../../../src/storage/metadata/metadata.ts'
import { type Storage, StorageError, SMALL_READ, NO_CALLER } from '../../../src/storage/storage.ts'
import { until } from '../../support/engine.ts'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { store } from './support/store.ts'
import { TABLES } from '../../support/schema.ts'

const QUERY = 'SELECT event, count() FROM events GROUP BY event'
const LIMITS = { maxSeconds: 10, maxMemoryBytes: 500_000_000, maxRows: 1_000, maxBytes: 10_000_000 }
const NOW = Date.now()
const MINUTE = 60_000

let engine: TestEngine
let storage: Storage
let metadata: Metadata
let folder: string
let projectId = 1
let endpoint: Endpoint
let version: EndpointVersion
let materializations: Materializations
let clock = NOW
/** Fails or delays the next builds. */
let trouble: (() => Promise<void>) | undefined
const lines: string[] = []

const open = () =>
  createMaterializations({
    metadata,
    storage: {
      rowsDatabase: storage.rowsDatabase,
      rows: storage.rows,
      run: storage.run,
      command: storage.command,
      work: async (...all) => (await trouble?.(), storage.work(...all)),
    },
    log: (line) => void lines.push(line),
    lagSeconds: 0,
    graceMs: 0,
    now: () => clock,
  })

const seen = (event: string) => ({ event, person: 'ann', at: NOW - 1e9, seenAt: NOW - 60_000, properties: {} })
const current = async () => (await metadata.endpoints.version(endpoint.id, 1))!
const stored = async () => materializations.stored(await current())
const view = async () => materializations.view(projectId, endpoint, await current())
const state = async () => (await current()).materialization as State
const tables = async () =>
  (
    await storage.rows<{ name: string }>(
      {
        text: "SELECT name FROM system.tables WHERE database = 'db' AND name LIKE 'rollup_%'",
      },
      SMALL_READ,
    )
  ).map(({ name }) => name)
const answer = async () => {
  const parsed = parseQuery(QUERY)
  const held = await stored()
  const { rows } = await storage.run(
    compileQuery(parsed, {
      projectId,
      variables: {},
      ...(held ? { replace: tableReading(parsed, {}, held)!.replace } : {}),
    }),
    { ...LIMITS, projectId, ...(held ? { tables: [held.table] } : {}) },
    NO_CALLER,
  )
  return Object.fromEntries(rows as [string, number][])
}
const enable = async () => {
  await materializations.enable(projectId, endpoint, version)
  await materializations.settled()
}

beforeAll(async () => {
  engine = await startTestEngine()
  storage = createClickhouse(() => ({ url: engine.url }), { tables: TABLES })
  folder = mkdtempSync(join(tmpdir(), 'materializations-'))
  metadata = await openMetadata(join(folder, 'definitions.db'))
})
afterAll(async () => {
  await metadata.close()
  await storage.close()
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})
let endpoints = 0
/** Creates an endpoint with a query. */
const use = async (query: string) => {
  endpoint = (await metadata.endpoints.create(projectId, {
    name: `sales-${(endpoints += 1)}`,
    description: '',
    isActive: true,
    query: { kind: 'HogQLQuery', query, variables: {} },
    columns: undefined,
    dataFreshnessSeconds: 900,
  }))!
  version = (await metadata.endpoints.version(endpoint.id, 1))!
}
const change = (changes: object) =>
  metadata.materializations.change(version.id, (before) => ({ ...(before as State), ...changes }))
beforeEach(async () => {
  projectId += 1
  clock = NOW
  trouble = undefined
  await metadata.variables.create(projectId, {
    name: 'since',
    codeName: 'since',
    type: 'Date',
    defaultValue: null,
    values: [],
    schema: undefined,
  })
  await use(QUERY)
  await store(engine, projectId, [seen('a'), seen('a'), seen('b')])
  materializations = open()
})
afterEach(async () => {
  await materializations.disable(version.id)
  await materializations.close()
  for (const table of await tables()) await engine.command(`DROP TABLE db.${table} SYNC`)
})

test('runs are live while the first materialized table is built', async () => {
  let begun = () => {}
  const gate = new Promise<void>((resolve) => (begun = resolve))
  trouble = () => gate
  await materializations.enable(projectId, endpoint, version)
  expect(await stored()).toBeUndefined()
  expect(await view()).toMatchObject({ enabled: true, ready: false, status: 'Running' })
  expect(await answer()).toEqual({ a: 2, b: 1 })
  begun()
  await materializations.settled()
  expect(await view()).toMatchObject({ ready: true, status: 'Completed', rows: 2 })
  expect(await answer()).toEqual({ a: 2, b: 1 })
})

test('a failed build keeps the last valid materialized table, reports the reason and drops the unfinished table', async () => {
  await enable()
  const good = (await stored())!
  await store(engine, projectId, [{ ...seen('late'), seenAt: Date.now() }])
  clock += 901_000
  trouble = () => Promise.reject(new StorageError('memory', 'SELECT of the compiled text', 'MEMORY_LIMIT_EXCEEDED'))
  await materializations.refresh()
  await materializations.settled()
  expect(await stored()).toEqual(good)
  const failed = await view()
  expect(failed).toMatchObject({
    ready: true,
    status: 'Failed',
    error: expect.stringContaining('MEMORY_LIMIT_EXCEEDED'),
  })
  expect(failed.error).not.toContain('SELECT')
  expect(await tables()).toEqual([good.table])
  expect(await answer()).toEqual({ a: 2, b: 1, late: 1 })

  trouble = undefined
  await materializations.refresh()
  await materializations.settled()
  expect(await stored()).toEqual(good)
  clock += MINUTE
  await materializations.refresh()
  await materializations.settled()
  expect((await stored())!.builtAt > good.builtAt).toBe(true)
  expect(await view()).toMatchObject({ status: 'Completed' })
})

test('a materialized table with the wrong number of events is never used', async () => {
  const { work } = storage
  materializations = createMaterializations({
    metadata,
    log: () => {},
    lagSeconds: 0,
    graceMs: 0,
    storage: {
      ...storage,
      rows: storage.rows,
      work: async (statement, limits, signal) => {
        await work(statement, limits, signal)
        if (statement.text.startsWith('INSERT')) await work(statement, limits, signal)
      },
    },
  })
  await enable()
  expect(await view()).toMatchObject({
    ready: false,
    status: 'Failed',
    error: expect.stringContaining('6 events instead of 3'),
  })
  expect(await tables()).toEqual([])
})

const pass = async (ms: number) => {
  clock += ms
  await materializations.refresh()
  await materializations.settled()
}

test('a materialized table is extended by the events that arrived since, and never built again', async () => {
  await enable()
  const first = (await stored())!
  await store(engine, projectId, [{ ...seen('late'), seenAt: Date.now() }])
  await pass(4 * MINUTE)
  expect((await stored())!.layers).toEqual(first.layers)
  await pass(MINUTE)
  const second = (await stored())!
  expect([second.table, second.layers]).toEqual([
    first.table,
    [...first.layers, { id: expect.any(Number), rows: 1, events: 1 }],
  ])
  expect(await answer()).toEqual({ a: 2, b: 1, late: 1 })
  expect(await view()).toMatchObject({ rows: 3 })
  // Nothing has arrived.
  await pass(5 * MINUTE)
  expect((await stored())!.layers).toEqual(second.layers)
  expect((await stored())!.watermark > second.watermark).toBe(true)
})

test('many small layers of a materialized table become one', async () => {
  await enable()
  const { table } = (await stored())!
  for (let n = 0; n < 12; n += 1) {
    await store(engine, projectId, [{ ...seen('late'), seenAt: Date.now() }])
    await pass(5 * MINUTE)
  }
  const { layers, ...last } = (await stored())!
  expect([last.table, layers.length < 8, layers.reduce((sum, { events }) => sum + events, 0)]).toEqual([
    table,
    true,
    15,
  ])
  expect(await answer()).toEqual({ a: 2, b: 1, late: 12 })
})

const DAILY =
  'SELECT toStartOfDay(timestamp) AS day, event, count() FROM events WHERE timestamp >= {variables.since} GROUP BY day, event'

test.each([
  ['of the days that changed are stored again', DAILY, 1],
  ['without days are built again', QUERY, 0],
])('after events were deleted from the event store, tables %s', async (_, query, kept) => {
  await use(query)
  await enable()
  const first = (await stored())!
  await pass(MINUTE)
  await engine.command(
    `ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = 'b' SETTINGS mutations_sync = 1`,
  )
  await pass(MINUTE)
  const second = (await stored())!
  expect([second.table === first.table, second.layers.map(({ events }) => events)]).toEqual([kept === 1, [2]])
})

test('a dropped materialized table is rebuilt', async () => {
  await enable()
  const { table } = (await stored())!
  await engine.command(`DROP TABLE db.${table} SYNC`)
  clock += MINUTE
  await materializations.refresh()
  await materializations.settled()
  expect((await stored())!.table).not.toBe(table)
  expect(await answer()).toEqual({ a: 2, b: 1 })
})

const deleteAll = () =>
  engine.command(
    `ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = 'a' SETTINGS mutations_sync = 1`,
  )

test('runs are live from before a deletion of events until their days are stored again', async () => {
  await use(DAILY)
  await store(engine, projectId, [{ ...seen('c'), person: 'ben', at: NOW - 2e9 }])
  await enable()
  const first = (await stored())!
  await materializations.whileDeleting(projectId, ['ann'], async () => {
    expect((await state()).stale!.days).toEqual([new Date(NOW - 1e9).toISOString().slice(0, 10)])
    await pass(10_000)
    expect(await stored()).toBeUndefined()
    await deleteAll()
  })
  expect(await stored()).toBeUndefined()
  await materializations.settled()
  const second = (await stored())!
  expect([second.table, second.layers.map(({ events }) => events)]).toEqual([first.table, [2]])
})

test('a deletion whose process was killed is completed by another one', async () => {
  await use(DAILY)
  await enable()
  await deleteAll()
  await change({
    inUse: undefined,
    stale: { table: await stored(), days: [new Date(NOW - 1e9).toISOString().slice(0, 10)] },
    deletions: { killed: new Date(clock + 15_000).toISOString() },
    lookedAt: undefined,
  })
  await pass(14_999)
  expect(await stored()).toBeUndefined()
  await pass(1)
  expect((await stored())!.layers.map(({ events }) => events)).toEqual([1])
})

test('unused materialized tables are dropped after the grace period', async () => {
  await enable()
  const first = (await stored())!.table
  const orphan = `${first}x`
  await engine.command(`CREATE TABLE db.${orphan} AS db.${first}`)
  // What a killed process has stored of a layer.
  await engine.command(`INSERT INTO db.${first} SELECT 7 AS __layer, * EXCEPT (__layer) FROM db.${first}`)
  const layers = async () =>
    (await engine.rows({ text: `SELECT DISTINCT __layer FROM db.${first}`, params: {} })).map(([id]) => id).sort()
  const patient = createMaterializations({
    metadata,
    storage,
    log: () => {},
    lagSeconds: 0,
    graceMs: 90_000,
    now: () => clock,
  })
  await patient.sweep()
  clock += 89_999
  await patient.sweep()
  expect([await tables(), (await layers()).length]).toEqual([expect.arrayContaining([first, orphan]), 2])
  clock += 1
  await patient.sweep()
  expect([await tables(), await layers()]).toEqual([[first], (await stored())!.layers.map(({ id }) => id)])
  expect(await answer()).toEqual({ a: 2, b: 1 })
})

describe('materialization with two processes', () => {
  let other: Materializations
  let openGate = () => {}
  beforeEach(() => {
    other = open()
  })
  afterEach(() => {
    openGate()
    return other.close()
  })

  const gated = () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => (openGate = open = resolve))
    let waiting = 0
    trouble = () => ((waiting += 1), gate)
    return { open, waiting: () => waiting }
  }

  test('builds a table in only one process', async () => {
    const gate = gated()
    await materializations.enable(projectId, endpoint, version)
    await until(() => gate.waiting() === 1)
    for (let looks = 0; looks < 3; looks += 1) await other.refresh()
    await other.settled()
    expect([gate.waiting(), await tables()]).toEqual([1, []])
    gate.open()
    await materializations.settled()
    expect(await tables()).toEqual([(await stored())!.table])
  })

  test('does not drop a table that the other process is filling', async () => {
    const gate = gated()
    const { work } = storage
    const filling = createMaterializations({
      metadata,
      log: () => {},
      lagSeconds: 0,
      graceMs: 0,
      now: () => clock,
      storage: {
        ...storage,
        work: async (statement, limits, signal) => {
          if (statement.text.startsWith('INSERT')) await trouble!()
          await work(statement, limits, signal)
        },
      },
    })
    await filling.enable(projectId, endpoint, version)
    await until(() => gate.waiting() === 1)
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await other.sweep()
    expect(await tables()).toEqual([(await state()).claim!.table])
    gate.open()
    await filling.settled()
    expect(await answer()).toEqual({ a: 2, b: 1 })
    await filling.close()
  })

  test('takes over an expired claim and never uses the table of its former holder', async () => {
    const gate = gated()
    await materializations.enable(projectId, endpoint, version)
    await until(() => gate.waiting() === 1)
    const { claim } = await state()
    clock += 14_999
    await other.refresh()
    expect((await state()).claim).toEqual(claim)
    clock += 1
    trouble = undefined
    await other.refresh()
    await other.settled()
    const { table } = (await stored())!
    expect(table).not.toBe(claim!.table)
    gate.open()
    await materializations.settled()
    expect((await stored())!.table).toBe(table)
    expect(await tables()).toEqual([table])
  })

  test('hands a build over immediately when its process closes', async () => {
    const gate = gated()
    await materializations.enable(projectId, endpoint, version)
    await until(() => gate.waiting() === 1)
    const closed = materializations.close()
    gate.open()
    await closed
    trouble = undefined
    await other.refresh()
    await other.settled()
    expect(await answer()).toEqual({ a: 2, b: 1 })
    expect(await tables()).toEqual([(await stored())!.table])
  })

  test.each<[string, (by: Materializations) => Promise<unknown>, object | undefined]>([
    ['is disabled by the other', (by) => by.disable(version.id), undefined],
    ['deletes events in the other', (by) => by.whileDeleting(projectId, ['ann'], async () => {}), { ready: true }],
  ])('never uses a new table if, while one process builds it, the endpoint %s', async (_, act, left) => {
    const gate = gated()
    await materializations.enable(projectId, endpoint, version)
    await until(() => gate.waiting() === 1)
    const { claim } = await state()
    trouble = undefined
    await act(other)
    await other.settled()
    gate.open()
    await materializations.settled()
    expect((await stored())?.table).not.toBe(claim!.table)
    expect(await view()).toMatchObject(left ?? { enabled: false, ready: false })
    expect(await tables()).toHaveLength(left ? 1 : 0)
  })

  test('disables only the table in use', async () => {
    await enable()
    const { table } = (await stored())!
    await other.turnOff(version.id, `${table}x`, 'wrong')
    expect(await view()).toMatchObject({ ready: true, status: 'Completed' })
    await other.turnOff(version.id, table, 'wrong')
    expect(await view()).toMatchObject({ enabled: true, ready: false, status: 'Failed', error: 'wrong' })
    clock += 901_000
    await materializations.refresh()
    await materializations.whileDeleting(projectId, ['ann'], async () => {})
    await materializations.settled()
    expect(await stored()).toBeUndefined()
    await enable()
    const renewed = await view()
    expect([renewed.ready, renewed.status, renewed.error]).toEqual([true, 'Completed', undefined])
  })

  test('rebuilds a table that differs because of deleted events without disabling it', async () => {
    await enable()
    const { table } = (await stored())!
    await engine.command(
      `ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = 'b' SETTINGS mutations_sync = 1`,
    )
    await other.turnOff(version.id, table, 'wrong')
    await other.settled()
    expect((await stored())!.table).not.toBe(table)
    expect(await answer()).toEqual({ a: 2 })
  })
})

test('the engine returns no rows of another project from a materialized table for any statement', async () => {
  await enable()
  const { table } = (await stored())!
  const { rows } = await storage.run(
    { text: `SELECT count() FROM db.${table}` },
    { ...LIMITS, projectId: projectId + 1, tables: [table] },
    NO_CALLER,
  )
  expect(rows).toEqual([[0]])
})
