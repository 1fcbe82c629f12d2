import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCluster } from '../../src/storage/cluster/cluster.ts'
import { migrateNodes } from '../../src/storage/cluster/migrateNodes.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { SCHEMA } from '../../src/modules.ts'

// The embedded engine cannot replicate. These tests check statements, and replicatedCluster.test.ts runs on a real cluster.

const STEPS = SCHEMA.migrations.map(({ id, name }) => ({ id, name }))

interface FakeNode {
  readonly shard: string
  /** Tables and completed migrations, as of the engine. */
  readonly tables: Record<string, string>
  steps: { id: number; name: string }[]
  readonly commands: string[]
}

const emptyNode = (shard: string): FakeNode => ({ shard, tables: {}, steps: [], commands: [] })

const nameIn = (statement: string) => /^(?:CREATE|ALTER) TABLE (?:IF NOT EXISTS )?db_shard\.(\w+)/.exec(statement)?.[1]

/**
 * A node with the tables of a Keeper that its replicas share. The Keeper has each table as its last `ALTER` left it, and
 * rejects a replica that creates another one.
 */
const storageOf = (node: FakeNode, keeper: Map<string, string>, members: readonly FakeNode[]): Storage =>
  ({
    async rows({ text }: { text: string }) {
      if (text.includes('GROUP BY shard'))
        return [...new Set(members.map(({ shard }) => shard))].map((shard) => ({
          shard,
          replicas: members.filter((each) => each.shard === shard).length,
        }))
      if (text.includes('system.macros')) return [{ isReplicated: 1, macro: node.shard, number: 1 }]
      if (text.includes("name = 'migrations'")) return node.commands.length ? [{}] : []
      if (text.includes('create_table_query')) return Object.values(node.tables).map((statement) => ({ statement }))
      return text.includes('db_shard.migrations') ? node.steps : []
    },
    async insert(_table: string, rows: readonly string[]) {
      node.steps.push(...rows.map((row) => JSON.parse(row) as FakeNode['steps'][number]))
    },
    async command(statement: string) {
      node.commands.push(statement)
      const name = nameIn(statement)
      if (!name || name === 'migrations' || statement.startsWith('CREATE OR')) return
      const path = `${node.shard} ${name}`
      const known = keeper.get(path)
      const table = statement.startsWith('CREATE')
        ? statement.replace('IF NOT EXISTS ', '')
        : `${known}; ${statement.replace(/\s+/g, ' ')}`
      if (statement.startsWith('CREATE')) {
        if (node.tables[name]) return
        if (known && known !== table) throw new Error(`Metadata of table db_shard.${name} in ZooKeeper differs`)
      }
      keeper.set(path, table)
      for (const each of members)
        if (each === node || (each.shard === node.shard && each.tables[name])) each.tables[name] = table
    },
  }) as unknown as Storage

const clusterOf = (members: readonly FakeNode[], keeper: Map<string, string>) => ({
  nodes: members.map((node, place) => ({ host: `node ${place + 1}`, storage: storageOf(node, keeper, members) })),
})

const migrated = async (members: readonly FakeNode[], keeper = new Map<string, string>()) => {
  const { taken, stop } = await migrateNodes({
    cluster: clusterOf(members, keeper),
    name: 'quad',
    schema: SCHEMA,
    log: () => {},
  })
  await stop()
  return { taken, keeper }
}

test('replicas of an empty cluster create each table as it is after the last migration', async () => {
  const members = ['1', '1', '2', '2'].map(emptyNode)
  const { taken } = await migrated(members)
  expect(taken).toEqual(STEPS.map(({ name }) => name))
  for (const [first, second] of [members.slice(0, 2), members.slice(2)]) {
    expect(Object.keys(first!.tables).sort()).toEqual([...SCHEMA.tables.map(({ name }) => name)].sort())
    expect(second!.tables).toEqual(first!.tables)
    expect(second!.steps).toEqual(STEPS)
  }
})

test('a replica that joins later, or with a new disk, gets the tables of its shard', async () => {
  const members = ['1', '1'].map(emptyNode)
  const { keeper } = await migrated(members)
  const joining = emptyNode('1')
  const { taken } = await migrated([joining, members[1]!], keeper)
  expect(taken).toEqual([])
  expect(joining.tables).toEqual(members[1]!.tables)
  expect(joining.steps).toEqual(STEPS)
})

test('a migration that one replica has run is recorded on the others, not run', async () => {
  const members = ['1', '1'].map(emptyNode)
  const { keeper } = await migrated(members)
  const last = STEPS.at(-1)!
  members[1]!.steps = members[1]!.steps.filter(({ id }) => id !== last.id)
  members[1]!.commands.length = 0
  await migrated(members, keeper)
  expect(members[1]!.steps).toContainEqual(last)
  expect(members[1]!.commands.filter((command) => command.startsWith('ALTER'))).toEqual([])
})

describe('statements on replicas', () => {
  interface Sent {
    readonly node: number
    readonly query: string
    readonly settings: Readonly<Record<string, string>>
  }
  let sent: Sent[] = []
  /** Returns the engine's error of a statement. `undefined`: it succeeds. */
  let failure: (statement: Sent) => string | undefined = () => undefined
  let layout: readonly string[] = []
  let servers: Server[] = []
  const names = { shards: ['1', '1', '2', '2'] }

  const answer = (text: string, shard: string): string => {
    if (text.includes('GROUP BY shard'))
      return [...new Set(layout)]
        .map((name) => JSON.stringify({ shard: name, replicas: layout.filter((each) => each === name).length }))
        .join('\n')
    return text.includes('system.macros') ? JSON.stringify({ isReplicated: 1, macro: shard, number: 1 }) : ''
  }

  const startNodes = async (shards: readonly string[]) => {
    layout = shards
    servers = shards.map((shard, node) =>
      createServer((request, response) => {
        const settings = Object.fromEntries(new URL(request.url!, 'http://node').searchParams)
        const parts: Buffer[] = []
        request.on('data', (part: Buffer) => parts.push(part))
        request.on('end', () => {
          const text = settings.query ?? Buffer.concat(parts).toString()
          const code = failure({ node, query: text, settings })
          if (/^(INSERT|ALTER)/.test(text)) sent.push({ node, query: text, settings })
          if (code)
            response
              .writeHead(500, { 'x-clickhouse-exception-code': '1' })
              .end(`Code: 1. DB::Exception: Failed. (${code}) (version 26.7)`)
          else response.end(answer(text, shard))
        })
      }),
    )
    await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))))
    const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const few = jest.fn()
    return { few, cluster: createCluster(urls, { tables: [], name: 'quad', onFewReplicas: few }) }
  }
  const started: { close(): Promise<void> }[] = []
  const start = async (shards: readonly string[]) => {
    const all = await startNodes(shards)
    started.push(all.cluster)
    return all
  }
  afterEach(async () => {
    for (const each of started.splice(0)) await each.close()
    for (const server of servers) server.closeAllConnections()
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
    sent = []
    failure = () => undefined
  })
  const settingsOf = ({ settings }: Sent) => [settings.insert_quorum, settings.insert_deduplication_token]

  test.each([
    [['1', '1', '2', '2'], '2'],
    [['1', '1', '1'], '2'],
    [['1', '1', '1', '1', '1'], '3'],
    [['1', '2'], undefined],
  ])('an insert waits for a majority of the replicas of each shard: %j', async (shards, quorum) => {
    const { cluster } = await start(shards)
    await cluster.insert('db.events', ['{"a":1}'])
    expect(sent.map(({ settings }) => settings.insert_quorum)).toEqual([quorum])
  })

  test('a batch has one token, however often it is sent, and another batch has another', async () => {
    const { cluster } = await start(names.shards)
    await cluster.insert('db.events', ['{"a":1}', '{"a":2}'])
    await cluster.insert('db.events', Buffer.from('{"a":1}\n{"a":2}'))
    await cluster.insert('db.events', ['{"a":3}'])
    const [first, again, other] = sent.map(settingsOf).map(([, token]) => token)
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })

  test('an insert that not all replicas confirmed is sent again with its token', async () => {
    const { cluster } = await start(names.shards)
    failure = ({ query }) => (query.startsWith('INSERT') && !sent.length ? 'UNKNOWN_STATUS_OF_INSERT' : undefined)
    await cluster.insert('db.events', ['{"a":1}'])
    expect(sent).toHaveLength(2)
    expect(settingsOf(sent[1]!)).toEqual(settingsOf(sent[0]!))
  })

  test('an insert that is never confirmed fails, and may be retried', async () => {
    const { cluster } = await start(names.shards)
    failure = ({ query }) => (query.startsWith('INSERT') ? 'UNKNOWN_STATUS_OF_INSERT' : undefined)
    await expect(cluster.insert('db.events', ['{"a":1}'])).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('with one of two replicas left, rows are stored on it and an operator message says so', async () => {
    const { cluster, few } = await start(names.shards)
    failure = ({ settings }) => (settings.insert_quorum ? 'TOO_FEW_LIVE_REPLICAS' : undefined)
    await cluster.insert('db.events', ['{"a":1}'])
    await cluster.insert('db.events', ['{"a":2}'])
    expect(sent.map(({ settings }) => settings.insert_quorum)).toEqual(['2', undefined, '2', undefined])
    expect(settingsOf(sent[1]!)[1]).toBe(settingsOf(sent[0]!)[1])
    expect(few).toHaveBeenCalledTimes(1)
  })

  test('with one of three replicas left, rows are not stored', async () => {
    const { cluster, few } = await start(['1', '1', '1'])
    failure = ({ settings }) => (settings.insert_quorum ? 'TOO_FEW_LIVE_REPLICAS' : undefined)
    await expect(cluster.insert('db.events', ['{"a":1}'])).rejects.toMatchObject({ kind: 'unavailable' })
    expect(few).not.toHaveBeenCalled()
  })

  const removal = { table: 'events', where: 'distinct_id = {id:String}', params: { projectId: 1, id: 'a' } }
  const limits = { maxSeconds: 10, maxMemoryBytes: 1_000_000 }

  test('rows are deleted once per shard, and a replica that is away deletes them later', async () => {
    const { cluster } = await start(names.shards)
    failure = ({ node, query }) => (node === 2 && query.startsWith('ALTER') ? 'UNFINISHED' : undefined)
    await cluster.remove(removal, limits)
    expect(sent.map(({ node }) => node)).toEqual([0, 2])
    expect(sent[0]!.query).toBe(
      'ALTER TABLE db_shard.events DELETE WHERE project_id = {projectId:UInt32} AND (distinct_id = {id:String}) SETTINGS mutations_sync = 2',
    )
  })

  test('rows are deleted through the other replica of a shard if one does not respond', async () => {
    const { cluster } = await start(names.shards)
    failure = ({ node }) => (node === 0 ? 'NETWORK_ERROR' : undefined)
    await cluster.remove(removal, limits)
    expect(sent.map(({ node }) => node)).toEqual([1, 2])
  })

  test('a deletion fails if a shard has no replica that responds', async () => {
    const { cluster } = await start(names.shards)
    failure = ({ node }) => (node > 1 ? 'NETWORK_ERROR' : undefined)
    await expect(cluster.remove(removal, limits)).rejects.toMatchObject({
      kind: 'unavailable',
      missing: 'node 3 of 4 and node 4 of 4',
    })
    expect(sent).toEqual([])
  })

  test('replicas that lag are never read', async () => {
    const { cluster } = await start(names.shards)
    const seen: Sent[] = []
    failure = (statement) => void seen.push(statement)
    await cluster.rows({ text: 'SELECT 1' }, { maxBytes: 1_000, signal: new AbortController().signal })
    expect(seen[0]!.settings).toMatchObject({
      max_replica_delay_for_distributed_queries: '1',
      fallback_to_stale_replicas_for_distributed_queries: '0',
    })
  })
})
