import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { api, capture, countOf, event, isReady, type Reply, request, rowsOf } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

// A separate disk, small enough to fill. Only root can mount one.
const isMounted = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', folder]).status === 0
const disk = temporaryFolder()
const hasDisk = isMounted(disk)
const withDisk = hasDisk ? describe : describe.skip

const ballast = join(disk, 'ballast')
const freeBytes = () => {
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize
}
/** Leaves no more than `bytes` free. */
const fillTo = (bytes: number) => {
  const file = openSync(ballast, 'a')
  try {
    while (freeBytes() > bytes) writeSync(file, Buffer.alloc(Math.max(1, Math.min(1_000_000, freeBytes() - bytes))))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

let service: RunningService | undefined
let folders = 0

afterEach(async () => {
  await service?.kill()
  service = undefined
  rmSync(ballast, { force: true })
})
afterAll(async () => {
  // The engine of a killed service keeps its files open for a moment.
  if (hasDisk) await until(() => spawnSync('umount', [disk]).status === 0)
  rmSync(disk, { recursive: true, force: true })
})

withDisk('a full disk', () => {
  const start = async (reserve: string, data = join(disk, `data${(folders += 1)}`)) => {
    service = await startService({ data, env: { TRAILMARK_DISK_RESERVE_MB: reserve, TRAILMARK_INGEST_MEMORY_MB: '8' } })
    return service
  }

  test('rejects events with 507 at the disk reserve, still serves reads, and accepts events after space is freed', async () => {
    const running = await start('60')
    expect((await capture(running, event('kept'))).status).toBe(200)
    await until(() => isReady(running))
    fillTo(40_000_000)
    let readiness: Reply
    do readiness = await request(`${running.url}/_readiness`)
    while (readiness.body.code === 'engine_unavailable') // it waits for the processor
    expect(readiness).toMatchObject({
      status: 503,
      body: { code: 'disk_full', reasons: [{ code: 'disk_full', detail: expect.stringContaining('507') }] },
    })
    const uuid = uuidv7()
    const refused = await capture(running, event('kept', { uuid }))
    expect(refused).toMatchObject({
      status: 507,
      body: {
        type: 'server_error',
        code: 'disk_full',
        detail: expect.stringContaining('The service is out of disk space'),
      },
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await countOf(running, 'kept')).toBe(1)
    expect((await request(`${running.url}/_health`)).status).toBe(200)
    await until(() => running.output().includes('The disk of the event store is full'))
    unlinkSync(ballast)
    await until(async () => (await capture(running, event('kept', { uuid }))).status === 200)
    expect(await countOf(running, 'kept')).toBe(2)
    await until(() => isReady(running))
  })

  test('keeps every acknowledged event exactly once after the disk fills up under load and a kill -9', async () => {
    const running = await start('0')
    const acknowledged: string[] = []
    const statuses = new Set<number>()
    let sending = true
    const senders = Array.from({ length: 4 }, async () => {
      while (sending) {
        const uuids = Array.from({ length: 20 }, () => uuidv7())
        const { status } = await capture(
          running,
          ...uuids.map((uuid) => event('tight', { uuid }, { text: Math.random().toString(36).repeat(200) })),
        )
        statuses.add(status)
        if (status === 200) acknowledged.push(...uuids)
      }
    })
    await until(() => acknowledged.length > 500)
    fillTo(0)
    await until(() => statuses.has(507))
    const definition = await api(running, 'POST', '/endpoints/', {
      name: 'big',
      description: 'x'.repeat(9_000),
      query: { kind: 'HogQLQuery', query: 'SELECT 1' },
    })
    sending = false
    await Promise.all(senders)
    expect(await request(`${running.url}/_readiness`)).toMatchObject({ status: 503, body: { code: 'disk_full' } })
    // The engine checks a query before it is stored, and writes each response to its disk.
    const queries = await Promise.all(
      ['json', 'ndjson', 'csv'].map((format) =>
        api(running, 'POST', '/query/', { query: { kind: 'HogQLQuery', query: 'SELECT 1' }, format }),
      ),
    )
    for (const reply of [definition, ...queries])
      expect(reply).toMatchObject({ status: 507, body: { code: 'disk_full' } })
    expect([...statuses].sort()).toEqual([200, 507])
    const { data } = running
    await running.kill()
    unlinkSync(ballast)

    const again = await start('0', data)
    const stored = (await rowsOf(again, "SELECT uuid FROM events WHERE event = 'tight' LIMIT 50000")).map(
      ([uuid]) => uuid,
    )
    expect(new Set(stored).size).toBe(stored.length)
    const known = new Set(stored)
    expect(acknowledged.filter((uuid) => !known.has(uuid))).toEqual([])
    expect((await capture(again, event('after'))).status).toBe(200)
  })
})
