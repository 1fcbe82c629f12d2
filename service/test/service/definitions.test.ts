import { api, capture, event } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService

const sql = (query: string) => ({ kind: 'HogQLQuery', query })
const create = (name: string, query: string, more: object = {}) =>
  api(service, 'POST', '/endpoints/', { name, query: sql(query), ...more })
const run = (name: string, variables: Record<string, unknown> = {}) =>
  api(service, 'POST', `/endpoints/${name}/run`, { variables })
const define = (name: string, type: string, more: object = {}) =>
  api(service, 'POST', '/insight_variables/', { name, type, ...more })

beforeAll(async () => {
  service = await sharedService()
  for (const [name, type] of [
    ['text', 'String'],
    ['number', 'Number'],
    ['list', 'List'],
    ['other_list', 'List'],
    ['date', 'Date'],
    ['flag', 'Boolean'],
  ])
    await define(name!, type!)
  await capture(service, event('bought', {}, { price: 5 }))
})
afterAll(() => service.stop())

describe('endpoint columns', () => {
  test('are described at creation, with the API types', async () => {
    const query = `SELECT event, count() AS n, avg(toFloat(properties.price)) AS mean, max(timestamp) AS last, toDate(min(timestamp)) AS day,
      count() > 1 AS is_many, groupArray(event) AS names, tuple(1, 2) AS all, any(uuid) AS id, {variables.text} AS given FROM events GROUP BY event`
    const { body } = await create('typed', query)
    expect(Object.fromEntries(body.columns.map(({ name, type }: any) => [name, type]))).toEqual({
      event: 'string',
      n: 'integer',
      mean: 'float',
      last: 'datetime',
      day: 'date',
      is_many: expect.stringMatching(/boolean|integer/),
      names: 'array',
      all: 'json',
      id: 'string',
      given: 'string',
    })
    expect((await run('typed', { text: 'x' })).body.columns).toEqual(body.columns.map(({ name }: any) => name))
  })

  test('belong to the version', async () => {
    await create('grows', 'SELECT 1 AS a')
    await api(service, 'PATCH', '/endpoints/grows/', { query: sql('SELECT 1 AS a, now() AS b') })
    expect((await api(service, 'GET', '/endpoints/grows/')).body.columns).toEqual([
      { name: 'a', type: 'integer' },
      { name: 'b', type: 'datetime' },
    ])
    expect((await api(service, 'GET', '/endpoints/grows/?version=1')).body.columns).toEqual([
      { name: 'a', type: 'integer' },
    ])
  })
})

describe('a query with an argument of the wrong type', () => {
  test.each<[string, string, string, string]>([
    [
      'an aggregate of a string',
      'SELECT event, sum(lower(event)) FROM events GROUP BY event',
      'sum',
      'sum(lower(event))',
    ],
    ['a string function of a timestamp', 'SELECT length(timestamp) FROM events', 'length', 'length(timestamp)'],
    ['a sum of a timestamp and an array', 'SELECT timestamp + [1] FROM events', '+', 'timestamp + [1]'],
    [
      'a column that is not in GROUP BY',
      'SELECT event, distinct_id, count() FROM events GROUP BY event',
      'distinct_id',
      'distinct_id',
    ],
  ])('is rejected at creation with the position of %s', async (_, query, word, place) => {
    const { status, body } = await create('wrong', query)
    expect([status, body.attr]).toEqual([400, 'query'])
    expect(body.detail).toContain(word)
    expect(body.detail).not.toMatch(/__t1|project_id|db\./)
    expect(query.slice(body.position.start, body.position.end)).toBe(place)
    expect(body.fix).toEqual(expect.any(String))
    expect((await api(service, 'GET', '/endpoints/wrong/')).status).toBe(404)
  })

  test('is rejected in an update that then changes nothing', async () => {
    await create('stays', 'SELECT 1 AS a')
    expect(
      (
        await api(service, 'PATCH', '/endpoints/stays/', {
          query: sql('SELECT length(timestamp) FROM events'),
          description: 'new',
          is_active: false,
        })
      ).status,
    ).toBe(400)
    expect((await api(service, 'GET', '/endpoints/stays/')).body).toMatchObject({
      description: '',
      is_active: true,
      current_version: 1,
    })
  })

  test('is rejected if a variable has the wrong type', async () => {
    expect((await create('wrong', 'SELECT length({variables.number})')).status).toBe(400)
    expect((await create('wrong', 'SELECT has({variables.flag}, 1)')).status).toBe(400)
  })

  test.each([
    ['a string parsed as a timestamp', 'SELECT toDateTime({variables.text})'],
    ['a string compared with a timestamp', 'SELECT count() FROM events WHERE timestamp > {variables.text}'],
    [
      'a string compared with a number',
      'SELECT count() FROM events WHERE toFloat(properties.price) > {variables.text}',
    ],
    ['a string compared with a UUID', 'SELECT count() FROM events WHERE uuid = {variables.text}'],
    [
      'one list used as a list and another as a single value',
      'SELECT has({variables.list}, event) FROM events WHERE event = {variables.other_list}',
    ],
    ['a date', 'SELECT toYear({variables.date}), {variables.flag}, 10 / {variables.number}'],
    ['a pattern', 'SELECT match(event, {variables.text}) FROM events'],
  ])('is accepted if the error depends on a value: %s', async (what, query) => {
    const reply = await create(`right_${what.replace(/\W/g, '_')}`, query)
    expect([reply.status, reply.body.detail]).toEqual([201, undefined])
  })
})

test('creating an endpoint accepts a query that is too expensive to check', async () => {
  const slow =
    'SELECT count() FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = 1'
  expect(await create('dear', `SELECT (${slow}) AS n, {variables.list}, {variables.text}`)).toMatchObject({
    status: 201,
    body: { columns: null },
  })
})

describe('data_freshness_seconds', () => {
  test('defaults to one day and belongs to the version', async () => {
    expect((await create('fresh', 'SELECT 1')).body.data_freshness_seconds).toBe(86_400)
    expect((await api(service, 'PATCH', '/endpoints/fresh/', { data_freshness_seconds: 900 })).body).toMatchObject({
      data_freshness_seconds: 900,
      current_version: 1,
    })
    expect((await api(service, 'PATCH', '/endpoints/fresh/', { query: sql('SELECT 2') })).body).toMatchObject({
      data_freshness_seconds: 900,
      current_version: 2,
    })
    await api(service, 'PATCH', '/endpoints/fresh/', { version: 1, data_freshness_seconds: 3_600 })
    expect((await api(service, 'GET', '/endpoints/fresh/?version=1')).body.data_freshness_seconds).toBe(3_600)
    expect((await api(service, 'GET', '/endpoints/fresh/')).body.data_freshness_seconds).toBe(900)
  })

  test.each([0, 901, -1, '900', null])('rejects %j', async (value) => {
    expect(await create('other', 'SELECT 1', { data_freshness_seconds: value })).toMatchObject({
      status: 400,
      body: { attr: 'data_freshness_seconds' },
    })
  })
})

test('an update rejected for its name does not change the version', async () => {
  await create('half', 'SELECT 1')
  expect(
    (await api(service, 'PATCH', '/endpoints/half/', { version: 1, is_active: false, name: 'not a name' })).status,
  ).toBe(400)
  expect((await api(service, 'GET', '/endpoints/half/?version=1')).body.is_active).toBe(true)
})

describe("a variable's schema", () => {
  const echo = async (name: string, type: string, schema: object) => {
    const { status, body } = await define(name, type, { schema })
    expect([status, body.detail]).toEqual([201, undefined])
    expect(body.schema).toEqual(schema)
    const created = await create(`echo_${name}`, `SELECT {variables.${name}}`)
    expect([created.status, created.body.detail]).toEqual([201, undefined])
    return (value: unknown) => run(`echo_${name}`, { [name]: value })
  }

  test.each<[string, string, object, unknown[], unknown[]]>([
    ['integer', 'Number', { type: 'integer', minimum: 1, maximum: 10 }, [1, 10], [0, 11, 1.5, '5', true, 1e300]],
    ['fraction', 'Number', { type: 'number', minimum: 0.5 }, [0.5, 7], [0.4, '1', -0]],
    [
      'string',
      'String',
      { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
      ['ab', 'abcd'],
      ['a', 'abcde', 'AB', 'ab1', 'ab\n'],
    ],
    ['emoji', 'String', { type: 'string', maxLength: 2 }, ['😀😀'], ['😀😀😀']],
    ['choice', 'String', { type: 'string', enum: ['free', 'pro'] }, ['free'], ['Free', 'free ', ['free'], '']],
    ['one_of_numbers', 'Number', { type: 'integer', enum: [1, 3] }, [3], [2]],
    ['boolean', 'Boolean', { type: 'boolean' }, [true, false], ['true', 1]],
    [
      'day',
      'Date',
      { type: 'date', minimum: '2026-01-01', maximum: '2026-12-31' },
      ['2026-01-01', '2026-12-31'],
      ['2025-12-31', '2027-01-01', '2026-05-01T00:00:00', '2026-02-30'],
    ],
    [
      'moment',
      'Date',
      { type: 'datetime', minimum: '2026-01-01T00:00:00+02:00' },
      ['2025-12-31T22:00:00Z'],
      ['2025-12-31T21:59:59Z', '2026-05-01'],
    ],
    [
      'uuid',
      'String',
      { type: 'uuid' },
      ['f47ac10b-58cc-4372-a567-0e02b2c3d479'],
      ['f47ac10b', '{f47ac10b-58cc-4372-a567-0e02b2c3d479}'],
    ],
    [
      'plans',
      'List',
      { type: 'list', minItems: 1, maxItems: 2, enum: ['a', 'b', 'c'] },
      [['a'], ['b', 'c']],
      [[], ['a', 'b', 'c'], ['d'], 'a', [1]],
    ],
  ])('accepts only matching values: %s', async (name, type, schema, good, bad) => {
    const ask = await echo(name, type, schema)
    for (const value of good) expect([value, (await ask(value)).status]).toEqual([value, 200])
    for (const value of bad) {
      const reply = await ask(value)
      expect([value, reply.status, reply.body.code, reply.body.errors?.[0].path]).toEqual([
        value,
        400,
        'invalid_variables',
        name,
      ])
    }
  })

  test('rejects a value out of range with the accepted range', async () => {
    expect((await run('echo_integer', { integer: 11 })).body).toMatchObject({
      detail: '"integer" must be 10 or less.',
      errors: [{ code: 'out_of_range' }],
    })
    expect((await run('echo_choice', { choice: 'x' })).body.detail).toBe('"choice" must be one of "free", "pro".')
  })

  test.each<[string, string, object, RegExp]>([
    ['a schema of the wrong type', 'String', { type: 'integer' }, /"string" or "uuid"/],
    ['a rule of another type', 'Boolean', { type: 'boolean', minimum: 1 }, /has no "minimum"/],
    ['a broken pattern', 'String', { type: 'string', pattern: '(' }, /not a regular expression/],
    ['a pattern with lookahead', 'String', { type: 'string', pattern: 'a(?=b)' }, /lookaround/],
    ['crossed bounds', 'Number', { type: 'number', minimum: 5, maximum: 1 }, /so no value is valid/],
    ['bounds of the wrong type', 'Number', { type: 'number', minimum: '2026-01-01' }, /a number/],
    ['a bound that is not a date', 'Date', { type: 'date', minimum: '2026-02-30' }, /a date/],
    ['choices of the wrong type', 'Number', { type: 'integer', enum: [1, 'x'] }, /a whole number/],
    ['an unknown rule', 'Number', { type: 'integer', step: 2 }, /./],
    ['an unknown type', 'Number', { type: 'money' }, /./],
  ])('rejects an invalid schema: %s', async (_, type, schema, words) => {
    expect(await define('refused', type, { schema })).toMatchObject({
      status: 400,
      body: { attr: 'schema', detail: expect.stringMatching(words) },
    })
  })

  test('applies to the default too, and can be changed and removed', async () => {
    expect(
      await define('limited', 'Number', { schema: { type: 'integer', maximum: 5 }, default_value: 6 }),
    ).toMatchObject({ status: 400, body: { attr: 'default_value' } })
    const { body } = await define('limited', 'Number', { schema: { type: 'integer', maximum: 5 }, default_value: 5 })
    const path = `/insight_variables/${body.id}/`
    expect(await api(service, 'PATCH', path, { schema: { type: 'integer', maximum: 4 } })).toMatchObject({
      status: 400,
      body: { attr: 'default_value' },
    })
    expect((await api(service, 'PATCH', path, { schema: { type: 'integer', maximum: 9 } })).body.schema).toEqual({
      type: 'integer',
      maximum: 9,
    })
    expect((await api(service, 'PATCH', path, { name: 'Renamed' })).body.schema).toEqual({
      type: 'integer',
      maximum: 9,
    })
    expect((await api(service, 'PATCH', path, { schema: null })).body.schema).toBe(null)
  })

  test('does not block the service with a pattern of exponential backtracking', async () => {
    const ask = await echo('slow', 'String', { type: 'string', pattern: '^(a+)+$' })
    expect((await ask(`${'a'.repeat(50)}!`)).status).toBe(400)
    expect((await ask('a'.repeat(5_000))).status).toBe(200)
  })
})

test('a variable lists the endpoints that use it', async () => {
  const { body } = await define('used', 'String')
  await create('user_a', 'SELECT {variables.used}')
  await create('user_b', 'SELECT {variables.used}')
  expect(await api(service, 'DELETE', `/insight_variables/${body.id}/`)).toMatchObject({
    status: 409,
    body: { code: 'variable_in_use', used_by: ['user_a', 'user_b'] },
  })
  await api(service, 'DELETE', '/endpoints/user_a/')
  await api(service, 'DELETE', '/endpoints/user_b/')
  expect((await api(service, 'DELETE', `/insight_variables/${body.id}/`)).status).toBe(204)
})
