import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createErrorTrackingStore } from '../../../src/errorTracking/store.ts'
import { type OpenDatabase, openDatabase } from '../../../src/storage/metadata/open.ts'
import { temporaryFolder } from '../../support/startService.ts'
import { countWork, type WorkCount } from './support/countWork.ts'

// SQLite queries run on the event loop's thread. The project has as many issues and stacks as the default limits allow.

const ISSUES = 10_000
const STACKS = 50_000
/**
 * Rows that statements of one turn of the event loop may return or change. 1,000 take SQLite 5 to 10 ms. Time itself is
 * not asserted, because it depends on what else the machine does. `npm run bench -- attack` measures it.
 */
const MAX_ROWS = 1_000
/** Columns that one turn may read: each of a page's rows once, and its key. */
const MAX_READS = 6 * MAX_ROWS
const PROJECT = 1

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
const stackOf = (index: number) => hash(`stack ${index}`)
const fingerprintOf = (index: number) => hash(`fingerprint ${index}`)

let folder: string
let database: OpenDatabase

const insert = async (table: 'error_issues' | 'error_fingerprints' | 'error_stacks', rows: readonly object[]) => {
  await database.transact(async (transaction) => {
    for (let at = 0; at < rows.length; at += 500)
      await transaction
        .insertInto(table)
        .values(rows.slice(at, at + 500) as never)
        .execute()
  })
}

beforeAll(async () => {
  folder = temporaryFolder()
  database = await openDatabase(join(folder, 'metadata.db'), true)
  const issues = Array.from({ length: ISSUES }, () => randomUUID())
  const about = { project_id: PROJECT, type: 'TypeError', value: 'x is not a function', culprit: 'draw (app.js)' }
  await insert(
    'error_issues',
    issues.map((id) => ({ ...about, id, state: 'active', created_at: new Date().toISOString() })),
  )
  const indexes = Array.from({ length: STACKS }, (_, index) => index)
  await insert(
    'error_fingerprints',
    indexes.map((index) => ({
      project_id: PROJECT,
      fingerprint: fingerprintOf(index),
      // The first 9,000 issues have one fingerprint each.
      issue_id: issues[index < ISSUES - 1_000 ? index : ISSUES - 1_000 + (index % 1_000)],
    })),
  )
  await insert(
    'error_stacks',
    indexes.map((index) => ({
      project_id: PROJECT,
      stack: stackOf(index),
      fingerprint: fingerprintOf(index),
      map_ids: index % 2 ? ' map ' : '',
      is_stale: 0,
    })),
  )
}, 60_000)

afterAll(async () => {
  await database.db.destroy()
  rmSync(folder, { recursive: true })
})

test('as many issues as a project may have are read, marked and forgotten in short steps', async () => {
  const counted = countWork(database)
  const store = createErrorTrackingStore(counted)
  const work: Record<string, WorkCount> = {}
  const measured = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    const { result, ...count } = await counted.during(run)
    work[name] = count
    return result
  }
  expect(await measured('issues', () => store.issues(PROJECT))).toHaveLength(ISSUES)
  expect((await measured('fingerprints', () => store.fingerprints(PROJECT))).size).toBe(STACKS)
  expect(await measured('stacks', () => store.stacks(PROJECT))).toHaveLength(STACKS)
  await measured('markStale', () => store.markStale(PROJECT, 'map'))
  expect((await store.stacks(PROJECT)).filter(({ isStale }) => isStale)).toHaveLength(STACKS / 2)

  // An issue is deleted with its last fingerprint. The other issues stay.
  const gone = Array.from({ length: 10_000 }, (_, index) => stackOf(index))
  await measured('forget', () => store.forget(PROJECT, gone))
  expect(await store.stacks(PROJECT)).toHaveLength(STACKS - 10_000)
  expect(await store.issues(PROJECT)).toHaveLength(1_000)
  expect((await store.fingerprints(PROJECT)).size).toBe(STACKS - 9_000)

  expect(Object.entries(work).filter(([, { maxRows }]) => maxRows > MAX_ROWS)).toEqual([])
  expect(Object.entries(work).filter(([, { maxReads }]) => maxReads > MAX_READS)).toEqual([])
  // A statement that scans a table takes longer the more rows other projects have.
  expect(Object.values(work).flatMap(({ scans }) => scans)).toEqual([])
})
