import { MAX_WHOLE_BYTES, readWholeEvents, toKey, KEY_COLUMNS } from '../../src/events/rows.ts'
import { createQueryRows } from '../../src/persons/queryRows.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { deliver, startIngest } from '../ingest/support/startIngest.ts'
import { startTestEngine, type TestEngine } from '../sql/support/engine.ts'
import { NO_CALLER } from '../../src/storage/storage.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine
const place = { url: '' }
const storage = createClickhouse(() => place, { tables: TABLES })
const queryRows = createQueryRows(storage, 10)

beforeAll(async () => {
  engine = await startTestEngine()
  place.url = engine.url
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

test('whole events are read in groups of limited size, in the order of their keys', async () => {
  const [small, large] = [100_000, 700_000]
  const sizes = [small, small, small, small, small, small, large, small, large]
  await deliver(
    startIngest(storage),
    1,
    sizes.map((size, n) => ({
      event: '$exception',
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
      properties: { distinct_id: 'ann', n, text: 'x'.repeat(size) },
    })),
  )
  const rows = await queryRows(1, { text: `SELECT ${KEY_COLUMNS} FROM db.events ORDER BY timestamp DESC` }, NO_CALLER)
  const responses: number[] = []
  const measured: typeof queryRows = async (...args) => {
    const result = await queryRows(...args)
    responses.push(JSON.stringify(result).length)
    return result
  }
  const read: unknown[] = []
  for await (const { properties } of readWholeEvents(measured, 1, rows.map(toKey), NO_CALLER))
    read.push([properties.n, (properties.text as string).length])
  expect(read).toEqual(sizes.map((size, n) => [n, size]).reverse())
  expect(Math.max(...responses)).toBeLessThan(large + small)
  expect(responses.filter((length) => length > small)).toHaveLength(5)
  expect(MAX_WHOLE_BYTES).toBeLessThan(large)
})
