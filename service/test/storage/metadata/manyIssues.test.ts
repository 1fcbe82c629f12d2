import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createErrorTrackingStore } from '../../../src/storage/metadata/errorTracking.ts'
import { type OpenDatabase, openDatabase } from '../../../src/storage/metadata/open.ts'
import { temporaryFolder } from '../../support/startService.ts'
import { longestTurn } from '../../support/threadCpu.ts'

// SQLite queries run on the event loop's thread. The project has as many issues and stacks as the default limits allow.

const ISSUES = 10_000
const STACKS = 50_000
/** How long a request may hold the event loop, ms. */
const MAX_TURN_MS = 50
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
  const store = createErrorTrackingStore(database)
  const turns: Record<string, number> = {}
  const measured = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    let result: Result
    turns[name] = await longestTurn(async () => {
      result = await run()
    })
    return result!
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
  expect(Object.entries(turns).filter(([, ms]) => ms > MAX_TURN_MS)).toEqual([])
})
