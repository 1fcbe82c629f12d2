import { join } from 'node:path'
import { SCOPES } from '../../src/http/auth.ts'
import { ROUTES } from '../../src/modules.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, request, rowsOf } from '../support/api.ts'
import { type EngineAccess, engineOf } from '../support/engine.ts'
import { type RunningService, startService } from '../support/startService.ts'

const SECRETS = Object.fromEntries(SCOPES.map((scope) => [scope, `only-${scope}`]))

// A body that no route accepts: a request that passes authorization changes nothing.
const HARMLESS = '{"no field of any request": 1}'

let first: RunningService
let second: Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>
let engine: EngineAccess

beforeAll(async () => {
  first = await startService()
  const metadata = await openMetadata(join(first.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'another-token' })
  await metadata.keys.put({
    projectId: project.id,
    label: 'another',
    secret: 'the-key-of-another',
    scopes: Object.keys(SECRETS),
  })
  for (const [scope, secret] of Object.entries(SECRETS))
    await metadata.keys.put({ projectId: first.projectId, label: scope, secret, scopes: [scope] })
  await metadata.keys.put({ projectId: undefined, label: 'of all', secret: 'the-key-of-all-projects', scopes: SCOPES })
  await metadata.close()
  second = { url: first.url, token: project.token, key: 'the-key-of-another', projectId: project.id }
  engine = engineOf(first.data)

  await capture(first, ...Array.from({ length: 3 }, () => event('mine', {}, { secret: 'first' })))
  await capture(second, ...Array.from({ length: 5 }, () => event('mine', {}, { secret: 'second' })))
})
afterAll(() => first.stop())

describe('API keys', () => {
  const isOfConsole = ({ access }: (typeof ROUTES)[number]) => access === 'console' || access === 'console_page'
  const isOfToolbar = ({ access }: (typeof ROUTES)[number]) => access === 'toolbar'
  const isOfShares = ({ access }: (typeof ROUTES)[number]) => access === 'viewer'
  const isOfAgents = ({ access }: (typeof ROUTES)[number]) => access === 'agent'
  const guarded = ROUTES.filter(
    (each) =>
      each.access !== 'public' && !isOfConsole(each) && !isOfToolbar(each) && !isOfShares(each) && !isOfAgents(each),
  )
  const isOfProject = ({ path }: (typeof ROUTES)[number]) => path.includes(':projectId')
  const call = (
    { method, path }: (typeof ROUTES)[number],
    authorization: string | undefined,
    project = first.projectId,
  ) => {
    const filled = path
      .replace(':projectId', String(project))
      .replace(':id', '00000000-0000-4000-8000-000000000000')
      .replace(':name', 'nothing')
    return request(`${first.url}${filled}`, {
      method,
      headers: { ...(authorization ? { authorization } : {}), 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: HARMLESS }),
    })
  }

  // Routes that pages, probes and monitors may request without a key. Every other route has a scope.
  test('protect every route except those for pages and probes', () => {
    const open = ROUTES.filter(({ access }) => access === 'public').map(({ path }) => path.split('/')[1])
    expect([...new Set(open)].sort()).toEqual([
      '',
      '_health',
      '_readiness',
      'api',
      'array',
      'batch',
      'capture',
      'decide',
      'docs',
      'e',
      'engage',
      'external_surveys',
      'flags',
      'i',
      'ofrep',
      's',
      'static',
      'track',
    ])
    expect(
      ROUTES.filter(({ access, path }) => access === 'public' && path.startsWith('/api')).map(({ path }) => path),
    ).toEqual(['/api/early_access_features', '/api/surveys', '/api/openapi.json'])
    // console.test.ts tests their protection: they answer the console's own page only, on its hosts.
    expect(ROUTES.filter(isOfConsole).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /project/:token/replay/:sessionId',
      'GET /settings',
      'GET /console',
      'GET /console/*',
      'POST /api/console/session',
      'GET /api/console/session',
      'DELETE /api/console/session',
    ])
    // toolbar.test.ts tests their protection: they answer the sites of sessions only. Those of the session check that themselves.
    expect(
      ROUTES.filter(isOfToolbar).map(({ method, path, toolbarScope }) => [`${method} ${path}`, toolbarScope]),
    ).toEqual([
      ['GET /toolbar/api/heatmap', 'query:read'],
      ['GET /toolbar/api/heatmap/elements', 'query:read'],
      ['GET /toolbar/api/heatmap/scroll', 'query:read'],
      ['POST /toolbar/session', undefined],
      ['GET /toolbar/session', undefined],
      ['DELETE /toolbar/session', undefined],
      ['GET /toolbar/api/flags', 'feature_flag:read'],
      ['GET /toolbar/api/vitals', 'query:read'],
    ])
    // shares.test.ts tests their protection: tokens and views of shares.
    expect(ROUTES.filter(isOfShares).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /shared',
      'GET /shared/*',
      'GET /embed/:id',
      'POST /shared/session',
      'POST /shared/tile',
    ])
    // agents.test.ts tests their protection: keys of any scopes, each with the tools of its own.
    expect(ROUTES.filter(isOfAgents).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /mcp',
      'GET /mcp',
      'DELETE /mcp',
    ])
    expect(guarded.length).toBeGreaterThan(20)
    for (const { access } of guarded) expect(SCOPES).toContain(access)
  })

  test.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'protect %s',
    async (_, route) => {
      for (const authorization of [undefined, '', 'Bearer', 'Bearer ', `Basic ${first.key}`, first.key]) {
        expect(await call(route, authorization)).toMatchObject({
          status: 401,
          body: { type: 'authentication_error', code: 'not_authenticated' },
        })
      }
      for (const wrong of ['wrong', `${first.key}x`, first.key.slice(0, -1), first.token]) {
        expect(await call(route, `Bearer ${wrong}`)).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } })
      }
      for (const [scope, secret] of Object.entries(SECRETS)) {
        const reply = await call(route, `Bearer ${secret}`)
        // The route's own authorization, such as who may create a project, runs after the scope check.
        if (scope === route.access || scope === route.orScope)
          expect(reply.body?.detail ?? '').not.toContain('lacks the scope')
        else
          expect(reply).toMatchObject({
            status: 403,
            body: { code: 'permission_denied', detail: expect.stringContaining(route.access) },
          })
      }
      if (!isOfProject(route)) return // projects.test.ts covers what each key sees there
      for (const project of [second.projectId, 999]) {
        expect(await call(route, `Bearer ${first.key}`, project)).toMatchObject({
          status: 404,
          body: { detail: 'There is no project with this id.' },
        })
        if (project === 999)
          expect(await call(route, 'Bearer the-key-of-all-projects', project)).toMatchObject({
            status: 404,
            body: { detail: 'There is no project with this id.' },
          })
      }
    },
  )

  test.each(['0', '-1', '1.0', '01', 'x', '1e0', '99999999999999999999'])(
    'are rejected for an invalid project ID in /api/projects/%s/',
    async (project) => {
      expect(
        (
          await request(`${first.url}/api/projects/${project}/endpoints/`, {
            headers: { authorization: `Bearer ${first.key}` },
          })
        ).status,
      ).toBe(404)
    },
  )

  test('are not accepted in the URL', async () => {
    expect((await request(`${first.url}/api/projects/1/endpoints/?personal_api_key=${first.key}`)).status).toBe(401)
  })

  test('work on /api/environments/ as on /api/projects/', async () => {
    expect(
      (
        await request(`${first.url}/api/environments/1/endpoints/`, {
          headers: { authorization: `Bearer ${first.key}` },
        })
      ).status,
    ).toBe(200)
    expect((await request(`${first.url}/api/environments/1/endpoints/`)).status).toBe(401)
  })
})

describe('project isolation', () => {
  test('returns only events of the requested project through the API', async () => {
    const query = "SELECT properties.secret, count() FROM events WHERE event = 'mine' GROUP BY 1"
    expect(await rowsOf(first, query)).toEqual([['first', 3]])
    expect(await rowsOf(second, query)).toEqual([['second', 5]])
  })

  test.each([
    ['in a subquery', "SELECT count() FROM (SELECT * FROM events WHERE event = 'mine')", 3],
    ['in a common table expression', "WITH x AS (SELECT * FROM events WHERE event = 'mine') SELECT count() FROM x", 3],
    ['in a join', "SELECT count() FROM events AS a JOIN events AS b ON a.event = b.event WHERE a.event = 'mine'", 9],
    [
      'in a union',
      "SELECT count() FROM (SELECT uuid FROM events WHERE event = 'mine' UNION ALL SELECT uuid FROM events WHERE event = 'mine')",
      6,
    ],
    ['behind an OR', "SELECT count() FROM events WHERE event = 'mine' OR 1 = 1", undefined],
  ])('returns only events of the requested project %s', async (_, query, expected) => {
    const [row] = await rowsOf(first, query)
    expect(Number(row![0])).toBe(
      expected ?? Number((await engine.ask('writer', 'SELECT count() FROM db.events WHERE project_id = 1'))[0]![0]),
    )
  })

  test('separates endpoints and variables of two projects', async () => {
    await api(first, 'POST', '/endpoints/', { name: 'own', query: { kind: 'HogQLQuery', query: 'SELECT 1' } })
    const { body: variable } = await api(first, 'POST', '/insight_variables/', { name: 'own', type: 'String' })
    expect((await api(second, 'GET', '/endpoints/own/')).status).toBe(404)
    expect((await api(second, 'POST', '/endpoints/own/run')).status).toBe(404)
    expect((await api(second, 'DELETE', '/endpoints/own/')).status).toBe(404)
    expect((await api(second, 'GET', `/insight_variables/${variable.id}/`)).status).toBe(404)
    expect(
      await api(second, 'POST', '/endpoints/', {
        name: 'x',
        query: { kind: 'HogQLQuery', query: 'SELECT {variables.own}' },
      }),
    ).toMatchObject({
      status: 400,
      body: { detail: 'Query references undefined variable(s): own' },
    })
    expect(
      (await api(second, 'POST', '/endpoints/', { name: 'own', query: { kind: 'HogQLQuery', query: 'SELECT 2' } }))
        .status,
    ).toBe(201)
  })

  test('stores different events of two projects under one UUID', async () => {
    const uuid = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    await capture(first, event('shared', { uuid }))
    await capture(second, event('shared', { uuid }))
    for (const project of [first, second])
      expect(await rowsOf(project, "SELECT count() FROM events WHERE event = 'shared'")).toEqual([[1]])
  })
})

// Queries that bypass the compiler, with the settings of a run: tests the isolation by the engine alone.
describe('project isolation by the engine without the compiler', () => {
  const settings = {
    readonly: '1',
    additional_table_filters: "{'db.events':'project_id = 1'}",
    log_comment: '1',
    max_execution_time: '10',
    max_result_rows: '1000',
  }
  const COUNT = "SELECT count(), uniqExact(project_id) FROM db.events WHERE event = 'mine'"
  const FIRST_ONLY = [[3, 1]]

  test.each([
    ['a plain query', COUNT],
    [
      'a common table expression',
      `WITH x AS (SELECT * FROM db.events) SELECT count(), uniqExact(project_id) FROM x WHERE event = 'mine'`,
    ],
    ['merge()', "SELECT count(), uniqExact(project_id) FROM merge('db', 'events') WHERE event = 'mine'"],
    [
      'a filter on the other project',
      "SELECT count(), uniqExact(project_id) FROM db.events WHERE event = 'mine' AND (project_id = 2 OR 1)",
    ],
  ])('limits %s to one project', async (_, query) => {
    expect((await engine.ask('reader', query, settings)).map((row) => row.map(Number))).toEqual(FIRST_ONLY)
  })

  test('holds with either of its two filters alone', async () => {
    const { log_comment, additional_table_filters, ...rest } = settings
    expect((await engine.ask('reader', COUNT, { ...rest, log_comment })).map((row) => row.map(Number))).toEqual(
      FIRST_ONLY,
    )
    expect(
      (await engine.ask('writer', COUNT, { ...rest, additional_table_filters })).map((row) => row.map(Number)),
    ).toEqual(FIRST_ONLY)
  })

  test('returns no rows to a request without a project', async () => {
    expect((await engine.ask('reader', COUNT)).map((row) => row.map(Number))).toEqual([[0, 0]])
  })

  test.each([
    ['settings inside the query', `${COUNT} SETTINGS log_comment = '2'`],
    ['other table filters inside the query', `${COUNT} SETTINGS additional_table_filters = {'db.events':'1'}`],
    ['readonly off', `${COUNT} SETTINGS readonly = 0`],
    ['SET', "SET log_comment = '2'"],
    ['a file', "SELECT * FROM file('/etc/passwd', 'LineAsString')"],
    ['a URL', "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')"],
    ['another server', "SELECT * FROM remote('127.0.0.1', 'db', 'events')"],
    ['an executable', "SELECT * FROM executable('ls', 'TSV', 'a String')"],
    ['users', 'SELECT * FROM system.users'],
    ['running queries', 'SELECT * FROM system.processes'],
    ['insert', 'INSERT INTO db.events (project_id) VALUES (1)'],
    ['delete', 'ALTER TABLE db.events DELETE WHERE 1'],
    ['drop', 'DROP TABLE db.events'],
    ['create', 'CREATE TABLE db.x (a Int8) ENGINE = Memory'],
    ['a temporary table', 'CREATE TEMPORARY TABLE x (a Int8)'],
    ['kill', 'KILL QUERY WHERE 1'],
    ['stop', 'SYSTEM STOP LISTEN HTTP'],
  ])('rejects a query with %s', async (_, query) => {
    await expect(engine.ask('reader', query, settings)).rejects.toThrow(/DB::Exception/)
  })
})

// The compiled query without the engine's filters: tests the isolation by the compiler alone.
test('the compiler isolates projects without the engine filters', async () => {
  const { compileQuery, parseQuery } = await import('../../src/sql/compile.ts')
  const countBy = async (query: string) => {
    const { text, params } = compileQuery(parseQuery(query), { projectId: 1, variables: {} })
    const bound = Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, String(value)]))
    return (await engine.ask('writer', text, bound)).map((row) => row.map(Number))
  }
  expect(await countBy("SELECT count() FROM events WHERE event = 'mine'")).toEqual([[3]])
  expect(
    await countBy("SELECT count() FROM events AS a JOIN events AS b ON a.event = b.event WHERE a.event = 'mine'"),
  ).toEqual([[9]])
  expect(
    await countBy(
      "WITH x AS (SELECT uuid, event FROM events) SELECT count() FROM x WHERE event = 'mine' OR event = 'mine'",
    ),
  ).toEqual([[3]])
})
