import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMaterializations, type Materializations } from '../../../src/endpoints/materialization/materializations.ts'
import { readingFrom } from '../../../src/endpoints/materialization/plan.ts'
import { compileQuery, parseQuery } from '../../../src/endpoints/sql/compile.ts'
import { createClickhouse } from '../../../src/storage/clickhouse.ts'
import { type Endpoint, type EndpointVersion, openRecords, type Records } from '../../../src/storage/records.ts'
import { type Storage, StorageError } from '../../../src/storage/storage.ts'
import { startTestEngine, type TestEngine } from '../sql/support/engine.ts'
import { store } from './support/store.ts'

jest.setTimeout(60_000)

const QUERY = 'SELECT event, count() FROM events GROUP BY event'
const LIMITS = { maxSeconds: 10, maxMemoryBytes: 500_000_000, maxRows: 1_000 }
const NOW = Date.now()

let engine: TestEngine
let storage: Storage
let records: Records
let folder: string
let projectId = 1
let endpoint: Endpoint
let version: EndpointVersion
let materializations: Materializations
let clock = NOW
/** What the next builds meet. */
let trouble: (() => Promise<void>) | undefined
const lines: string[] = []

const open = () =>
  createMaterializations({
    records,
    storage: { rows: storage.rows, run: storage.run, command: storage.command, work: async (...all) => (await trouble?.(), storage.work(...all)) },
    log: (line) => void lines.push(line),
    lagSeconds: 0,
    graceMs: 0,
    now: () => clock,
  })

const seen = (event: string) => ({ event, person: 'ann', at: NOW - 1e9, seenAt: NOW - 60_000, properties: {} })
const tables = async () => (await storage.rows<{ name: string }>({ text: "SELECT name FROM system.tables WHERE database = 'db' AND name LIKE 'rollup_%'" })).map(({ name }) => name)
const answer = async () => {
  const parsed = parseQuery(QUERY)
  const stored = materializations.stored(version.id)
  const { rows } = await storage.run(compileQuery(parsed, { projectId, variables: {}, ...(stored ? { replace: readingFrom(parsed, stored).replace } : {}) }), { ...LIMITS, projectId, ...(stored ? { tables: [stored.table] } : {}) })
  return Object.fromEntries(rows as [string, number][])
}
const enable = async () => {
  await materializations.enable(projectId, endpoint, version)
  await materializations.settled()
}

beforeAll(async () => {
  engine = await startTestEngine()
  storage = createClickhouse(() => ({ url: engine.url }))
  folder = mkdtempSync(join(tmpdir(), 'materializations-'))
  records = await openRecords(join(folder, 'definitions.db'))
})
afterAll(async () => {
  await records.close()
  await storage.close()
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  projectId += 1
  clock = NOW
  trouble = undefined
  endpoint = (await records.endpoints.create(projectId, { name: 'sales', description: '', isActive: true, query: { kind: 'HogQLQuery', query: QUERY, variables: {} }, columns: undefined, dataFreshnessSeconds: 900 }))!
  version = (await records.endpoints.version(endpoint.id, 1))!
  await store(engine, projectId, [seen('a'), seen('a'), seen('b')])
  materializations = await open()
})
afterEach(async () => {
  await materializations.disable(version.id)
  await materializations.close()
})

test('runs are live while the first table is built', async () => {
  let begun = () => {}
  const gate = new Promise<void>((resolve) => (begun = resolve))
  trouble = () => gate
  await materializations.enable(projectId, endpoint, version)
  expect(materializations.stored(version.id)).toBeUndefined()
  expect(await materializations.view(projectId, endpoint, version)).toMatchObject({ enabled: true, ready: false, status: 'Running' })
  expect(await answer()).toEqual({ a: 2, b: 1 })
  begun()
  await materializations.settled()
  expect(await materializations.view(projectId, endpoint, version)).toMatchObject({ ready: true, status: 'Completed', rows: 2 })
  expect(await answer()).toEqual({ a: 2, b: 1 })
})

test('a failed build keeps the last good table, tells why, and leaves nothing behind', async () => {
  await enable()
  const good = materializations.stored(version.id)!
  clock += 901_000
  trouble = () => Promise.reject(new StorageError('memory', 'SELECT of the compiled text', 'MEMORY_LIMIT_EXCEEDED'))
  await materializations.refresh()
  await materializations.settled()
  expect(materializations.stored(version.id)).toEqual(good)
  const view = await materializations.view(projectId, endpoint, version)
  expect(view).toMatchObject({ ready: true, status: 'Failed', error: expect.stringContaining('MEMORY_LIMIT_EXCEEDED') })
  expect(view.error).not.toContain('SELECT')
  expect(await tables()).toEqual([good.table])
  expect(await answer()).toEqual({ a: 2, b: 1 })

  trouble = undefined
  await materializations.refresh()
  await materializations.settled()
  expect(materializations.stored(version.id)!.table).not.toBe(good.table)
  expect(await materializations.view(projectId, endpoint, version)).toMatchObject({ status: 'Completed' })
})

test('a table that does not hold what it should is never used', async () => {
  const { work } = storage
  materializations = await createMaterializations({
    records, log: () => {}, lagSeconds: 0, graceMs: 0,
    storage: { ...storage, rows: storage.rows, work: async (statement, limits, signal) => { await work(statement, limits, signal); if (statement.text.startsWith('INSERT')) await work(statement, limits, signal) } },
  })
  await enable()
  expect(await materializations.view(projectId, endpoint, version)).toMatchObject({ ready: false, status: 'Failed', error: expect.stringContaining('6 events where there are 3') })
  expect(await tables()).toEqual([])
})

test('it is built anew when it is as old as the endpoint allows, and not before', async () => {
  await enable()
  const first = materializations.stored(version.id)!.table
  clock += 899_000
  await materializations.refresh()
  await materializations.settled()
  expect(materializations.stored(version.id)!.table).toBe(first)
  await store(engine, projectId, [seen('late')])
  clock += 2_000
  await materializations.refresh()
  await materializations.settled()
  expect(materializations.stored(version.id)!.table).not.toBe(first)
  expect(await answer()).toEqual({ a: 2, b: 1, late: 1 })
})

test('when events have been deleted it is built anew', async () => {
  await enable()
  await engine.command(`ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = 'b' SETTINGS mutations_sync = 1`)
  await materializations.refresh()
  await materializations.settled()
  expect(await answer()).toEqual({ a: 2 })
})

test('when its table has gone it is built anew', async () => {
  await enable()
  const { table } = materializations.stored(version.id)!
  await engine.command(`DROP TABLE db.${table} SYNC`)
  await materializations.refresh()
  await materializations.settled()
  expect(materializations.stored(version.id)!.table).not.toBe(table)
  expect(await answer()).toEqual({ a: 2, b: 1 })
})

test('whoever deletes events can say so', async () => {
  await enable()
  await engine.command(`ALTER TABLE db.events DELETE WHERE project_id = ${projectId} AND event = 'a' SETTINGS mutations_sync = 1`)
  const told = materializations.invalidate(projectId)
  expect(materializations.stored(version.id)).toBeUndefined()
  await told
  await materializations.settled()
  expect(await answer()).toEqual({ b: 1 })
})

test('what a killed process has left is gone after the next start', async () => {
  await enable()
  const { table } = materializations.stored(version.id)!
  const orphan = `${table}x`
  await engine.command(`CREATE TABLE db.${orphan} AS db.${table}`)
  const [record] = (await records.materializations.all()).filter(({ versionId }) => versionId === version.id)
  await records.materializations.put({ ...record!, state: { ...(record!.state as object), leftover: [orphan] } })
  await materializations.close()
  materializations = await open()
  expect(await tables()).toEqual([table])
  expect(materializations.stored(version.id)!.table).toBe(table)
})

test('the engine itself shows a run no rows of another project, whatever the statement says', async () => {
  await enable()
  const { table } = materializations.stored(version.id)!
  const { rows } = await storage.run({ text: `SELECT count() FROM db.${table}` }, { ...LIMITS, projectId: projectId + 1, tables: [table] })
  expect(rows).toEqual([[0]])
})
