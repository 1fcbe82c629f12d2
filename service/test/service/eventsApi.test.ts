import { Ajv2020 } from 'ajv/dist/2020.js'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { ROUTES } from '../../src/modules.ts'
import { api, capture, event, request } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

type Target = Pick<SharedService, 'url' | 'token' | 'key' | 'projectId'>

const SCOPES = ['query:read', 'person:read', 'person:write', 'refused_event:read', 'feature_flag:write']

let service: SharedService
/** A second project, which each test of separation fills with the same names. */
let other: Target
/** A third project, empty at first, for tests that need exact lists. */
let fresh: () => Promise<Target>

beforeAll(async () => {
  service = await sharedService()
  let projects = 0
  fresh = async () => {
    projects += 1
    const [token, key] = [`token-${projects}`, `key-${projects}`]
    const created = await request(`${service.url}/api/projects/`, {
      method: 'POST',
      headers: { authorization: `Bearer the-key-of-all`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Project ${projects}`, api_token: token }),
    })
    expect(created.status).toBe(201)
    const metadata = await openMetadata(join(service.data, 'definitions.db'))
    await metadata.keys.put({ projectId: created.body.id, label: key, secret: key, scopes: SCOPES })
    await metadata.close()
    return { url: service.url, token, key, projectId: created.body.id }
  }
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  await metadata.keys.put({
    projectId: undefined,
    label: 'all',
    secret: 'the-key-of-all',
    scopes: ['project:write', 'project:read'],
  })
  await metadata.close()
  other = await fresh()
})
afterAll(() => service.stop())

const validator = new Ajv2020({ strict: false, validateFormats: false })
const schemaOf = (path: string) => {
  const parts = path.split('?')[0]!.split('/')
  const row = ROUTES.filter(({ method }) => method === 'GET').find((route) => {
    const pattern = route.path.replace('/api/projects/:projectId', '').split('/')
    return pattern.length === parts.length && pattern.every((part, at) => part.startsWith(':') || part === parts[at])
  })
  return row!.response!
}

/** Requests a route and checks that the response matches its schema. */
const get = async (path: string, target: Target = service): Promise<any> => {
  const { status, body } = await api(target, 'GET', path)
  expect({ status, body }).toMatchObject({ status: 200 })
  const validate = validator.compile(schemaOf(path))
  expect(validate(body) || validate.errors).toBe(true)
  return body
}
const failure = async (path: string, target: Target = service) => {
  const { status, body } = await api(target, 'GET', path)
  return [status, body.code, body.attr]
}

const by = (
  distinct_id: string,
  name: string,
  properties: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) => event(name, more, { distinct_id, ...properties })
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()
const at = (seconds: number) => ({ timestamp: ago(seconds) })
const names = (body: { results: { event: string }[] }) => body.results.map((each) => each.event)
const personOf = async (distinctId: string, target: Target = service) =>
  (await get(`/persons?distinct_id=${encodeURIComponent(distinctId)}`, target)).results[0]
const allPages = async (path: string, target: Target, cursor = 'cursor') => {
  const pages: any[][] = []
  let next: string | null = null
  do {
    const body: any = await get(`${path}${next ? `&${cursor}=${encodeURIComponent(next)}` : ''}`, target)
    pages.push(body.results)
    next = body.next
  } while (next && pages.length < 100)
  return pages
}

describe('GET /events', () => {
  test('lists events newest first, with their person after merges', async () => {
    const project = await fresh()
    await capture(
      project,
      by('anna', 'first', { a: 1 }, at(60)),
      by('ben', 'second', { b: { c: ['x', 'y'] } }, at(50)),
      by('anna-id', '$identify', { $anon_distinct_id: 'anna' }, at(40)),
    )
    const body = await get('/events', project)
    expect(names(body)).toEqual(['$identify', 'second', 'first'])
    expect(body.next).toBe(null)
    expect(body.results[1]).toMatchObject({ distinct_id: 'ben', properties: { b: { c: ['x', 'y'] } } })
    expect(body.results[0].person_id).toBe((await personOf('anna', project)).id)
    expect(body.results[2].person_id).toBe(body.results[0].person_id)
    expect(body.results[1].person_id).not.toBe(body.results[0].person_id)
    const { timestamp, created_at, is_truncated } = body.results[0]
    expect(is_truncated).toBe(false)
    expect(Date.parse(created_at) - Date.parse(timestamp)).toBeGreaterThan(35_000)
  })

  test('pages without losing or repeating events of one millisecond', async () => {
    const project = await fresh()
    const times = [ago(5), ago(4), ago(4_000), ago(400_000), ago(4_000_000)]
    const sent = Array.from({ length: 40 }, (_, n) =>
      by(`id-${n % 7}`, `event ${n % 3}`, { n }, { timestamp: times[n % times.length]!, uuid: randomUUID() }),
    )
    await capture(project, ...sent)
    for (const limit of [1, 9, 20, 39, 40]) {
      const pages = await allPages(`/events?limit=${limit}`, project)
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
      const found = pages.flat()
      expect(found.map(({ properties }) => properties.n).sort((a, b) => a - b)).toEqual(sent.map((_, n) => n))
      expect(found.map(({ timestamp }) => timestamp)).toEqual(
        found
          .map(({ timestamp }) => timestamp)
          .sort()
          .reverse(),
      )
    }
  })

  test('filters by name, person, properties and time', async () => {
    const project = await fresh()
    await capture(
      project,
      by('u1', 'view', { plan: 'pro', price: 9 }, at(30)),
      by('u1', 'buy', { plan: 'free', price: 90 }, at(7_200)),
      by('u2', 'buy', { plan: 'pro' }, { ...at(300_000), $set: { city: 'Rome' } }),
      by('u1-id', '$identify', { $anon_distinct_id: 'u1' }, at(20)),
    )
    const list = async (query: string) => names(await get(`/events?${query}`, project))
    expect(await list('event=buy')).toEqual(['buy', 'buy'])
    expect(await list('event=buy&event=view')).toEqual(['view', 'buy', 'buy'])
    expect(await list('distinct_id=u1')).toEqual(['view', 'buy'])
    const { id } = await personOf('u1', project)
    expect(await list(`person_id=${id}`)).toEqual(['$identify', 'view', 'buy'])
    expect(await list(`person_id=${id.toUpperCase()}&event=buy`)).toEqual(['buy'])
    expect(await list(`person_id=${id}&distinct_id=u1-id`)).toEqual(['$identify'])
    expect(await list(`person_id=${id}&distinct_id=u2`)).toEqual([])
    expect(await list(`person_id=${randomUUID()}`)).toEqual([])
    const filters = (...all: object[]) => `properties=${encodeURIComponent(JSON.stringify(all))}`
    expect(await list(filters({ key: 'plan', value: 'pro' }))).toEqual(['view', 'buy'])
    expect(await list(filters({ key: 'price', operator: 'gt', value: 10 }))).toEqual(['buy'])
    expect(await list(filters({ key: 'city', type: 'person', value: 'Rome' }))).toEqual(['buy'])
    expect(await list('after=-1h')).toEqual(['$identify', 'view'])
    expect(await list('before=-1h')).toEqual(['buy', 'buy'])
    expect(await list(`after=${encodeURIComponent(ago(8_000))}&before=-1h`)).toEqual(['buy'])
    expect(await list('event=never')).toEqual([])
    const broken = await api(project, 'GET', `/events?${filters({ key: 'plan', operator: 'regex', value: '(' })}`)
    expect(broken.status).toBe(400)
    expect(broken.body).toMatchObject({ code: 'invalid_input', attr: 'properties' })
    expect(broken.body.detail).toContain('invalid regular expression')
  })

  test('rejects invalid parameters by name', async () => {
    expect(await failure('/events?limit=0')).toEqual([400, 'invalid_input', 'limit'])
    expect(await failure('/events?limit=1001')).toEqual([400, 'invalid_input', 'limit'])
    for (const cursor of ['no', 'e30', Buffer.from('{"at":1e300,"uuid":"x"}').toString('base64url')])
      expect(await failure(`/events?cursor=${cursor}`)).toEqual([400, 'invalid_input', 'cursor'])
    expect(await failure('/events?person_id=me')).toEqual([400, 'invalid_input', 'person_id'])
    expect(await failure('/events?after=yesterday')).toEqual([400, 'invalid_input', 'after'])
    expect(await failure('/events?before=no')).toEqual([400, 'invalid_input', 'before'])
    expect(await failure('/events?properties={')).toEqual([400, 'invalid_input', 'properties'])
    const { body } = await api(
      service,
      'GET',
      `/events?properties=${encodeURIComponent('[{"key":"a","operator":"x"}]')}`,
    )
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'properties' })
    expect(body.detail).toContain('"properties.0.operator" must be one of exact')
    expect(await failure(`/events?${'event=a&'.repeat(51)}`)).toEqual([400, 'invalid_input', 'event'])
    expect(await failure('/events/live?after=no')).toEqual([400, 'invalid_input', 'after'])
    expect(await failure('/property_definitions')).toEqual([400, 'invalid_input', 'type'])
    expect(await failure('/property_values?type=event')).toEqual([400, 'invalid_input', 'key'])
    expect(await failure('/events/nothing')).toEqual([404, 'not_found', null])
    expect(await failure(`/events/${randomUUID()}`)).toEqual([404, 'not_found', null])
    expect(await failure(`/persons/${randomUUID()}/events`)).toEqual([404, 'not_found', null])
    expect(await failure(`/persons/${randomUUID()}/merges`)).toEqual([404, 'not_found', null])
    expect(await failure(`/persons/${randomUUID()}/flags`)).toEqual([404, 'not_found', null])
    expect(await failure('/persons?search=a&distinct_id=a')).toEqual([400, 'invalid_input', 'search'])
  })
})

test('hostile names and values are data', async () => {
  const project = await fresh()
  const script = '<img src=x onerror=alert(1)>'
  const big = 'é'.repeat(500_000)
  const uuid = uuidv7()
  const properties = {
    [script]: script,
    'a.b': { 'c.d': 1 },
    rtl: '\u202Egnp.exe',
    nul: 'a\u0000b',
    quote: `'"\\\`{project}`,
    large: 12345678901234567890n.toString(),
    big,
    many: Array.from({ length: 3_000 }, (_, n) => n),
  }
  // JSON.stringify would leave this name out of an object literal.
  const text = JSON.stringify(by(script, script, properties, { uuid })).replace(
    '"rtl"',
    '"__proto__":{"polluted":true},"unsafe":9007199254740993,"rtl"',
  )
  const sent = await request(`${project.url}/e/`, {
    method: 'POST',
    body: `{"api_key":"${project.token}","batch":[${text}]}`,
  })
  expect(sent.status).toBe(200)

  const [cut] = (await get('/events', project)).results
  expect(cut).toMatchObject({ uuid, event: script, distinct_id: script, is_truncated: true })
  expect(cut.properties).toMatchObject({
    [script]: script,
    'a.b': { 'c.d': 1 },
    rtl: properties.rtl,
    nul: properties.nul,
    quote: properties.quote,
    large: properties.large,
    // Ingestion reads numbers as JSON does, to the nearest double.
    unsafe: '9007199254740992',
  })
  expect(Object.getOwnPropertyDescriptor(cut.properties, '__proto__')?.value).toEqual({ polluted: true })
  expect(cut.properties.big).toBe(`${'é'.repeat(2_000)}…`)
  expect(cut.properties.many).toMatch(/^\[0,1,2,.*…$/)

  const whole = await get(`/events/${uuid.toUpperCase()}`, project)
  expect(whole).toMatchObject({ uuid, is_truncated: false })
  expect(whole.properties.big).toBe(big)
  expect(whole.properties.many).toEqual(properties.many)
  expect(Object.getOwnPropertyDescriptor(whole.properties, '__proto__')?.value).toEqual({ polluted: true })

  // Each value is small, but all together are not.
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, 'x'.repeat(100)]))
  await capture(project, by('wide', 'wide', wide))
  const [widest] = (await get('/events?event=wide', project)).results
  expect(widest.is_truncated).toBe(true)
  expect(JSON.stringify(widest.properties).length).toBeLessThan(30_000)
  expect(Object.keys(widest.properties).length).toBeGreaterThan(100)

  expect((await get('/event_definitions', project)).results.map(({ name }: any) => name)).toContain(script)
  const definitions = (await get('/property_definitions?type=event', project)).results
  expect(definitions.find(({ name }: any) => name === script)).toMatchObject({ type: 'string', examples: [script] })
  const values = async (key: string) =>
    (await get(`/property_values?type=event&key=${encodeURIComponent(key)}`, project)).results
  expect(await values(script)).toEqual([{ value: script, count: 1 }])
  expect(await values('rtl')).toEqual([{ value: properties.rtl, count: 1 }])
  expect(await values('big')).toEqual([])
  expect(await values("') OR 1=1 --")).toEqual([])
  expect(names(await get(`/events?event=${encodeURIComponent(script)}`, project))).toEqual([script])
  expect((await get(`/persons?search=${encodeURIComponent('<img')}`, project)).results).toHaveLength(1)
  expect((await get(`/persons?search=${encodeURIComponent("%' OR '1")}`, project)).results).toHaveLength(0)
})

describe('GET /events/live', () => {
  test('returns what arrived in order of arrival, each event once', async () => {
    const project = await fresh()
    const start = await get('/events/live', project)
    expect(start).toMatchObject({ results: [], has_more: false })
    await capture(project, by('a', 'one', {}, at(5_000)))
    await capture(project, by('a', 'two', {}, at(9_000_000)), { event: '', properties: { distinct_id: 'a' } })
    await capture(project, by('b', 'three'))
    const seen: any[] = []
    let { next } = start
    const poll = async (query = '') => {
      const body = await get(`/events/live?after=${next}${query}`, project)
      next = body.next
      seen.push(...body.results)
      return body
    }
    expect(await poll('&limit=2')).toMatchObject({ has_more: true })
    while ((await poll('&limit=1')).has_more);
    const what = (each: any) => (each.type === 'event' ? each.event : each.code)
    expect(seen.map(what).sort()).toEqual(['missing_event_name', 'one', 'three', 'two'])
    expect(seen.filter(({ type }) => type === 'event').map(what)).toEqual(['one', 'two', 'three'])
    const rejected = seen.find(({ type }) => type === 'rejected_event')
    expect(rejected).toMatchObject({ distinct_id: 'a', reason: expect.stringContaining('"event" must be') })
    expect(rejected.remedy).toContain('capture()')
    expect(Date.parse(seen[0].created_at) - Date.parse(seen[0].timestamp)).toBeGreaterThan(4_000_000)
    expect((await poll()).results).toEqual([])

    const newest = await get('/events/live?limit=2', project)
    expect(newest.results).toHaveLength(2)
    expect(newest.results.at(-1)).toMatchObject({ event: 'three' })
    expect((await get(`/events/live?after=${newest.next}`, project)).results).toEqual([])
    expect((await get('/events/live?event=two', project)).results).toMatchObject([{ event: 'two' }])
    expect((await get('/events/live?distinct_id=a', project)).results).toHaveLength(3)
  })

  test('omits rejected events without their scope', async () => {
    const project = await fresh()
    const metadata = await openMetadata(join(service.data, 'definitions.db'))
    await metadata.keys.put({
      projectId: project.projectId,
      label: 'q',
      secret: 'key-of-live-events',
      scopes: ['query:read'],
    })
    await metadata.close()
    await capture(project, by('a', 'fine'), { event: '' })
    expect((await get('/events/live', project)).results).toHaveLength(2)
    expect((await get('/events/live', { ...project, key: 'key-of-live-events' })).results).toMatchObject([
      { event: 'fine' },
    ])
  })

  test('loses nothing while many deliveries arrive at the same time', async () => {
    const project = await fresh()
    const sent: string[] = []
    const seen: string[] = []
    let { next } = await get('/events/live', project)
    const poll = async () => {
      const body = await get(`/events/live?after=${next}&limit=50`, project)
      next = body.next
      seen.push(...body.results.map((each: any) => each.uuid))
      return body.has_more
    }
    const deliver = async () => {
      for (let round = 0; round < 10; round += 1) {
        const uuids = Array.from({ length: 7 }, () => uuidv7())
        await capture(project, ...uuids.map((uuid) => by('a', 'x', {}, { uuid })), { event: '', uuid: uuidv7() })
        sent.push(...uuids)
      }
    }
    let isDone = false
    const polling = (async () => {
      while (!isDone) {
        await poll()
        // Two polls of a live list are more than this far apart.
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      while (await poll());
    })()
    await Promise.all([deliver(), deliver(), deliver()])
    isDone = true
    await polling
    expect(seen).toHaveLength(30 * 8)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((uuid) => sent.includes(uuid)).sort()).toEqual(sent.sort())
  })
})

describe('definitions of events and properties', () => {
  test('list names of events and properties by frequency, with types and examples', async () => {
    const project = await fresh()
    const view = (n: number) =>
      by(`u${n}`, 'view', { plan: n % 2 ? 'pro' : 'free', n, ok: n > 3, at: ago(n), tags: ['a'], o: { a: 1 } })
    await capture(
      project,
      ...Array.from({ length: 20 }, (_, n) => view(n)),
      by('u1', 'buy', { mixed: 1 }, { ...at(3_000), $set: { email: 'u1@example.com', age: 30 } }),
      by('u2', 'buy', { mixed: 'x' }, { ...at(4_000), $set: { email: 'u2@example.com' } }),
      by('u2', 'old', {}, at(40 * 24 * 3_600)),
    )
    const { results, days } = await get('/event_definitions', project)
    expect(days).toBe(30)
    expect(results.map(({ name, count }: any) => [name, count])).toEqual([
      ['view', 20],
      ['buy', 2],
    ])
    expect(Date.now() - Date.parse(results[1].last_seen_at)).toBeLessThan(3_100_000)

    const properties = await get('/property_definitions?type=event', project)
    expect(properties.sampled).toBe(22)
    const types = Object.fromEntries(properties.results.map(({ name, type }: any) => [name, type]))
    expect(types).toMatchObject({
      plan: 'string',
      n: 'number',
      ok: 'boolean',
      at: 'datetime',
      tags: 'list',
      o: 'object',
      mixed: 'mixed',
    })
    const plan = properties.results.find(({ name }: any) => name === 'plan')
    expect(plan.share).toBeCloseTo(20 / 22)
    expect(plan.examples.sort()).toEqual(['free', 'pro'])
    const ofBuy = (await get('/property_definitions?type=event&event=buy', project)).results
    expect(ofBuy.map(({ name }: any) => name)).toContain('mixed')
    expect(ofBuy.map(({ name }: any) => name)).not.toContain('plan')

    const ofPersons = await get('/property_definitions?type=person', project)
    expect(ofPersons.sampled).toBe(20)
    expect(ofPersons.results.map(({ name, type, share }: any) => [name, type, share])).toEqual([
      ['email', 'string', 0.1],
      ['age', 'number', 0.05],
    ])

    const values = async (query: string) =>
      (await get(`/property_values?${query}`, project)).results.map(({ value, count }: any) => [value, count])
    expect(await values('type=event&key=plan')).toEqual([
      ['free', 10],
      ['pro', 10],
    ])
    expect(await values('type=event&key=plan&search=RO')).toEqual([['pro', 10]])
    expect(await values('type=event&key=plan&event=buy')).toEqual([])
    expect(await values('type=event&key=n&search=19')).toEqual([['19', 1]])
    expect(await values('type=person&key=email')).toEqual([
      ['u1@example.com', 1],
      ['u2@example.com', 1],
    ])
    expect(await values('type=person&key=age')).toEqual([['30', 1]])
    expect(await values('type=person&key=none')).toEqual([])
  })
})

describe('persons', () => {
  test('are found by the beginning of an id, and by a part of the email or name', async () => {
    const project = await fresh()
    await capture(
      project,
      by('user-1', 'x', {}, { $set: { email: 'Ada@Example.com', name: 'Ada Lovelace' } }),
      by('user-2', 'x', {}, { $set: { email: 'bob@100%.com' } }),
      by('anon-3', '$identify', {}, {}),
      by('other', '$identify', { $anon_distinct_id: 'anon-3x' }),
    )
    const search = async (text: string) =>
      (await get(`/persons?search=${encodeURIComponent(text)}`, project)).results
        .flatMap((each: any) => each.distinct_ids)
        .sort()
    expect(await search('user-')).toEqual(['user-1', 'user-2'])
    expect(await search('user-1')).toEqual(['user-1'])
    expect(await search('ser-1')).toEqual([])
    expect(await search('lovel')).toEqual(['user-1'])
    expect(await search('ADA@EX')).toEqual(['user-1'])
    expect(await search('100%')).toEqual(['user-2'])
    expect(await search('%')).toEqual(['user-2'])
    expect(await search('_')).toEqual([])
    expect(await search('anon-3x')).toEqual(['anon-3x', 'other'])
    const page = await get('/persons?search=user&limit=1', project)
    expect(page.results).toHaveLength(1)
    const { pathname, search: query } = new URL(page.next, 'http://x')
    expect(pathname).toContain('/persons/')
    const second = await get(`/persons${query}`, project)
    expect(second.results).toHaveLength(1)
    expect(second.results[0].id).not.toBe(page.results[0].id)
    expect(second.next).toBe(null)
  })

  test('are not found by a value that another one has replaced', async () => {
    const project = await fresh()
    await capture(project, by('anon', 'x', {}, { $set: { name: 'Old Name' }, $set_once: { email: 'old@b.c' } }))
    await capture(
      project,
      by('ann', '$identify', { $anon_distinct_id: 'anon' }, { $set: { name: 'New Name', email: 'new@b.c' } }),
    )
    const search = async (text: string) =>
      (await get(`/persons?search=${encodeURIComponent(text)}`, project)).results.map((each: any) => each.distinct_ids)
    const ann = [['ann', 'anon']]
    expect(await search('old')).toEqual([])
    expect(await search('new@')).toEqual(ann)
    expect(await search('NEW NAME')).toEqual(ann)
    expect(await search('anon')).toEqual(ann)
    expect(await search('nnon')).toEqual([])
  })

  test('have a timeline of all their ids with the starts of sessions', async () => {
    const project = await fresh()
    await capture(
      project,
      by('p', 'a', { $session_id: 's1' }, at(5_000)),
      by('p', 'b', { $session_id: 's1' }, at(4_000)),
      by('q', '$identify', { $anon_distinct_id: 'p', $session_id: 's2' }, at(3_000)),
      by('q', 'c', { $session_id: 's2' }, at(2_000)),
      by('q', 'd', {}, at(1_000)),
      by('x', 'of another person', { $session_id: 's3' }, at(1_000)),
    )
    const { id } = await personOf('q', project)
    const timeline = (await get(`/persons/${id}/events`, project)).results
    expect(timeline.map((each: any) => [each.event, each.$session_id, each.starts_session])).toEqual([
      ['d', null, false],
      ['c', 's2', false],
      ['$identify', 's2', true],
      ['b', 's1', false],
      ['a', 's1', true],
    ])
    expect(new Set(timeline.map((each: any) => each.person_id))).toEqual(new Set([id]))
    const pages = await allPages(`/persons/${id}/events?limit=2`, project)
    expect(pages).toEqual([timeline.slice(0, 2), timeline.slice(2, 4), timeline.slice(4)])
    expect(names(await get(`/persons/${id}/events?event=a&event=c`, project))).toEqual(['c', 'a'])
  })

  test('persons known only from events have a timeline', async () => {
    const project = await fresh()
    await capture(project, by('quiet', 'seen', { $process_person_profile: false }))
    const [{ person_id }] = (await get('/events', project)).results
    expect(names(await get(`/persons/${person_id}/events`, project))).toEqual(['seen'])
  })

  test('list the merges of their ids with the reason', async () => {
    const project = await fresh()
    const uuid = uuidv7()
    await capture(
      project,
      by('main', '$identify', { $anon_distinct_id: 'anon' }, { ...at(300), uuid }),
      by('main', '$create_alias', { alias: 'work' }, at(200)),
      by('second', '$identify', { $anon_distinct_id: 'work' }, at(100)),
    )
    const { id } = await personOf('main', project)
    const { results } = await get(`/persons/${id}/merges`, project)
    expect(results.map((each: any) => [each.kind, each.from, each.into, each.is_applied])).toEqual([
      ['identify', 'work', 'second', false],
      ['alias', 'work', 'main', true],
      ['identify', 'anon', 'main', true],
    ])
    expect(results[2].event_uuid).toBe(uuid)
    expect((await get(`/persons/${id}/merges?limit=1`, project)).results).toEqual([results[0]])
  })

  test('have the value and reason of each flag for their stored properties', async () => {
    const project = await fresh()
    await capture(
      project,
      by('ida', '$identify', { $anon_distinct_id: 'ida-anon' }, { $set: { plan: 'gold' } }),
      by('fred', 'x', {}, { $set: { plan: 'free' } }),
    )
    const define = (key: string, filters: object) => api(project, 'POST', '/feature_flags/', { key, filters })
    const gold = { groups: [{ properties: [{ key: 'plan', value: 'gold', type: 'person' }] }] }
    expect(await define('gold', { ...gold, payloads: { true: '"yes"' } })).toMatchObject({ status: 201 })
    const { id } = await personOf('ida-anon', project)
    const flags = await get(`/persons/${id}/flags`, project)
    expect(flags).toMatchObject({
      distinct_id: 'ida',
      results: [
        {
          key: 'gold',
          enabled: true,
          reason: { code: 'condition_match', condition_index: 0 },
          metadata: { payload: '"yes"' },
        },
      ],
    })
    expect((await get(`/persons/${id}/flags?distinct_id=ida-anon`, project)).distinct_id).toBe('ida-anon')
    expect(await failure(`/persons/${id}/flags?distinct_id=fred`, project)).toEqual([
      400,
      'invalid_input',
      'distinct_id',
    ])
    const fred = await personOf('fred', project)
    expect((await get(`/persons/${fred.id}/flags`, project)).results).toMatchObject([
      { enabled: false, reason: { code: 'no_condition_match' } },
    ])
  })
})

/** Every list about a person and their events. */
const everything = async (target: Target, id: string, uuid: string): Promise<string> => {
  const paths = [
    '/events',
    `/events?person_id=${id}`,
    '/events?distinct_id=eve',
    `/events/${uuid}`,
    '/events/live',
    '/event_definitions',
    '/property_definitions?type=event',
    '/property_definitions?type=person',
    '/property_values?type=event&key=secret',
    '/property_values?type=person&key=email',
    '/persons',
    '/persons?search=eve',
    '/persons?search=secret',
    `/persons/${id}`,
    `/persons/${id}/events`,
    `/persons/${id}/merges`,
    `/persons/${id}/flags`,
  ]
  const bodies = await Promise.all(paths.map(async (path) => (await api(target, 'GET', path)).body))
  // The request contains the id of the person, and so does a next page.
  return JSON.stringify(bodies)
}

/** Captures a person whose every name and value contains "secret" or "eve". */
const captureEve = async (target: Target) => {
  const uuid = uuidv7()
  await capture(
    target,
    by('eve', '$identify', { $anon_distinct_id: 'eve-anon' }, { $set: { email: 'secret@example.com', secret_p: 1 } }),
    by('eve', 'secret event', { secret: 'a secret', $session_id: 'secret session' }, { uuid }),
    { event: '', properties: { distinct_id: 'eve', secret: 1 } },
  )
  return { uuid, id: (await personOf('eve', target)).id as string }
}

test('rows of another project appear in no list', async () => {
  const { id, uuid } = await captureEve(service)
  expect(await everything(service, id, uuid)).toMatch(/secret event/)
  expect(await everything(other, id, uuid)).not.toMatch(/secret|eve-anon/)
  // The same ids in another project belong to another person.
  const theirs = await captureEve(other)
  expect(theirs.id).not.toBe(id)
  expect((await get('/events?distinct_id=eve', other)).results).toHaveLength(2)
  expect((await api(other, 'GET', `/persons/${id}/events`)).status).toBe(404)
})

test('nothing of an erased person appears in any list', async () => {
  const project = await fresh()
  await capture(project, by('stays', 'fine', { public: 1 }, { $set: { email: 'stays@example.com' } }))
  const { id, uuid } = await captureEve(project)
  expect(await everything(project, id, uuid)).toMatch(/secret event/)
  expect((await api(project, 'DELETE', `/persons/${id}?delete_events=true`)).status).toBe(204)
  const after = await everything(project, id, uuid)
  expect(after).not.toMatch(/secret|eve-anon/)
  expect(after).toMatch(/stays@example.com/)
})
