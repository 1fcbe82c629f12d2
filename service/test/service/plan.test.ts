import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { api, capture, event, rowsOf } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'
import { temporaryFolder } from '../support/startService.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.stop())

const PLAN = {
  events: {
    purchase: {
      type: 'object',
      properties: {
        amount: { type: 'number', minimum: 0 },
        currency: { enum: ['EUR', 'USD'] },
        items: { type: 'array', items: { $ref: '#/$defs/item' } },
        code: { type: 'string', pattern: '^[a-z]+$' },
      },
      required: ['amount'],
      additionalProperties: false,
    },
    'never seen': {},
  },
  $defs: { item: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
  flags: {},
  strict: true,
}
const setPlan = (mode: string, plan: unknown = PLAN) => api(service, 'PUT', '/plan', { mode, plan })
const violationsOf = async (name: string) =>
  (
    await rowsOf(
      service,
      `SELECT JSONExtractRaw(toString(properties), '$plan_violations') FROM events WHERE event = '${name}' ORDER BY timestamp, uuid`,
    )
  ).map(([value]) => (value ? (JSON.parse(value as string) as unknown) : undefined))

test('a project has no plan, and takes every event', async () => {
  expect((await api(service, 'GET', '/plan')).body).toEqual({ mode: 'off', plan: null, undeclared: [], unseen: [] })
  expect((await capture(service, event('before', {}, { amount: 'x' }))).body).not.toHaveProperty('refused')
})

test('mark: events outside the plan are stored with what is wrong, and undeclared names are listed', async () => {
  expect((await setPlan('mark')).body).toMatchObject({ mode: 'mark', plan: PLAN })
  const good = { amount: 5, items: [{ sku: 's' }], $current_url: 'https://x.example', utm_source: 'mail', code: 'abc' }
  const reply = await capture(
    service,
    event('purchase', { uuid: '00000000-0000-7000-8000-000000000001', timestamp: '2026-01-01T00:00:00Z' }, good),
    event(
      'purchase',
      { uuid: '00000000-0000-7000-8000-000000000002', timestamp: '2026-01-02T00:00:00Z' },
      { amount: -1, currency: 'GBP', items: [{}], code: 'A', other: 1 },
    ),
    event('purchse', {}, { amount: 5 }),
    event('$pageview', {}, { $plan_violations: ['forged'] }),
  )
  expect(reply.status).toBe(200)
  expect(reply.body).not.toHaveProperty('refused')
  expect(await violationsOf('purchase')).toEqual([
    undefined,
    expect.arrayContaining([
      'amount must be >= 0',
      'currency must be one of ["EUR","USD"]',
      'items.0.sku is missing',
      'code must match pattern "^[a-z]+$"',
      'other is not in the plan',
    ]),
  ])
  expect(await violationsOf('purchse')).toEqual([['is not in the plan']])
  expect(await violationsOf('$pageview')).toEqual([undefined])
})

test('refuse: such events are refused with a reason, which the list of refused events has too', async () => {
  await setPlan('refuse')
  const { status, body } = await capture(
    service,
    event('purchase', {}, { amount: 7 }),
    event('purchase', {}, { amount: '7' }),
    event('purchse', {}, { amount: 7 }),
    event('$identify', {}, { nested: { $plan_violations: ['x'] } }),
  )
  expect(status).toBe(200)
  expect(body.refused.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
    [1, 'properties_not_in_plan'],
    [2, 'event_not_in_plan'],
  ])
  const samples = (await api(service, 'GET', '/refused_events')).body.results as { code: string; event: unknown }[]
  expect(JSON.stringify(samples.find(({ code }) => code === 'properties_not_in_plan'))).toContain(
    'amount must be number',
  )
  await setPlan('off')
  expect((await capture(service, event('purchse', {}, {}))).body).not.toHaveProperty('refused')
})

test('`trailmark types --pull` writes the same types twice, and those of endpoints', async () => {
  const many = Array.from({ length: 12 }, (_, index) =>
    event('signed up', {}, { plan: index % 2 ? 'pro' : 'free', mail: `ada${index}@mail.example`, seats: index }),
  )
  await capture(service, ...many, event('signed up', {}, { plan: 'pro', mail: 'x@mail.example', seats: 'many' }))
  const folder = temporaryFolder()
  const run = async (...args: string[]) => {
    const { url, projectId, key } = service
    const env = { TRAILMARK_HOST: url, TRAILMARK_PROJECT_ID: String(projectId), TRAILMARK_API_KEY: key }
    const command = resolve(__dirname, '../../../bin/trailmark.mjs')
    return (await promisify(execFile)(process.execPath, [command, 'types', ...args], { cwd: folder, env })).stdout
  }
  expect(await run('--pull')).toBe('trailmark-events.d.ts is written\n')
  const types = readFileSync(join(folder, 'trailmark-events.d.ts'), 'utf8')
  expect(types).toContain(
    "    'signed up': {\n      mail: string\n      plan: 'free' | 'pro'\n      seats: number | string\n    }\n",
  )
  expect(types).not.toContain('@')
  expect(await run('--pull', '--check')).toBe('')
  await run('--endpoints')
  expect(readFileSync(join(folder, 'trailmark-endpoints.ts'), 'utf8')).toContain('export')
})

test('the operator sees names that are not in the plan with counts, and planned ones that never came', async () => {
  const { undeclared, unseen } = (await api(service, 'GET', '/plan')).body
  expect(undeclared).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'purchse', count: 2 }),
      expect.objectContaining({ name: 'before', count: 1 }),
    ]),
  )
  expect(undeclared).toHaveLength(3)
  expect(unseen).toEqual(['never seen'])
})

const nested = (levels: number): unknown => (levels ? { items: nested(levels - 1) } : {})
const inE = (schema: unknown, more: object = {}) => ({ events: { e: schema }, ...more })
const growing = Object.fromEntries(
  Array.from({ length: 9 }, (_, index) => [
    `d${index}`,
    index < 8 ? { anyOf: Array.from({ length: 4 }, () => ({ $ref: `#/$defs/d${index + 1}` })) } : {},
  ]),
)
test.each([
  ['no events', {}, 'must be an object with "events"'],
  ['another member', { events: {}, event: {} }, '"event" is not known'],
  ['a huge plan', inE({ description: 'x'.repeat(200_001) }), 'may have at most 200000 bytes'],
  ['a deep schema', inE(nested(21)), 'is nested more than 20 levels deep'],
  [
    'many events',
    { events: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`e${i}`, {}])) },
    'at most 1000 events',
  ],
  ['references that grow', inE({ $ref: '#/$defs/d0' }, { $defs: growing }), 'has more than 500 schemas'],
  [
    'a reference to itself',
    inE({ $ref: '#/$defs/a' }, { $defs: { a: { items: { $ref: '#/$defs/a' } } } }),
    'refers to a schema that contains it',
  ],
  ['a reference elsewhere', inE({ $ref: 'https://evil.example' }), 'must name a schema of the plan'],
  ['a backreference', inE({ properties: { p: { pattern: '(a)\\1' } } }), 'is not a regular expression of RE2'],
  ['an unsupported keyword', inE({ if: {} }), 'is not supported. Supported: title'],
  ['a wrong type', inE({ type: 'strnig' }), 'The schema of "e" is not valid'],
  ['a wrong limit', inE({ properties: { p: { minLength: 'x' } } }), 'The schema of "e" is not valid'],
])('a plan with %s is refused', async (_, plan, detail) => {
  const { status, body } = await setPlan('mark', plan)
  expect([status, body.code, body.detail]).toEqual([400, 'invalid_input', expect.stringContaining(detail)])
})

test('a large event has its first violation', async () => {
  await setPlan('mark')
  const items = Array.from({ length: 5_000 }, () => ({}))
  await capture(service, event('purchase', { timestamp: '2026-01-03T00:00:00Z' }, { amount: 1, $a: 1, items }))
  expect((await violationsOf('purchase'))[2]).toEqual(['items.0.sku is missing'])
})

test('a pattern that backtracks takes no time', async () => {
  expect((await setPlan('mark', inE({ properties: { p: { pattern: '^(a+)+$' } } }))).status).toBe(200)
  await new Promise((done) => setTimeout(done, 0))
  const reply = await capture(service, event('e', {}, { p: `${'a'.repeat(50_000)}!` }))
  expect(reply.status).toBe(200)
  expect(await violationsOf('e')).toEqual([['p must match pattern "^(a+)+$"']])
})
