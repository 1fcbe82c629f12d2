import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, request } from '../support/api.ts'
import { type EngineAccess, engineOf, until } from '../support/engine.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
let second: Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>
let engine: EngineAccess

type Project = typeof second

const create = async (
  name: string,
  query: string,
  { at = service, ...more }: { at?: Project; [field: string]: unknown } = {},
) => {
  const reply = await api(at, 'POST', '/endpoints/', { name, query: { kind: 'HogQLQuery', query }, ...more })
  expect([reply.status, reply.body.detail]).toEqual([201, undefined])
}
const run = (name: string, body: object = {}, at: Project = service) => api(at, 'POST', `/endpoints/${name}/run`, body)
const get = (path: string, headers: Record<string, string> = {}) =>
  request(`${service.url}/api/projects/${service.projectId}/endpoints/${path}`, {
    headers: { authorization: `Bearer ${service.key}`, ...headers },
  })

/** Takes minutes unless it is canceled, and little memory. `mark` makes it unique. */
const slow = (mark: string) =>
  `SELECT count(), '${mark}' AS mark FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = 1`
const running = async (mark: string) =>
  (
    await engine.ask(
      'writer',
      `SELECT query_id FROM system.processes WHERE position(query, '${mark}') > 0 AND position(query, 'system.processes') = 0 AND is_initial_query`,
    )
  ).length

beforeAll(async () => {
  service = await startService()
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'another-token' })
  await metadata.keys.put({
    projectId: project.id,
    label: 'another',
    secret: 'the-key-of-another',
    scopes: ['endpoint:read', 'endpoint:write', 'insight_variable:read', 'insight_variable:write'],
  })
  await metadata.close()
  second = { url: service.url, token: project.token, key: 'the-key-of-another', projectId: project.id }
  engine = engineOf(service.data)
  for (const at of [service, second]) {
    for (const [name, type] of [
      ['text', 'String'],
      ['number', 'Number'],
      ['list', 'List'],
      ['more', 'String'],
    ])
      await api(at, 'POST', '/insight_variables/', { name, type })
  }
  await capture(
    service,
    ...Array.from({ length: 3 }, (_, n) => event('bought', { timestamp: `2026-01-0${n + 1}T00:00:00Z` }, { price: n })),
  )
  await capture(second, event('bought'), event('bought'))
})
afterAll(() => service.stop())

describe('the result cache', () => {
  test('serves the second run with the time and expiry of the result', async () => {
    await create('kept', "SELECT count() FROM events WHERE event = 'kept'", { data_freshness_seconds: 900 })
    const first = (await run('kept')).body
    const again = (await run('kept')).body
    expect([first.is_cached, again.is_cached]).toEqual([false, true])
    expect(again.last_refresh).toBe(first.last_refresh)
    expect(Date.parse(again.cache_target_age) - Date.parse(again.last_refresh)).toBe(900_000)
    expect(again.execution_id).not.toBe(first.execution_id)
    expect({ ...again, execution_id: 0, is_cached: 0 }).toEqual({ ...first, execution_id: 0, is_cached: 0 })
  })

  test('includes every acknowledged event', async () => {
    await create('counts', "SELECT count() FROM events WHERE event = 'fresh'")
    for (let count = 0; count < 5; count += 1) {
      expect((await run('counts')).body.results).toEqual([[count]])
      expect((await run('counts')).body).toMatchObject({ results: [[count]], is_cached: true })
      await capture(service, event('fresh'))
    }
  })

  test('is not invalidated by events of another project', async () => {
    await create('alone', 'SELECT 1')
    await run('alone')
    await capture(second, event('elsewhere'))
    expect((await run('alone')).body.is_cached).toBe(true)
  })

  test.each(['force', 'force_blocking'])('is bypassed and refreshed by "refresh": "%s"', async (refresh) => {
    await create(`forced_${refresh}`, 'SELECT generateUUIDv4() AS id')
    const first = (await run(`forced_${refresh}`)).body
    const forced = (await run(`forced_${refresh}`, { refresh })).body
    expect(forced.is_cached).toBe(false)
    expect(forced.results).not.toEqual(first.results)
    expect((await run(`forced_${refresh}`)).body.results).toEqual(forced.results)
  })

  test('never returns rows of another project', async () => {
    const query = "SELECT count() FROM events WHERE event = 'bought'"
    await create('same', query)
    await create('same', query, { at: second })
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await run('same')).body.results).toEqual([[3]])
      expect((await run('same', {}, second)).body.results).toEqual([[2]])
    }
  })

  test('never returns rows of another version, or of an earlier endpoint with the same name', async () => {
    await create('renewed', 'SELECT generateUUIDv4() AS id')
    const first = (await run('renewed')).body.results
    await api(service, 'PATCH', '/endpoints/renewed/', {
      query: { kind: 'HogQLQuery', query: 'SELECT generateUUIDv4() AS id, 2' },
    })
    await api(service, 'PATCH', '/endpoints/renewed/', {
      query: { kind: 'HogQLQuery', query: 'SELECT generateUUIDv4() AS id' },
    })
    expect((await run('renewed')).body).toMatchObject({ is_cached: false, endpoint_version: 3 })
    expect((await run('renewed', { version: 1 })).body).toMatchObject({ is_cached: true, results: first })
    await api(service, 'DELETE', '/endpoints/renewed/')
    await create('renewed', 'SELECT generateUUIDv4() AS id')
    expect((await run('renewed')).body).toMatchObject({ is_cached: false, endpoint_version: 1 })
  })

  const HOSTILE = [
    '',
    ' ',
    '1',
    '1.0',
    "'",
    "\\'",
    '"',
    '","',
    'a',
    'A',
    'ä',
    'a\u0308',
    '\u0000',
    '\\N',
    'null',
    'undefined',
    '{}',
    '[]',
    '["a"]',
    'a,b',
    'a|b',
    'a:b',
    'a\nb',
    '__proto__',
    'constructor',
    '{variables.text}',
    '{p0:String}',
    '😀',
    '\ud83d',
    'x'.repeat(9_999),
    'x'.repeat(10_000),
  ]

  test('never returns rows of another variable value', async () => {
    await create('echoes', 'SELECT {variables.text}, {variables.more}')
    const pairs = HOSTILE.flatMap((text, at) => [
      [text, HOSTILE[(at + 7) % HOSTILE.length]!],
      [HOSTILE[(at + 7) % HOSTILE.length]!, text],
    ])
    const answers: unknown[] = []
    for (const [text, more] of pairs) answers.push((await run('echoes', { variables: { text, more } })).body.results)
    const known = new Map<string, unknown>()
    pairs.forEach((pair, at) => {
      // A lone surrogate is not valid UTF-8 and becomes the replacement character.
      expect(answers[at]).toEqual([pair.map((each) => Buffer.from(each).toString())])
      known.set(JSON.stringify(pair), answers[at])
    })
    for (const [pair, expected] of known) {
      const [text, more] = JSON.parse(pair)
      expect((await run('echoes', { variables: { text, more } })).body).toMatchObject({ results: expected })
    }
  })

  test('distinguishes values of different types, and lists', async () => {
    await create('lists', 'SELECT toString({variables.list})')
    const lists = [['a', 'b'], ['a,b'], ["a','b"], ['a'], 'a', "['a']", [], '[]', [''], '']
    for (let turn = 0; turn < 2; turn += 1) {
      const answers = []
      for (const list of lists) answers.push(JSON.stringify((await run('lists', { variables: { list } })).body.results))
      expect(answers[0]).toContain("['a','b']")
      expect(answers[1]).toContain("['a,b']")
      expect(answers[4]).toBe('[["a"]]')
      expect(answers[6]).toBe('[["[]"]]')
    }
  })

  test('distinguishes pages', async () => {
    await create('paged', "SELECT properties.price FROM events WHERE event = 'bought' ORDER BY timestamp")
    const ask = async (body: object) => (await run('paged', body)).body
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await ask({ limit: 1 })).toMatchObject({ results: [['0']], hasMore: true })
      expect(await ask({ limit: 2 })).toMatchObject({ results: [['0'], ['1']], hasMore: true })
      expect(await ask({ limit: 1, offset: 1 })).toMatchObject({ results: [['1']], hasMore: true })
      expect(await ask({ limit: 3 })).toMatchObject({ results: { length: 3 }, hasMore: false })
      expect(await ask({})).toMatchObject({ results: { length: 3 }, hasMore: false })
    }
  })

  test('does not bypass validation', async () => {
    await create('checked', 'SELECT {variables.text}')
    await run('checked', { variables: { text: 'a' } })
    expect((await run('checked', {})).status).toBe(400)
    expect((await run('checked', { variables: { text: 'a', other: 1 } })).status).toBe(400)
    await api(service, 'PATCH', '/endpoints/checked/', { is_active: false })
    expect((await run('checked', { variables: { text: 'a' } })).status).toBe(404)
  })

  test('runs a query once for concurrent requests', async () => {
    await create(
      'rush',
      'SELECT generateUUIDv4() AS id, sum(cityHash64(n)) FROM (SELECT arrayJoin(range(3000000)) AS n)',
    )
    const answers = await Promise.all(Array.from({ length: 10 }, () => run('rush')))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(new Set(answers.map(({ body }) => body.results[0][0])).size).toBe(1)
  })
})

describe('an insight run', () => {
  const QUERY = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'charted' }],
    dateRange: { date_from: '-7d' },
    breakdownFilter: { breakdowns: [{ property: 'plan', type: 'event' }] },
  }
  const totals = ({ body }: { body: any }) =>
    Object.fromEntries(body.results.map((line: any) => [line.breakdown_value, line.count]))

  test('is cached by its variables until an event arrives', async () => {
    const { status, body } = await api(service, 'POST', '/endpoints/', { name: 'chart', query: QUERY })
    expect([status, body.detail, body.columns]).toEqual([201, undefined, null])
    await capture(
      service,
      event('charted', {}, { plan: 'free' }),
      event('charted', {}, { plan: 'pro' }),
      event('charted', {}, { plan: 'pro' }),
    )
    for (const isCached of [false, true]) {
      const [all, free, pro] = [
        await run('chart'),
        await run('chart', { variables: { plan: 'free' } }),
        await run('chart', { variables: { plan: 'pro' } }),
      ]
      expect([all, free, pro].map((reply) => reply.body.is_cached)).toEqual([isCached, isCached, isCached])
      expect(
        [totals(all), totals(free), totals(pro)].map((each) => JSON.stringify(Object.entries(each).sort())),
      ).toEqual(['[["free",1],["pro",2]]', '[["free",1]]', '[["pro",2]]'])
    }
    await capture(service, event('charted', {}, { plan: 'free' }))
    expect(totals(await run('chart', { variables: { plan: 'free' } }))).toEqual({ free: 2 })
  })

  test('does not support pages or row formats', async () => {
    for (const field of ['limit', 'cursor', 'format']) {
      expect(await run('chart', { [field]: { limit: 1, cursor: '*', format: 'csv' }[field] })).toMatchObject({
        status: 400,
        body: { attr: field },
      })
    }
  })
})

describe('the ETag of a run', () => {
  test('avoids resending an unchanged response and changes with the result', async () => {
    await create('tagged', "SELECT count() FROM events WHERE event = 'tagged'")
    const first = await get('tagged/run')
    const etag = first.headers.get('etag')!
    expect(first).toMatchObject({ status: 200, body: { results: [[0]] } })
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = await get('tagged/run', { 'if-none-match': `"x", ${etag}` })
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get('tagged/run?refresh=force', { 'if-none-match': etag })).status).toBe(304)
    await capture(service, event('tagged'))
    const changed = await get('tagged/run', { 'if-none-match': etag })
    expect(changed).toMatchObject({ status: 200, body: { results: [[1]] } })
    expect(changed.headers.get('etag')).not.toBe(etag)
  })

  test('works with variables in the URL', async () => {
    await create('addressed', 'SELECT {variables.text}')
    expect((await get(`addressed/run?variables=${encodeURIComponent('{"text":"a&b"}')}`)).body.results).toEqual([
      ['a&b'],
    ])
    for (const wrong of ['text', '[]', '"a"', '{'])
      expect(await get(`addressed/run?variables=${encodeURIComponent(wrong)}`)).toMatchObject({
        status: 400,
        body: { attr: 'variables' },
      })
  })
})

describe('run formats', () => {
  const QUERY =
    "SELECT event, toFloat(properties.price) AS price, 9007199254740993 AS big, 'a,\"b\"\n' AS hard FROM events WHERE event = 'bought' ORDER BY timestamp"

  test('include NDJSON with one object per line', async () => {
    await create('lines', QUERY)
    const reply = await run('lines', { format: 'ndjson' })
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const lines = reply.body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect(lines).toEqual(
      [0, 1, 2].map((price) => ({ event: 'bought', price, big: '9007199254740993', hard: 'a,"b"\n' })),
    )
  })

  test('include CSV with a header line', async () => {
    const reply = await get('lines/run?format=csv')
    expect(reply.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(reply.body).toBe(
      `"event","price","big","hard"\n${[0, 1, 2].map((price) => `"bought",${price},9007199254740993,"a,""b""\n"\n`).join('')}`,
    )
  })

  test('can be selected with the Accept header', async () => {
    expect((await get('lines/run', { accept: 'text/csv' })).headers.get('content-type')).toMatch(/^text\/csv/)
    expect((await get('lines/run', { accept: 'application/x-ndjson' })).headers.get('content-type')).toMatch(/ndjson/)
    expect((await get('lines/run', { accept: 'text/html, */*' })).headers.get('content-type')).toMatch(/json/)
    expect(await get('lines/run?format=xml')).toMatchObject({ status: 400, body: { attr: 'format' } })
  })

  test('stream every row beyond the 50,000 of a JSON response', async () => {
    await create('many', 'SELECT arrayJoin(range(120000)) AS n')
    const { body } = await run('many')
    expect([body.results.length, body.hasMore]).toEqual([50_000, true])
    const csv = (await run('many', { format: 'csv' })).body.trim().split('\n')
    expect([csv.length, csv.at(-1)]).toEqual([120_001, '119999'])
    expect((await run('many', { format: 'ndjson', limit: 2, offset: 5 })).body).toBe('{"n":5}\n{"n":6}\n')
  })

  test('validate variables and report errors as JSON', async () => {
    await create('breaking', 'SELECT throwIf(n = 100000) FROM (SELECT arrayJoin(range(200000)) AS n)').catch(() => {})
    await create('dividing', 'SELECT intDiv(1, n - 150000) FROM (SELECT arrayJoin(range(200000)) AS n)')
    expect(await run('dividing', { format: 'csv' })).toMatchObject({
      status: 400,
      body: { type: 'validation_error', code: 'illegal_division' },
    })
    expect(await run('checked', { format: 'csv' })).toMatchObject({ status: 404 })
    expect(await run('addressed', { format: 'ndjson' })).toMatchObject({ status: 400, body: { attr: 'variables' } })
  })
})

describe('run cursors', () => {
  const pages = async (name: string, body: object) => {
    const found: unknown[][][] = []
    for (let cursor: string | null = '*'; cursor !== null;) {
      const reply = await run(name, { ...body, cursor })
      expect([reply.status, reply.body.detail]).toEqual([200, undefined])
      found.push(reply.body.results)
      expect(reply.body.hasMore).toBe(reply.body.next_cursor !== null)
      cursor = reply.body.next_cursor
    }
    return found
  }

  test('page through more than 50,000 rows in order without duplicates', async () => {
    await create('long', 'SELECT arrayJoin(range(120000)) AS n ORDER BY n DESC')
    const found = await pages('long', {})
    expect(found.map(({ length }) => length)).toEqual([50_000, 50_000, 20_000])
    expect(found.flat().map(([n]) => n)).toEqual(Array.from({ length: 120_000 }, (_, n) => 119_999 - n))
  })

  test.each<[string, string]>([
    ['no order', 'SELECT arrayJoin(range(25)) AS n'],
    ['rows with equal values', 'SELECT intDiv(arrayJoin(range(25)), 9) AS n ORDER BY n'],
    ['identical rows', "SELECT 'x' AS n, arrayJoin(range(25)) * 0 AS m"],
    ['some NULLs', 'SELECT if(n % 3 = 0, NULL, n) AS m FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY m'],
    [
      'NULLs first',
      'SELECT if(n % 3 = 0, NULL, n) AS m FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY m DESC NULLS FIRST',
    ],
    [
      'NaN and infinity',
      'SELECT if(n % 3 = 0, 0 / 0, if(n % 4 = 0, 1 / 0, n / 7)) AS m FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY m DESC',
    ],
    [
      'strings with quotes',
      "SELECT concat('\\'', toString(n % 5), '\\\\\\n\"') AS t, n FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY t DESC, n",
    ],
    [
      'timestamps',
      "SELECT addMonths(toDateTime('2026-01-01'), n % 4) AS time, toDate(time) AS day, n FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY day, time DESC",
    ],
    [
      'UUIDs',
      "SELECT toUUID(concat(leftPad(toString(n % 7), 8, '0'), '-0000-4000-8000-', leftPad(toString(n), 12, '0'))) AS id FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY id",
    ],
    ['decimals', 'SELECT toDecimal64(n / 4, 2) AS d FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY d'],
    ['a column position', 'SELECT n % 3, n FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY 1 DESC, 2'],
    [
      'groups',
      'SELECT n % 13 AS g, count() AS c FROM (SELECT arrayJoin(range(25)) AS n) GROUP BY g ORDER BY c DESC, g',
    ],
    ['a union', 'SELECT arrayJoin(range(13)) AS n UNION ALL SELECT arrayJoin(range(12)) AS n'],
    ['a LIMIT in the query', 'SELECT arrayJoin(range(99)) AS n ORDER BY n DESC LIMIT 25 OFFSET 4'],
    ['arrays', 'SELECT [n % 4, n] AS a FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY a'],
    ['booleans', 'SELECT n > 7 AS b FROM (SELECT arrayJoin(range(25)) AS n) ORDER BY b'],
  ])('return each row once, with %s', async (what, query) => {
    const name = `cursor_${what.replace(/\W/g, '_')}`
    await create(name, query)
    const all = (await run(name)).body.results
    const found = await pages(name, { limit: 4 })
    const sorted = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort()
    expect(sorted(found.flat())).toEqual(sorted(all))
    expect(found.slice(0, -1).every(({ length }) => length === 4)).toBe(true)
    if (query.includes('ORDER BY'))
      expect(found.flat().map(([first]) => first)).toEqual(all.map(([first]: unknown[]) => first))
  })

  test('ignore events that arrive between two pages', async () => {
    await create('moving', "SELECT timestamp, uuid FROM events WHERE event = 'moving' ORDER BY timestamp DESC, uuid")
    await capture(
      service,
      ...Array.from({ length: 10 }, (_, n) => event('moving', { timestamp: `2026-02-0${(n % 5) + 1}T00:00:00Z` })),
    )
    const { body: first } = await run('moving', { limit: 6, cursor: '*' })
    await capture(service, event('moving', { timestamp: '2026-03-01T00:00:00Z' }))
    const { body: next } = await run('moving', { limit: 6, cursor: first.next_cursor })
    expect(next).toMatchObject({ hasMore: false, next_cursor: null, results: { length: 4 } })
    expect(new Set([...first.results, ...next.results].map(([, id]) => id)).size).toBe(10)
  })

  test('belong to one endpoint, version and set of values', async () => {
    await create('owned', 'SELECT arrayJoin(range(9)) AS n, {variables.text} AS t ORDER BY n')
    const { next_cursor: cursor } = (await run('owned', { limit: 2, cursor: '*', variables: { text: 'a' } })).body
    expect((await run('owned', { limit: 2, cursor, variables: { text: 'a' } })).body.results).toEqual([
      [2, 'a'],
      [3, 'a'],
    ])
    expect(await run('owned', { limit: 2, cursor, variables: { text: 'b' } })).toMatchObject({
      status: 400,
      body: { attr: 'cursor' },
    })
    expect(await run('long', { cursor })).toMatchObject({ status: 400, body: { attr: 'cursor' } })
  })

  test('are rejected if no response contained them', async () => {
    const forged = (after: unknown) => {
      const { owner } = JSON.parse(Buffer.from(real, 'base64url').toString())
      return Buffer.from(JSON.stringify({ owner, after })).toString('base64url')
    }
    const real = (await run('long', { limit: 2, cursor: '*' })).body.next_cursor
    for (const cursor of [
      'x',
      'bnVsbA',
      '',
      ...[
        null,
        {},
        { keys: 'x', skip: 0 },
        { keys: [1, 2], skip: 0 },
        { keys: ['1'], skip: 0 },
        { keys: ['1', 'x'], skip: -1 },
        { keys: ["1' OR 1=1 --", 'x'], skip: 0 },
      ].map(forged),
    ]) {
      expect([cursor, (await run('long', { limit: 2, cursor })).status]).toEqual([cursor, 400])
    }
    expect(
      (await run('long', { limit: 1, cursor: forged({ keys: ['50', "' OR 1=1 --"], skip: 0 }) })).body.results,
    ).toEqual([[50]])
  })

  test('require the ORDER BY expressions in SELECT and reject an offset', async () => {
    await create('hidden_order', 'SELECT event FROM events ORDER BY timestamp')
    expect(await run('hidden_order', { cursor: '*' })).toMatchObject({
      status: 400,
      body: { code: 'not_supported', fix: expect.stringContaining('SELECT') },
    })
    expect(await run('long', { cursor: '*', limit: 1, offset: 1 })).toMatchObject({
      status: 400,
      body: { attr: 'offset' },
    })
  })
})

test('a run with "debug" returns the query, the SQL for the engine and timings', async () => {
  await create('debugged', 'SELECT {variables.text} AS a')
  const { body } = await run('debugged', { debug: true, variables: { text: 'a secret value' } })
  expect(body).toMatchObject({
    results: [['a secret value']],
    hogql: 'SELECT {variables.text} AS a',
    clickhouse: expect.stringMatching(/^SELECT \{p\d:String\}/),
    cache_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    source: { read: 'live', reason: 'not_materialized' },
  })
  expect(body.timings.map(({ k }: any) => k)).toEqual(['compile', 'execute'])
  expect(
    (await run('debugged', { debug: true, variables: { text: 'a secret value' } })).body.timings.map(({ k }: any) => k),
  ).toEqual(['compile', 'cache'])
  expect((await run('debugged', { variables: { text: 'a secret value' } })).body).not.toHaveProperty('clickhouse')
})

test('a run looks up persons as soon as ids are merged', async () => {
  const visits = ['ann', 'anon', 'ben'].map((distinct_id) => event('walked in', {}, { distinct_id }))
  await capture(second, ...visits)
  await create('walkers', "SELECT count(DISTINCT person_id) FROM events WHERE event = 'walked in'", { at: second })
  const walkers = async () => {
    const { results, clickhouse } = (await run('walkers', { debug: true }, second)).body
    return { people: results[0][0], isLookedUp: clickhouse.includes('person_distinct_ids') }
  }
  expect(await walkers()).toEqual({ people: 3, isLookedUp: false })
  await capture(second, event('$identify', {}, { distinct_id: 'ann', $anon_distinct_id: 'anon' }))
  expect(await walkers()).toEqual({ people: 2, isLookedUp: true })
})

describe('canceling runs', () => {
  const cancel = (id: string, at: Project = service) => api(at, 'DELETE', `/query/${id}/`)

  test('stops the query in the engine', async () => {
    await create('slow_cancelled', slow('mark_cancelled'))
    const answer = run('slow_cancelled', { client_query_id: 'mine' })
    await until(async () => (await running('mark_cancelled')) === 1)
    expect((await cancel('mine', second)).status).toBe(404)
    expect((await run('slow_cancelled', { client_query_id: 'mine' })).body).toMatchObject({ attr: 'client_query_id' })
    expect((await cancel('mine')).status).toBe(204)
    expect(await answer).toMatchObject({ status: 400, body: { code: 'query_cancelled' } })
    await until(async () => (await running('mark_cancelled')) === 0)
    expect((await cancel('mine')).status).toBe(404)
  })

  test('leaves other runs running', async () => {
    await create('slow_shared', slow('mark_shared'))
    const answers = [run('slow_shared', { client_query_id: 'a' }), run('slow_shared', { client_query_id: 'b' })]
    await until(async () => (await running('mark_shared')) === 1)
    await until(async () => (await cancel('a')).status === 204)
    expect(await answers[0]).toMatchObject({ status: 400, body: { code: 'query_cancelled' } })
    expect(await running('mark_shared')).toBe(1)
    await until(async () => (await cancel('b')).status === 204)
    expect((await answers[1]!).status).toBe(400)
    await until(async () => (await running('mark_shared')) === 0)
  })

  test('happens when the client disconnects, including streams', async () => {
    await create('slow_left', slow('mark_left'))
    for (const format of ['json', 'csv']) {
      const gone = new AbortController()
      const answer = request(`${service.url}/api/projects/1/endpoints/slow_left/run?format=${format}`, {
        headers: { authorization: `Bearer ${service.key}` },
        signal: gone.signal,
      })
      await until(async () => (await running('mark_left')) === 1)
      gone.abort()
      await expect(answer).rejects.toThrow()
      await until(async () => (await running('mark_left')) === 0)
    }
  })
})

test('an endpoint reports its last run soon and after a restart', async () => {
  await create('noted', 'SELECT 1')
  const lastRun = async () => (await get('noted/')).body.last_executed_at
  expect(await lastRun()).toBeNull()
  const { last_refresh: first } = (await run('noted')).body
  await until(async () => (await lastRun()) === first)

  const data = mkdtempSync(join(tmpdir(), 'trailmark-last-run-'))
  const short = await startService({ data })
  await create('noted', 'SELECT 1', { at: short })
  const { last_refresh: last } = (await run('noted', {}, short)).body
  expect(await short.stop()).toBe(0)
  const metadata = await openMetadata(join(data, 'definitions.db'))
  expect(await metadata.endpoints.get(short.projectId, 'noted')).toMatchObject({ lastExecutedAt: last })
  await metadata.close()
  rmSync(data, { recursive: true })
})
