import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { visitMembers } from '../../src/ingest/visitValues.ts'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { createCluster } from '../../src/storage/cluster/cluster.ts'
import { nodeLayout } from '../../src/storage/schema/layout.ts'
import { VISIT_COLUMNS } from '../../src/storage/schema/visitColumns.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, countOf, event, rowsOf } from '../support/api.ts'
import { type ClickhouseCluster, type ClickhouseNode, startCluster } from '../support/clickhouse.ts'
import { until } from '../support/engine.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type RunningService, runUntilEnd, startService, temporaryFolder } from '../support/startService.ts'
import { NO_CALLER } from '../../src/storage/storage.ts'
import { SCHEMA } from '../../src/modules.ts'
import { TABLES } from '../support/schema.ts'

const folder = temporaryFolder()
let cluster: ClickhouseCluster
let postgres: PostgresServer
let database: string
let services: RunningService[] = []

const startReplica = (name: string) =>
  startService({
    data: join(folder, name),
    env: {
      ...cluster.env,
      DATABASE_URL: database,
      TRAILMARK_PROJECT_TOKEN: 'of-both-replicas',
      TRAILMARK_PERSONAL_API_KEY: 'the-key-of-both-replicas',
    },
  })
const visitors = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => event(name, {}, { distinct_id: `visitor ${n}` }))

beforeAll(async () => {
  ;[cluster, postgres] = await Promise.all([startCluster(join(folder, 'cluster')), startPostgres()])
  database = await postgres.create('trailmark')
  services = [await startReplica('a'), await startReplica('b')]
})
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await Promise.all([cluster.stop(), postgres.stop()])
  rmSync(folder, { recursive: true })
})

test('events are stored on both shards, those of one person on one shard, and each replica of the service counts all events', async () => {
  for (const service of services) await capture(service, ...visitors('spread', 40))
  const parts = await Promise.all(
    cluster.nodes.map(async ({ ask }) =>
      (await ask("SELECT uniqExact(distinct_id), count() FROM db_shard.events WHERE event = 'spread'"))[0]!.map(Number),
    ),
  )
  expect(parts.every(([people]) => people! > 5)).toBe(true)
  expect(parts.reduce((sum, [people]) => sum + people!, 0)).toBe(40)
  expect(await Promise.all(services.map((service) => countOf(service, 'spread')))).toEqual([80, 80])
})

test('a repeated event counts once, immediately or later, through either replica, and also with a person on another shard', async () => {
  const uuid = uuidv7()
  const repeats = Array.from({ length: 8 }, (_, n) => event('repeated', { uuid }, { distinct_id: `person ${n}` }))
  await capture(services[0]!, ...repeats)
  for (const each of repeats) for (const service of services) expect((await capture(service, each)).status).toBe(200)
  expect(await countOf(services[1]!, 'repeated')).toBe(1)
})

test('updates of a person or group on different shards are merged', async () => {
  const [service] = services as [RunningService]
  await capture(
    service,
    event('seen', {}, { distinct_id: 'laptop', $set: { plan: 'gold' } }),
    event('$identify', {}, { distinct_id: 'cleo', $anon_distinct_id: 'laptop', $set: { city: 'Graz' } }),
    event('$identify', {}, { distinct_id: 'cleo', $anon_distinct_id: 'phone' }),
    event('seen', {}, { distinct_id: 'phone', $groups: { company: 'acme' } }),
    event(
      '$groupidentify',
      {},
      { distinct_id: 'somebody', $group_type: 'company', $group_key: 'acme', $group_set: { size: 5 } },
    ),
  )
  expect(
    await rowsOf(
      service,
      "SELECT person.properties.plan, person.properties.city, count(), uniq(person_id) FROM events WHERE event = 'seen' GROUP BY 1, 2",
    ),
  ).toEqual([['gold', 'Graz', 2, 1]])
  expect(
    await rowsOf(service, "SELECT group_0.properties.size FROM events WHERE event = 'seen' AND distinct_id = 'phone'"),
  ).toEqual([['5']])
  expect(
    await rowsOf(
      service,
      "SELECT count() FROM events WHERE event = 'seen' AND distinct_id IN (SELECT distinct_id FROM person_distinct_ids WHERE person_id IN (SELECT id FROM persons WHERE properties.city = 'Graz'))",
    ),
  ).toEqual([[2]])
})

describe('project isolation on a cluster', () => {
  const limits = { projectId: 1, maxSeconds: 60, maxMemoryBytes: 500_000_000, maxRows: 10, maxBytes: 10_000_000 }
  let other: RunningService
  let storage: ReturnType<typeof createCluster>
  beforeAll(async () => {
    const [service] = services as [RunningService]
    const metadata = await openMetadata(database)
    const project = await metadata.projects.create({ name: 'Another', token: 'another' })
    await metadata.close()
    other = { ...service, token: project.token }
    await capture(service, ...visitors('mine', 20))
    await capture(other, ...visitors('theirs', 20))
    storage = createCluster(
      cluster.nodes.map(({ url }) => url),
      { tables: TABLES, name: cluster.env.CLICKHOUSE_CLUSTER },
    )
  })
  afterAll(() => storage.close())

  test('the compiler isolates projects on a cluster', async () => {
    expect([await countOf(services[0]!, 'mine'), await countOf(services[0]!, 'theirs')]).toEqual([20, 0])
  })

  // Each node runs the query in turn.
  test.each([
    ['the cluster', "SELECT countIf(event = 'theirs'), uniqExact(project_id) FROM db.events"],
    ['the local table of a node', "SELECT countIf(event = 'theirs'), uniqExact(project_id) FROM db_shard.events"],
    [
      'a common table expression',
      "WITH all AS (SELECT * FROM db.events) SELECT countIf(event = 'theirs'), uniqExact(project_id) FROM all",
    ],
    [
      'a join',
      "SELECT countIf(a.event = 'theirs'), uniqExact(a.project_id) FROM db.events AS a JOIN db.events AS b ON a.uuid = b.uuid",
    ],
    [
      'a condition',
      "SELECT countIf(event = 'theirs'), uniqExact(project_id) FROM db.events WHERE uuid IN (SELECT uuid FROM db.events)",
    ],
    ['persons', 'SELECT countIf(project_id = 2), uniqExact(project_id) FROM db.person_properties'],
  ])('the engine isolates projects on a cluster for a query over %s', async (_, text) => {
    for (const _node of cluster.nodes) expect((await storage.run({ text }, limits, NO_CALLER)).rows).toEqual([[0, 1]])
  })

  test.each([
    ['changes', 'DROP TABLE db.events', 'query'],
    ['other limits', 'SELECT 1 SETTINGS max_execution_time = 1000', 'query'],
    ['another filter', 'SELECT count() FROM db.events SETTINGS additional_table_filters = {}', 'query'],
    ['too many rows', 'SELECT uuid FROM db.events', 'size'],
  ])('rejects a run with %s', async (_, text, kind) => {
    await expect(storage.run({ text }, limits, NO_CALLER)).rejects.toMatchObject({ kind })
  })
})

test('runs that are aborted at any moment leave both shards running', async () => {
  const [service] = services as [RunningService]
  await capture(service, ...visitors('given up', 40))
  await api(service, 'POST', '/endpoints/', {
    name: 'slow',
    query: {
      kind: 'HogQLQuery',
      query:
        "SELECT a.distinct_id, count() FROM events AS a JOIN events AS b ON a.event = b.event JOIN events AS c ON a.event = c.event WHERE a.event = 'given up' GROUP BY 1",
    },
  })
  const running = () =>
    Promise.all(
      cluster.nodes.map(
        async ({ ask }) =>
          (await ask("SELECT count() FROM system.processes WHERE Settings['log_comment'] != ''")).flat()[0],
      ),
    )
  for (let round = 0; round < 40; round += 1) {
    const left = new AbortController()
    setTimeout(() => left.abort(), round * 3)
    await fetch(`${service.url}/api/projects/${service.projectId}/endpoints/slow/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ refresh: 'force' }),
      signal: left.signal,
    })
      .then((reply) => reply.text())
      .catch(() => {}) // aborted
  }
  await until(async () => (await running()).every((count) => Number(count) === 0))
  expect(await countOf(service, 'given up')).toBe(40)
})

describe('a cluster under load', () => {
  // Work left running by a failed test would prevent Jest from exiting.
  const going: { stop(): Promise<unknown> }[] = []
  afterEach(async () => void (await Promise.all(going.splice(0).map((each) => each.stop()))))

  /** Sends events until stopped, retrying each on either replica until it is acknowledged. */
  const load = (name: string) => {
    const [acknowledged, sent] = [new Set<string>(), new Set<string>()]
    let isSending = true
    const send = async (worker: number) => {
      for (let n = 0; isSending; n += 1) {
        const batch = Array.from({ length: 5 }, (_, place) =>
          event(name, { uuid: uuidv7() }, { distinct_id: `${worker} ${n} ${place}` }),
        )
        for (const { uuid } of batch as any[]) sent.add(uuid)
        for (let tried = 0; ; tried += 1) {
          if (!isSending && tried > 200) return // the test failed and has reported it
          const service = services[(worker + tried) % services.length]!
          const reply = await capture(service, ...batch).catch(() => undefined) // the replica was killed: retry on the next one
          if (reply?.status === 200) break
          await new Promise((done) => setTimeout(done, 50))
        }
        for (const { uuid } of batch as any[]) acknowledged.add(uuid)
      }
    }
    const done = Promise.all([0, 1, 2, 3].map(send))
    return {
      acknowledged,
      async stop() {
        isSending = false
        await done
        return sent.size
      },
    }
  }

  /**
   * Counts at each replica in turn until stopped. A request may be rejected, but no count may be lower than the events
   * acknowledged before it.
   */
  const readers = (name: string, acknowledged: ReadonlySet<string>) => {
    const short: string[] = []
    const codes = new Set<string>()
    let isReading = true
    const read = async () => {
      for (let turn = 0; isReading; turn += 1) {
        const known = acknowledged.size
        const answer = await api(services[turn % services.length]!, 'POST', `/endpoints/${name}/run`, {
          refresh: 'force',
        }).catch(() => undefined) // the replica was killed
        codes.add(answer?.status === 200 ? 'answered' : answer?.body.code)
        if (answer?.status === 200 && Number(answer.body.results[0][0]) < known)
          short.push(`${answer.body.results[0][0]} of ${known}`)
      }
    }
    const done = Promise.all([read(), read()])
    return {
      async stop() {
        isReading = false
        await done
        return { short, codes: [...codes].sort() }
      },
    }
  }

  const storedIds = async (service: RunningService, name: string) =>
    rowsOf(service, `SELECT count(), uniqExact(uuid) FROM events WHERE event = '${name}'`)

  test('loses no events when a shard crashes and restarts, and reads report the missing shard meanwhile', async () => {
    const [one] = services as [RunningService]
    const [, second] = cluster.nodes
    await api(one, 'POST', '/endpoints/', {
      name: 'all_of_them',
      query: { kind: 'HogQLQuery', query: "SELECT count() FROM events WHERE event = 'killed shard'" },
    })
    const sending = load('killed shard')
    const reading = readers('all_of_them', sending.acknowledged)
    going.push(sending, reading)
    for (let round = 0; round < 2; round += 1) {
      const before = sending.acknowledged.size
      await until(() => sending.acknowledged.size > before + 50)
      await second!.kill()
      const answer = await api(one, 'POST', '/endpoints/all_of_them/run', { refresh: 'force' })
      expect([answer.status, answer.body.code]).toEqual([503, 'engine_unavailable'])
      expect(answer.body.detail).toContain('node 2 of 2')
      expect(answer.headers.get('retry-after')).toBeTruthy()
      await second!.start()
    }
    const back = sending.acknowledged.size
    await until(() => sending.acknowledged.size > back + 50)
    const sent = await sending.stop()
    expect(await reading.stop()).toEqual({ short: [], codes: ['answered', 'engine_unavailable'] })
    for (const service of services) expect(await storedIds(service, 'killed shard')).toEqual([[sent, sent]])
    expect(sending.acknowledged.size).toBe(sent)
  })

  test('serves clients after a replica of the service is killed', async () => {
    const sending = load('killed replica')
    going.push(sending)
    await until(() => sending.acknowledged.size > 50)
    await services[1]!.kill()
    const before = sending.acknowledged.size
    await until(() => sending.acknowledged.size > before + 100)
    const sent = await sending.stop()
    expect(await storedIds(services[0]!, 'killed replica')).toEqual([[sent, sent]])
    services[1] = await startReplica('b')
    expect(await storedIds(services[1], 'killed replica')).toEqual([[sent, sent]])
  })
})

test('a node that is down when the service starts is migrated when it is back', async () => {
  const late = await startCluster(join(folder, 'late'))
  await late.nodes[1]!.kill()
  const service = await startService({ data: join(folder, 'late data'), env: late.env })
  await until(() => service.output().includes('is unavailable'))
  await late.nodes[1]!.start()
  await until(() => service.output().includes('is available again and up to date'))
  expect((await capture(service, ...visitors('late', 10))).status).toBe(200)
  expect(await countOf(service, 'late')).toBe(10)
  const tables =
    "SELECT * FROM (SELECT database, table, name, type FROM system.columns WHERE database IN ('db', 'db_shard') UNION ALL SELECT 'step', toString(id), name, '' FROM db_shard.migrations) ORDER BY ALL"
  const [first, second] = await Promise.all(late.nodes.map(({ ask }) => ask(tables)))
  expect(second).toEqual(first)
  await service.stop()
  await late.stop()
})

test('events have the columns of their visits while one node has them from an earlier release', async () => {
  const [first, second] = cluster.nodes as [ClickhouseNode, ClickhouseNode]
  const layout = nodeLayout({ cluster: 'pair', isReplicated: false, alone: [], tables: SCHEMA.tables })
  const define = async (node: ClickhouseNode, kind: 'MATERIALIZED' | 'DEFAULT') => {
    const columns = VISIT_COLUMNS.map(([name, , value]) => `MODIFY COLUMN ${name} ${kind} ${value}`)
    for (const statement of [layout.toStatement(`ALTER TABLE db.events ${columns.join(', ')}`), ...layout.complete])
      await node.ask(statement)
  }
  const properties = { $pathname: '/a', utm_source: 'x' }
  /** Inserts events through a node as the earlier release does. */
  const insertOld = (node: ClickhouseNode) =>
    node.ask(
      `INSERT INTO db.events (project_id, uuid, event, distinct_id, timestamp, properties)
        SELECT 1, generateUUIDv4(), 'visited', concat('old ', toString(number)), now64(3), '${JSON.stringify(properties)}' FROM numbers(20)`,
      { distributed_foreground_insert: '1' },
    )
  const storage = createCluster(
    cluster.nodes.map(({ url }) => url),
    { tables: TABLES, name: cluster.env.CLICKHOUSE_CLUSTER },
  )
  /** Inserts events through each node as the service does. */
  const insertNew = async () => {
    for (const node of storage.nodes)
      await node.storage.insert(
        'db.events',
        Array.from({ length: 20 }, (_, n) => {
          const line = JSON.stringify({
            project_id: 1,
            uuid: uuidv7(),
            event: 'visited',
            distinct_id: `new ${n}`,
            properties,
          })
          return `${line.slice(0, -1)}${visitMembers(properties)}}`
        }),
      )
  }
  for (const node of cluster.nodes) await define(node, 'MATERIALIZED')
  await insertOld(first)
  await define(first, 'DEFAULT')
  await insertNew()
  await insertOld(second)
  await define(second, 'DEFAULT')
  await insertNew()
  for (const node of cluster.nodes) await insertOld(node)
  for (const node of cluster.nodes)
    expect(
      await node.ask(
        `SELECT pathname, entry_pathname, arrival, repeats_arrival, isNaN(prev_seen), count(), uniqExact(_shard_num) FROM db.events
          WHERE event = 'visited' GROUP BY ALL`,
      ),
    ).toEqual([['/a', '/a', '["x","","",0,0]', false, 1, 160, 2]])
  await storage.close()
})

test('a single server that joins a cluster keeps its events', async () => {
  const grown = await startCluster(join(folder, 'grown'))
  const data = join(folder, 'grown data')
  const alone = await startService({ data, env: { CLICKHOUSE_URL: grown.nodes[0]!.url } })
  await capture(alone, ...visitors('early', 10))
  await alone.stop()
  const service = await startService({ data, env: grown.env })
  await capture(service, ...visitors('early', 10))
  expect(await countOf(service, 'early')).toBe(20)
  await service.stop()
  await grown.stop()
})

describe('the start of the service on a cluster', () => {
  const start = (env: Record<string, string>) =>
    runUntilEnd({ TRAILMARK_DATA: join(folder, 'refused'), TRAILMARK_PORT: '0', ...cluster.env, ...env })

  test('fails for an unknown cluster name and lists the valid names', async () => {
    const { code, stderr } = await start({ CLICKHOUSE_CLUSTER: 'main' })
    expect([code, stderr]).toEqual([
      1,
      'trailmark: could not start: The ClickHouse server has no cluster "main": set CLICKHOUSE_CLUSTER to one of pair.\n',
    ])
  })

  test('fails for a URL list that misses nodes of the cluster', async () => {
    const { code, stderr } = await start({ CLICKHOUSE_URL: cluster.nodes[0]!.url })
    expect(code).toBe(1)
    expect(stderr).toContain('The cluster "pair" has 2 nodes and CLICKHOUSE_URL names 1: list each node once')
  })
})
