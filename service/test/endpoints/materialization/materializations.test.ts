import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createMaterializations,
  type Materializations,
} from '../../../src/endpoints/materialization/materializations.ts'
import type { State } from '../../../src/endpoints/materialization/state.ts'
import { readingFrom } from '../../../src/endpoints/materialization/plan.ts'
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
    compileQuery(parsed, { projectId, variables: {}, ...(held ? { replace: readingFrom(parsed, held).replace } : {}) }),
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
beforeEach(async () => {
  projectId += 1
  clock = NOW
  trouble = undefined
  endpoint = (await metadata.endpoints.create(projectId, {
    name: 'sales',
    description: '',
    isActive: true,
    query: { kind: 'HogQLQuery', query: QUERY, variables: {} },
    columns: undefined,
    dataFreshnessSeconds: 900,
  }))!
  version = (await metadata.endpoints.version(endpoint.id, 1))!
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
  expect(await answer()).toEqual({ a: 2, b: 1 })

  trouble = undefined
  await materializations.refresh()
  await materializations.settled()
  expect(await stored()).toEqual(good)
  clock += MINUTE
  await materializations.refresh()
  await materializations.settled()
  expect((await stored())!.table).not.toBe(good.table)
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

test('a materialized table is rebuilt at the maximum age of the endpoint, not before', async () => {
  await enable()
  const first = (await stored())!.table
  clock += 899_000
  await materializations.refresh()
  await materializations.settled()
  expect((await stored())!.table).toBe(first)
  await store(engine, projectId, [seen('late')])
  clock += MINUTE
  await materializations.refresh()
  await materializations.settled()
  expect((await stored())!.table).not.toBe(first)
  expect(await answer()).toEqual({ a: 2, b: 1, late: 1 })
})

test('a materialized table is rebuilt after events were deleted', async () => {
  await enable()
  await engine.command(
    `ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = 'b' SETTINGS mutations_sync = 1`,
  )
  clock += MINUTE
  await materializations.refresh()
  await materializations.settled()
  expect(await answer()).toEqual({ a: 2 })
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

test('invalidate makes runs live until the materialized table is rebuilt', async () => {
  await enable()
  await engine.command(
    `ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = 'a' SETTINGS mutations_sync = 1`,
  )
  let begun = () => {}
  const gate = new Promise<void>((resolve) => (begun = resolve))
  trouble = () => gate
  await materializations.invalidate(projectId)
  expect(await stored()).toBeUndefined()
  begun()
  await materializations.settled()
  expect(await answer()).toEqual({ b: 1 })
})

test('unused materialized tables are dropped after the grace period', async () => {
  await enable()
  const first = (await stored())!.table
  const orphan = `${first}x`
  await engine.command(`CREATE TABLE db.${orphan} AS db.${first}`)
  const patient = createMaterializations({
    metadata,
    storage,
    log: () => {},
    lagSeconds: 0,
    graceMs: 90_000,
    now: () => clock,
  })
  await patient.sweep()
  clock += 901_000
  await materializations.refresh()
  await materializations.settled()
  const second = (await stored())!.table
  clock += 1_000
  await patient.sweep()
  expect((await tables()).sort()).toEqual([first, second].sort())
  clock += 89_000
  await patient.sweep()
  expect(await tables()).toContain(first)
  clock += 1_000
  await patient.sweep()
  expect(await tables()).toEqual([second])
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
    ['is invalidated by the other after events were deleted', (by) => by.invalidate(projectId), { ready: true }],
  ])('never uses a new table if, while one process builds it, it %s', async (_, act, left) => {
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
    await materializations.invalidate(projectId)
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
