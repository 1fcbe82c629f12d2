import { createRejectedEvents, type Rejection } from '../../src/ingest/rejectedEvents.ts'
import { type JsonLine, type JsonLines, StorageError } from '../../src/storage/storage.ts'
import { REJECTIONS } from '../../src/modules.ts'

const createStore = () => {
  const inserts: (readonly JsonLine[])[] = []
  let fault: Error | undefined
  let gate: Promise<void> = Promise.resolve()
  return {
    inserts,
    failWith: (next: Error | undefined) => void (fault = next),
    hold: () => {
      let open = () => {}
      gate = new Promise((resolve) => (open = resolve))
      return open
    },
    rows: async () => [],
    insert: async (_: string, bytes: JsonLines) => {
      await gate
      if (fault) throw fault
      inserts.push(String(bytes).trim().split('\n'))
    },
    kept: () => inserts.flat().map((line) => JSON.parse(line)),
  }
}

/** Stores rejections of one delivery. */
const keeping = (
  store: ReturnType<typeof createStore>,
  options: Partial<Parameters<typeof createRejectedEvents>[1]> = {},
) => {
  const { sample, keep } = createRejectedEvents(store, { reasons: REJECTIONS, count: () => {}, ...options })
  return (rejections: readonly Rejection[]) => keep(rejections.flatMap((each) => sample(each) ?? []))
}

const rejection = (event: unknown, projectId = 1): Rejection => ({ projectId, code: 'invalid_uuid', event })

test('a stored rejection identifies the event', async () => {
  const store = createStore()
  await keeping(store)([
    rejection({ event: 'buy', uuid: 'no', properties: { distinct_id: 'ann', a: 1 } }),
    rejection('a text'),
    rejection(null),
  ])
  expect(store.kept()).toMatchObject([
    {
      project_id: 1,
      code: 'invalid_uuid',
      event: 'buy',
      uuid: 'no',
      distinct_id: 'ann',
      sample: '{"event":"buy","uuid":"no","properties":{"distinct_id":"ann","a":1}}',
    },
    { event: '', distinct_id: '', sample: '"a text"' },
    { event: '', sample: 'null' },
  ])
})

test('a rejected event of any depth and size is stored truncated', async () => {
  const store = createStore()
  let deep: unknown = 1
  for (let level = 0; level < 20_000; level += 1) deep = { deep }
  await keeping(store)([
    rejection({ event: 'deep', properties: deep }),
    rejection({ event: '\ud83d\ude00'.repeat(5_000) }),
  ])
  expect(store.kept()[0]).toMatchObject({ event: 'deep', sample: '["event","properties"]' })
  for (const line of store.inserts.flat()) {
    expect(line.length).toBeLessThan(5_000)
    expect(line).not.toMatch(/\\ud[89a-f]/)
  }
})

test('concurrent rejections are stored up to a limit per project and counted beyond it', async () => {
  const store = createStore()
  let unkept = 0
  let time = 0
  const keep = keeping(store, {
    count: (_name, _labels, by = 1) => void (unkept += by),
    now: () => time,
  })
  const many = (projectId: number) => keep(Array.from({ length: 1_500 }, () => rejection({}, projectId)))
  await many(1)
  await many(1)
  await keep([rejection({}, 2)])
  expect([store.kept().length, unkept]).toEqual([1_001, 2_000])
  time += 60_000
  await keep([rejection({}, 1)])
  expect(store.kept()).toHaveLength(1_002)
})

test('rejections that arrive during an insert are batched into the next one, and each delivery waits for its own', async () => {
  const store = createStore()
  const keep = keeping(store)
  const open = store.hold()
  const kept = Array.from({ length: 10 }, (_, n) => keep([rejection({ n })]))
  await Promise.resolve()
  open()
  await Promise.all(kept)
  expect(store.inserts.flat()).toHaveLength(10)
  expect(store.inserts.length).toBeLessThan(4)
})

test.each([
  ['unavailable', 'engine_unavailable'],
  ['full', 'disk_full'],
] as const)('a rejection fails while the storage is %s, and the next one is stored', async (kind, code) => {
  const store = createStore()
  const keep = keeping(store)
  store.failWith(new StorageError(kind, 'no'))
  await expect(keep([rejection({})])).rejects.toMatchObject({ code })
  store.failWith(undefined)
  await keep([rejection({})])
  expect(store.kept()).toHaveLength(1)
})
