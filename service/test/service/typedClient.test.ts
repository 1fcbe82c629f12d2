import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { createEndpoints, type EndpointError } from '../../../src/backend/endpoints.ts'
import { api, capture, event } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

const CLIENT = resolve(__dirname, '../../../src/backend/endpoints.ts')
const EVENTS = 25

let service: SharedService
const clientOf = (more: object = {}) =>
  createEndpoints({ host: service.url, projectId: service.projectId, personalApiKey: service.key, ...more })
const failureOf = (running: Promise<unknown>) =>
  running.then(
    () => undefined,
    (error) => error as EndpointError,
  )

beforeAll(async () => {
  service = await sharedService()
  for (const variable of [{ name: 'Least', type: 'Number', schema: { type: 'integer', minimum: 0 } }]) {
    expect((await api(service, 'POST', '/insight_variables/', variable)).status).toBe(201)
  }
  const create = (name: string, query: string, description = '') =>
    api(service, 'POST', '/endpoints/', { name, description, query: { kind: 'HogQLQuery', query } })
  expect(
    (
      await create(
        'prices',
        'SELECT toInt(properties.price) AS price, properties.plan AS plan FROM events WHERE toInt(properties.price) >= {variables.least} ORDER BY price',
        'What sold */ so far',
      )
    ).status,
  ).toBe(201)
  expect((await create('one', "SELECT 1 AS one, 'x' AS `odd name`")).status).toBe(201)
  expect(
    (
      await api(service, 'POST', '/endpoints/', {
        name: 'daily',
        query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }] },
      })
    ).status,
  ).toBe(201)
  await capture(
    service,
    ...Array.from({ length: EVENTS }, (_, index) =>
      event('bought', {}, { price: index, plan: index % 2 ? 'pro' : 'free' }),
    ),
  )
})
afterAll(() => service.stop())

test('the typed client returns rows as objects by column name', async () => {
  expect(await clientOf().run('prices', { least: 23 })).toEqual({
    rows: [
      { price: 23, plan: 'pro' },
      { price: 24, plan: 'free' },
    ],
    columns: ['price', 'plan'],
    hasMore: false,
    version: 1,
    isCached: false,
    lastRefresh: expect.any(Date),
  })
  expect((await clientOf().run('prices', { least: 23 })).isCached).toBe(true)
  expect((await clientOf().run('prices', { least: 23 }, { refresh: 'force' })).isCached).toBe(false)
  expect(await clientOf().run('prices', { least: 0 }, { limit: 1, offset: 3 })).toMatchObject({
    rows: [{ price: 3 }],
    hasMore: true,
  })
  expect((await clientOf().run('one')).rows).toEqual([{ one: 1, 'odd name': 'x' }])
})

test('the typed client returns insight results unchanged', async () => {
  const { rows, columns } = await clientOf().run('daily')
  expect(columns).toEqual([])
  expect(rows).toEqual([expect.objectContaining({ count: EVENTS, days: expect.any(Array) })])
})

test.each([1, 7, 25, 1000])('the typed client iterates over all rows in pages of %i', async (limit) => {
  const prices: unknown[] = []
  for await (const { price } of clientOf().rows('prices', { least: 0 }, { limit })) prices.push(price)
  expect(prices).toEqual(Array.from({ length: EVENTS }, (_, index) => index))
})

test('the typed client throws the message of a rejected run without a retry', async () => {
  expect(await failureOf(clientOf().run('prices', {}))).toMatchObject({
    name: 'EndpointError',
    status: 400,
    code: 'invalid_variables',
    message: expect.stringContaining('least'),
    errors: [expect.objectContaining({ path: 'least' })],
    requestId: expect.any(String),
  })
  expect(await failureOf(clientOf().run('nothing'))).toMatchObject({ status: 404, code: 'not_found' })
  expect(await failureOf(clientOf({ personalApiKey: 'phx_wrong' }).run('one'))).toMatchObject({ status: 401 })
})

describe('the typed client with a failing service', () => {
  let unwell: Server
  let asked: number
  let answer: (count: number) => { status: number; headers?: Record<string, string>; body: string } | undefined
  const GOOD = {
    status: 200,
    body: JSON.stringify({
      results: [[1]],
      columns: ['one'],
      endpoint_version: 1,
      is_cached: false,
      last_refresh: '2026-01-01T00:00:00Z',
    }),
  }

  beforeAll(async () => {
    unwell = createServer((_, response) => {
      asked += 1
      const { status, headers, body } = answer(asked) ?? {}
      if (status) response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
    })
    await new Promise<void>((done) => unwell.listen(0, '127.0.0.1', done))
  })
  beforeEach(() => void (asked = 0))
  afterAll(() => {
    unwell.closeAllConnections()
    unwell.close()
  })
  const client = (more: object = {}) =>
    clientOf({ host: `http://127.0.0.1:${(unwell.address() as AddressInfo).port}`, ...more })

  test.each([429, 503])('retries after a %i', async (status) => {
    answer = (count) =>
      count === 1
        ? { status, headers: { 'Retry-After': '0' }, body: '{"code":"query_capacity","detail":"Later."}' }
        : GOOD
    expect((await client().run('one')).rows).toEqual([{ one: 1 }])
    expect(asked).toBe(2)
  })

  test('throws the message of the service after the configured retries', async () => {
    answer = () => ({
      status: 503,
      headers: { 'Retry-After': '0' },
      body: '{"code":"query_capacity","detail":"Later."}',
    })
    expect(await failureOf(client({ retries: 1 }).run('one'))).toMatchObject({
      status: 503,
      code: 'query_capacity',
      message: 'Later.',
    })
    expect(asked).toBe(2)
  })

  test('does not retry after a 500 and throws for a response that is not JSON', async () => {
    answer = () => ({ status: 500, body: '<html>' })
    expect(await failureOf(client().run('one'))).toMatchObject({
      status: 500,
      code: 'http_500',
      message: expect.stringContaining('500'),
    })
    expect(asked).toBe(1)
  })

  test('throws if the service does not respond within timeoutMs', async () => {
    answer = () => undefined
    expect(await failureOf(client({ timeoutMs: 50 }).run('one'))).toMatchObject({
      status: 0,
      code: 'timeout',
      message: expect.stringContaining('50 ms'),
    })
  })

  test('throws the reason of an aborted signal', async () => {
    answer = () => undefined
    const ending = new AbortController()
    const failure = failureOf(client().run('one', {}, { signal: ending.signal }))
    ending.abort(new Error('enough'))
    expect(await failure).toMatchObject({ message: 'enough' })
  })

  test('throws an error that names an unreachable service', async () => {
    expect(await failureOf(clientOf({ host: 'http://127.0.0.1:1', retries: 0 }).run('one'))).toMatchObject({
      status: 0,
      code: 'unreachable',
      message: expect.stringContaining('http://127.0.0.1:1'),
    })
  })
})

test('the typed client rejects an API key in a browser', () => {
  Object.assign(globalThis, { document: {} })
  try {
    expect(() => clientOf()).toThrow(/server only/)
    expect(() => clientOf({ runToken: 'some' })).toThrow(/server only/)
    expect(() => clientOf({ personalApiKey: undefined })).toThrow(/runToken/)
  } finally {
    delete (globalThis as { document?: unknown }).document
  }
  expect(() => clientOf({ personalApiKey: '' })).toThrow(/personalApiKey/)
})

test('the typed client accepts a run token with pinned variables in a browser', async () => {
  const { body } = await api(service, 'POST', '/endpoints/run_tokens', {
    endpoints: ['prices'],
    variables: { least: 23 },
  })
  Object.assign(globalThis, { document: {} })
  try {
    const inPage = clientOf({ personalApiKey: undefined, runToken: body.token })
    expect((await inPage.run('prices')).rows).toEqual([
      { price: 23, plan: 'pro' },
      { price: 24, plan: 'free' },
    ])
    expect(await failureOf(inPage.run('prices', { least: 0 }))).toMatchObject({
      status: 400,
      code: 'invalid_variables',
      errors: [{ path: 'least', code: 'pinned' }],
    })
    expect(await failureOf(inPage.run('one'))).toMatchObject({ status: 403, code: 'not_granted' })
  } finally {
    delete (globalThis as { document?: unknown }).document
  }
})

describe('the generated types of endpoints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-types-'))
  let types: string
  beforeAll(async () => {
    types = (await api(service, 'GET', '/endpoints/types.ts')).body
    writeFileSync(join(folder, 'types.ts'), types)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Returns the TypeScript errors of these lines. */
  const faultsOf = (lines: string): string[] => {
    const file = join(folder, 'use.ts')
    writeFileSync(
      file,
      `import { createEndpoints } from '${CLIENT.replace(/\.ts$/, '')}'\nimport type { Endpoints } from './types'\nconst endpoints = createEndpoints<Endpoints>({ host: '', projectId: 1, personalApiKey: 'k' })\nexport const use = async () => {\n${lines}\n}\n`,
    )
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: [],
    })
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  }

  test('include every active endpoint with variables and columns', () => {
    expect(types).toContain('What sold *\\/ so far')
    expect(types).toMatch(
      /prices: \{\s+variables: \{ least: number \}\s+row: \{ price: number \| string \| null; plan: string \| null \}/,
    )
    expect(types).toMatch(/one: \{\s+variables: \{\}\s+row: \{ one: [^;]+; "odd name": string \| null \}/)
    expect(types).toMatch(
      /daily: \{\s+variables: \{ date_from\?: string; date_to\?: string \}\s+row: \{ data: readonly \(number \| null\)\[\]; labels: readonly \(string\)\[\];/,
    )
  })

  test('accept valid calls', () => {
    expect(
      faultsOf(`
        const { rows } = await endpoints.run('prices', { least: 1 }, { limit: 3 })
        const plan: string | null = rows[0]!.plan
        for await (const { price } of endpoints.rows('prices', { least: 1 })) console.log(price, plan)
        await endpoints.run('one')
        await endpoints.run('daily', { date_from: '-7d' })`),
    ).toEqual([])
  })

  test.each([
    ['an unknown endpoint', "await endpoints.run('price', { least: 1 })", /"price"/],
    ['a missing variable', "await endpoints.run('prices', {})", /'least' is missing/],
    ['no variables where one is required', "await endpoints.run('prices')", /Expected/],
    [
      'a variable of the wrong type',
      "await endpoints.run('prices', { least: 'x' })",
      /'string' is not assignable to type 'number'/,
    ],
    ['an unknown column', "(await endpoints.run('prices', { least: 1 })).rows[0]!.cost", /'cost' does not exist/],
  ])('reject %s', (_, line, fault) => {
    expect(faultsOf(line)).toEqual([expect.stringMatching(fault)])
  })
})
