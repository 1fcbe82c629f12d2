import { api, capture, event } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'

let service: SharedService
const ids: Record<string, string> = {}

const VARIABLES = [
  { name: 'Browser', type: 'String' },
  { name: 'Least price', type: 'Number' },
  { name: 'Is paid', type: 'Boolean' },
  { name: 'Since', type: 'Date' },
  { name: 'Plan', type: 'List', values: ['free', 'pro'] },
]

const sql = (query: string, variables?: Record<string, unknown>) => ({
  kind: 'HogQLQuery',
  query,
  ...(variables ? { variables } : {}),
})
const create = (name: string, query: unknown) => api(service, 'POST', '/endpoints/', { name, query })
const run = (name: string, body?: unknown) => api(service, 'POST', `/endpoints/${name}/run`, body)

beforeAll(async () => {
  service = await sharedService()
  for (const variable of VARIABLES) {
    const { status, body } = await api(service, 'POST', '/insight_variables/', variable)
    expect(status).toBe(201)
    ids[body.code_name] = body.id
  }
  const shop = [
    ['Chrome', 10, true, 'free', '2026-01-01T10:00:00Z'],
    ['Chrome', 20, false, 'pro', '2026-02-01T10:00:00Z'],
    ['Safari', 30, true, 'pro', '2026-03-01T10:00:00Z'],
    ["O'Brien", 40, true, 'pro', '2026-04-01T10:00:00Z'],
  ] as const
  await capture(
    service,
    ...shop.map(([browser, price, paid, plan, timestamp]) =>
      event('bought', { timestamp }, { $browser: browser, price, paid, plan }),
    ),
  )
})
afterAll(() => service.stop())

describe('variable definitions', () => {
  test('are created, listed, read, changed and deleted', async () => {
    const { body: made } = await api(service, 'POST', '/insight_variables', {
      name: 'Coupon code!',
      type: 'String',
      default_value: 'x',
    })
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Coupon code!',
      code_name: 'coupon_code',
      type: 'String',
      default_value: 'x',
      values: [],
      schema: null,
      created_at: expect.any(String),
    })
    expect((await api(service, 'GET', '/insight_variables/')).body).toMatchObject({
      count: 6,
      results: expect.arrayContaining([made]),
    })
    expect(
      (await api(service, 'PATCH', `/insight_variables/${made.id}/`, { name: 'Voucher', default_value: null })).body,
    ).toEqual({ ...made, name: 'Voucher', default_value: null })
    expect((await api(service, 'DELETE', `/insight_variables/${made.id}/`)).status).toBe(204)
    expect((await api(service, 'GET', `/insight_variables/${made.id}/`)).status).toBe(404)
  })

  test.each<[string, unknown, string]>([
    ['a code name in use', { name: 'browser', type: 'String' }, 'name'],
    ['an explicit code name in use', { name: 'B', code_name: 'browser', type: 'String' }, 'code_name'],
    ['a name without letters', { name: '!!', type: 'String' }, 'name'],
    ['a bad code name', { name: 'x', code_name: 'a-b', type: 'String' }, 'code_name'],
    ['an unknown type', { name: 'x', type: 'Integer' }, 'type'],
    ['no type', { name: 'x' }, 'type'],
    ['no name', { type: 'String' }, 'name'],
    ['a default of the wrong type', { name: 'x', type: 'Number', default_value: '5' }, 'default_value'],
    ['values for a type without values', { name: 'x', type: 'String', values: ['a'] }, 'values'],
    ['an unknown field', { name: 'x', type: 'String', code: 1 }, 'code'],
  ])('are rejected for %s', async (_, body, attr) => {
    expect(await api(service, 'POST', '/insight_variables/', body)).toMatchObject({
      status: 400,
      body: { type: 'validation_error', attr },
    })
  })

  test('a variable in use can neither be deleted nor change type', async () => {
    await create('user_of_browser', sql('SELECT count() FROM events WHERE properties.$browser = {variables.browser}'))
    const path = `/insight_variables/${ids.browser}/`
    expect(await api(service, 'DELETE', path)).toMatchObject({
      status: 409,
      body: { code: 'variable_in_use', detail: expect.stringContaining('user_of_browser') },
    })
    expect(await api(service, 'PATCH', path, { type: 'Number' })).toMatchObject({ status: 409 })
    expect(await api(service, 'PATCH', path, { code_name: 'other' })).toMatchObject({
      status: 400,
      body: { attr: 'code_name' },
    })
  })
})

describe('creating an endpoint', () => {
  test('returns the endpoint, with exactly the variables of its query', async () => {
    const query = 'SELECT count() FROM events WHERE properties.$browser = {variables.browser}'
    const reply = await create('created', sql(query, { [ids.since!]: { variableId: ids.since, code_name: 'since' } }))
    expect(reply).toMatchObject({
      status: 201,
      body: {
        name: 'created',
        is_active: true,
        current_version: 1,
        endpoint_path: `/api/projects/${service.projectId}/endpoints/created/run`,
        query: {
          kind: 'HogQLQuery',
          query,
          variables: { [ids.browser!]: { variableId: ids.browser, code_name: 'browser' } },
        },
      },
    })
    expect((await api(service, 'GET', '/endpoints/created/')).body).toEqual(reply.body)
  })

  const WITH_BROWSER = 'SELECT count() FROM events WHERE properties.$browser = {variables.browser}'
  const map = (id: string) => ({ [id]: { variableId: id, code_name: 'browser' } })

  test.each<[string, () => unknown, string, string]>([
    [
      'names without a definition',
      () => sql('SELECT {variables.nope}, {variables.browser}, {variables.none}'),
      'undefined_variables',
      'Query references undefined variable(s): nope, none',
    ],
    [
      'an ID that is not a UUID',
      () => sql(WITH_BROWSER, { ...map('not-a-uuid'), ...map('5') }),
      'malformed_variable_ids',
      'Variable ID(s) not valid UUIDs: 5, not-a-uuid',
    ],
    [
      'an ID that does not exist',
      () => sql(WITH_BROWSER, map(NOBODY)),
      'unknown_variable_ids',
      `Variable ID(s) not found: ${NOBODY}`,
    ],
    [
      'undefined names before IDs',
      () => sql('SELECT {variables.nope}', map('not-a-uuid')),
      'undefined_variables',
      'Query references undefined variable(s): nope',
    ],
    [
      'malformed IDs before unknown IDs',
      () => sql(WITH_BROWSER, { ...map(NOBODY), ...map('x') }),
      'malformed_variable_ids',
      'Variable ID(s) not valid UUIDs: x',
    ],
    [
      'unknown IDs before unknown tables',
      () => sql('SELECT {variables.browser} FROM nowhere', map(NOBODY)),
      'unknown_variable_ids',
      `Variable ID(s) not found: ${NOBODY}`,
    ],
  ])('is rejected for %s, like an update', async (_, query, code, detail) => {
    const expected = {
      status: 400,
      body: { type: 'validation_error', code, detail, attr: 'query', request_id: expect.any(String) },
    }
    expect(await create('refused', query())).toMatchObject(expected)
    await create('to_update', sql('SELECT 1'))
    expect(await api(service, 'PATCH', '/endpoints/to_update/', { query: query() })).toMatchObject(expected)
    expect((await api(service, 'GET', '/endpoints/to_update/')).body.current_version).toBe(1)
    expect((await api(service, 'GET', '/endpoints/refused/')).status).toBe(404)
  })

  test.each<[string, unknown, string]>([
    ['a bad name', { name: '1st', query: sql('SELECT 1') }, 'name'],
    ['a name with a path', { name: 'a/b', query: sql('SELECT 1') }, 'name'],
    ['a long name', { name: 'a'.repeat(129), query: sql('SELECT 1') }, 'name'],
    ['no query', { name: 'x' }, 'query'],
    ['an unknown field', { name: 'x', query: sql('SELECT 1'), qurey: 1 }, 'qurey'],
    ['TrendsQuery', { name: 'x', query: { kind: 'TrendsQuery', series: [] } }, 'query'],
    ['FunnelsQuery', { name: 'x', query: { kind: 'FunnelsQuery' } }, 'query'],
    [
      'RetentionQuery',
      { name: 'x', query: { kind: 'RetentionQuery', retentionFilter: { period: 'Decade' } } },
      'query',
    ],
    ['an unknown kind', { name: 'x', query: { kind: 'X' } }, 'query'],
    ['an empty query', { name: 'x', query: { kind: 'HogQLQuery', query: ' ' } }, 'query'],
    ['a syntax error', { name: 'x', query: sql('SELEC 1') }, 'query'],
    ['an unknown table', { name: 'x', query: sql('SELECT 1 FROM system.tables') }, 'query'],
    ['an unknown column', { name: 'x', query: sql('SELECT project_id FROM events') }, 'query'],
    ['an unknown function', { name: 'x', query: sql("SELECT file('/etc/passwd')") }, 'query'],
    ['two statements', { name: 'x', query: sql('SELECT 1; SELECT 2') }, 'query'],
  ])('is rejected for %s', async (_, body, attr) => {
    expect(await api(service, 'POST', '/endpoints/', body)).toMatchObject({
      status: 400,
      body: { type: 'validation_error', detail: expect.any(String), attr },
    })
  })

  test('supports PUT, which updates on the second request', async () => {
    const put = (body: object) => api(service, 'PUT', '/endpoints/declared/', body)
    expect(await put({ query: sql('SELECT 1') })).toMatchObject({ status: 201, body: { name: 'declared' } })
    expect(await put({ query: sql('SELECT 1') })).toMatchObject({ status: 200, body: { current_version: 1 } })
    expect(await put({ query: sql('SELECT 2') })).toMatchObject({ status: 200, body: { current_version: 2 } })
    expect((await run('declared')).body.results).toEqual([[2]])
    expect(await api(service, 'PUT', '/endpoints/absent/', { description: 'd' })).toMatchObject({ status: 404 })
    expect(await api(service, 'PUT', '/endpoints/absent/', { name: 'another', query: sql('SELECT 1') })).toMatchObject({
      status: 400,
      body: { attr: 'name' },
    })
  })

  test('supports PUT for its variables, which updates on the second request', async () => {
    const put = (body: object) => api(service, 'PUT', '/insight_variables/declared/', body)
    expect(await put({})).toMatchObject({ status: 400, body: { attr: 'type' } })
    const created = await put({ type: 'String' })
    expect(created).toMatchObject({ status: 201, body: { name: 'declared', code_name: 'declared' } })
    expect(await put({ type: 'String', name: 'Declared' })).toMatchObject({
      status: 200,
      body: { id: created.body.id, name: 'Declared', code_name: 'declared' },
    })
    expect(await put({ code_name: 'another' })).toMatchObject({ status: 400, body: { attr: 'code_name' } })
  })

  test('rejects a name in use and accepts it after deletion', async () => {
    await create('taken', sql('SELECT 1'))
    expect(await create('taken', sql('SELECT 2'))).toMatchObject({
      status: 400,
      body: { code: 'name_taken', attr: 'name' },
    })
    expect((await api(service, 'DELETE', '/endpoints/taken/')).status).toBe(204)
    expect((await run('taken')).status).toBe(404)
    expect((await create('taken', sql('SELECT 2'))).body.current_version).toBe(1)
  })
})

describe('endpoint versions', () => {
  test('are created only when the query changes', async () => {
    await create('versioned', sql("SELECT 'one'"))
    expect(
      (await api(service, 'PATCH', '/endpoints/versioned/', { query: sql("SELECT 'one'"), description: 'd' })).body,
    ).toMatchObject({ current_version: 1, description: 'd' })
    expect((await api(service, 'PUT', '/endpoints/versioned/', { query: sql("SELECT 'two'") })).body).toMatchObject({
      current_version: 2,
      versions_count: 2,
    })
    expect((await run('versioned')).body).toMatchObject({ results: [['two']], endpoint_version: 2 })
    expect((await run('versioned', { version: 1 })).body).toMatchObject({ results: [['one']], endpoint_version: 1 })
    expect((await api(service, 'GET', '/endpoints/versioned/run?version=1')).body).toMatchObject({ results: [['one']] })
    expect(
      (await api(service, 'GET', '/endpoints/versioned/versions/')).body.results.map(({ version }: any) => version),
    ).toEqual([2, 1])
    expect((await api(service, 'GET', '/endpoints/versioned/?version=1')).body).toMatchObject({
      version: 1,
      query: { query: "SELECT 'one'" },
    })
    expect(await run('versioned', { version: 3 })).toMatchObject({
      status: 404,
      body: { code: 'version_not_found', current_version: 2 },
    })
  })

  test('do not run when the version or endpoint is inactive', async () => {
    await create('resting', sql('SELECT 1'))
    await api(service, 'PATCH', '/endpoints/resting/', { query: sql('SELECT 2') })
    await api(service, 'PATCH', '/endpoints/resting/', { version: 1, is_active: false })
    expect(await run('resting', { version: 1 })).toMatchObject({ status: 400, body: { code: 'version_inactive' } })
    expect((await run('resting')).status).toBe(200)
    await api(service, 'PATCH', '/endpoints/resting/', { is_active: false })
    expect((await run('resting')).status).toBe(404)
    expect(await api(service, 'PATCH', '/endpoints/resting/', { version: 1, query: sql('SELECT 3') })).toMatchObject({
      status: 400,
      body: { attr: 'query' },
    })
  })
})

describe('running an endpoint', () => {
  test('returns results before their metadata', async () => {
    await create(
      'shape',
      sql(
        "SELECT properties.$browser AS browser, count() AS n FROM events WHERE event = 'bought' GROUP BY browser ORDER BY browser",
      ),
    )
    const { body } = await run('shape')
    expect(Object.keys(body)[0]).toBe('results')
    expect(body).toMatchObject({
      results: [
        ['Chrome', 2],
        ["O'Brien", 1],
        ['Safari', 1],
      ],
      columns: ['browser', 'n'],
      types: [
        ['browser', expect.any(String)],
        ['n', 'UInt64'],
      ],
      hasMore: false,
      name: 'shape',
      execution_id: expect.any(String),
      endpoint_version: 1,
      is_cached: false,
      last_refresh: expect.any(String),
      timezone: 'UTC',
    })
  })

  test.each<[string, string, Record<string, unknown>, number]>([
    ['a string', 'properties.$browser = {variables.browser}', { browser: 'Chrome' }, 2],
    ['a number', 'properties.price >= {variables.least_price}', { least_price: 20 }, 3],
    ['a boolean', 'properties.paid = {variables.is_paid}', { is_paid: true }, 3],
    ['a date', 'timestamp >= {variables.since}', { since: '2026-03-01' }, 2],
    ['a time', 'timestamp > {variables.since}', { since: '2026-03-01T10:00:00Z' }, 1],
    ['one of a list', 'properties.plan = {variables.plan}', { plan: 'pro' }, 3],
    ['two of a list', 'properties.plan IN {variables.plan}', { plan: ['free', 'pro'] }, 4],
    [
      'several',
      'properties.plan = {variables.plan} AND properties.$browser = {variables.browser}',
      { plan: 'pro', browser: 'Chrome' },
      1,
    ],
  ])('filters by %s', async (what, condition, variables, expected) => {
    const name = `filter_${what.replace(/ /g, '_')}`
    expect((await create(name, sql(`SELECT count() FROM events WHERE event = 'bought' AND ${condition}`))).status).toBe(
      201,
    )
    expect(await run(name, { variables })).toMatchObject({ status: 200, body: { results: [[expected]] } })
  })

  test.each<[string, unknown, [string, string][]]>([
    [
      'no body',
      undefined,
      [
        ['browser', 'required'],
        ['least_price', 'required'],
      ],
    ],
    [
      'an empty object',
      {},
      [
        ['browser', 'required'],
        ['least_price', 'required'],
      ],
    ],
    [
      'variables that are null',
      { variables: null },
      [
        ['browser', 'required'],
        ['least_price', 'required'],
      ],
    ],
    ['a missing variable', { variables: { browser: 'x' } }, [['least_price', 'required']]],
    ['null', { variables: { browser: null, least_price: 1 } }, [['browser', 'required']]],
    ['a string for a number', { variables: { browser: 'x', least_price: '1' } }, [['least_price', 'wrong_type']]],
    ['an unknown variable', { variables: { browser: 'x', least_price: 1, color: 'red' } }, [['color', 'unknown']]],
    [
      'several errors',
      { variables: { browser: 5, a: 1 } },
      [
        ['browser', 'wrong_type'],
        ['least_price', 'required'],
        ['a', 'unknown'],
      ],
    ],
    [
      'missing variables and an invalid offset',
      { variables: {}, refresh: 'direct', offset: 1 },
      [
        ['browser', 'required'],
        ['least_price', 'required'],
      ],
    ],
  ])('rejects variables with the reason: %s', async (_, body, faults) => {
    await create(
      'strict',
      sql(
        'SELECT * FROM events WHERE properties.$browser = {variables.browser} AND properties.price > {variables.least_price}',
      ),
    )
    const reply = await run('strict', body)
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_variables', attr: 'variables' } })
    expect(reply.body.errors.map(({ path, code }: any) => [path, code])).toEqual(faults)
    for (const [name] of faults) expect(reply.body.detail).toContain(`"${name}"`)
    expect(reply.body).not.toHaveProperty('results')
  })

  test('rejects a date that does not exist', async () => {
    await create('since', sql('SELECT count() FROM events WHERE timestamp >= {variables.since}'))
    for (const since of ['2026-13-01', '2026-02-30', '0000-00-00', 'today', '']) {
      expect(await run('since', { variables: { since } })).toMatchObject({ status: 400, body: { attr: 'variables' } })
    }
  })

  test.each([
    ["' OR 1=1 --"],
    ["'; DROP TABLE events; --"],
    ["\\' OR '1'='1"],
    ['{variables.browser}'],
    ['{p0:String}'],
    ['" `$browser` \\\\'],
    ['\u0000\t\n\r\b'],
    ['%27%20OR%201=1'],
    ["x') UNION ALL SELECT * FROM db.events --"],
    ['😀 ä 中'],
    ['\\N'],
    ['NULL'],
    ['x'.repeat(10_000)],
    ["'".repeat(10_000)],
  ])('treats the value %j as data', async (value) => {
    await create(
      'echo',
      sql(
        "SELECT {variables.browser}, count() FROM events WHERE event = 'bought' AND properties.$browser = {variables.browser}",
      ),
    )
    expect(await run('echo', { variables: { browser: value } })).toMatchObject({
      status: 200,
      body: { results: [[value, 0]] },
    })
  })

  test('finds the row of a value with a quote', async () => {
    expect((await run('echo', { variables: { browser: "O'Brien" } })).body.results).toEqual([["O'Brien", 1]])
  })

  test('pages rows by limit and offset and reports whether more follow', async () => {
    await create('pages', sql("SELECT properties.price FROM events WHERE event = 'bought' ORDER BY timestamp"))
    expect((await run('pages', { limit: 3 })).body).toMatchObject({ results: { length: 3 }, hasMore: true, limit: 3 })
    expect((await run('pages', { limit: 3, offset: 3 })).body).toMatchObject({
      results: { length: 1 },
      hasMore: false,
      limit: 3,
      offset: 3,
    })
    expect((await run('pages', { limit: 4 })).body).toMatchObject({ results: { length: 4 }, hasMore: false })
    expect((await api(service, 'GET', '/endpoints/pages/run?limit=1&offset=1')).body).toMatchObject({
      results: { length: 1 },
      hasMore: true,
    })
  })

  test.each<[unknown, string]>([
    [{ offset: 1 }, 'offset'],
    [{ limit: 0 }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ limit: 5, offset: -1 }, 'offset'],
    [{ version: 'x' }, 'version'],
    [{ refresh: 'direct' }, 'refresh'],
    [{ refresh: 'later' }, 'refresh'],
    [{ query_override: {} }, 'query_override'],
    [{ variables: [] }, 'variables'],
  ])('rejects the body %j', async (body, attr) => {
    expect(await run('pages', body)).toMatchObject({ status: 400, body: { type: 'validation_error', attr } })
  })

  test.each(['limit=0', 'limit=x', 'limit=5&offset=-1', 'version=1.5'])(
    'rejects the URL parameters ?%s',
    async (query) => {
      expect((await api(service, 'GET', `/endpoints/pages/run?${query}`)).status).toBe(400)
    },
  )

  test('rejects malformed JSON', async () => {
    const reply = await fetch(`${service.url}/api/projects/${service.projectId}/endpoints/pages/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: '{"variables":',
    })
    expect(reply.status).toBe(400)
    expect(await reply.json()).toMatchObject({ code: 'invalid_json' })
  })
})
