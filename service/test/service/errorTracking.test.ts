import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { lineMap } from '../support/sourceMap.ts'
import { api, capture, countOf, event, request } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'
import { startService, temporaryFolder } from '../support/startService.ts'

const run = promisify(execFile)
const BUILD_AND_THROW = resolve(__dirname, '../support/buildAndThrow.mjs')

let service: SharedService
let other: Pick<SharedService, 'url' | 'token' | 'key' | 'projectId'>

const get = async (path: string, target: Pick<SharedService, 'url' | 'key' | 'projectId'> = service): Promise<any> => {
  const { status, body } = await api(target as SharedService, 'GET', `/error_tracking/${path}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
const send = async (method: 'POST' | 'PATCH', path: string, body: unknown) =>
  api(service, method, `/error_tracking/${path}`, body)

interface Thrown {
  type?: string
  value?: string
  frames?: [file: string, name: string, line: number, column: number, mapId?: string][]
  person?: string
  release?: string
  properties?: Record<string, unknown>
}

/** An exception as the SDK sends it. `frames`: the throwing frame first. */
const exception = ({
  type = 'TypeError',
  value = 'x is not a function',
  frames = [],
  person,
  release,
  properties,
}: Thrown) =>
  event(
    '$exception',
    {},
    {
      distinct_id: person ?? 'visitor',
      $exception_list: [
        {
          type,
          value,
          mechanism: { type: 'onerror', handled: false, synthetic: false },
          stacktrace: {
            type: 'raw',
            frames: frames
              .map(([filename, name, lineno, colno, chunk_id]) => ({
                platform: 'web:javascript',
                filename,
                function: name,
                lineno,
                colno,
                in_app: true,
                ...(chunk_id ? { chunk_id } : {}),
              }))
              .reverse(),
          },
        },
      ],
      $session_id: 's1',
      ...(release ? { $release_id: release } : {}),
      ...properties,
    },
  )

const find = async (type: string): Promise<any> =>
  (await get('issues')).results.find((issue: { type: string }) => issue.type === type)

beforeAll(async () => {
  service = await sharedService()
  other = await sharedService()
})
afterAll(() => service.stop())

test('groups one bug of two releases and three engines into one issue, and counts its people', async () => {
  const release = (name: string, hash: string, shift: number) =>
    [
      ['V8', 'Object.pay'],
      ['Gecko', 'pay'],
      ['JavaScriptCore', 'pay'],
    ].map(([engine, name_]) =>
      exception({
        type: 'PayError',
        frames: [
          [`https://shop.test/app-${hash}.js`, name_!, 1 + shift, 900 + shift],
          [`https://shop.test/app-${hash}.js`, 'click', 1, 200 + shift],
        ],
        person: `person ${engine}`,
        release: name,
      }),
    )
  await capture(service, ...[...release('1.0', '4f3c2a1b', 0), ...release('1.1', '9d8e7f6a', 7)])
  const { results, count, next } = await get('issues?search=PAYERROR')
  expect({ count, next }).toEqual({ count: 1, next: null })
  expect(results[0]).toMatchObject({
    type: 'PayError',
    value: 'x is not a function',
    culprit: 'Object.pay (https://shop.test/app-4f3c2a1b.js)',
    state: 'active',
    count: 6,
    people: 3,
    series: [{ count: 6 }],
  })
  expect(results[0].releases.map(({ release }: { release: string }) => release).sort()).toEqual(['1.0', '1.1'])
  const details = await get(`issues/${results[0].id}`)
  expect(details.fingerprints).toMatchObject([{ count: 6 }])
  const events = await get(`issues/${results[0].id}/events?limit=4`)
  expect(events.results).toHaveLength(4)
  expect(events.results[0]).toMatchObject({ session_id: 's1', exceptions: [{ type: 'PayError', is_handled: false }] })
  const rest = await get(`issues/${results[0].id}/events?limit=4&cursor=${events.next}`)
  expect(new Set([...events.results, ...rest.results].map(({ uuid }: { uuid: string }) => uuid)).size).toBe(6)
  expect(rest.next).toBeNull()
})

test('groups messages that differ in ids, and separates two bugs', async () => {
  await capture(
    service,
    ...[
      exception({ type: 'IdError', value: `Order ${randomUUID()} of a@b.example has 3 items` }),
      exception({ type: 'IdError', value: `Order ${randomUUID()} of c@d.example has 12 items` }),
      exception({ type: 'IdError', value: 'Order is empty' }),
    ],
  )
  const { results } = await get('issues?search=IdError&order=count')
  expect(results.map(({ count }: { count: number }) => count)).toEqual([2, 1])
})

test('groups by the fingerprint that the site sends', async () => {
  const properties = { $exception_fingerprint: 'checkout' }
  await capture(
    service,
    ...[
      exception({ type: 'GivenError', value: 'one', properties }),
      exception({ type: 'OtherGivenError', value: 'two', properties }),
    ],
  )
  expect((await get('issues?search=GivenError')).count).toBe(1)
})

test('merges issues and splits them again', async () => {
  await capture(service, ...[exception({ type: 'MergeA' }), exception({ type: 'MergeB' })])
  const [a, b] = [await find('MergeA'), await find('MergeB')]
  const merged = await send('POST', `issues/${a.id}/merge`, { ids: [b.id] })
  expect(merged).toMatchObject({ status: 200, body: { id: a.id, count: 2 } })
  expect(await find('MergeB')).toBeUndefined()
  // Later exceptions follow.
  await capture(service, ...[exception({ type: 'MergeB' })])
  const details = await get(`issues/${a.id}`)
  expect(details.count).toBe(3)
  const [, moved] = details.fingerprints.sort((x: any, y: any) => x.count - y.count)
  const split = await send('POST', `issues/${a.id}/split`, { fingerprints: [moved.fingerprint] })
  expect(split).toMatchObject({ status: 201, body: { count: 2 } })
  expect(split.body.id).not.toBe(a.id)
  expect((await get(`issues/${a.id}`)).count).toBe(1)

  const rejected = [
    await send('POST', `issues/${a.id}/merge`, { ids: [a.id] }),
    await send('POST', `issues/${a.id}/merge`, { ids: [randomUUID()] }),
    await send('POST', `issues/${a.id}/split`, { fingerprints: ['none'] }),
    await send('POST', `issues/${a.id}/split`, {
      fingerprints: (await get(`issues/${a.id}`)).fingerprints.map((each: any) => each.fingerprint),
    }),
  ]
  expect(rejected.map(({ status }) => status)).toEqual([400, 404, 400, 400])
})

test('reopens a resolved issue when a release that came later throws it, and keeps an ignored one', async () => {
  const thrown = (release: string) => exception({ type: 'RegressError', release })
  await capture(service, ...[thrown('2.0')])
  const { id } = await find('RegressError')
  expect((await send('PATCH', `issues/${id}`, { state: 'resolved' })).body).toMatchObject({ state: 'resolved' })
  // A visitor whose page still has the old release.
  await capture(service, ...[thrown('2.0')])
  expect((await get(`issues/${id}`)).state).toBe('resolved')
  await capture(service, ...[thrown('2.1')])
  expect(await get(`issues/${id}`)).toMatchObject({ state: 'active', reopened_at: expect.any(String) })

  await send('PATCH', `issues/${id}`, { state: 'ignored' })
  await capture(service, ...[thrown('2.2')])
  expect((await get(`issues/${id}`)).state).toBe('ignored')
  expect((await get('issues?state=active&search=RegressError')).count).toBe(0)
})

test('ignores an issue until it has had some more events', async () => {
  const thrown = exception({ type: 'NoisyError' })
  await capture(service, thrown, { ...thrown, uuid: randomUUID() })
  const { id } = await find('NoisyError')
  expect((await send('PATCH', `issues/${id}`, { state: 'ignored', until_events: 2 })).body).toMatchObject({
    state: 'ignored',
    ignored_events: 2,
  })
  await capture(service, { ...thrown, uuid: randomUUID() })
  expect(await get(`issues/${id}`)).toMatchObject({ state: 'ignored', ignored_events: 1 })
  await capture(service, { ...thrown, uuid: randomUUID() })
  expect(await get(`issues/${id}`)).toMatchObject({
    state: 'active',
    ignored_events: null,
    reopened_at: expect.any(String),
  })
  const refused = await send('PATCH', `issues/${id}`, { state: 'resolved', until_events: 2 })
  expect(refused).toMatchObject({ status: 400, body: { attr: 'until_events' } })
})

const upload = async (id: string, body: Buffer, target: Pick<SharedService, 'url' | 'key' | 'projectId'> = service) =>
  request(`${target.url}/api/projects/${target.projectId}/error_tracking/sourcemaps/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(body),
  })

test('applies a source map that comes after the exceptions, and joins what it shows to be one issue', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  const source = 'export const total = (cart) => {\n  return cart.items.length\n}\n'
  const map = (line: number) =>
    gzipSync(lineMap('webpack://shop/./src/total.ts', source, { line, column: 20, name: 'total' }))
  await capture(
    service,
    ...[
      exception({
        type: 'MapError',
        frames: [
          ['https://shop.test/a.js', 't', 1, 11, first],
          ['https://shop.test/a.js', 'n', 1, 2],
        ],
      }),
      exception({
        type: 'MapError',
        frames: [
          ['https://shop.test/a.js', 'q', 1, 11, second],
          ['https://shop.test/a.js', 'n', 1, 2],
        ],
      }),
    ],
  )
  expect((await get('issues?search=MapError')).count).toBe(2)
  const before = (await get('issues?search=MapError')).results
  for (const { id } of before) await send('PATCH', `issues/${id}`, { state: 'ignored' })

  expect(await upload(first, map(2))).toMatchObject({ status: 201, body: { id: first, hash: expect.any(String) } })
  expect((await upload(first, map(2))).status).toBe(200)
  expect(await upload(first, map(1))).toMatchObject({ status: 409, body: { code: 'source_map_exists' } })
  expect(await get(`sourcemaps/${first}`)).toMatchObject({ id: first })
  await upload(second, map(2))

  const { results } = await get('issues?search=MapError')
  expect(results).toMatchObject([{ state: 'ignored', count: 2 }])
  expect(before.map(({ id }: { id: string }) => id)).toContain(results[0].id)
  expect(results.map((issue: any) => issue.culprit)).toContainEqual(expect.stringContaining('src/total.ts'))
  const shown = (await Promise.all(results.map((issue: any) => get(`issues/${issue.id}/events`)))).flatMap(
    ({ results: events }: any) => events,
  )
  for (const each of shown)
    expect(each.exceptions[0].frames[0]).toMatchObject({
      filename: 'src/total.ts',
      line: 2,
      column: 21,
      in_app: true,
      is_mapped: true,
      source: {
        before: ['export const total = (cart) => {'],
        line: '  return cart.items.length',
        after: ['}', ''],
      },
    })
})

test.each(['rollup', 'vite', 'webpack', 'esbuild'])(
  'an error of a minified build of %s is shown at its line and column in the source',
  async (bundler) => {
    const folder = realpathSync(temporaryFolder())
    try {
      const { stdout } = await run(process.execPath, [BUILD_AND_THROW, bundler, folder], {
        env: {
          ...process.env,
          TRAILMARK_HOST: service.url,
          TRAILMARK_PROJECT_ID: String(service.projectId),
          TRAILMARK_API_KEY: service.key,
        },
      })
      const { id, line, column, maps } = JSON.parse(stdout)
      // No visitor can load a source map.
      expect(maps).toEqual([])
      const type = `BuildError${bundler}`
      const thrown = exception({ type, frames: [['https://shop.test/main.js', 'a', line, column, id]] })
      await capture(service, thrown)
      const issue = await find(type)
      const [shown] = (await get(`issues/${issue.id}/events`)).results
      expect(shown.exceptions[0].frames[0]).toMatchObject({
        filename: 'src/checkout.js',
        line: 3,
        column: '  return cart.total.toFixed(2)'.indexOf('toFixed') + 1,
        is_mapped: true,
        source: { line: '  return cart.total.toFixed(2)' },
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test.each([
  ['text', Buffer.from('no gzip')],
  ['JSON that is not a source map', gzipSync('{"version":3}')],
  ['another version', gzipSync('{"version":2,"sources":[],"mappings":""}')],
  ['broken JSON', gzipSync('{"version"')],
])('rejects %s as a source map with a clear error', async (_, body) => {
  const { status, body: answer } = await upload(randomUUID(), body)
  expect([status, answer.code]).toEqual([400, 'invalid_input'])
  expect(answer.detail).toMatch(/^The body is not a gzipped source map: /)
})

test('shows an exception with a source map of which the mappings are broken', async () => {
  const id = randomUUID()
  const broken = { version: 3, sources: ['a.ts'], names: [], mappings: '!!!!;~' }
  await upload(id, gzipSync(JSON.stringify(broken)))
  await capture(
    service,
    ...[exception({ type: 'BrokenMapError', frames: [['https://shop.test/b.js', 'f', 1, 5, id]] })],
  )
  const issue = await find('BrokenMapError')
  expect((await get(`issues/${issue.id}/events`)).results[0].exceptions[0].frames).toHaveLength(1)
})

test('reads exceptions of any shape', async () => {
  const list = (value: unknown) => event('$exception', {}, { $exception_list: value })
  await capture(
    service,
    ...[
      list('text'),
      list([]),
      list([null, 5, { type: 7, value: {}, stacktrace: { frames: [null, { filename: 5, lineno: 'x' }] } }]),
      list([
        {
          value: 'TextError: as text',
          stack: 'TextError: as text\n    at run (https://shop.test/c.js:3:4)\n    at https://shop.test/c.js:9:1',
        },
      ]),
    ],
  )
  const issue = await find('TextError')
  expect(issue).toMatchObject({ value: 'as text', culprit: 'run (https://shop.test/c.js)' })
})

test('ignores a stack id that a client sends', async () => {
  const stacks = ['x'.repeat(100_000), 'y'.repeat(100_000), 'z']
  const sent = stacks.map((stack) =>
    exception({
      type: 'Ignored',
      properties: { $exception_list: [], $exception_stack: stack, $exception_rules: ['a'] },
    }),
  )
  await capture(service, ...sent)
  const { count } = await get('issues')
  expect(await find('Ignored')).toBeUndefined()
  await capture(service, exception({ type: 'AfterThem' }))
  expect(await find('AfterThem')).toMatchObject({ count: 1 })
  expect((await get('issues')).count).toBe(count + 1)
})

test('cuts a release to 200 characters', async () => {
  const releases = ['é'.repeat(400_000), 'é'.repeat(400_001), 'short']
  await capture(service, ...releases.map((release) => exception({ type: 'ReleasedError', release })))
  const { releases: shown } = await find('ReleasedError')
  expect(shown.map(({ release, count }: { release: string; count: number }) => [release, count])).toEqual(
    expect.arrayContaining([
      ['é'.repeat(200), 2],
      ['short', 1],
    ]),
  )
})

test('never shows issues and source maps of another project', async () => {
  await capture(service, ...[exception({ type: 'SecretError' })])
  const issue = await find('SecretError')
  expect((await get('issues', other)).count).toBe(0)
  const refused = [
    await api(other, 'GET', `/error_tracking/issues/${issue.id}`),
    await api(other, 'GET', `/error_tracking/issues/${issue.id}/events`),
    await api(other, 'PATCH', `/error_tracking/issues/${issue.id}`, { state: 'resolved' }),
    await api(other, 'POST', `/error_tracking/issues/${issue.id}/merge`, { ids: [issue.id] }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404])

  const id = randomUUID()
  await upload(id, gzipSync(lineMap('secret.ts', 'const secret = 1', { line: 1, column: 0, name: '' })))
  expect((await api(other as SharedService, 'GET', `/error_tracking/sourcemaps/${id}`)).status).toBe(404)
  await capture(other, ...[exception({ type: 'SpyError', frames: [['https://shop.test/a.js', 't', 1, 11, id]] })])
  const spy = (await get('issues', other)).results[0]
  expect((await get(`issues/${spy.id}/events`, other)).results[0].exceptions[0].frames[0].is_mapped).toBe(false)
  // The same id may belong to another file there.
  const own = gzipSync(lineMap('own.ts', 'const own = 1', { line: 1, column: 0, name: '' }))
  expect((await upload(id, own, other)).status).toBe(201)
})

describe('fingerprint rules', () => {
  const setRules = async (rules: unknown, target = service): Promise<any> =>
    api(target, 'PUT', '/error_tracking/fingerprint_rules', { rules })
  afterEach(() => setRules([]))

  test('put exceptions into one issue by name or into one per value, and the first that matches decides', async () => {
    const rules = [
      { match: { type: 'RuleError', message: 'timeout of *ms*' }, issue: 'Slow backend' },
      { match: { type: 'rule*', handled: false }, group_by: ['type'] },
      { match: { message: '*' }, issue: 'Everything else' },
    ]
    expect(await setRules(rules)).toMatchObject({ status: 200, body: { rules } })
    expect((await get('fingerprint_rules')).rules).toEqual(rules)
    const at = (name: string): Pick<Thrown, 'frames'> => ({
      frames: [
        ['https://shop.test/a.js', name, 1, 2],
        ['https://shop.test/a.js', 'run', 3, 4],
      ],
    })
    const given = { $exception_fingerprint: 'by the site' }
    await capture(
      service,
      exception({ type: 'RuleError', value: 'Timeout of 20ms exceeded', ...at('one') }),
      exception({ type: 'RuleError', value: 'timeout of 9000ms', ...at('two') }),
      // The same stack as the first.
      exception({ type: 'RuleError', value: 'Another message', ...at('one') }),
      exception({ type: 'RuleError', value: 'Yet another', ...at('three') }),
      exception({ type: 'RuleOtherError', value: 'Yet another', ...at('three') }),
      exception({ type: 'GivenRuleError', value: 'Kept', properties: given }),
    )
    const all: any[] = (await get('issues?order=count&limit=100')).results
    const count = (type: string) => all.filter((issue) => issue.type === type).map((issue) => issue.count)
    expect(['Slow backend', 'RuleError', 'RuleOtherError', 'GivenRuleError', 'Everything else'].map(count)).toEqual([
      [2],
      [2],
      [1],
      [1],
      [],
    ])

    // Rules apply to what arrives later.
    await setRules([])
    await capture(service, exception({ type: 'RuleError', value: 'timeout of 1ms', ...at('one') }))
    const after: any[] = (await get('issues?limit=100')).results
    expect(after.find(({ type }) => type === 'Slow backend').count).toBe(2)
    expect(after.filter(({ type }) => type === 'RuleError')).toHaveLength(2)
  })

  test('apply as they were when an exception arrived, even if they change before issues are read', async () => {
    const late = { match: { message: 'late *' }, issue: 'Late' }
    const byType = { match: { type: 'LateError' }, group_by: ['type'] }
    await setRules([byType, late])
    await capture(service, exception({ type: 'LateError', value: 'late one' }))
    // Another order, and another rule instead.
    await setRules([late, byType])
    await capture(service, exception({ type: 'LateError', value: 'late two' }))
    await setRules([{ match: { message: 'late *' }, issue: 'Later' }])
    await capture(service, exception({ type: 'LateError', value: 'late three' }))
    const all: any[] = (await get('issues?limit=100')).results
    const counts = ['LateError', 'Late', 'Later'].map((type) => all.find((issue) => issue.type === type)?.count)
    expect(counts).toEqual([1, 1, 1])
  })

  test('compare the file and the function of the source, of one frame and of any error of the chain', async () => {
    await setRules([
      { match: { file: 'src/vendor/*', function: 'load*' }, issue: 'Vendor' },
      { match: { file: '*/maps.js' }, group_by: ['file', 'function'] },
    ])
    const id = randomUUID()
    const source = 'export const load = () => {\n  throw new Error()\n}\n'
    const map = lineMap('webpack://shop/./src/vendor/load.ts', source, { line: 2, column: 2, name: 'loadAll' })
    await upload(id, gzipSync(map))
    const list = (...names: string[]) => [
      { type: 'OuterError', value: 'outer', stacktrace: { frames: [] } },
      {
        type: 'InnerError',
        value: 'inner',
        stacktrace: {
          frames: names.map((name) => ({
            filename: 'https://x.test/js/maps.js?v=1',
            function: name,
            lineno: 1,
            colno: 1,
          })),
        },
      },
    ]
    await capture(
      service,
      exception({
        type: 'BuiltError',
        frames: [
          ['https://shop.test/a-1a2b3c4d.js', 'x', 1, 11, id],
          // A name is that of a call where its mapping begins.
          ['https://shop.test/a-1a2b3c4d.js', 'y', 1, 1, id],
        ],
      }),
      event('$exception', {}, { $exception_list: list('a', 'b') }),
      event('$exception', {}, { $exception_list: list('b', 'c') }),
      exception({ type: 'MapsError', frames: [['https://y.test/maps.js', 'draw', 1, 1]] }),
      exception({ type: 'OtherMapsError', frames: [['https://y.test/maps.js', 'draw', 7, 7]] }),
      exception({ type: 'NoMapsError', frames: [['https://y.test/other.js', 'draw', 7, 7]] }),
    )
    const all: any[] = (await get('issues?limit=100')).results
    const count = (type: string) => all.find((issue) => issue.type === type)?.count
    expect(count('Vendor')).toBe(1)
    expect(count('OuterError')).toBe(2)
    expect([count('MapsError') ?? count('OtherMapsError'), count('NoMapsError')]).toEqual([2, 1])
  })

  test.each([
    ['no condition', [{ match: {}, issue: 'A' }], 'rules.0.match', /Rule 1 needs at least one condition/],
    ['no result', [{ match: { type: 'A' } }], 'rules.0', /"issue".*or "group_by"/],
    [
      'two results',
      [{ match: { type: 'A' }, issue: 'A', group_by: ['type'] }],
      'rules.0',
      /Rule 1 needs either "issue"/,
    ],
    ['a blank name', [{ match: { type: 'A' }, issue: '  ' }], 'rules.0.issue', /blank/],
    [
      'a rule that never applies',
      [
        { match: { handled: true, type: 'A' }, issue: 'A' },
        { match: { type: 'A', handled: true }, group_by: ['type'] },
      ],
      'rules.1.match',
      /Rule 1 has the same conditions/,
    ],
    ['an unknown field', [{ match: { type: 'A' }, group_by: ['line'] }], 'rules', /rules\.0\.group_by\.0/],
    ['an unknown condition', [{ match: { url: 'A' }, issue: 'A' }], 'rules', /rules\.0\.match/],
    ['no list', { match: {} }, 'rules', /array/],
  ])('are rejected for %s with a clear error, and the earlier ones stay', async (_, rules, attr, detail) => {
    const before = [{ match: { type: 'Kept' }, issue: 'Kept' }]
    await setRules(before)
    const refused = await setRules(rules)
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr, detail: expect.stringMatching(detail) },
    })
    expect((await get('fingerprint_rules')).rules).toEqual(before)
  })

  test('belong to one project', async () => {
    await setRules([{ match: { type: '*' }, issue: 'Mine' }])
    await capture(other, exception({ type: 'TheirError' }))
    expect((await get('issues?search=TheirError', other)).count).toBe(1)
    expect((await get('fingerprint_rules', other)).rules).toEqual([])
  })
})

test('a flood of invented exceptions fills one issue and leaves the metadata small', async () => {
  const limited = await startService({ env: { TRAILMARK_ERROR_ISSUES: '3' } })
  try {
    const flood = (prefix: string, count: number) =>
      capture(
        limited,
        ...Array.from({ length: count }, (_, index) =>
          exception({ type: `${prefix}${index}`, frames: [[`https://shop.test/${prefix}${index}.js`, 'f', 1, 1]] }),
        ),
      )
    const list = async () => (await get('issues', limited)).results as { id: string; type: string; count: number }[]
    await capture(limited, exception({ type: 'PayError' }), exception({ type: 'CartError' }))
    const pay = (await list()).find(({ type }) => type === 'PayError')!
    const path = `/error_tracking/issues/${pay.id}`
    expect((await api(limited, 'PATCH', path, { state: 'resolved' })).status).toBe(200)

    await flood('Made', 8)
    const issues = await list()
    expect(issues).toHaveLength(4)
    // Every event counts somewhere.
    expect(issues.reduce((sum, { count }) => sum + count, 0)).toBe(10)
    const shared = issues.find(({ type }) => type === 'Other exceptions')!
    expect(shared).toMatchObject({ count: 7, value: expect.stringContaining('TRAILMARK_ERROR_ISSUES') })
    expect((await get(`issues/${shared.id}/events?limit=50`, limited)).results).toHaveLength(7)
    expect(limited.output()).toContain('has reached its limit of 3 issues')

    // Beyond five stacks an issue, those with the latest events count. All are stored.
    await flood('More', 40)
    expect((await list()).reduce((sum, { count }) => sum + count, 0)).toBe(15)
    expect(await countOf(limited, '$exception')).toBe(50)
    // An issue whose state a person has changed is never removed.
    expect((await api(limited, 'GET', path)).body).toMatchObject({ state: 'resolved', type: 'PayError' })
    expect((await list()).length).toBeLessThanOrEqual(4)
  } finally {
    await limited.stop()
  }
})
