import S3rver from 's3rver'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { withEvents } from '../../src/backup/eventStore.ts'
import { pause } from '../../src/lib/wait.ts'
import { SCHEMA } from '../../src/modules.ts'
import { createExporter } from '../../src/transfers/export.ts'
import { partsOf } from '../../src/transfers/exportQueries.ts'
import { type Manifest, OtherExport, runExport } from '../../src/transfers/exportRun.ts'
import { folderTarget } from '../../src/transfers/targets.ts'
import { capture, event, request } from '../support/api.ts'
import { trailmark, trailmarkIn, trailmarkJson } from '../support/cli.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

const root = temporaryFolder()
let service: RunningService

const TEXTS = ['=1+1', "'=quoted", 'plain', '-5', '@x', 'a,"b"\nc', 'Größe 𝕏']
const get = (path: string) =>
  request(`${service.url}/api/projects/${service.projectId}/export/${path}`, {
    headers: { authorization: `Bearer ${service.key}` },
  })
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

beforeAll(async () => {
  service = await startService()
  await capture(
    service,
    ...TEXTS.map((text, at) =>
      event(
        'seen',
        { timestamp: new Date(Date.UTC(2026, 0, 1 + at)).toISOString() },
        { distinct_id: text, big: 9_007_199_254_740_992, nested: { 'a.b': [1, null, true] }, 'c.d': 'x' },
      ),
    ),
    event('$identify', {}, { distinct_id: 'ann', $anon_distinct_id: 'anon', $set: { email: 'ann@example.com' } }),
    event('$$heatmap-like', {}, { distinct_id: 'ann' }),
  )
})
afterAll(async () => {
  await service.stop()
  rmSync(root, { recursive: true, force: true })
})

test('events are exported as lines of JSON, by name and time, with all values', async () => {
  const { status, headers, body } = await get('events?event=seen&date_from=2026-01-02&date_to=2026-01-04')
  expect([status, headers.get('content-type'), headers.get('x-trailmark-until')]).toEqual([
    200,
    'application/x-ndjson; charset=utf-8',
    expect.stringMatching(/Z$/),
  ])
  expect(linesOf(body)).toEqual(
    [1, 2].map((at) => ({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: 'seen',
      distinct_id: TEXTS[at],
      person_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: `2026-01-0${at + 1}T00:00:00.000Z`,
      properties: JSON.stringify({
        big: 9_007_199_254_740_992,
        'c.d': 'x',
        distinct_id: TEXTS[at],
        nested: { 'a.b': [1, null, true] },
      }),
      elements_chain: '',
      created_at: expect.any(String),
    })),
  )
  expect(linesOf((await get('events')).body)).toHaveLength(TEXTS.length + 2)
  expect((await get('events?date_from=2026-13-01')).body.attr).toBe('date_from')
  expect((await get('events?format=xml')).status).toBe(400)
})

test('CSV has one header, and no cell that a spreadsheet runs', async () => {
  const { body } = await get('events?event=seen&format=csv')
  expect(body.split('\n')[0]).toBe(
    '"uuid","event","distinct_id","person_id","timestamp","properties","elements_chain","created_at"',
  )
  for (const text of [`"'=1+1"`, `"''=quoted"`, '"plain"', `"'-5"`, `"'@x"`, '"a,""b""\nc"'])
    expect(body).toContain(text)
  expect((await get('events?event=none&format=csv')).body.split('\n')).toHaveLength(2)
})

test('people, their ids and deletions are exported', async () => {
  const persons = linesOf((await get('persons')).body)
  const ids = linesOf((await get('distinct_ids')).body)
  const ann = persons.find(({ properties }) => String(properties).includes('ann@example.com'))!
  expect(ann).toMatchObject({ is_identified: true, properties: '{"email":"ann@example.com"}' })
  expect(
    ids
      .filter(({ person_id }) => person_id === ann.person_id)
      .map(({ distinct_id }) => distinct_id)
      .sort(),
  ).toEqual(['ann', 'anon'])
  expect((await get('deletions')).body).toBe('')
})

test('trailmark export writes Parquet by day with a manifest, and events to the standard output', async () => {
  const manifest = (await trailmarkJson(service.data, 'export', join(root, 'all'))) as Manifest
  expect(manifest).toMatchObject({ project: service.projectId, since: null, events: TEXTS.length + 2 })
  for (const { path } of manifest.files.filter((each) => each.path.endsWith('.parquet'))) {
    const bytes = readFileSync(join(root, 'all', path))
    expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1'])
  }
  expect(readdirSync(join(root, 'all/events')).filter((name) => name.startsWith('date=2026-01'))).toHaveLength(
    TEXTS.length,
  )
  const output = await trailmark(service.data, 'export', '-', '--format', 'jsonl', '--event', 'seen')
  expect([output.code, linesOf(output.stdout).length]).toEqual([0, TEXTS.length])
  expect((await trailmark(service.data, 'export', '-', '--format', 'xml')).stderr).toContain(
    '--format expects jsonl, csv, parquet, got "xml"',
  )
  expect((await trailmark(service.data, 'export', '-', '--project', '9')).stderr).toContain('there is no project 9')
})

test('increments have each event once, also late ones, and a failed run moves no watermark', async () => {
  const folder = join(root, 'increments')
  mkdirSync(folder)
  const written = () =>
    readdirSync(join(folder, 'events'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => linesOf(readFileSync(join(folder, 'events', name), 'utf8')).map(({ uuid }) => uuid as string))
      .sort()
  const stored = async () =>
    linesOf((await get('events')).body)
      .map(({ uuid }) => uuid as string)
      .sort()
  await withEvents(
    {
      dataDir: service.data,
      clickhouseUrl: undefined,
      databaseUrl: undefined,
      loadSchema: async () => SCHEMA,
      startEngine: () => Promise.reject(new Error('The engine is running')),
    },
    { isExclusive: false },
    async (storage) => {
      const exporter = createExporter({
        storage,
        journal: async () => ({ erasures: [], deletions: [] }),
        maxMemoryBytes: 400_000_000,
      })
      const run = (minutes: number, fail = false, events: string[] = []) =>
        runExport(exporter, folderTarget(folder), {
          projectId: service.projectId,
          format: 'jsonl',
          data: ['events', 'persons'],
          selection: { events },
          isIncrement: true,
          now: Date.now() + minutes * 60_000,
          signal: new AbortController().signal,
          progress: () => {
            if (fail) throw new Error('full')
          },
        })
      // Nothing is old enough to be complete.
      expect((await run(0)).events).toBe(0)
      await expect(run(5, true)).rejects.toThrow('full')
      const first = await run(5)
      expect(first.events).toBe(TEXTS.length + 2)
      await expect(run(5, false, ['x'])).rejects.toThrow(OtherExport)
      expect(written()).toEqual(await stored())
      // After the watermark, which has milliseconds.
      await pause(10)
      await capture(service, event('seen', { timestamp: '2026-01-02T00:00:00Z' }))
      expect((await run(5)).events).toBe(1)
      expect(written()).toEqual(await stored())
      expect((await run(5)).events).toBe(0)
    },
  )
})

test('an export goes to a bucket of an S3-compatible store, and a store that refuses it is named without secrets', async () => {
  const store = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: join(root, 's3'),
    configureBuckets: [{ name: 'exports', configs: [] }],
  })
  const { port } = await store.run()
  const env = (secret: string) => ({
    TRAILMARK_DATA: service.data,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
  })
  try {
    const done = await trailmarkIn(
      env('S3RVER'),
      'export',
      's3://exports/a b/c',
      '--format',
      'jsonl',
      '--new',
      '--json',
    )
    expect(done.stderr).not.toContain('trailmark:')
    const again = await trailmarkIn(
      env('S3RVER'),
      'export',
      's3://exports/a b/c',
      '--format',
      'jsonl',
      '--new',
      '--json',
    )
    expect((JSON.parse(again.stdout) as Manifest).since).toBe((JSON.parse(done.stdout) as Manifest).until)
    const names = readdirSync(join(root, 's3/exports/a b/c'), { recursive: true }).map(String)
    expect(names.some((name) => name.startsWith('latest.json'))).toBe(true)
    const refused = await trailmarkIn(
      { ...env('the secret'), AWS_ACCESS_KEY_ID: 'wrong' },
      'export',
      's3://exports/other',
    )
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('refused a file (403 InvalidAccessKeyId)'),
    ])
    expect(refused.stderr).not.toContain('the secret')
    expect((await trailmarkIn(env('S3RVER'), 'export', 's3://missing/other')).stderr).toContain('(404 NoSuchBucket)')
  } finally {
    await store.close()
  }
})

test('days are split into parts, and small ones are joined unless each day has a file', () => {
  const days = [
    ['2026-01-01', 2],
    ['2026-01-02', 3],
    ['2026-01-03', 12],
    ['2026-01-04', 1],
  ] as const
  const of = (isByDay: boolean) =>
    partsOf(days, isByDay, 5).map((each) => [
      each.firstDay.slice(-2),
      each.lastDay.slice(-2),
      each.events,
      each.share,
      each.shares,
    ])
  expect(of(false)).toEqual([
    ['01', '02', 5, 0, 1],
    ['03', '03', 4, 0, 3],
    ['03', '03', 4, 1, 3],
    ['03', '03', 4, 2, 3],
    ['04', '04', 1, 0, 1],
  ])
  expect(of(true)).toHaveLength(6)
})
