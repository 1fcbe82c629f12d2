import { Ajv2020 } from 'ajv/dist/2020.js'
import { ROUTES } from '../../src/modules.ts'
import { api, capture, event, request } from '../support/api.ts'
import { checkResponse } from '../support/responseSchema.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
let document: any

beforeAll(async () => {
  service = await sharedService()
  const variables = [
    { name: 'Plan', type: 'String', schema: { type: 'string', enum: ['free', 'pro'] } },
    { name: 'Least', type: 'Number', schema: { type: 'integer', minimum: 1, maximum: 10 } },
    { name: 'Tags', type: 'List', values: ['a', 'b'] },
    { name: 'Paid', type: 'Boolean' },
    { name: 'Name', type: 'String', schema: { type: 'string', minLength: 2, pattern: '^[a-z]+$' } },
  ]
  for (const variable of variables)
    expect((await api(service, 'POST', '/insight_variables/', variable)).status).toBe(201)
  const create = (name: string, query: string) =>
    api(service, 'POST', '/endpoints/', { name, description: `Says ${name}`, query: { kind: 'HogQLQuery', query } })
  await create(
    'typed',
    'SELECT {variables.plan} AS plan, {variables.least} AS least, toString({variables.tags}) AS tags, {variables.paid} AS paid, {variables.name} AS name',
  )
  await create('plain', 'SELECT 1 AS one, now() AS at')
  await create('resting', 'SELECT 1')
  await api(service, 'PATCH', '/endpoints/resting/', { is_active: false })
  document = (await api(service, 'GET', '/endpoints/openapi.json')).body
})
afterAll(() => service.stop())

const pathOf = (name: string) => `/api/projects/${service.projectId}/endpoints/${name}/run`
const validator = (schema: object) => new Ajv2020({ strict: false, validateFormats: false }).compile(schema)

test('every operation of the API has a name of its own, which its method and path decide', async () => {
  const { body } = await request(`${service.url}/api/openapi.json`)
  const ids = Object.values<any>(body.paths).flatMap((operations) =>
    Object.values<any>(operations).map(({ operationId }) => operationId as string),
  )
  expect(ids).toHaveLength(ROUTES.length)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^(?:get|post|put|patch|delete)[A-Z]\w*$/)
  expect(body.paths['/api/projects/{projectId}/persons/{id}'].get.operationId).toBe('getPersonsById')
  expect(body.paths['/api/projects/{projectId}/endpoints/{name}/run'].post.operationId).toBe('postEndpointsByNameRun')
})

test('the OpenAPI document contains the active endpoints of the project', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', security: [{ personalApiKey: [] }] })
  expect(Object.keys(document.paths).sort()).toEqual([pathOf('plain'), pathOf('typed')])
  expect(document.paths[pathOf('plain')].post).toMatchObject({ operationId: 'plain', description: 'Says plain' })
})

test.each<[object | undefined]>([
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: true, name: 'ab' } }],
  [{ variables: { plan: 'pro', least: 10, tags: ['a', 'b'], paid: false, name: 'abc' }, limit: 1, offset: 0 }],
  [{ variables: { plan: 'Pro', least: 1, tags: 'a', paid: true, name: 'ab' } }],
  [{ variables: { plan: 'free', least: 11, tags: 'a', paid: true, name: 'ab' } }],
  [{ variables: { plan: 'free', least: 1.5, tags: 'a', paid: true, name: 'ab' } }],
  [{ variables: { plan: 'free', least: 1, tags: ['c'], paid: true, name: 'ab' } }],
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: 'true', name: 'ab' } }],
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: true, name: 'A1' } }],
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: true, name: 'a' } }],
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: true } }],
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: true, name: 'ab', more: 1 } }],
  [{ variables: { plan: null, least: 1, tags: 'a', paid: true, name: 'ab' } }],
  [{}],
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: true, name: 'ab' }, limit: 0 }],
  [{ variables: { plan: 'free', least: 1, tags: 'a', paid: true, name: 'ab' }, unknown: 0 }],
])('the OpenAPI document accepts a request exactly if the endpoint does: %j', async (body) => {
  const { schema } = document.paths[pathOf('typed')].post.requestBody.content['application/json']
  const reply = await api(service, 'POST', '/endpoints/typed/run', body)
  expect([200, 400]).toContain(reply.status)
  expect(validator(schema)(body)).toBe(reply.status === 200)
})

test.each(['plain', 'typed'])('the response of endpoint "%s" matches the OpenAPI document', async (name) => {
  const { schema } = document.paths[pathOf(name)].post.responses[200].content['application/json']
  const variables = name === 'typed' ? { plan: 'free', least: 1, tags: 'a', paid: true, name: 'ab' } : {}
  const validate = validator(schema)
  const { body } = await api(service, 'POST', `/endpoints/${name}/run`, { variables })
  expect([validate(body), validate.errors]).toEqual([true, null])
  expect(validate({ ...body, results: [[{}, ...body.results[0].slice(1)]] })).toBe(false)
  expect(validate({ ...body, results: [[...body.results[0], 1]] })).toBe(false)
})

test('each version of an endpoint has an OpenAPI document', async () => {
  await api(service, 'PATCH', '/endpoints/plain/', { query: { kind: 'HogQLQuery', query: 'SELECT {variables.plan}' } })
  const required = async (query: string) =>
    (await api(service, 'GET', `/endpoints/plain/openapi.json${query}`)).body.paths[pathOf('plain')].post.requestBody
      .required
  expect([await required(''), await required('?version=1')]).toEqual([true, false])
  expect((await api(service, 'GET', '/endpoints/plain/openapi.json?version=9')).status).toBe(404)
  expect((await api(service, 'GET', '/endpoints/nothing/openapi.json')).status).toBe(404)
})

test('the OpenAPI document of the API contains every route and describes errors correctly', async () => {
  const { body, status } = await request(`${service.url}/api/openapi.json`)
  expect(status).toBe(200)
  const documented = Object.entries<any>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(documented.sort()).toEqual(
    ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')}`).sort(),
  )
  const isError = validator(body.components.schemas.Refusal)
  for (const answer of [
    await api(service, 'GET', '/endpoints/nothing/'),
    await api(service, 'POST', '/endpoints/', {}),
    await request(`${service.url}/api/projects/${service.projectId}/endpoints/`),
  ]) {
    expect([answer.status >= 400, isError(answer.body)]).toEqual([true, true])
  }
  const create = body.paths['/api/projects/{projectId}/endpoints'].post.requestBody.content['application/json'].schema
  expect([validator(create)({ name: 'x', query: { kind: 'HogQLQuery' } }), validator(create)({ name: 5 })]).toEqual([
    true,
    false,
  ])
})

test('tests fail on a response that does not match the schema of its route', async () => {
  const url = `${service.url}/api/projects/${service.projectId}`
  const { body } = await api(service, 'GET', '')
  const check = (changed: object) => checkResponse('GET', url, 200, changed)
  await expect(check(body)).resolves.toBeUndefined()
  await expect(check({ ...body, more: 1 })).rejects.toThrow(/must NOT have additional properties/)
  await expect(check({ ...body, id: '1' })).rejects.toThrow(/id must be integer/)
  await expect(check({ ...body, created_at: 'yesterday' })).rejects.toThrow(/date-time/)
})

test('the results of insights are typed, in OpenAPI and in TypeScript', async () => {
  const series = ['viewed', 'bought'].map((name) => ({ kind: 'EventsNode', event: name }))
  const breakdownFilter = { breakdown: '$browser', breakdown_type: 'event' }
  const funnel = { kind: 'FunnelsQuery', series }
  const viewOf = (funnelVizType: string) => ({ ...funnel, funnelsFilter: { funnelVizType } })
  const entity = { id: 'viewed', type: 'events' }
  const retention = {
    kind: 'RetentionQuery',
    retentionFilter: { targetEntity: entity, returningEntity: entity, totalIntervals: 3 },
  }
  const insights = {
    trends: { kind: 'TrendsQuery', series },
    trends_broken: { kind: 'TrendsQuery', series, breakdownFilter },
    trends_total: { kind: 'TrendsQuery', series, trendsFilter: { display: 'BoldNumber' } },
    steps: funnel,
    steps_broken: { ...funnel, breakdownFilter },
    rates: viewOf('trends'),
    rates_broken: { ...viewOf('trends'), breakdownFilter },
    times: viewOf('time_to_convert'),
    times_broken: { ...viewOf('time_to_convert'), breakdownFilter },
    retention,
    retention_broken: { ...retention, breakdownFilter },
    overview: { kind: 'WebOverviewQuery', properties: [] },
  }
  await capture(
    service,
    ...['viewed', 'bought'].map((name) => event(name, {}, { distinct_id: 'ada', $browser: 'Firefox' })),
  )
  for (const [name, query] of Object.entries(insights))
    expect(await api(service, 'PUT', `/endpoints/${name}`, { query })).toMatchObject({ status: 201 })
  const { body } = await api(service, 'GET', '/endpoints/openapi.json')
  const { body: general } = await request(`${service.url}/api/openapi.json`)
  const resultsOf = (path: string) =>
    general.paths[path].post.responses['2XX'].content['application/json'].schema.properties.results
  const ofAll = resultsOf('/api/projects/{projectId}/endpoints/{name}/run')
  expect(resultsOf('/api/projects/{projectId}/query')).toEqual(ofAll)
  for (const name of Object.keys(insights)) {
    const { results: schema } =
      body.paths[pathOf(name)].post.responses[200].content['application/json'].schema.properties
    const { body: run } = await api(service, 'POST', `/endpoints/${name}/run`, {})
    const isValid = validator(schema)
    expect({ name, isValid: isValid(run.results), errors: isValid.errors, run }).toMatchObject({ isValid: true })
    expect(ofAll.anyOf).toContainEqual(expect.objectContaining(schema))
    // The schema names all fields of a result.
    interface Schema {
      readonly items?: Schema
      readonly properties?: object
    }
    const first = [run.results].flat(2)[0] as object
    const fieldsOf = ({ items, properties }: Schema): object => properties ?? fieldsOf(items!)
    expect(Object.keys(fieldsOf(schema))).toEqual(expect.arrayContaining(Object.keys(first)))
  }
  const types = String((await api(service, 'GET', '/endpoints/types.ts')).body)
  expect(types).toContain('count: number; type: string; average_conversion_time: number | null;')
  expect(types.match(/row: unknown/g)).toHaveLength(1)
})
