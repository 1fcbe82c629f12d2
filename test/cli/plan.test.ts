/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../src/cli/runCommand'

const cwd = mkdtempSync(join(tmpdir(), 'trailmark-cli-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
const read = (name: string) => readFileSync(join(cwd, name), 'utf8')

const env: Record<string, string> = { TRAILMARK_PROJECT_ID: '7', TRAILMARK_API_KEY: 'phx_secret' }
/** Runs a command. Returns its exit code and the lines that it wrote. */
const trailmark = async (...args: string[]) => {
  const lines: string[] = []
  const add = (line: string) => void lines.push(line)
  const code = await runCommand(args, { out: add, err: add, cwd, env })
  return { code, lines }
}

write(
  'trailmark.plan.json',
  JSON.stringify({
    events: {
      purchase: { properties: { amount: { type: 'number' } }, required: ['amount'] },
      refund: {},
    },
  }),
)

test('types are written from the plan, and --check compares them', async () => {
  expect(await trailmark('types', '--check')).toEqual({
    code: 1,
    lines: ['trailmark-events.d.ts is not up to date. Run: trailmark types'],
  })
  expect(await trailmark('types')).toEqual({ code: 0, lines: ['trailmark-events.d.ts is written'] })
  expect(read('trailmark-events.d.ts')).toContain('purchase: {\n      amount: number\n    }\n    refund: {}\n')
  expect((await trailmark('types', '--check')).code).toBe(0)
})

test('plan check names every problem once, with the nearest name, and exits with 1', async () => {
  const events = [
    { event: 'purchase', properties: { amount: 5 } },
    { event: 'purchase', properties: { amount: '5' } },
    { event: 'purchase', properties: { amount: '6' } },
    { event: 'purchase', properties: {} },
    { event: 'purchse', properties: { amount: 5 } },
    { event: '$pageview' },
  ]
  write('events.ndjson', events.map((each) => JSON.stringify(each)).join('\n'))
  expect(await trailmark('plan', 'check', 'events.ndjson')).toEqual({
    code: 1,
    lines: [
      'purchase: amount must be number, is string (2 events, first in events.ndjson:2)',
      'purchase: amount is missing (1 event, first in events.ndjson:4)',
      'purchse: is not in the plan. Did you mean "purchase"? (1 event, first in events.ndjson:5)',
      'refund: is in the plan, but was never seen',
      '6 events, 4 problems',
    ],
  })
  write('good.ndjson', '{"event":"purchase","properties":{"amount":5}}\n\n{"event":"refund"}\n')
  expect((await trailmark('plan', 'check', 'good.ndjson')).code).toBe(0)
})

test.each([
  [['plan', 'check'], 'Usage: trailmark plan check'],
  [['plan', 'check', 'none.ndjson'], 'File not found: none.ndjson.'],
  [['plan', 'check', 'events.ndjson', '--plan', 'broken.json'], 'The plan is not JSON'],
  [
    ['types', '--plan', 'none.json'],
    'There is no plan none.json. Write it, or run: trailmark types --pull --out none.json',
  ],
  [['types', '--pull', '--endpoints'], '--pull and --endpoints write different files.'],
  [['types', '--pull'], 'Missing --host, or the environment variable TRAILMARK_HOST.'],
  [['types', '--pull', '--host', 'http://127.0.0.1:9'], 'http://127.0.0.1:9 cannot be reached'],
])('%j says what is wrong', async (args, message) => {
  write('broken.json', '{')
  const { code, lines } = await trailmark(...args)
  expect([code, lines.join('\n')]).toEqual([1, expect.stringContaining(message)])
})

test('other commands are not of this table', async () => {
  expect((await trailmark('constructor')).code).toBeUndefined()
})

describe('with a service', () => {
  const PROPERTIES = [
    { name: 'amount', type: 'number', types: ['number'], share: 1, examples: ['5'] },
    { name: 'plan', type: 'string', types: ['string'], share: 0.9, examples: ['pro'] },
    { name: 'mail', type: 'string', types: ['string'], share: 1, examples: ['ada@mail.example'] },
    { name: 'mixed', type: 'mixed', types: ['string', 'number'], share: 1, examples: [] },
    { name: '$browser', type: 'string', types: ['string'], share: 1, examples: ['Chrome'] },
  ]
  const ANSWERS: Record<string, unknown> = {
    event_definitions: { results: ['signed up', '$pageview', 'purchase'].map((name) => ({ name })) },
    'property_definitions purchase': { results: PROPERTIES },
    'property_definitions signed up': { results: [] },
    'property_values purchase plan': {
      results: [
        { value: 'pro', count: 90 },
        { value: 'free', count: 9 },
      ],
    },
    'property_values purchase mail': { results: [{ value: 'ada@mail.example', count: 99 }] },
    'endpoints/types.ts': 'export type Endpoints = { orders: { variables: { plan?: string }; row: { id: string } } }\n',
  }
  let failures = 1
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://service')
    const parts = [pathname.replace('/api/projects/7/', ''), searchParams.get('event'), searchParams.get('key')]
    const answer = ANSWERS[parts.filter(Boolean).join(' ')]
    asked.push(String(request.headers.authorization))
    const isOverloaded = failures > 0
    failures -= 1
    response.writeHead(isOverloaded ? 429 : answer ? 200 : 404, { 'retry-after': '0.01' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? { detail: 'nothing' }))
  })
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    env.TRAILMARK_HOST = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => server.close())

  test('--pull writes every event, and twice the same', async () => {
    expect((await trailmark('types', '--pull')).code).toBe(0)
    expect(read('trailmark-events.d.ts'))
      .toBe(`// Generated by \`trailmark types\` from the events that the service has seen. Do not edit.
import 'trailmark'

declare module 'trailmark' {
  interface Events {
    purchase: {
      amount: number
      mail: string
      mixed: number | string
      plan?: 'free' | 'pro'
    }
    'signed up': {}
  }
}
`)
    expect((await trailmark('types', '--pull', '--check')).code).toBe(0)
    expect(new Set(asked)).toEqual(new Set(['Bearer phx_secret']))
  })

  test('--pull --out with the end .json writes a plan that the other commands read', async () => {
    expect((await trailmark('types', '--pull', '--out', 'seen.plan.json')).code).toBe(0)
    expect((await trailmark('types', '--pull', '--out', 'seen.d.ts')).code).toBe(0)
    expect((await trailmark('types', '--plan', 'seen.plan.json', '--out', 'fromPlan.d.ts')).code).toBe(0)
    const withoutHeader = (name: string) => read(name).replace(/^.*\n/, '')
    expect(withoutHeader('fromPlan.d.ts')).toBe(withoutHeader('seen.d.ts'))
  })

  test('--endpoints writes the types of trailmark/endpoints', async () => {
    expect(await trailmark('types', '--endpoints')).toEqual({ code: 0, lines: ['trailmark-endpoints.ts is written'] })
    expect(read('trailmark-endpoints.ts')).toBe(ANSWERS['endpoints/types.ts'])
    expect(await trailmark('types', '--endpoints', '--project', '8')).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('responded with status 404: {"detail":"nothing"}')],
    })
  })
})

test('the command of the package runs them', () => {
  const command = join(__dirname, '../../bin/trailmark.mjs')
  expect(execFileSync(process.execPath, [command, 'types', '--help'], { encoding: 'utf8' })).toContain('--pull')
})
