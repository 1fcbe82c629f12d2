import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { api, capture, countOf, event } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

/**
 * Runs on the empty cluster of two shards with two replicas each whose URLs are in TRAILMARK_TEST_CLUSTER, in the order
 * 1.1, 1.2, 2.1, 2.2. TRAILMARK_TEST_CLUSTER_NAME is its name in `remote_servers`. TRAILMARK_TEST_CLUSTER_HOOK is a
 * program: `HOOK kill N` ends node N like `kill -9`, `HOOK start N` starts it and returns when it responds, `HOOK wipe N`
 * deletes the data of a node that is down.
 * The suite drops the databases `db` and `db_shard`. See docs/operate/scaling.md.
 */
const { TRAILMARK_TEST_CLUSTER, TRAILMARK_TEST_CLUSTER_NAME = '', TRAILMARK_TEST_CLUSTER_HOOK = '' } = process.env
const urls = TRAILMARK_TEST_CLUSTER?.split(',') ?? []
const onCluster = urls.length ? describe : describe.skip

const ask = async (url: string, query: string): Promise<unknown[][]> => {
  const { username, password, origin } = new URL(url)
  const response = await fetch(`${origin}/?default_format=JSONCompact`, {
    method: 'POST',
    headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
    body: query,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text ? JSON.parse(text).data : []
}
const onEach = (query: string) => Promise.all(urls.map((url) => ask(url, query)))
const hook = (action: 'kill' | 'start' | 'wipe', ...nodes: readonly number[]) => {
  for (const node of nodes) execFileSync(TRAILMARK_TEST_CLUSTER_HOOK, [action, String(node)], { stdio: 'ignore' })
}

onCluster('a replicated cluster', () => {
  const folder = temporaryFolder()
  let service: RunningService
  const start = () =>
    startService({
      data: join(folder, 'data'),
      env: { CLICKHOUSE_URL: urls.join(','), CLICKHOUSE_CLUSTER: TRAILMARK_TEST_CLUSTER_NAME },
    })
  const tables = () =>
    onEach(
      "SELECT name, create_table_query FROM system.tables WHERE database = 'db_shard' AND engine LIKE 'Replicated%' ORDER BY name",
    )
  const local = (name: string, node: number) =>
    ask(urls[node]!, `SELECT count(), uniqExact(uuid) FROM db_shard.events WHERE event = '${name}'`)
  /** Resolves when the replicas of each shard have the same rows. Returns rows and ids over both shards. */
  const settled = async (name: string) => {
    let counts: unknown[][][] = []
    await until(async () => {
      counts = await Promise.all(urls.map((_, node) => local(name, node)))
      return [0, 2].every((first) => String(counts[first]) === String(counts[first + 1]))
    })
    return [0, 1].map((column) => Number(counts[0]![0]![column]) + Number(counts[2]![0]![column]))
  }
  const batchOf = (name: string, size: number) =>
    Array.from({ length: size }, (_, n) => event(name, { uuid: uuidv7() }, { distinct_id: `${name} ${n}` }))
  /** Sends a delivery until it is acknowledged. */
  const deliver = async (batch: readonly unknown[]) => {
    await until(async () => (await capture(service, ...batch).catch(() => undefined))?.status === 200)
  }

  beforeAll(async () => {
    for (const database of ['db', 'db_shard']) await onEach(`DROP DATABASE IF EXISTS ${database} SYNC`)
    service = await start()
  })
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  })

  test('starts on an empty cluster with the same tables on every replica', async () => {
    const [first, ...others] = await tables()
    expect(first!.length).toBeGreaterThan(5)
    for (const other of others) expect(other).toEqual(first)
    await deliver(batchOf('first', 40))
    expect(await settled('first')).toEqual([40, 40])
  })

  test('a replica that lost its tables joins again and gets its rows', async () => {
    await service.stop()
    for (const database of ['db', 'db_shard']) await ask(urls[1]!, `DROP DATABASE ${database} SYNC`)
    service = await start()
    const [first, second] = await tables()
    expect(second).toEqual(first)
    expect(await settled('first')).toEqual([40, 40])
  })

  test('no event is lost or doubled while a replica is killed and started again', async () => {
    let isSending = true
    let sent = 0
    const senders = [0, 1, 2].map(async () => {
      while (isSending) {
        const batch = batchOf('under load', 10)
        await deliver(batch)
        sent += batch.length
        if (sent % 50 === 0) await deliver(batch)
      }
    })
    try {
      for (const node of [1, 2, 3, 4]) {
        const before = sent
        await until(() => sent > before + 100)
        hook('kill', node)
        await until(() => sent > before + 200)
        hook('start', node)
      }
    } finally {
      isSending = false
      await Promise.all(senders)
    }
    expect(await settled('under load')).toEqual([sent, sent])
  })

  test('acknowledged events do not vanish, and are not stored twice, when the replicas that have them die', async () => {
    const lagging = [urls[1]!, urls[3]!]
    for (const url of lagging) await ask(url, 'SYSTEM STOP FETCHES')
    const batch = batchOf('lag', 40)
    const reply = await capture(service, ...batch).catch(() => undefined)
    hook('kill', 1, 3)
    const counted = await countOf(service, 'lag').catch(() => 'unavailable')
    if (reply?.status === 200) expect([40, 'unavailable']).toContain(counted)
    await Promise.race([capture(service, ...batch), new Promise((done) => setTimeout(done, 20_000))]).catch(() => {})
    for (const url of lagging) await ask(url, 'SYSTEM START FETCHES')
    hook('start', 1, 3)
    await deliver(batch)
    expect(await settled('lag')).toEqual([40, 40])
  })

  test('a person is erased while a replica is down, which forgets the person when it is back', async () => {
    await deliver([event('erased', {}, { distinct_id: 'leaving', $set: { plan: 'gold' } })])
    await settled('erased')
    hook('kill', 2, 4)
    let status = 0
    await until(async () => {
      const { body } = await api(service, 'GET', '/persons/?distinct_id=leaving')
      const id = body.results?.[0]?.id
      if (!id) return status === 204
      status = (await api(service, 'DELETE', `/persons/${id}/?delete_events=true`)).status
      return status === 204
    })
    hook('start', 2, 4)
    for (const node of [0, 1, 2, 3]) await until(async () => Number((await local('erased', node))[0]![0]) === 0)
  })

  test('a replica with a new disk joins after the Keeper has forgotten the old one', async () => {
    await service.stop()
    hook('kill', 2)
    hook('wipe', 2)
    hook('start', 2)
    await expect(start()).rejects.toThrow('SYSTEM DROP REPLICA')
    const [[replica]] = (await ask(urls[1]!, "SELECT substitution FROM system.macros WHERE macro = 'replica'")) as [
      [string],
    ]
    // The Keeper rejects this until the session of the killed node has ended.
    await until(() =>
      ask(urls[0]!, `SYSTEM DROP REPLICA '${replica}'`).then(
        () => true,
        () => false,
      ),
    )
    service = await start()
    const [first, second] = await tables()
    expect(second).toEqual(first)
    expect(await settled('first')).toEqual([40, 40])
  })

  test('starts with a replica down', async () => {
    await service.stop()
    hook('kill', 2)
    service = await start()
    await deliver(batchOf('one down', 10))
    hook('start', 2)
    await until(() => service.output().includes('is available again and up to date'))
    expect(await settled('one down')).toEqual([10, 10])
  })
})
