import { checkDays, dayNames, daysOf } from '../../src/chart/load/days'
import type { ChartError } from '../../src/chart/load/errors'
import { type ChartRun, runChart } from '../../src/chart/load/run'
import { claimsOf, sourceOf } from '../../src/chart/load/tokens'

const tokenOf = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
const inSeconds = (seconds: number) => Date.now() / 1_000 + seconds
const RUN: ChartRun = { host: 'https://events.example', endpoint: 'a b', variables: {} }
const signal = () => new AbortController().signal

const answer = (status: number, body: object, headers: Record<string, string> = {}) => ({
  ok: status < 400,
  status,
  headers: new Map(Object.entries(headers)),
  json: async () => body,
})
let requests: { url: string; token: string; options: RequestInit }[] = []
/** Answers requests of charts. */
const serve = (respond: (token: string) => unknown) => {
  requests = []
  globalThis.fetch = jest.fn(async (url: string, options: RequestInit) => {
    const token = (options.headers as { Authorization: string }).Authorization.slice(7)
    requests.push({ url, token, options })
    return respond(token)
  }) as never
}

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

test('claims are read from a token, and from nothing else', () => {
  expect(claimsOf(tokenOf({ exp: 7, project: 3 }))).toEqual({ exp: 7, project: 3 })
  for (const text of ['', 'a.b.c', 'phx_key', tokenOf([1]), 'a.bnVsbA.c']) expect(claimsOf(text)).toEqual({})
})

test('a token is renewed before it expires, once for all charts with a provider', async () => {
  const provider = jest.fn(async (): Promise<string> =>
    tokenOf({ exp: inSeconds(300), call: provider.mock.calls.length }),
  )
  const [a, b] = [sourceOf(provider, ''), sourceOf(provider, '')]
  const [first, same] = await Promise.all([a.get(), b.get()])
  expect(first).toBe(same)
  jest.advanceTimersByTime(269_000)
  expect(await a.get()).toBe(first)
  jest.advanceTimersByTime(2_000)
  const [second, too] = await Promise.all([a.get(), b.get()])
  expect([second === first, second === too, provider.mock.calls.length]).toEqual([false, true, 2])
  // Another chart has renewed the refused token.
  expect(await a.renew(first)).toBe(second)
  await Promise.all([a.renew(second), b.renew(second)])
  expect(provider.mock.calls.length).toBe(3)
})

test('a browser whose clock is ahead does not renew its token for each request', async () => {
  const provider = jest.fn(async () => tokenOf({ exp: inSeconds(-3_600) }))
  const source = sourceOf(provider, '')
  for (let index = 0; index < 5; index += 1) await source.get()
  expect(provider).toHaveBeenCalledTimes(1)
})

test.each([
  ['rejects', async () => Promise.reject(new Error('signed out')), 'signed out'],
  ['returns no text', async () => 7 as never, 'it must return a text'],
  ['never returns', () => new Promise<never>(() => {}), 'it did not respond in time'],
])('a provider that %s is an error that says so', async (_, provider, text) => {
  const failed = sourceOf(provider, '').get()
  const expected = expect(failed).rejects.toMatchObject({
    code: 'token_provider_failed',
    message: expect.stringContaining(text),
  })
  await jest.advanceTimersByTimeAsync(30_000)
  await expected
})

test('a run has no cookies, no referrer and the project of its token, and equal runs are one request', async () => {
  serve(() => answer(200, { results: [] }))
  const source = sourceOf(undefined, tokenOf({ exp: inSeconds(60), project: 3 }))
  const [a, b] = await Promise.all([runChart(RUN, source, signal()), runChart(RUN, source, signal())])
  expect([a, b === a, requests.length]).toEqual([{ results: [] }, true, 1])
  expect(requests[0]).toMatchObject({
    url: 'https://events.example/api/projects/3/endpoints/a%20b/run',
    options: { method: 'POST', credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' },
  })
  jest.advanceTimersByTime(1_001)
  await runChart(RUN, source, signal())
  expect(requests.length).toBe(2)
})

test('a refused token is renewed once, and a personal API key is not sent', async () => {
  serve((token) =>
    claimsOf(token).exp === 2 ? answer(200, { results: [] }) : answer(401, { code: 'run_token_revoked' }),
  )
  let exp = 0
  await runChart(
    RUN,
    sourceOf(async () => tokenOf({ exp: (exp += 1) }), ''),
    signal(),
  )
  expect(requests.length).toBe(2)
  serve(() => answer(401, { code: 'run_token_revoked' }))
  await expect(
    runChart(
      RUN,
      sourceOf(async () => tokenOf({ exp: (exp += 1) }), ''),
      signal(),
    ),
  ).rejects.toMatchObject({ code: 'run_token_revoked' })
  expect(requests.length).toBe(2)
  await expect(runChart(RUN, sourceOf(undefined, 'phx_key'), signal())).rejects.toMatchObject({
    code: 'invalid_run_token',
  })
  expect(requests.length).toBe(2)
})

test('a request ends when the last of its charts leaves', async () => {
  let sent: AbortSignal | undefined
  globalThis.fetch = jest.fn((_: string, options: RequestInit) => {
    sent = options.signal!
    return new Promise((__, reject) => sent!.addEventListener('abort', () => reject(new Error('aborted'))))
  }) as never
  const source = sourceOf(undefined, tokenOf({ exp: inSeconds(60) }))
  const [a, b] = [new AbortController(), new AbortController()]
  const both = [a, b].map((each) => runChart(RUN, source, each.signal).catch((error: Error) => error.name))
  await Promise.resolve()
  await Promise.resolve()
  a.abort()
  expect(sent!.aborted).toBe(false)
  b.abort()
  expect(sent!.aborted).toBe(true)
  expect(await Promise.all(both)).toEqual(['AbortError', 'AbortError'])
})

test.each<[number, object, Record<string, string>, Partial<ChartError>]>([
  [
    429,
    { code: 'rate_limited' },
    { 'retry-after': '7' },
    { retryAfterMs: 7_000, message: expect.stringContaining('again in 7 s') },
  ],
  [503, { code: 'query_capacity' }, {}, { retryAfterMs: 15_000, message: expect.stringContaining('busy') }],
  [
    403,
    { code: 'not_granted', detail: 'No.' },
    {},
    { retryAfterMs: undefined, message: expect.stringContaining('No. Create') },
  ],
  [400, { code: 'toString', detail: 'Odd.' }, {}, { code: 'toString', message: 'Odd.' }],
  [500, [7], {}, { code: 'http_500', message: 'The service responded with 500.' }],
])('the response %i %j is an error', async (status, body, headers, expected) => {
  serve(() => answer(status, body, headers))
  const source = sourceOf(undefined, tokenOf({ exp: inSeconds(60), status }))
  await expect(runChart(RUN, source, signal())).rejects.toMatchObject({ status, ...expected })
})

test('days are those of the service, inside of the signed ones', () => {
  const days = { from: '2026-01-02', to: '2026-01-03', min: '2026-01-01', max: '2026-01-31' }
  expect(daysOf({ days }, { from: '', to: '' })).toEqual(days)
  expect(daysOf({ days: 7 }, { from: '-7d', to: '' })).toEqual({ from: '-7d', to: '', min: '', max: '' })
  expect(daysOf({}, { from: '', to: '' })).toBeUndefined()
  expect(() => checkDays(days)).not.toThrow()
  expect(() => checkDays({ ...days, to: '2026-02-01' })).toThrow('Choose days from 2026-01-01 to 2026-01-31.')
  expect(() => checkDays({ ...days, from: '2026-01-04' })).toThrow('must not be after')
  expect(dayNames(tokenOf({ date_range: { variables: { from: 'since', to: 7 } } }))).toEqual({
    from: 'since',
    to: 'date_to',
  })
})
