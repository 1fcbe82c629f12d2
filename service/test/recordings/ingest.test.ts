import { createIngestRecording, MAX_WAITING_LOOKUPS, type RecordingDelivery } from '../../src/recordings/ingest.ts'
import { readBody } from '../../src/recordings/readBody.ts'
import type { Statement } from '../../src/storage/storage.ts'

const CHUNKS = 400

const delivery = (sessionOf: (n: number) => string, address = '192.0.2.1'): RecordingDelivery => ({
  body: Buffer.from(
    JSON.stringify(
      Array.from({ length: CHUNKS }, (_, n) => ({
        event: '$snapshot',
        properties: {
          $session_id: sessionOf(n),
          distinct_id: 'a',
          $snapshot_data: [{ type: 3, timestamp: Date.now(), data: { source: 0 } }],
        },
      })),
    ),
  ),
  compression: undefined,
  token: 'phc_a',
  sentAt: undefined,
  receivedAt: Date.now(),
  address,
})

const setUp = (answer: (statement: Statement) => Promise<readonly (readonly unknown[])[]> = async () => []) => {
  const statements: Statement[] = []
  const rows: string[] = []
  const ingest = createIngestRecording({
    thread: { read: (_, input) => readBody(input) },
    chunks: {
      insert: async ({ chunks }) => void rows.push(...chunks.map((row) => Buffer.from(row).toString())),
      assertRoom: () => {},
    },
    budget: { take: async () => true },
    settings: { get: async () => ({ retention_days: 30, day_megabytes: 1_000 }) } as never,
    projectByToken: async () => ({ id: 1 }) as never,
    deleted: { among: async () => new Set() } as never,
    remove: async () => {},
    queryRows: (_, statement) => {
      statements.push(statement)
      return answer(statement)
    },
    countReceived: () => {},
    countRejected: () => {},
  })
  return { ingest, statements, rows }
}

test('the sessions of a body whose ids do not contain their start cost one query', async () => {
  const stored = Date.now() - 5 * 86_400_000
  const { ingest, statements, rows } = setUp(async () => [['foreign 7', String(stored)]])
  await ingest(delivery((n) => `foreign ${n} ${'x'.repeat(n % 2 ? 180 : 0)}`.trim()))
  expect(statements.length).toBe(1)
  expect(rows.length).toBe(CHUNKS)
})

const nestedIn = (levels: number): object => {
  let nested: object = {}
  for (let level = 0; level < levels; level += 1) nested = { nested }
  return nested
}

test.each([
  ['is nested too deeply', { type: 2, data: nestedIn(3_100) }],
  ['cannot be decompressed', { type: 2, cv: '2024-10', data: 'not gzip' }],
])('a chunk whose only event %s says so in its recording', async (_, event) => {
  const { ingest, rows } = setUp()
  const timestamp = Date.now()
  const properties = { $session_id: 'a', distinct_id: 'a', $snapshot_sequence: 3, $snapshot_dropped: 1 }
  const chunk = { event: '$snapshot', properties: { ...properties, $snapshot_data: [{ ...event, timestamp }] } }
  await ingest({ ...delivery(() => 'a'), body: Buffer.from(JSON.stringify([chunk])) })
  expect(rows.map((row) => JSON.parse(row))).toMatchObject([
    { seq: 3, first_at: timestamp, events: 0, dropped: 2, payload: '', is_anchor: 0, is_last_part: 1 },
  ])
})

test('a session that is stored keeps the day on which it expires', async () => {
  const stored = Date.now() - 5 * 86_400_000
  const { ingest, rows } = setUp(async () => [['foreign', String(stored)]])
  await ingest(delivery(() => 'foreign'))
  const day = new Date(stored + 30 * 86_400_000).toISOString().slice(0, 10)
  expect(new Set(rows.map((row) => JSON.parse(row).expires_on))).toEqual(new Set([day]))
})

test('a client with many bodies whose sessions are looked up gets an error, and others do not', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const { ingest } = setUp(() => gate.then(() => []))
  const send = (n: number, address?: string) =>
    ingest(delivery(() => `foreign ${n}`, address)).then(
      () => 'stored',
      ({ code }) => code,
    )
  const own = Array.from({ length: MAX_WAITING_LOOKUPS + 3 }, (_, n) => send(n))
  const other = send(99, '198.51.100.1')
  setTimeout(open, 200)
  expect((await Promise.all(own)).sort()).toEqual([
    ...Array.from({ length: 3 }, () => 'ingest_overloaded'),
    ...Array.from({ length: MAX_WAITING_LOOKUPS }, () => 'stored'),
  ])
  expect(await other).toBe('stored')
})
