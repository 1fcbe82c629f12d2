import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { pause } from '../../src/lib/wait.ts'
import { api, capture, countOf, event, rowsOf } from '../support/api.ts'
import { trailmark, trailmarkIn, trailmarkJson } from '../support/cli.ts'
import { startClickhouse } from '../support/clickhouse.ts'
import { until } from '../support/engine.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

// The tests share the data folder `data` and its backup `backup`: a start costs more than most of them.
const root = temporaryFolder()
let service: RunningService | undefined
const folder = (name: string) => join(root, name)

const stop = async () => {
  await service?.stop()
  service = undefined
}
/** Starts the service of a data folder, unless it is running. Stops the previous one. */
const start = async (data: string) => {
  if (service?.data === data) return service
  await stop()
  return (service = await startService({ data }))
}

afterAll(async () => {
  await stop()
  rmSync(root, { recursive: true, force: true })
})

/** Fills a service with data of every kind. */
const fill = async (target: RunningService) => {
  await capture(
    target,
    ...Array.from({ length: 500 }, (_, n) => event('bought', {}, { price: n, nested: { 'a.b': [1, true, null] } })),
    { event: 'refused' },
  )
  await api(target, 'POST', '/endpoints/', {
    name: 'revenue',
    query: { kind: 'HogQLQuery', query: "SELECT sum(toFloat(properties.price)) FROM events WHERE event = 'bought'" },
  })
  await api(target, 'POST', '/feature_flags/', { key: 'new-checkout' })
}

const everythingOf = async (target: RunningService) => ({
  events: await rowsOf(
    target,
    "SELECT uuid, event, distinct_id, timestamp, properties FROM events WHERE event = 'bought' ORDER BY uuid LIMIT 1000",
  ),
  revenue: (await api(target, 'POST', '/endpoints/revenue/run')).body.results,
  flags: (await api(target, 'GET', '/feature_flags/')).body.results,
  refused: (await api(target, 'GET', '/refused_events/')).body.results,
  project: (await api(target, 'GET', '/')).body,
  keys: [target.token, target.key],
})

let before: Awaited<ReturnType<typeof everythingOf>>

test('a backup of a running service restores events, definitions and keys elsewhere', async () => {
  const first = await start(folder('data'))
  await fill(first)
  before = await everythingOf(first)
  expect(before.events).toHaveLength(500)
  expect((await trailmark(folder('data'), 'backup', folder('backup'))).stderr).toBe('')
  // Later events are not in the backup.
  await capture(first, event('too late'))
  await stop()

  const restored = await trailmarkJson(folder('restored'), 'restore', folder('backup'))
  expect(restored).toEqual({ folder: folder('restored'), events: 500, erased: 0 })
  const second = await start(folder('restored'))
  expect(await everythingOf(second)).toEqual(before)
  expect(await countOf(second, 'too late')).toBe(0)
  // The restored service accepts new events and still deduplicates.
  const [uuid] = before.events[0] as [string]
  await capture(second, event('bought', { uuid }), event('bought'))
  expect(await countOf(second, 'bought')).toBe(501)
})

test('a stopped service can be backed up and is left unchanged', async () => {
  await stop()
  await trailmarkJson(folder('data'), 'backup', folder('backup of a stopped service'))
  await trailmarkJson(folder('restored from a stopped service'), 'restore', folder('backup of a stopped service'))
  for (const data of ['restored from a stopped service', 'data'])
    expect(await everythingOf(await start(folder(data)))).toEqual(before)
})

test('a backup under load contains every event acknowledged before it', async () => {
  const first = await start(folder('data'))
  const acknowledged: string[] = []
  let sending = true
  const senders = Array.from({ length: 4 }, async () => {
    while (sending) {
      const uuids = Array.from({ length: 20 }, () => uuidv7())
      if ((await capture(first, ...uuids.map((uuid) => event('load', { uuid })))).status === 200)
        acknowledged.push(...uuids)
      await pause(20)
    }
  })
  await until(() => acknowledged.length >= 400)
  const acknowledgedBefore = [...acknowledged]
  await trailmarkJson(folder('data'), 'backup', folder('backup under load'))
  sending = false
  await Promise.all(senders)
  await stop()
  await trailmarkJson(folder('restored under load'), 'restore', folder('backup under load'))
  const stored = new Set(
    (
      await rowsOf(
        await start(folder('restored under load')),
        "SELECT uuid FROM events WHERE event = 'load' LIMIT 50000",
      )
    ).map(([uuid]) => uuid),
  )
  expect(acknowledgedBefore.filter((uuid) => !stored.has(uuid))).toEqual([])
})

test('what was erased stays erased after a restore, and late deliveries of it are refused', async () => {
  const first = await start(folder('data'))
  const at = new Date(Date.now() - 60_000).toISOString()
  const secret = (distinct_id: string, name = 'secret') => event(name, { timestamp: at }, { distinct_id })
  await capture(first, secret('before'), secret('after'), secret('stays'), secret('stays', 'by name'))
  await api(first, 'POST', '/endpoints/', {
    name: 'secrets',
    query: { kind: 'HogQLQuery', query: "SELECT distinct_id AS id FROM events WHERE event = 'secret' ORDER BY id" },
    is_materialized: true,
  })
  await until(async () => (await api(first, 'POST', '/endpoints/secrets/run', {})).body.endpoint_materialized === true)
  const erase = async (distinctId: string) => {
    const [person] = (await api(first, 'GET', `/persons/?distinct_id=${distinctId}`)).body.results
    expect((await api(first, 'DELETE', `/persons/${person.id}/?delete_events=true`)).status).toBe(204)
  }
  const identify = (distinct_id: string, $anon_distinct_id: string) =>
    capture(service!, event('$identify', { timestamp: at }, { distinct_id, $anon_distinct_id }))
  await identify('after', 'visitor')
  await identify('ada', 'laptop')
  await identify('ada', 'after') // rejected: both are identified
  await capture(first, event('seen', { timestamp: at }, { distinct_id: 'returning' }))
  await erase('returning')
  await capture(first, event('returned', {}, { distinct_id: 'returning' }))
  await trailmarkJson(folder('data'), 'backup', folder('backup with secrets'))
  await erase('after')
  const { body } = await api(first, 'POST', '/deletions', { events: ['by name'] })
  const inState = (state: string) =>
    until(async () => (await api(first, 'GET', `/deletions/${body.id}`)).body.state === state)
  await inState('counted')
  await api(first, 'POST', `/deletions/${body.id}/start`)
  await inState('done')
  const file = join(root, 'erasures.jsonl')
  expect(await trailmarkJson(folder('data'), 'erasures', file)).toMatchObject({ erasures: 4 })
  expect(readFileSync(file, 'utf8')).not.toContain('"after"')
  await stop()

  const lines = readFileSync(file, 'utf8')
  writeFileSync(join(root, 'broken.jsonl'), `${lines}{"kind":"person"}\n`)
  expect(
    (
      await trailmark(
        folder('nowhere'),
        'restore',
        folder('backup with secrets'),
        '--erasures',
        join(root, 'broken.jsonl'),
      )
    ).stderr,
  ).toContain('line 5 is not an entry of a journal')
  const restored = await trailmarkJson(
    folder('after erasing'),
    'restore',
    folder('backup with secrets'),
    '--erasures',
    file,
  )
  expect(restored.erased).toBeGreaterThan(1)
  const second = await start(folder('after erasing'))
  const names = () =>
    rowsOf(second, "SELECT event, distinct_id FROM events WHERE event IN ('secret', 'by name') ORDER BY 2")
  expect(await names()).toEqual([
    ['secret', 'before'],
    ['secret', 'stays'],
  ])
  expect((await api(second, 'POST', '/endpoints/secrets/run', {})).body.results).toEqual([['before'], ['stays']])
  expect((await api(second, 'GET', '/persons/?distinct_id=after')).body.results).toEqual([])
  // Ids that were connected with the erased ones follow later merges. Who came back after an erasure stays.
  await identify('ada', 'phone')
  await identify('boss', 'ada') // rejected: ada is still identified
  const idsOf = async (id: string) =>
    (await api(second, 'GET', `/persons/?distinct_id=${id}`)).body.results[0].distinct_ids.sort()
  expect(await idsOf('ada')).toEqual(['ada', 'laptop', 'phone'])
  expect(await rowsOf(second, "SELECT count() FROM events WHERE event = 'returned'")).toEqual([[1]])
  const late = await capture(second, secret('after'), secret('before', 'by name'), secret('before'))
  expect(late.body.refused.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
    [0, 'erased'],
    [1, 'erased'],
  ])
  expect(await names()).toHaveLength(3)
})

test('events on an external ClickHouse server are backed up by that server to a destination it can write to', async () => {
  const [one, other] = [folder('server'), folder('another server')]
  mkdirSync(one)
  mkdirSync(other)
  const servers = [await startClickhouse(one), await startClickhouse(other)] as const
  await stop()
  const envOf = (data: string, at: 0 | 1) => ({ TRAILMARK_DATA: folder(data), CLICKHOUSE_URL: servers[at].url })
  try {
    service = await startService({ data: folder('external data'), env: envOf('external data', 0) })
    await fill(service)
    const filled = await everythingOf(service)
    expect((await trailmarkIn(envOf('external data', 0), 'backup', folder('external backup'))).stderr).toContain(
      'pass --events with a destination it can write to',
    )
    expect(
      await trailmarkIn(
        envOf('external data', 0),
        'backup',
        folder('external backup'),
        '--events',
        `File('${join(one, 'forbidden/../../elsewhere')}')`,
      ),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining('trailmark: the event store failed: ') })
    expect(
      await trailmarkIn(
        envOf('external data', 0),
        'backup',
        folder('external backup'),
        '--events',
        `File('${join(one, 'copy')}')`,
      ),
    ).toMatchObject({ code: 0, stderr: '' })
    await stop()
    // The target server can only read its own destinations, so the backup is moved there.
    renameSync(join(one, 'copy'), join(other, 'copy'))
    const manifest = join(folder('external backup'), 'backup.json')
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(one, other))
    expect(await trailmarkIn(envOf('external restored', 1), 'restore', folder('external backup'))).toMatchObject({
      code: 0,
      stderr: '',
    })
    service = await startService({ data: folder('external restored'), env: envOf('external restored', 1) })
    expect(await everythingOf(service)).toEqual(filled)
  } finally {
    await stop()
    for (const server of servers) await server.stop()
  }
})

test('a backup is readable only by its owner', () => {
  expect(statSync(folder('backup')).mode & 0o077).toBe(0)
  for (const name of readdirSync(folder('backup')))
    expect([name, statSync(join(folder('backup'), name)).mode & 0o077]).toEqual([name, 0])
})

describe('invalid backups and restores', () => {
  const copyBackup = (name: string) => cpSync(folder('backup'), folder(name), { recursive: true })
  const says = async (data: string, words: string[], message: string) => {
    const { code, stdout, stderr } = await trailmark(folder(data), ...words)
    expect([code, stdout, stderr]).toEqual([1, '', `trailmark: ${message}\n`])
  }

  test('backing up an empty folder or into a non-empty folder fails with the reason and changes nothing', async () => {
    await says(
      'new data',
      ['backup', folder('new backup')],
      `there is nothing to back up in ${folder('new data')}: pass the service's data folder with --data or TRAILMARK_DATA.`,
    )
    await trailmark(folder('new data'), 'project', 'create', 'p')
    mkdirSync(folder('mine'))
    writeFileSync(join(folder('mine'), 'letter'), '')
    await says(
      'new data',
      ['backup', folder('mine')],
      `the folder ${folder('mine')} is not empty: choose another, or one that does not exist yet.`,
    )
    expect(readdirSync(folder('mine'))).toEqual(['letter'])
    await says(
      'new data',
      ['backup', folder('new backup'), '--events', "S3('x')"],
      '--events requires a ClickHouse server at CLICKHOUSE_URL: the embedded engine writes into the folder.',
    )
  })

  test('restoring into a folder with data or of a running service fails with the reason and changes nothing', async () => {
    await stop()
    await says(
      'data',
      ['restore', folder('backup')],
      `the data folder ${folder('data')} is not empty: restore into another with --data or TRAILMARK_DATA, or move its contents away.`,
    )
    await start(folder('data'))
    await says(
      'data',
      ['restore', folder('backup')],
      `the data folder ${folder('data')} is not empty: restore into another with --data or TRAILMARK_DATA, or move its contents away.`,
    )
    expect((await trailmarkJson(folder('data'), 'project', 'list'))[0].name).toBe('Default project')
  })

  test('restoring an invalid or incomplete backup fails with the reason and changes nothing', async () => {
    copyBackup('incomplete backup')
    const message = (of: string) =>
      `${folder(of)} has no complete backup of Trailmark: pass a folder that "trailmark backup" finished writing.`
    await says('never restored', ['restore', folder('nowhere')], message('nowhere'))
    rmSync(join(folder('incomplete backup'), 'backup.json'))
    await says('never restored', ['restore', folder('incomplete backup')], message('incomplete backup'))
  })

  test('restoring a damaged backup fails with the reason and leaves the data folder empty', async () => {
    copyBackup('damaged backup')
    rmSync(join(folder('damaged backup'), 'events', '.backup'))
    const { code, stderr } = await trailmark(folder('empty again'), 'restore', folder('damaged backup'))
    expect(code).toBe(1)
    expect(stderr).toContain('trailmark: the event store failed: ')
    expect(readdirSync(folder('empty again')).filter((name) => !name.startsWith('service.lock'))).toEqual([])
  })
})
