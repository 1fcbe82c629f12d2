import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { api, capture, event, request } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.stop())

type Fields = Record<string, unknown>

// A multiple of the steps in which activity is counted.
const START = Math.floor((Date.now() - 60_000) / 5_000) * 5_000
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

const send = (...items: unknown[]) => sendAt(Date.now(), ...items)
/** `sentAt`: the time of the visitor's clock. */
const sendAt = (sentAt: number, ...items: unknown[]) =>
  request(`${service.url}/s/?compression=gzip-js&ip=0&_=${sentAt}&ver=2.0.0`, {
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

  test('has figures that count a repeated chunk once', async () => {
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

  test("lasts as long as the visit where the visitor's clock is set while it is recorded, or deliveries are late", async () => {
    const odd = uuidv7(START + 1)
    const HOUR = 3_600_000
    await send(chunk({ session: odd, seq: 0 }, meta(0), full(1), click(2_000)))
    // The clock was set back by an hour, forward by two, and a delivery took ten minutes. The recorder's own clock went on.
    await sendAt(Date.now() - HOUR, chunk({ session: odd, seq: 1 }, click(7_000), typing(8_000)))
    await sendAt(Date.now() + 2 * HOUR, chunk({ session: odd, seq: 2 }, click(11_000)))
    await sendAt(Date.now() - 600_000, chunk({ session: odd, seq: 3 }, click(21_000)))
    const expected = { duration_ms: 21_000, active_ms: 20_000, clicks: 4, started_at: new Date(START).toISOString() }
    const { body } = await get(`/${odd}`)
    expect(body).toMatchObject({ ...expected, ended_at: body.windows_list[0].ended_at })
    expect((await get(`/?session_id=${odd}`)).body.results).toMatchObject([expected])
    const found = async (duration: string) => (await get(`/?session_id=${odd}&${duration}`)).body.results.length
    expect(await found('min_duration=21&max_duration=21')).toBe(1)
    expect(await found('min_duration=22')).toBe(0)
    expect(await found('max_duration=20')).toBe(0)
    const times = (await eventsOf(odd)).map(({ event: { timestamp } }) => timestamp - START)
    expect(times).toEqual([0, 1, 2_000, 7_000, 8_000, 11_000, 21_000])
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

describe('what the SDK records', () => {
  const change = (sessionRecording: unknown) => api(service, 'PATCH', '/remote_config/', { sessionRecording })

  test('is set in remote configuration', async () => {
    const settings = {
      sampleRate: '0.5',
      minimumDurationMilliseconds: 2_000,
      linkedFlag: { flag: 'record', variant: 'any' },
      urlTriggers: [{ url: '/checkout/.*', matching: 'regex' }],
      urlBlocklist: [],
      eventTriggers: ['rage'],
      triggerMatchType: 'all',
      networkPayloadCapture: { recordBody: false, recordHeaders: true },
      masking: { maskAllInputs: true, maskTextSelector: '.private, [data-name="a{b"]', blockSelector: 'video' },
      consoleLogRecordingEnabled: true,
    }
    expect(await change(settings)).toMatchObject({ status: 200, body: { sessionRecording: settings } })
    const config = async () => (await request(`${service.url}/array/${service.token}/config`)).body.sessionRecording
    expect(await config()).toEqual({ endpoint: '/s/', ...settings })
    const { masking, urlBlocklist } = settings
    await change(true)
    expect(await config()).toEqual({ endpoint: '/s/', masking, urlBlocklist })
    await change(false)
    expect(await config()).toBe(false)
  })

  test('is changed by a merge patch, which drops no masking unless it says so', async () => {
    const config = async () => (await request(`${service.url}/array/${service.token}/config`)).body.sessionRecording
    const masking = { maskAllInputs: true, maskTextSelector: '.private' }
    await change({ masking: null, urlBlocklist: null })
    await change({ masking, canvasFps: 2 })
    await change({ sampleRate: '0.2' })
    expect(await config()).toMatchObject({ masking, canvasFps: 2, sampleRate: '0.2' })
    await change({ masking: { blockSelector: 'video' }, canvasFps: null })
    const merged = { ...masking, blockSelector: 'video' }
    expect(await config()).toEqual({ endpoint: '/s/', masking: merged, sampleRate: '0.2' })
    for (const patch of [false, true, null, { sampleRate: 1 }]) await change(patch)
    expect(await config()).toMatchObject({ masking: merged, sampleRate: 1 })
    await change({ masking: { maskAllInputs: null, blockSelector: null } })
    expect(await config()).toMatchObject({ masking: { maskTextSelector: '.private' } })
    await change({ masking: null })
    expect(await config()).not.toHaveProperty('masking')
    await change(false)
    await change(true)
    expect(await config()).toEqual({ endpoint: '/s/' })
    await change(false)
  })

  test.each<[unknown, string]>([
    ['yes', '"sessionRecording" must be boolean,object'],
    [{ sampleRate: 2 }, '"sessionRecording.sampleRate" must be <= 1'],
    [{ sampleRate: 'half' }, '"sessionRecording.sampleRate" must match pattern'],
    [{ scriptConfig: { script: 'evil' } }, '"sessionRecording.scriptConfig" is not a field of this request'],
    [{ triggerMatchType: 'some' }, '"sessionRecording.triggerMatchType" must be one of any, all'],
    [
      { urlTriggers: [{ url: '(', matching: 'regex' }] },
      '"sessionRecording.urlTriggers.0.url" must be a regular expression, got "(".',
    ],
    [
      { masking: { maskTextSelector: '.a[' } },
      '"sessionRecording.masking.maskTextSelector" must be a CSS selector, got ".a[".',
    ],
    [{ masking: { blockSelector: '.a{}' } }, '"sessionRecording.masking.blockSelector" must be a CSS selector'],
    [{ triggerGroups: [{ id: 'a' }] }, '"sessionRecording.triggerGroups" requires "version": 2'],
  ])('rejects %j', async (settings, detail) => {
    const { status, body } = await change(settings)
    expect([status, body.attr]).toEqual([400, 'sessionRecording'])
    expect(body.detail).toContain(detail)
  })
})

describe('recording settings', () => {
  const change = (settings: unknown) => api(service, 'PATCH', '/session_recording_settings', settings)

  test('have defaults, and accept only valid values', async () => {
    expect((await api(service, 'GET', '/session_recording_settings')).body).toEqual({
      retention_days: 30,
      day_megabytes: 10_000,
    })
    expect(await change({ retention_days: 31 })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('must be one of 7, 30, 90, 365') },
    })
    expect((await change({ days: 1 })).status).toBe(400)
  })

  test('decide when a recording is deleted, from the start of the session', async () => {
    await change({ retention_days: 90 })
    const started = START - 12 * 3_600_000
    const session = uuidv7(started)
    await send(chunk({ session, seq: 0 }, meta(0), full(1)))
    expect((await get(`/${session}`)).body.expires_on).toBe(
      new Date(started + 90 * 24 * 3_600_000).toISOString().slice(0, 10),
    )
    await change({ retention_days: 30 })
  })

  test('bound what a project records per day', async () => {
    const session = uuidv7(START)
    await change({ day_megabytes: 0 })
    expect(await send(chunk({ session, seq: 0 }, meta(0), full(1)))).toMatchObject({
      status: 200,
      body: { status: 1, quota_limited: ['recordings'] },
    })
    await change({ day_megabytes: 1 })
    const large = (seq: number) =>
      chunk(
        { session, seq },
        full(seq, node(9, 'p', [{ type: 3, id: 10 + seq, textContent: randomBytes(300_000).toString('hex') }])),
      )
    const replies = [await send(large(0)), await send(large(1))]
    expect(replies.map(({ body }) => body.quota_limited)).toEqual([undefined, ['recordings']])
    await change({ day_megabytes: 10_000 })
    expect((await get(`/${session}`)).body.windows_list[0].chunks).toHaveLength(1)
  })
})

describe('the list of recordings', () => {
  const [ann, bob, mobile] = [0, 1, 2].map((hour) => uuidv7(START - 3_600_000 - hour))
  const ids = async (query: string) => {
    const { status, body } = await get(query)
    expect(status).toBe(200)
    return body.results.map(({ id }: any) => id)
  }
  const mine = `session_id=${ann}&session_id=${bob}&session_id=${mobile}`

  beforeAll(async () => {
    await send(
      chunk({ session: ann!, seq: 0, id: 'ann' }, meta(-9_000, 'https://shop.test/Sale'), full(-8_999), click(0)),
    )
    await send(
      chunk(
        { session: bob!, seq: 0, id: 'bob' },
        meta(-5_000, 'https://shop.test/'),
        full(-4_999),
        consoleEntry(-4_000, 'error'),
      ),
    )
    await send(chunk({ session: mobile!, seq: 0, id: 'ann-phone' }, meta(-1_000), full(-999)))
    await capture(
      service,
      event('$identify', {}, { distinct_id: 'ann', $anon_distinct_id: 'ann-phone' }),
      event('ordered', {}, { distinct_id: 'ann', $session_id: ann }),
      event('$exception', {}, { distinct_id: 'ann', $session_id: mobile }),
    )
  })

  test('is ordered by start, latest first, and paged', async () => {
    expect(await ids(`/?${mine}`)).toEqual([mobile, bob, ann])
    const first = (await get(`/?${mine}&limit=2`)).body
    expect(first.results).toHaveLength(2)
    const second = (await get(`/?${mine}&limit=2&cursor=${first.next}`)).body
    expect([second.results.map(({ id }: any) => id), second.next]).toEqual([[ann], null])
    expect(await get('/?cursor=x')).toMatchObject({ status: 400, body: { attr: 'cursor' } })
  })

  test('filters by person, event, page, duration, errors and date', async () => {
    const { person_id } = (await get(`/${ann}`)).body
    expect(await ids(`/?${mine}&person_id=${person_id}`)).toEqual([mobile, ann])
    const nobody = '0195f000-0000-7000-8000-00000000000f'
    expect(await ids(`/?${mine}&person_id=${nobody}&person_id=${person_id}`)).toEqual([mobile, ann])
    expect(await ids(`/?${mine}&distinct_id=bob`)).toEqual([bob])
    expect(await ids(`/?${mine}&event=ordered`)).toEqual([ann])
    expect(await ids(`/?${mine}&event=ordered&event=bought`)).toEqual([])
    expect(await ids(`/?${mine}&page=/sale`)).toEqual([ann])
    expect(await ids(`/?${mine}&min_duration=5`)).toEqual([ann])
    expect(await ids(`/?${mine}&max_duration=5`)).toEqual([mobile, bob])
    expect(await ids(`/?${mine}&has_errors=true`)).toEqual([mobile, bob])
    expect(await ids(`/?${mine}&has_errors=false`)).toEqual([ann])
    expect(await ids(`/?${mine}&date_from=${new Date(START - 6_000).toISOString()}`)).toEqual([mobile, bob])
    expect(await ids(`/?${mine}&date_to=${new Date(START - 6_000).toISOString()}`)).toEqual([ann])
    expect(await get('/?date_from=yesterday')).toMatchObject({ status: 400, body: { attr: 'date_from' } })
  })
})

describe('deletion', () => {
  test('deleting a recording rejects its late chunks', async () => {
    const session = uuidv7(START)
    await send(chunk({ session, seq: 0 }, meta(0), full(1)))
    expect((await api(service, 'DELETE', `/session_recordings/${session}`)).status).toBe(204)
    expect((await get(`/${session}`)).status).toBe(404)
    expect(await send(chunk({ session, seq: 1 }, click(2)))).toMatchObject({
      status: 200,
      body: { quota_limited: ['recordings'] },
    })
    expect((await get(`/${session}`)).status).toBe(404)
    expect((await api(service, 'DELETE', `/session_recordings/${session}`)).status).toBe(404)
  })

  test('deleting a person deletes their recordings', async () => {
    const [own, others] = [uuidv7(START), uuidv7(START)]
    await capture(service, event('seen', {}, { distinct_id: 'gone', $session_id: own }))
    await send(
      chunk({ session: own, seq: 0, id: 'gone' }, meta(0), full(1)),
      chunk({ session: others, seq: 0, id: 'stays' }, meta(0), full(1)),
    )
    const { person_id } = (await get(`/${own}`)).body
    expect((await api(service, 'DELETE', `/persons/${person_id}/`)).status).toBe(204)
    expect([(await get(`/${own}`)).status, (await get(`/${others}`)).status]).toEqual([404, 200])
    expect((await send(chunk({ session: own, seq: 1, id: 'gone' }, click(2)))).body.quota_limited).toEqual([
      'recordings',
    ])
  })
})

describe('chunks of other SDKs', () => {
  const latin1 = (value: unknown) => gzipSync(JSON.stringify(value)).toString('latin1')

  test('are read although each event is compressed', async () => {
    const session = uuidv7(START)
    const snapshot = full(1, node(5, 'p'))
    const mutation = {
      adds: [{ parentId: 4, nextId: null, node: node(6, 'b') }],
      texts: [{ id: 7, value: 'é😀' }],
      removes: [],
      attributes: [{ id: 5, attributes: { title: 'ü' } }],
    }
    const compressed = {
      type: 3,
      cv: '2024-10',
      timestamp: START + 3,
      data: {
        source: 0,
        ...Object.fromEntries(Object.entries(mutation).map(([name, value]) => [name, latin1(value)])),
      },
    }
    const broken = { ...compressed, data: { ...compressed.data, adds: 'not gzip' } }
    await send(
      chunk(
        { session },
        meta(0),
        { type: 2, cv: '2024-10', timestamp: snapshot.timestamp, data: latin1(snapshot.data) },
        compressed,
        broken,
      ),
    )
    await send(chunk({ session }, click(5_000)))
    const events = await eventsOf(session)
    expect(events.map(({ event: { type, cv } }) => [type, cv])).toEqual([4, 2, 3, 3].map((type) => [type, undefined]))
    expect(events[1]!.event.data).toEqual(snapshot.data)
    expect(events[2]!.event.data).toEqual({ source: 0, ...mutation })
    // Ordered by time, because they have no numbers.
    expect((await get(`/${session}`)).body.windows_list[0].gaps).toEqual([])
  })
})

describe('bad input', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, query = '') =>
    request(`${service.url}/s/${query}`, { method: 'POST', body })

  test('rejects chunks one by one', async () => {
    const session = uuidv7(START)
    const { status, body } = await send(
      chunk({ session, seq: 0 }, meta(0), { type: 99 }, 'event', null, full(1)),
      { ...chunk({ session }, click(1)), event: 'pageview' },
      chunk({ session: '' }, click(1)),
      chunk({ session, more: { $window_id: 7 } }, click(1)),
      chunk({ session, id: '' }, click(1)),
      chunk({ session, more: { $snapshot_data: 'x' } }),
      chunk({ session }, { type: 3, timestamp: 0, data: {} }),
      chunk({ session, token: 'nobody' }, click(1)),
      'chunk',
    )
    expect(status).toBe(200)
    expect(body.refused.map(({ index, code }: any) => [index, code])).toEqual([
      [1, 'not_a_snapshot'],
      [2, 'invalid_session'],
      [3, 'invalid_window'],
      [4, 'missing_distinct_id'],
      [5, 'invalid_data'],
      [6, 'no_events'],
      [7, 'unknown_token'],
      [8, 'unknown_token'],
    ])
    expect(await eventsOf(session)).toHaveLength(2)
  })

  test('rejects invalid JSON, a compression bomb and an unknown token', async () => {
    expect(await post('no JSON')).toMatchObject({ status: 400 })
    expect(await post('7')).toMatchObject({ status: 400 })
    expect(await post(new Uint8Array(gzipSync(Buffer.alloc(30_000_000, '[]')).subarray(0)))).toMatchObject({
      status: 413,
    })
    expect(await post(randomBytes(5_000_000))).toMatchObject({ status: 413 })
    expect(await post('[{"event":"$snapshot"}]')).toMatchObject({ status: 401 })
    const manyValues = gzipSync(`{"batch":[],"more":[${'1,'.repeat(2_000_000)}1]}`)
    expect(await post(new Uint8Array(manyValues), `?token=${service.token}`)).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('2000000 keys and values') },
    })
  })

  test.each([500, 512, 1_400])('keeps a page of %i levels', async (levels) => {
    const session = uuidv7()
    const page = (below: number): object => ({
      type: 2,
      id: below + 2,
      tagName: 'div',
      attributes: {},
      childNodes: below ? [page(below - 1)] : [{ type: 3, id: 1, textContent: 'the innermost text' }],
    })
    const node = { type: 0, id: levels + 9, childNodes: [page(levels)] }
    const snapshot = { type: 2, timestamp: Date.now(), data: { node, initialOffset: { top: 0, left: 0 } } }
    expect((await send(chunk({ session, seq: 0 }, snapshot))).status).toBe(200)
    const events = await eventsOf(session)
    expect(JSON.stringify(events)).toContain('the innermost text')
  })

  test('counts snapshots that are nested too deeply as left out', async () => {
    const session = uuidv7(START)
    let deep: object = {}
    for (let level = 0; level < 3_100; level += 1) deep = { deep }
    await send(
      chunk({ session, seq: 0, more: { $snapshot_dropped: 7 } }, meta(0), { ...full(1), data: deep }, click(2_000)),
    )
    expect(await eventsOf(session)).toHaveLength(2)
    const { body } = await get(`/${session}`)
    expect(body).toMatchObject({ is_playable: false, windows_list: [{ dropped: 8 }] })
  })

  test('survives deep, wide and repeated structures, and events are stored meanwhile', async () => {
    const session = uuidv7(START)
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
    const [item] = JSON.stringify(
      chunk({ session, seq: 0 }, meta(0), full(1), { type: 3, timestamp: START, data: 'DEEP' }),
    ).split('DEEP')
    const bodies = [
      `[${item!.slice(0, -1)}${deep}}]}}]`,
      `[${'{},'.repeat(900)}{}]`,
      `[${'{},'.repeat(5_000)}{}]`,
      `[${JSON.stringify(chunk({ session, seq: 1 })).replace('"$snapshot_data":[]', `"$snapshot_data":[${'{},'.repeat(19_000)}{}]`)}]`,
    ]
    const recording = Promise.all(bodies.map((body) => post(new Uint8Array(gzipSync(body)), `?token=${service.token}`)))
    expect((await capture(service, event('meanwhile'))).status).toBe(200)
    expect((await recording).map(({ status }) => status)).toEqual([200, 200, 413, 200])
    expect(await eventsOf(session)).toHaveLength(2)
  })

  test('a flood of recordings delays no events', async () => {
    const nodes = Array.from({ length: 40_000 }, (_, id) => ({ type: 3, id: id + 100, textContent: `text ${id}` }))
    const body = new Uint8Array(
      gzipSync(JSON.stringify([chunk({ session: uuidv7(START), seq: 0 }, meta(0), full(1, node(9, 'p', nodes)))])),
    )
    const REFUSED_PAUSE_MS = 2_000
    const statuses: number[] = []
    let isFlooding = true
    const sender = async () => {
      while (isFlooding) {
        const { status } = await post(body)
        statuses.push(status)
        // Refusals are fast. Without a pause, their number would depend on the machine.
        if (status === 429) await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS))
      }
    }
    const senders = Array.from({ length: 60 }, sender)
    // How many recordings were stored during each delivery. All 16 that wait would be, if the delivery waited behind them.
    const stored = () => statuses.filter((status) => status === 200).length
    const overtaken: number[] = []
    for (let sent = 0; sent < 21; sent += 1) {
      const before = stored()
      expect((await capture(service, event('in the flood'))).status).toBe(200)
      overtaken.push(stored() - before)
    }
    isFlooding = false
    await Promise.all(senders)
    expect(overtaken.sort((one, other) => one - other)[10]).toBeLessThan(10)
    // A recording that gets a 429 is not lost: SDKs send it again later.
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
    expect(statuses).toContain(200)
  })

  test('stores a lone surrogate, odd ids and a snapshot of several rows', async () => {
    const session = `'"\\ \ud83d session`
    const text = '😀é'.repeat(400_000)
    await send(
      chunk(
        { session, seq: 0, window: '', id: '\ud83d' },
        meta(0),
        full(1, node(9, 'p', [{ type: 3, id: 10, textContent: text }])),
      ),
    )
    const stored = encodeURIComponent(session.replace('\ud83d', '\ufffd'))
    const { body } = await get(`/${stored}`)
    expect(body).toMatchObject({ windows: 1, is_playable: true })
    expect(body.bytes).toBeGreaterThan(2_000_000)
    const events = await eventsOf(stored, '')
    expect(events[1]!.event.data.node.childNodes[0].childNodes[1].childNodes[0].childNodes[0].textContent).toBe(text)
  })
})

test('recordings of one project are invisible to another', async () => {
  const other = await sharedService()
  const session = uuidv7(START)
  await send(chunk({ session, seq: 0, token: other.token }, meta(0), full(1)))
  expect((await get(`/${session}`)).status).toBe(404)
  expect((await get(`/?session_id=${session}`)).body.results).toEqual([])
})
