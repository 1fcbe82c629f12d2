import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { type Engine, type EngineOptions, startEngine } from '../../src/storage/embedded/engine.ts'
import { engineLibrary, thisMachine } from '../../src/storage/embedded/library.ts'
import { migrate } from '../../src/storage/schema/migrate.ts'
import { SCHEMA } from '../../src/modules.ts'
import type { Migration } from '../../src/storage/schema/schema.ts'
import { VISIT_COLUMNS } from '../../src/storage/schema/visitColumns.ts'
import { type Storage, SMALL_READ } from '../../src/storage/storage.ts'
import { until } from '../support/engine.ts'
import { TABLES } from '../support/schema.ts'

const MIGRATIONS = SCHEMA.migrations

let folder: string
let options: EngineOptions
let engine: Engine
let storage: Storage
const logged: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trailmark-engine-'))
  options = {
    dataDir: folder,
    library: engineLibrary(thisMachine((name) => join(dirname(require.resolve(name)), 'package.json'))),
    child: resolve(__dirname, '../../dist/storage/embedded/child.js'),
    memoryBytes: undefined,
    isSmall: false,
    diskReserveBytes: 0,
    tables: TABLES,
    hungMs: 6_000,
    log: (line) => void logged.push(line),
  }
  engine = await startEngine(options)
  storage = createClickhouse(engine.connection, { tables: TABLES })
  await storage.ready(60_000)
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the engine writes an insert to disk before it responds', async () => {
  const settings = await storage.rows(
    {
      text: "SELECT name, value FROM system.merge_tree_settings WHERE name IN ('fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge', 'min_parts_to_merge_at_once', 'old_parts_lifetime') ORDER BY name",
    },
    SMALL_READ,
  )
  expect(settings).toEqual([
    { name: 'fsync_after_insert', value: '1' },
    { name: 'fsync_part_directory', value: '1' },
    { name: 'min_parts_to_merge_at_once', value: '8' },
    // Without it, parts of a merge must be kept until the kernel has written the merged one.
    { name: 'min_rows_to_fsync_after_merge', value: '1' },
    { name: 'old_parts_lifetime', value: '10' },
  ])
})

test('the engine keeps serving others when a client resets its connection at any moment', async () => {
  const { url, writer, headers } = engine.connection()!
  const { hostname, port } = new URL(url)
  const question = (statement: string) =>
    `POST /?user=${writer!.username}&password=${writer!.password} HTTP/1.1\r\nHost: engine\r\nx-engine-key: ${headers!['x-engine-key']}\r\nContent-Length: ${statement.length}\r\n\r\n${statement}`
  const before = engine.pid()
  const leave = async (sent: string, isAnswered: boolean) => {
    const socket = connect(Number(port), hostname, () => socket.write(sent)).on('error', () => {})
    await once(socket, isAnswered ? 'data' : 'connect')
    await new Promise((done) => setTimeout(done, 50)) // the request has arrived
    socket.resetAndDestroy()
  }
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([
      leave(question('SELECT 1'), true),
      leave(question('SELECT sleep(0.2)'), false),
      leave(question('SELECT number FROM numbers(10000000)'), true),
      leave('POST / HT', false),
    ])
  }
  expect(await storage.rows({ text: 'SELECT sleep(0.3) AS slept' }, SMALL_READ)).toEqual([{ slept: 0 }]) // by then the last reset has been processed
  expect(engine.pid()).toBe(before)
})

test('a hanging engine is killed and restarted', async () => {
  const hung = engine.pid()!
  process.kill(hung, 'SIGSTOP')
  await until(() => engine.pid() !== hung && engine.connection() !== undefined)
  expect(await storage.ready(60_000)).toBe(true)
  expect(logged).toContain('The engine has not responded for 6 s. Killing it.')
})

test('an engine that cannot start exits immediately with the reason', async () => {
  const second = startEngine({ ...options, log: () => {} })
  await expect(second).rejects.toThrow(/Another server instance in same directory is already running/)
})

test('the migration adds recordings of earlier releases to recording_sessions, even with many expiry dates', async () => {
  const fill = MIGRATIONS.findIndex(({ name }) => name === 'recorded sessions')
  await migrate(storage, MIGRATIONS.slice(0, fill))
  await storage.command(`INSERT INTO db.recording_chunks
    (project_id, session_id, window_id, seq, distinct_id, first_at, last_at, console_errors, urls, expires_on)
    SELECT 1, concat('session ', toString(number)), 'w', seq, 'ada', toDateTime64(seq * 10, 3), toDateTime64(seq * 10 + 5, 3), seq = 1,
      [concat('https://shop.example/', toString(seq))], toDate('2100-01-01') + number
    FROM numbers(150) ARRAY JOIN [0, 1] AS seq SETTINGS max_partitions_per_insert_block = 0`)
  expect(await migrate(storage, MIGRATIONS.slice(0, fill + 1))).toEqual(['recorded sessions'])
  const sessions = await storage.rows(
    {
      text: `SELECT count() AS sessions, any(toUnixTimestamp(ended_at) - toUnixTimestamp(started_at)) AS seconds, any(has_errors) AS errors,
      any(arraySort(urls)) AS urls, any(distinct_ids) AS ids FROM db.recording_sessions`,
    },
    SMALL_READ,
  )
  expect(sessions).toEqual([
    {
      sessions: 150,
      seconds: 15,
      errors: 1,
      urls: ['https://shop.example/0', 'https://shop.example/1'],
      ids: ['ada'],
    },
  ])
})

test('the migration computes the columns of visits for events of earlier releases', async () => {
  const visits = MIGRATIONS.findIndex(({ name }) => name === 'columns of visits')
  await migrate(storage, MIGRATIONS.slice(0, visits))
  const stored: readonly [properties: object, columns: object][] = [
    [
      {
        $pathname: '/a',
        $referring_domain: 'www.google.com',
        $host: 'shop.example',
        utm_medium: 'cpc',
        gclid: 'x',
        $prev_pageview_pathname: '/b',
        $prev_pageview_duration: 12.5,
        $prev_pageview_max_content_percentage: '0.5',
      },
      {
        repeats_arrival: false,
        arrival: '["www.google.com","cpc","",1,0]',
        entry_pathname: '/a',
        pathname: '/a',
        prev_pathname: '/b',
        prev_seconds: 12.5,
        prev_seen: 0.5,
      },
    ],
    [
      {
        $session_entry_url: 'https://shop.example/in',
        $session_entry_pathname: '/in',
        $session_entry_utm_source: 'ads "now"',
        $session_entry_twclid: '',
        $pathname: '',
        utm_source: 'other',
        gclid: 'x',
        $prev_pageview_duration: 'Infinity',
        $prev_pageview_max_content_percentage: 'much',
      },
      {
        repeats_arrival: true,
        arrival: '["ads \\"now\\"","","",0,0]',
        entry_pathname: '/in',
        pathname: '',
        prev_pathname: null,
        prev_seconds: null,
        prev_seen: null,
      },
    ],
    [
      { $pathname: ['/a', 1], $referring_domain: 'shop.example', $host: 'shop.example', $prev_pageview_pathname: 7 },
      { arrival: '["$direct","","",0,0]', pathname: '["\\/a",1]', prev_pathname: '7' },
    ],
    [
      { $pathname: { of: 'page' }, utm_campaign: 5 },
      { arrival: '["","","5",0,0]', entry_pathname: null, pathname: '{"of":"page"}' },
    ],
    [{}, { repeats_arrival: false, arrival: '["","","",0,0]', entry_pathname: null, pathname: null, prev_seen: null }],
  ]
  const insert = () =>
    storage.insert(
      'db.events',
      stored.map(([properties], number) =>
        JSON.stringify({ project_id: 1, uuid: randomUUID(), event: `${number}`, distinct_id: 'ada', properties }),
      ),
    )
  await insert()
  expect(await migrate(storage, MIGRATIONS)).toEqual(['columns of visits', 'visits from the service'])
  const rows = () =>
    storage.rows(
      {
        text: `SELECT repeats_arrival, arrival, entry_pathname, pathname, prev_pathname, prev_seconds, prev_seen
        FROM db.events ORDER BY event`,
      },
      SMALL_READ,
    )
  const columns = stored.map(([, each]) => each)
  expect(await rows()).toMatchObject(columns)
  const running = "SELECT count() AS count FROM system.mutations WHERE table = 'events' AND NOT is_done"
  await until(async () => (await storage.rows<{ count: number }>({ text: running }, SMALL_READ))[0]!.count === 0)
  expect(await rows()).toMatchObject(columns)
  await insert()
  expect(await rows()).toMatchObject(columns.flatMap((each) => [each, each]))
})

test('the migration of the columns of visits does not rewrite stored events', async () => {
  const [{ statements }] = MIGRATIONS.filter(({ name }) => name === 'visits from the service') as [Migration]
  const rows = (statement: Parameters<Storage['rows']>[0]) => storage.rows(statement, SMALL_READ)
  const kinds = async () =>
    rows({
      text: `SELECT default_kind AS kind, count() AS columns FROM system.columns
        WHERE database = 'db' AND table = 'events' AND name IN {names:Array(String)} GROUP BY kind`,
      params: { names: VISIT_COLUMNS.map(([name]) => name) },
    })
  const stored = async () => [
    await rows({
      text: "SELECT name, data_version, hash_of_all_files FROM system.parts WHERE table = 'events' AND active ORDER BY name",
    }),
    await rows({ text: "SELECT count() AS mutations FROM system.mutations WHERE table = 'events'" }),
    await rows({
      text: `SELECT ${VISIT_COLUMNS.map(([name]) => name).join(', ')} FROM db.events ORDER BY uuid`,
    }),
  ]
  await storage.command(
    `ALTER TABLE db.events ${VISIT_COLUMNS.map(([name, , value]) => `MODIFY COLUMN ${name} MATERIALIZED ${value}`).join(', ')}`,
  )
  expect(await kinds()).toEqual([{ kind: 'MATERIALIZED', columns: 7 }])
  const before = await stored()
  expect(before[0]).not.toEqual([])
  // As after a crash before the migration is recorded.
  for (let time = 0; time < 2; time += 1) for (const statement of statements) await storage.command(statement)
  expect(await kinds()).toEqual([{ kind: 'DEFAULT', columns: 7 }])
  expect(await stored()).toEqual(before)
})

test('an older release does not start on the event store of a newer one', async () => {
  await migrate(storage, MIGRATIONS)
  await expect(migrate(storage, MIGRATIONS.slice(0, -1))).rejects.toThrow(
    `The event store was migrated by a newer release of Trailmark ("${MIGRATIONS.at(-1)!.name}"): start that release`,
  )
})
