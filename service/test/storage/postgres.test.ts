import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { copyRecords, openRecords, RecordsMismatch, RecordsUnavailable } from '../../src/storage/records.ts'
import { until } from '../support/engine.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { runUntilEnd, temporaryFolder } from '../support/startService.ts'

jest.setTimeout(30_000)

let postgres: PostgresServer
let folder: string

beforeAll(async () => {
  postgres = await startPostgres()
  folder = temporaryFolder()
}, 60_000)
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

const closing = async (url: string) => (await openRecords(url)).close()

/** The address with another user, who has `password`. */
const asUser = (url: string, user: string) => url.replace(/mine:[^@]+/, `${user}:secret`)

describe('an address that cannot be used says why, and never the password', () => {
  const refused = async (url: string) => {
    const error = await openRecords(url).then(
      () => undefined,
      (each: unknown) => each,
    )
    expect(error).toBeInstanceOf(RecordsMismatch)
    const { message } = error as Error
    expect(message).not.toContain('p@ss')
    expect(message).not.toContain('p%40ss')
    return message
  }

  test('a wrong password, and none', async () => {
    const url = postgres.urlOf('postgres')
    const words =
      'the Postgres server refuses the user: set DATABASE_URL to an address with the right user and password, postgres://user:password@host:5432/database.'
    expect(await refused(url.replace('p%40ss', 'wrong'))).toBe(words)
    expect(await refused(url.replace(/:p[^@]*@/, '@'))).toBe(words)
    expect(await refused(url.replace('mine', 'nobody'))).toBe(words)
  })

  test('a database that is not there', async () => {
    expect(await refused(postgres.urlOf('missing'))).toBe(
      'the Postgres server has no database of that name: create it, or name another in DATABASE_URL.',
    )
  })

  test('no server, no such host, and something else that listens', async () => {
    const words = 'the Postgres server at DATABASE_URL does not answer: check the address, and that the server runs.'
    const deaf = createServer((socket) => socket.end('HTTP/1.1 400\r\n\r\n'))
    await new Promise<void>((done) => deaf.listen(0, '127.0.0.1', done))
    const { port } = deaf.address() as { port: number }
    expect(
      await Promise.all(
        [`127.0.0.1:9`, 'nowhere.invalid', `127.0.0.1:${port}`].map((host) =>
          refused(`postgres://mine:p%40ss@${host}/x`),
        ),
      ),
    ).toEqual([words, words, words])
    deaf.close()
  })

  test('a server without TLS that is asked for it', async () => {
    expect(await refused(`${postgres.urlOf('postgres')}?sslmode=verify-full`)).toBe(
      'the Postgres server at DATABASE_URL does not speak TLS: leave out sslmode, or turn TLS on at the server.',
    )
  })

  test('a user who may not create tables, until they are there', async () => {
    const url = await postgres.create('rights')
    await postgres.ask(url, "CREATE USER reader PASSWORD 'secret'")
    expect(await refused(asUser(url, 'reader'))).toBe(
      'the Postgres user may not create tables in the database of DATABASE_URL: make it the owner of the database, or GRANT USAGE, CREATE ON SCHEMA public to it.',
    )
    await closing(url)
    await postgres.ask(url, 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader')
    const records = await openRecords(asUser(url, 'reader'))
    expect(await records.projects.create({ name: 'p', token: 't' })).toMatchObject({ id: 1 })
    await records.close()
  })

  test('a server that only reads, as a standby does', async () => {
    const url = await postgres.create('standby')
    await postgres.ask(url, 'ALTER DATABASE standby SET default_transaction_read_only = on')
    expect(await refused(url)).toBe(
      'the Postgres server at DATABASE_URL is read-only: name the primary, not a standby.',
    )
  })

  test('a newer schema, and for a command an older one', async () => {
    const url = await postgres.create('newer')
    await closing(url)
    await postgres.ask(url, 'DELETE FROM steps WHERE id > 1')
    await expect(openRecords(url, { mayUpgrade: false })).rejects.toThrow(
      'the running service is an older release than this command: restart the service with this release first.',
    )
    await postgres.ask(url, 'INSERT INTO steps VALUES (1000)')
    expect(await refused(url)).toContain('were written by a newer release of Trailmark')
  })

  test('at the start of the service: one sentence, and nothing is left running', async () => {
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
      'trailmark: the Postgres server at DATABASE_URL does not answer: check the address, and that the server runs.\n',
      'trailmark: DATABASE_URL takes an address such as postgres://user:password@host:5432/database, with %40 for @ in a password, %23 for # and %25 for %; it is set to "…".\n',
    ])
  })
})

test('what a Postgres without some steps lacks is made up for, by one of those who open it', async () => {
  const url = await postgres.create('steps')
  const all = await Promise.all([1, 2, 3, 4].map(() => openRecords(url)))
  await Promise.all(all.map((each) => each.close()))
  const steps = await postgres.ask(url, 'SELECT id::int FROM steps ORDER BY id')
  expect(steps.map(({ id }) => id)).toEqual(steps.map((_, index) => index + 1))
  await postgres.ask(url, 'DROP TABLE epochs', 'DELETE FROM steps WHERE id = (SELECT max(id) FROM steps)')
  await closing(url)
  expect(await postgres.ask(url, 'SELECT id::int FROM steps ORDER BY id')).toEqual(steps)
})

describe('a connection that drops', () => {
  test('while nobody uses it is made again without anybody noticing', async () => {
    const records = await openRecords(await postgres.create('idle'))
    await records.projects.create({ name: 'p', token: 't' })
    await postgres.ask(
      postgres.urlOf('postgres'),
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trailmark' AND datname = 'idle'",
    )
    await until(
      async () =>
        !(await postgres.ask(postgres.urlOf('postgres'), "SELECT 1 FROM pg_stat_activity WHERE datname = 'idle'"))
          .length,
    )
    // The pool hears of it in a turn of its own.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await records.projects.byToken('t')).toBeDefined()
    await records.close()
  })

  test('in the middle of a change undoes it, says that it passes, and harms no other', async () => {
    const records = await openRecords(await postgres.create('busy'))
    const cut = () =>
      postgres.ask(
        postgres.urlOf('postgres'),
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'busy' AND state = 'idle in transaction'",
      )
    await expect(records.alone('events', async () => void (await cut()))).rejects.toThrow(RecordsUnavailable)
    expect(await records.alone('events', async () => 'again')).toBe('again')
    await records.close()
  })

  test('with its server: it says that it passes, and works again afterwards', async () => {
    const records = await openRecords(await postgres.create('gone'))
    const { id } = await records.projects.create({ name: 'p', token: 't' })
    await postgres.kill()
    await expect(records.projects.byId(id)).rejects.toThrow(RecordsUnavailable)
    await expect(
      records.endpoints.create(id, {
        name: 'e',
        description: '',
        isActive: true,
        query: {},
        columns: undefined,
        dataFreshnessSeconds: 900,
      }),
    ).rejects.toThrow(RecordsUnavailable)
    expect(await records.ready(5_000)).toBe(false)
    await postgres.start()
    await until(() => records.ready(5_000))
    expect(await records.projects.byId(id)).toMatchObject({ token: 't' })
    await records.close()
  })
})

test('an answer that does not come is given up, and the next is asked for over another connection', async () => {
  const url = await postgres.create('hung')
  const [holder, waiter] = [await openRecords(url), await openRecords(`${url}?query_timeout=300`)]
  await holder.alone('events', async () => {
    await expect(waiter.alone('events', async () => 'never')).rejects.toThrow(RecordsUnavailable)
    expect(await waiter.projects.all()).toEqual([])
  })
  await Promise.all([holder.close(), waiter.close()])
})

test('one at a time is one at a time for all processes, and for each task of its own', async () => {
  const url = await postgres.create('turns')
  const all = await Promise.all([1, 2, 3].map(() => openRecords(url)))
  let inside = 0
  const most: number[] = []
  const work = async () => {
    inside += 1
    most.push(inside)
    await new Promise((resolve) => setTimeout(resolve, 5))
    inside -= 1
  }
  await Promise.all(all.flatMap((each) => [each.alone('events', work), each.alone('events', work)]))
  expect(most).toEqual([1, 1, 1, 1, 1, 1])
  expect(await all[0]!.alone('start', () => all[1]!.alone('events', async () => 'both'))).toBe('both')
  await Promise.all(all.map((each) => each.close()))
})

test('definitions go from SQLite to Postgres and back as they are', async () => {
  const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')]
  const url = await postgres.create('copied')
  const records = await openRecords(first)
  const project = await records.projects.create({ name: 'Größe 𝕏', token: 't', timezone: 'Asia/Tokyo' })
  const key = (await records.keys.create({ projectId: undefined, label: 'k', secret: 's', scopes: ['metrics:read'] }))!
  const variable = (await records.variables.create(1, {
    name: 'V',
    codeName: 'v',
    type: 'List',
    defaultValue: 'a',
    values: ['a', 'b'],
    schema: { type: 'string', maxLength: 3 },
  }))!
  const endpoint = (await records.endpoints.create(1, {
    name: 'e',
    description: '',
    isActive: false,
    query: { query: "SELECT '\\u0000'" },
    columns: [{ name: 'n', type: 'integer' }],
    dataFreshnessSeconds: 900,
  }))!
  await records.endpoints.update(endpoint.id, { next: { query: 2, columns: undefined, dataFreshnessSeconds: 1_800 } })
  for (let n = 0; n < 600; n += 1)
    await records.flags.create(1, {
      key: `f${n}`,
      name: '',
      isActive: n % 2 === 0,
      filters: { groups: [] },
      contexts: [],
    })
  await records.flags.remove(1, 1)
  await records.groupTypes.add(1, ['company', 'team'], 5)
  await records.settings.set(1, 'remote_config', { heatmaps: true })
  const [materialized] = await records.endpoints.versions(endpoint.id)
  await records.materializations.add(
    { projectId: 1, endpointId: endpoint.id, version: materialized! },
    { takesDates: true },
  )
  await records.close()

  await copyRecords(first, url)
  await copyRecords(url, second)
  for (const place of [url, second]) {
    const copy = await openRecords(place)
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
    // And it goes on from there.
    expect([
      (await copy.projects.create({ name: 'q', token: 'u' })).id,
      (await copy.flags.create(1, { key: 'f0', name: '', isActive: true, filters: {}, contexts: [] }))!.id,
    ]).toEqual([2, 601])
    await copy.close()
  }
  // A second time nothing is mixed up.
  await expect(copyRecords(first, url)).rejects.toThrow()
})
