import { createReadiness } from '../src/status/readiness.ts'
import { type Storage, StorageError } from '../src/storage/storage.ts'

const HEALTHY = [{ events: 0, free: 1e10, reserve: 5e8 }]
const readinessOf = (rows: () => Promise<unknown[]>, isReady = true) =>
  createReadiness({
    storage: { rows: rows as Storage['rows'] },
    metadata: { ready: async () => isReady },
    definitionsDir: undefined,
  })
const failing = (kind: StorageError['kind'], engineCode?: string) => () =>
  Promise.reject(new StorageError(kind, 'no', engineCode))

test.each<[string, () => Promise<unknown[]>, boolean, string[]]>([
  ['all dependencies respond', async () => HEALTHY, true, []],
  ['the engine is down', failing('unavailable'), true, ['engine_unavailable']],
  ['a table is missing', failing('query', 'UNKNOWN_TABLE'), true, ['migration_pending']],
  ['the engine reports a full disk', failing('full'), true, ['disk_full']],
  ['free space is below the reserve', async () => [{ events: 0, free: 4e8, reserve: 5e8 }], true, ['disk_full']],
  ['the metadata store is down', async () => HEALTHY, false, ['definitions_unavailable']],
  ['both are down', failing('unavailable'), false, ['definitions_unavailable', 'engine_unavailable']],
])('readiness reports the failing dependencies: %s', async (_, rows, isReady, codes) => {
  expect((await readinessOf(rows, isReady)()).map(({ code }) => code)).toEqual(codes)
})

test('concurrent readiness checks query the engine once', async () => {
  let asked = 0
  const readiness = readinessOf(async () => {
    asked += 1
    return HEALTHY
  })
  await Promise.all(Array.from({ length: 1_000 }, () => readiness()))
  expect(asked).toBe(1)
})
