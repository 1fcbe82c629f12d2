import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import {
  copyMetadata,
  openMetadata,
  MetadataMismatch,
  MetadataUnavailable,
} from '../../../src/storage/metadata/metadata.ts'
import { MIGRATIONS } from '../../../src/storage/metadata/migrations.ts'
import { until } from '../../support/engine.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { runUntilEnd, temporaryFolder } from '../../support/startService.ts'

let postgres: PostgresServer
let folder: string

beforeAll(async () => {
  postgres = await startPostgres()
  folder = temporaryFolder()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

const closing = async (url: string) => (await openMetadata(url)).close()

/** Returns the URL with another user, who has `password`. */
const asUser = (url: string, user: string) => url.replace(/mine:[^@]+/, `${user}:secret`)

test('a start connects again to a server that does not accept the first connection in time', async () => {
  const { port } = new URL(postgres.urlOf('postgres'))
  let connections = 0
  const slow = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    if (connections > 1) socket.pipe(connect(Number(port), '127.0.0.1')).pipe(socket)
  })
  await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done))
  const url = await postgres.create('slow')
  try {
    await closing(url.replace(`:${port}/`, `:${(slow.address() as { port: number }).port}/`))
  } finally {
    slow.close()
  }
  expect(connections).toBeGreaterThan(1)
})

describe('an unusable DATABASE_URL is reported without the password', () => {
  const refused = async (url: string) => {
    const error = await openMetadata(url).then(
      () => undefined,
      (each: unknown) => each,
    )
    expect(error).toBeInstanceOf(MetadataMismatch)
    const { message } = error as Error
    expect(message).not.toContain('p@ss')
    expect(message).not.toContain('p%40ss')
    return message
  }

  test('names a wrong or missing password', async () => {
    const url = postgres.urlOf('postgres')
    const words =
      'the Postgres server rejects the user: set DATABASE_URL to a URL with the right user and password, postgres://user:password@host:5432/database.'
    expect(await refused(url.replace('p%40ss', 'wrong'))).toBe(words)
    expect(await refused(url.replace(/:p[^@]*@/, '@'))).toBe(words)
    expect(await refused(url.replace('mine', 'nobody'))).toBe(words)
  })

  test('names a missing database', async () => {
    expect(await refused(postgres.urlOf('missing'))).toBe(
      'the Postgres server has no database of that name: create it, or name another in DATABASE_URL.',
    )
  })

  test('names a missing server, an unknown host and a server that is not Postgres', async () => {
    const words = (host: string, reason: string) =>
      `the Postgres server at DATABASE_URL (${host}) does not respond: ${reason}. Check the URL, and that the server is running.`
    const deaf = createServer((socket) => socket.end('HTTP/1.1 400\r\n\r\n'))
    await new Promise<void>((done) => deaf.listen(0, '127.0.0.1', done))
    const { port } = deaf.address() as { port: number }
    expect(
      await Promise.all(
        [`127.0.0.1:9`, 'nowhere.invalid', `127.0.0.1:${port}`].map((host) =>
          refused(`postgres://mine:p%40ss@${host}/x`),
        ),
      ),
    ).toEqual([
      words('127.0.0.1:9', 'ECONNREFUSED'),
      words('nowhere.invalid:5432', 'ENOTFOUND'),
      expect.stringContaining(`(127.0.0.1:${port}) does not respond: `),
    ])
    deaf.close()
  })

  test('names a server without TLS', async () => {
    expect(await refused(`${postgres.urlOf('postgres')}?sslmode=verify-full`)).toBe(
      'the Postgres server at DATABASE_URL does not speak TLS: leave out sslmode, or turn TLS on at the server.',
    )
  })

  test('names a missing right to create tables, which existing tables do not need', async () => {
    const url = await postgres.create('rights')
    await postgres.ask(url, "CREATE USER reader PASSWORD 'secret'")
    expect(await refused(asUser(url, 'reader'))).toBe(
      'the Postgres user may not create tables in the database of DATABASE_URL: make it the owner of the database, or GRANT USAGE, CREATE ON SCHEMA public to it.',
    )
    await closing(url)
    await postgres.ask(url, 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader')
    const metadata = await openMetadata(asUser(url, 'reader'))
    expect(await metadata.projects.create({ name: 'p', token: 't' })).toMatchObject({ id: 1 })
    await metadata.close()
  })

  test('names a read-only server, such as a standby', async () => {
    const url = await postgres.create('standby')
    await postgres.ask(url, 'ALTER DATABASE standby SET default_transaction_read_only = on')
    expect(await refused(url)).toBe(
      'the Postgres server at DATABASE_URL is read-only: name the primary, not a standby.',
    )
  })

  test('names a newer schema, and for commands an older one', async () => {
    const url = await postgres.create('newer')
    await closing(url)
    await postgres.ask(url, 'DELETE FROM steps WHERE id > 1')
    await expect(openMetadata(url, { mayUpgrade: false })).rejects.toThrow(
      'the running service is an older release than this command: restart the service with this release first.',
    )
    await postgres.ask(url, 'INSERT INTO steps VALUES (1000)')
    expect(await refused(url)).toContain('was written by a newer release of Trailmark')
  })

  test('ends the service at startup with one sentence', async () => {
    const start = (url: string) =>
      runUntilEnd({
        TRAILMARK_DATA: join(folder, 'data'),
        TRAILMARK_PORT: '0',
        DATABASE_URL: url,
        CLICKHOUSE_URL: 'http://127.0.0.1:9',
      })
    const ended = await Promise.all([
      start(postgres.urlOf('missing')),
      start('postgres://mine:p%40ss@127.0.0.1:9/x'),
      start('mysql://mine:p%40ss@db/x'),
    ])
    expect(ended.map(({ code }) => code)).toEqual([1, 1, 1])
    expect(ended.map(({ stderr }) => stderr)).toEqual([
      'trailmark: the Postgres server has no database of that name: create it, or name another in DATABASE_URL.\n',
      'trailmark: the Postgres server at DATABASE_URL (127.0.0.1:9) does not respond: ECONNREFUSED. Check the URL, and that the server is running.\n',
      'trailmark: DATABASE_URL expects a URL such as postgres://user:password@host:5432/database, with %40 for @ in a password, %23 for # and %25 for %, got "…".\n',
    ])
  })
})

test('Postgres migrations run once when several processes open the database', async () => {
  const url = await postgres.create('steps')
  const all = await Promise.all([1, 2, 3, 4].map(() => openMetadata(url)))
  await Promise.all(all.map((each) => each.close()))
  const steps = await postgres.ask(url, 'SELECT id::int FROM steps ORDER BY id')
  expect(steps.map(({ id }) => id)).toEqual(steps.map((_, index) => index + 1))
  await postgres.ask(
    url,
    ...[...MIGRATIONS.at(-1)!]
      .reverse()
      .map((statement) =>
        statement
          .replace(/^CREATE (TABLE|INDEX) (\w+)[^]*/, 'DROP $1 $2')
          .replace(/^(ALTER TABLE \w+) ADD COLUMN (\w+)[^]*/, '$1 DROP COLUMN $2'),
      ),
    'DELETE FROM steps WHERE id = (SELECT max(id) FROM steps)',
  )
  await closing(url)
  expect(await postgres.ask(url, 'SELECT id::int FROM steps ORDER BY id')).toEqual(steps)
})

test('a start waits for another one longer than for any other statement', async () => {
  const url = await postgres.create('patient')
  const [one, other] = [await openMetadata(url), await openMetadata(`${url}?query_timeout=5000`)]
  const order: string[] = []
  await one
    .withLock('start', async () => {
      const waiting = other.withLock('start', async () => order.push('other')).then(() => other.close())
      await new Promise((resolve) => setTimeout(resolve, 8_000))
      order.push('one')
      return { waiting }
    })
    .then(({ waiting }) => waiting)
  expect(order).toEqual(['one', 'other'])
  await one.close()
})

describe('a Postgres connection that drops', () => {
  test('is replaced silently while idle', async () => {
    const metadata = await openMetadata(await postgres.create('idle'))
    await metadata.projects.create({ name: 'p', token: 't' })
    await postgres.ask(
      postgres.urlOf('postgres'),
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trailmark' AND datname = 'idle'",
    )
    await until(
      async () =>
        !(await postgres.ask(postgres.urlOf('postgres'), "SELECT 1 FROM pg_stat_activity WHERE datname = 'idle'"))
          .length,
    )
    // The pool processes it in a separate turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await metadata.projects.byToken('t')).toBeDefined()
    await metadata.close()
  })

  test('rolls back the transaction, rejects with MetadataUnavailable and affects no other', async () => {
    const metadata = await openMetadata(await postgres.create('busy'))
    const cut = () =>
      postgres.ask(
        postgres.urlOf('postgres'),
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'busy' AND state = 'idle in transaction'",
      )
    await expect(metadata.withLock('events', async () => void (await cut()))).rejects.toThrow(MetadataUnavailable)
    expect(await metadata.withLock('events', async () => 'again')).toBe('again')
    await metadata.close()
  })

  test('rejects with MetadataUnavailable while the server is down and recovers afterwards', async () => {
    const metadata = await openMetadata(await postgres.create('gone'))
    const { id } = await metadata.projects.create({ name: 'p', token: 't' })
    await postgres.kill()
    await expect(metadata.projects.byId(id)).rejects.toThrow(MetadataUnavailable)
    await expect(
      metadata.endpoints.create(id, {
        name: 'e',
        description: '',
        isActive: true,
        query: {},
        columns: undefined,
        dataFreshnessSeconds: 900,
      }),
    ).rejects.toThrow(MetadataUnavailable)
    expect(await metadata.ready(5_000)).toBe(false)
    await postgres.start()
    await until(() => metadata.ready(5_000))
    expect(await metadata.projects.byId(id)).toMatchObject({ token: 't' })
    await metadata.close()
  })
})

test('the Postgres store gives up on a query without a response and uses another connection next', async () => {
  const url = await postgres.create('hung')
  const [holder, waiter] = [await openMetadata(url), await openMetadata(`${url}?query_timeout=3000`)]
  await holder.withLock('events', async () => {
    await expect(waiter.withLock('events', async () => 'never')).rejects.toThrow(MetadataUnavailable)
    expect(await waiter.projects.all()).toEqual([])
  })
  await Promise.all([holder.close(), waiter.close()])
})

test('a Postgres lock is held by one process at a time', async () => {
  const url = await postgres.create('turns')
  const all = await Promise.all([1, 2, 3].map(() => openMetadata(url)))
  let inside = 0
  const most: number[] = []
  const work = async () => {
    inside += 1
    most.push(inside)
    await new Promise((resolve) => setTimeout(resolve, 5))
    inside -= 1
  }
  await Promise.all(all.flatMap((each) => [each.withLock('events', work), each.withLock('events', work)]))
  expect(most).toEqual([1, 1, 1, 1, 1, 1])
  expect(await all[0]!.withLock('start', () => all[1]!.withLock('events', async () => 'both'))).toBe('both')
  await Promise.all(all.map((each) => each.close()))
})

test('copies metadata from SQLite to Postgres and back unchanged', async () => {
  const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')]
  const url = await postgres.create('copied')
  const metadata = await openMetadata(first)
  const project = await metadata.projects.create({ name: 'Größe 𝕏', token: 't', timezone: 'Asia/Tokyo' })
  const key = (await metadata.keys.create({ projectId: undefined, label: 'k', secret: 's', scopes: ['metrics:read'] }))!
  const variable = (await metadata.variables.create(1, {
    name: 'V',
    codeName: 'v',
    type: 'List',
    defaultValue: 'a',
    values: ['a', 'b'],
    schema: { type: 'string', maxLength: 3 },
  }))!
  const endpoint = (await metadata.endpoints.create(1, {
    name: 'e',
    description: '',
    isActive: false,
    query: { query: "SELECT '\\u0000'" },
    columns: [{ name: 'n', type: 'integer' }],
    dataFreshnessSeconds: 900,
  }))!
  await metadata.endpoints.update(endpoint.id, { next: { query: 2, columns: undefined, dataFreshnessSeconds: 1_800 } })
  for (let n = 0; n < 600; n += 1)
    await metadata.flags.create(1, {
      key: `f${n}`,
      name: '',
      isActive: n % 2 === 0,
      filters: { groups: [] },
      contexts: [],
    })
  await metadata.flags.remove(1, 1)
  await metadata.groupTypes.add(1, ['company', 'team'], 5)
  await metadata.settings.set(1, 'remote_config', { heatmaps: true })
  const [materialized] = await metadata.endpoints.versions(endpoint.id)
  await metadata.materializations.add(
    { projectId: 1, endpointId: endpoint.id, version: materialized! },
    { takesDates: true },
  )
  await metadata.close()

  await copyMetadata(first, url)
  await copyMetadata(url, second)
  for (const place of [url, second]) {
    const copy = await openMetadata(place)
    expect(await copy.projects.all()).toEqual([project])
    expect(await copy.keys.bySecret('s')).toEqual(key)
    expect(await copy.variables.list(1)).toEqual([variable])
    expect(await copy.endpoints.versions(endpoint.id)).toMatchObject([
      { query: 2, columns: undefined, materialization: { takesDates: true } },
      { query: { query: "SELECT '\\u0000'" }, columns: [{ name: 'n', type: 'integer' }] },
    ])
    expect((await copy.flags.list(1)).map(({ key: each, isActive }) => [each, isActive])).toEqual(
      Array.from({ length: 599 }, (_, n) => [`f${n + 1}`, n % 2 === 1]),
    )
    expect([
      await copy.groupTypes.list(1),
      await copy.settings.get(1, 'remote_config'),
      (await copy.materializations.all()).length,
    ]).toEqual([['company', 'team'], { heatmaps: true }, 1])
    // Sequences continue from the copied values.
    expect([
      (await copy.projects.create({ name: 'q', token: 'u' })).id,
      (await copy.flags.create(1, { key: 'f0', name: '', isActive: true, filters: {}, contexts: [] }))!.id,
    ]).toEqual([2, 601])
    await copy.close()
  }
  // Copying a second time changes nothing.
  await expect(copyMetadata(first, url)).rejects.toThrow()
})
