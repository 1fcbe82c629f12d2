import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, countOf, event, rowsOf } from '../support/api.ts'
import { type ClickhouseServer, startClickhouse } from '../support/clickhouse.ts'
import { childrenOf } from '../support/engine.ts'
import { type RunningService, runUntilEnd, startService, temporaryFolder } from '../support/startService.ts'
import { NO_CALLER } from '../../src/storage/storage.ts'
import { TABLES } from '../support/schema.ts'

const folder = temporaryFolder()
let clickhouse: ClickhouseServer
let service: RunningService

beforeAll(async () => {
  clickhouse = await startClickhouse(join(folder, 'clickhouse'))
  service = await startService({ data: join(folder, 'data'), env: { CLICKHOUSE_URL: clickhouse.url } })
})
afterAll(async () => {
  await service.stop()
  await clickhouse.stop()
  rmSync(folder, { recursive: true })
})

test('CLICKHOUSE_URL prevents starting a local engine', () => {
  expect(childrenOf(service.process.pid!)).toEqual([])
})

test('an external ClickHouse stores each event once and runs endpoints', async () => {
  const uuid = uuidv7()
  await capture(service, event('there', { uuid }, { 'a.b': 1 }), event('there'))
  await capture(service, event('there', { uuid }))
  expect(await countOf(service, 'there')).toBe(2)
  await api(service, 'POST', '/insight_variables/', { name: 'Least', type: 'Number' })
  expect(
    await rowsOf(service, "SELECT count() FROM events WHERE properties['a.b'] >= {variables.least}", { least: 1 }),
  ).toEqual([[1]])
})

test('an external ClickHouse isolates projects', async () => {
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'another' })
  await metadata.close()
  await capture({ ...service, token: project.token }, event('there'), event('elsewhere'))
  expect(await countOf(service, 'there')).toBe(2)
  expect(await countOf(service, 'elsewhere')).toBe(0)
})

describe('a run on an external ClickHouse', () => {
  const limits = { projectId: 1, maxSeconds: 60, maxMemoryBytes: 100_000_000, maxRows: 10, maxBytes: 10_000_000 }
  const storage = createClickhouse(() => ({ url: clickhouse.url }), { tables: TABLES })
  afterAll(() => storage.close())

  test('reads one project even without the compiler and without a project filter in the query', async () => {
    const { rows } = await storage.run(
      { text: "SELECT uniqExact(project_id), count() FROM db.events WHERE event IN ('there', 'elsewhere')" },
      limits,
      NO_CALLER,
    )
    expect(rows).toEqual([[1, 2]])
  })

  test.each([
    ['changes', 'DROP TABLE db.events', 'query'],
    ['other limits', 'SELECT 1 SETTINGS max_execution_time = 1000', 'query'],
    ['too many rows', 'SELECT number FROM numbers(11)', 'size'],
    ['too much memory', 'SELECT groupArray(number) FROM numbers(100000000)', 'memory'],
    ['too much time', 'SELECT count() FROM numbers(100000000000) WHERE cityHash64(number) = 1', 'timeout'],
  ])('is rejected with %s', async (_, text, kind) => {
    const maxSeconds = kind === 'timeout' ? 1 : limits.maxSeconds
    await expect(storage.run({ text }, { ...limits, maxSeconds }, NO_CALLER)).rejects.toMatchObject({
      name: 'StorageError',
      kind,
    })
  })

  test('leaves no rows to the next run if it fails after returning some', async () => {
    await expect(
      storage.run(
        { text: "SELECT throwIf(number = 9, 'late'), number FROM numbers(10) SETTINGS max_block_size = 1" },
        limits,
        NO_CALLER,
      ),
    ).rejects.toMatchObject({ kind: 'query' })
    expect((await storage.run({ text: 'SELECT 7' }, limits, NO_CALLER)).rows).toEqual([[7]])
  })
})

test('a wrong ClickHouse password aborts the start with a message that names CLICKHOUSE_URL', async () => {
  const { code, stderr } = await runUntilEnd({
    TRAILMARK_DATA: join(folder, 'other'),
    TRAILMARK_PORT: '0',
    CLICKHOUSE_URL: clickhouse.url.replace('secret', 'wrong'),
  })
  expect(code).toBe(1)
  expect(stderr).toBe(
    'trailmark: the ClickHouse server rejects the user: set CLICKHOUSE_URL to a URL with the right user and password, http://user:password@host:8123.\n',
  )
})
