import { gzipSync } from 'node:zlib'
import { api, capture, countOf, event, request, rowsOf } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

// Mutates each table, which is slow on a machine that runs other work.

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const send = (batch: readonly object[]) =>
  request(`${service.url}/batch/`, {
    method: 'POST',
    body: new Uint8Array(gzipSync(JSON.stringify({ api_key: service.token, batch }))),
  })
const uuid = (n: number) => `0195f000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const MOST = 10_000

test('a delivery of the maximum size is stored and counted once after a retry', async () => {
  const batch = Array.from({ length: MOST }, (_, n) =>
    event('many', { uuid: uuid(n) }, { distinct_id: `visitor-${n}` }),
  )
  expect((await send(batch)).status).toBe(200)
  expect((await send([...batch.slice(5_000), event('many', { uuid: uuid(MOST) })])).status).toBe(200)
  expect(await countOf(service, 'many')).toBe(MOST + 1)
})

test('concurrent deliveries that fill a batch are all stored', async () => {
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, body) =>
      send(Array.from({ length: 50 }, (_, n) => event('at once', {}, { distinct_id: `d${body}-${n}` }))),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await countOf(service, 'at once')).toBe(6_000)
})

test('one delivery can identify thousands of persons with long and unusual distinct IDs', async () => {
  const odd = (n: number) => `${n}-${"\\'\n\t".repeat(200)}`
  expect(
    (
      await send(
        Array.from({ length: 1_000 }, (_, n) =>
          event('$identify', { $set: { n } }, { distinct_id: `${odd(n)}-known`, $anon_distinct_id: odd(n) }),
        ),
      )
    ).status,
  ).toBe(200)
  expect(
    await rowsOf(
      service,
      "SELECT uniq(person_id), count() FROM person_distinct_ids WHERE distinct_id LIKE '%\\\\\\\\%'",
    ),
  ).toEqual([[1_000, 2_000]])
})

test('a person with thousands of distinct IDs can be read, evaluated for flags and deleted', async () => {
  await capture(
    service,
    ...Array.from({ length: 4_000 }, (_, n) =>
      event(
        '$identify',
        {},
        { distinct_id: 'owner', $anon_distinct_id: `device-of-a-kiosk-that-forgets-who-it-is-${n}` },
      ),
    ),
  )
  // A list has the first of the ids.
  const [inList] = (await api(service, 'GET', '/persons/?distinct_id=owner')).body.results
  const { body: owner } = await api(service, 'GET', `/persons/${inList.id}`)
  expect(owner.distinct_ids).toHaveLength(4_001)
  const flag = {
    key: 'kiosk',
    filters: { groups: [{ properties: [{ key: 'place', value: 'hall', type: 'person' }] }] },
  }
  await api(service, 'POST', '/feature_flags/', flag)
  await capture(service, event('$set', { $set: { place: 'hall' } }, { distinct_id: 'owner' }))
  const { body } = await request(`${service.url}/flags/?v=2`, {
    method: 'POST',
    body: JSON.stringify({ token: service.token, distinct_id: 'device-of-a-kiosk-that-forgets-who-it-is-7' }),
  })
  expect(body.flags.kiosk).toMatchObject({ enabled: true })
  expect((await api(service, 'DELETE', `/persons/${owner.id}/?delete_events=true`)).status).toBe(204)
  expect(await rowsOf(service, "SELECT count() FROM person_distinct_ids WHERE distinct_id LIKE 'device-of-%'")).toEqual(
    [[0]],
  )
  expect(
    await rowsOf(service, "SELECT count() FROM events WHERE distinct_id LIKE 'device-of-%' OR distinct_id = 'owner'"),
  ).toEqual([[0]])
})
