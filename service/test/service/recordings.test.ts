import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { api, capture, event, request } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

type Fields = Record<string, unknown>

const START = Date.now() - 60_000
const node = (id: number, tagName: string, childNodes: unknown[] = [], attributes: Fields = {}) => ({
  type: 2,
  id,
  tagName,
  attributes,
  childNodes,
})
const meta = (at: number, href = 'https://shop.test/cart') => ({
  type: 4,
  timestamp: START + at,
  data: { href, width: 800, height: 600 },
})
const full = (at: number, ...body: unknown[]) => ({
  type: 2,
  timestamp: START + at,
  data: {
    node: { type: 0, id: 1, childNodes: [node(2, 'html', [node(3, 'head'), node(4, 'body', body)])] },
    initialOffset: { top: 0, left: 0 },
  },
})
const click = (at: number) => ({ type: 3, timestamp: START + at, data: { source: 2, type: 2, id: 4, x: 1, y: 1 } })
const typing = (at: number) => ({
  type: 3,
  timestamp: START + at,
  data: { source: 5, id: 4, text: '***', isChecked: false },
})
const consoleEntry = (at: number, level: string) => ({
  type: 6,
  timestamp: START + at,
  data: { plugin: 'rrweb/console@1', payload: { level, payload: ['"text"'], trace: [] } },
})

interface ChunkOptions {
  readonly session: string
  readonly window?: string
  readonly seq?: number
  readonly id?: string
  readonly token?: string
  readonly more?: Fields
}

const chunk = (
  { session, window = 'w1', seq, id = 'ada', token = service.token, more = {} }: ChunkOptions,
  ...data: unknown[]
) => ({
  uuid: uuidv7(),
  event: '$snapshot',
  timestamp: new Date().toISOString(),
  properties: {
    token,
    distinct_id: id,
    $session_id: session,
    $window_id: window,
    $snapshot_data: data,
    ...(seq === undefined ? {} : { $snapshot_sequence: seq }),
    ...more,
  },
})

const send = (...items: unknown[]) =>
  request(`${service.url}/s/?compression=gzip-js&ip=0&_=${Date.now()}&ver=2.0.0`, {
    method: 'POST',
    body: new Uint8Array(gzipSync(JSON.stringify(items))),
  })

const get = (path: string) => api(service, 'GET', `/session_recordings${path}`)
const eventsOf = async (session: string, window = 'w1', range = '') => {
  const { status, body } = await get(`/${session}/snapshots?window_id=${window}${range}`)
  expect(status).toBe(200)
  return String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { window_id: string; seq: number; event: any })
}

describe('a recording', () => {
  const session = uuidv7(START)
  beforeAll(async () => {
    expect(await send(chunk({ session, seq: 0 }, meta(0), full(1), click(2_000)))).toMatchObject({
      status: 200,
      body: { status: 1 },
    })
    await send(chunk({ session, seq: 1 }, typing(5_000), consoleEntry(5_500, 'error'), consoleEntry(5_600, 'log')))
    // A repeated chunk, out of order.
    await send(chunk({ session, seq: 1 }, typing(5_000), consoleEntry(5_500, 'error'), consoleEntry(5_600, 'log')))
    await send(chunk({ session, seq: 3, more: { $snapshot_policy: 'strict', $snapshot_dropped: 7 } }, click(12_000)))
    await send(chunk({ session, seq: 4 }, meta(20_000, 'https://shop.test/pay'), full(20_001), click(30_000)))
    await capture(
      service,
      event('bought', {}, { distinct_id: 'ada', $session_id: session }),
      event('$exception', {}, { distinct_id: 'ada', $session_id: session }),
    )
  })

  test('has figures, which count a repeated chunk once', async () => {
    const { body } = await get(`/${session}`)
    expect(body).toMatchObject({
      id: session,
      distinct_id: 'ada',
      started_at: new Date(START).toISOString(),
      ended_at: new Date(START + 30_000).toISOString(),
      duration_ms: 30_000,
      clicks: 3,
      keypresses: 1,
      console_errors: 1,
      exceptions: 1,
      start_url: 'https://shop.test/cart',
      pages: 2,
      urls: ['https://shop.test/cart', 'https://shop.test/pay'],
      windows: 1,
      is_playable: true,
    })
    expect(body.active_ms).toBe(20_000)
    const [person] = (await api(service, 'GET', '/persons/?distinct_id=ada')).body.results
    expect(body.person_id).toBe(person.id)
  })

  test('has a manifest with anchors and gaps', async () => {
    const { body } = await get(`/${session}`)
    const [window] = body.windows_list
    expect(window).toMatchObject({ id: 'w1', dropped: 7 })
    expect(window.chunks.map(({ seq, is_anchor }: any) => [seq, is_anchor])).toEqual([
      [0, true],
      [1, false],
      [3, false],
      [4, true],
    ])
    expect(window.gaps).toEqual([
      {
        from_seq: 2,
        to_seq: 2,
        started_at: new Date(START + 5_600).toISOString(),
        ended_at: new Date(START + 20_000).toISOString(),
      },
    ])
  })

  test('streams its events in order, and a range of them', async () => {
    const events = await eventsOf(session)
    expect(events.map(({ seq, event: { type } }) => [seq, type])).toEqual([
      [0, 4],
      [0, 2],
      [0, 3],
      [1, 3],
      [1, 6],
      [1, 6],
      [3, 3],
      [4, 4],
      [4, 2],
      [4, 3],
    ])
    expect((await eventsOf(session, 'w1', '&from=3&to=3')).map(({ seq }) => seq)).toEqual([3])
    expect((await get(`/${session}/snapshots?window_id=none`)).status).toBe(404)
    expect(await get(`/${session}/snapshots`)).toMatchObject({ status: 400, body: { attr: 'window_id' } })
  })
})
void randomBytes
