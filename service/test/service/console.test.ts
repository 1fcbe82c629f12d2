import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { createConsoleSessions } from '../../src/console/sessions.ts'
import { createAttempts } from '../../src/console/attempts.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event } from '../support/api.ts'
import { trailmark, trailmarkJson } from '../support/cli.ts'
import { until } from '../support/engine.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

const PAGE = '<!doctype html><html><head><base href="/"><title>Console</title></head></html>'
// Larger than what would fit into its compressed form.
const SCRIPT = 'main();'.repeat(100)

const folder = temporaryFolder()
const data = join(folder, 'data')
const env = {
  TRAILMARK_CONSOLE_STATIC: join(folder, 'console'),
  TRAILMARK_CONSOLE_HOSTS: 'localhost,127.0.0.1,console.example.com',
  TRAILMARK_LOG_LEVEL: 'debug',
}
let service: RunningService
/** Secrets that no log may contain. */
const secrets: string[] = []

interface Sent {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: any
}

/** Sends a request with any headers: `fetch` sets `Host` itself. */
const send = (
  method: string,
  path: string,
  { body, ...headers }: Readonly<Record<string, string | object | undefined>> = {},
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const type = text === undefined ? {} : { 'content-type': 'application/json' }
    const { hostname, port, host } = new URL(service.url)
    httpRequest(
      { hostname, port, path, method, headers: { host, ...type, ...(headers as IncomingHttpHeaders) } },
      (reply) => {
        const parts: Buffer[] = []
        reply
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', () => {
            const answer = Buffer.concat(parts).toString()
            const isJson = reply.headers['content-type']?.startsWith('application/json')
            resolve({ status: reply.statusCode!, headers: reply.headers, body: isJson ? JSON.parse(answer) : answer })
          })
          .on('error', reject)
      },
    )
      .on('error', reject)
      .end(text)
  })

const OWN = { 'sec-fetch-site': 'same-origin' }

const secretIn = (url: string) => /\/console\/#t=(tmc_[0-9a-f]{64})$/.exec(url)![1]!

/** Prints a new link, as an operator does, and returns its secret. */
const newLink = async (...options: string[]): Promise<string> => {
  const secret = secretIn((await trailmarkJson(data, 'console', ...options)).url)
  secrets.push(secret)
  return secret
}

const signIn = async (
  credential: object,
  headers: Record<string, string> = {},
): Promise<{ reply: Sent; cookie: string }> => {
  const reply = await send('POST', '/api/console/session', { ...OWN, ...headers, body: credential })
  const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  if (cookie) secrets.push(cookie.split('=')[1]!)
  return { reply, cookie }
}

const sessionOf = (cookie: string) => send('GET', '/api/console/session', { ...OWN, cookie })

const newKey = async (label: string, scopes: string) => {
  const key = await trailmarkJson(data, 'key', 'create', label, '--scopes', scopes, '--project', '1')
  secrets.push(key.value)
  return key as { id: string; value: string }
}

beforeAll(async () => {
  mkdirSync(join(folder, 'console/assets'), { recursive: true })
  writeFileSync(join(folder, 'console/index.html'), PAGE)
  writeFileSync(join(folder, 'console/assets/main-1a2b.js'), SCRIPT)
  writeFileSync(join(folder, 'console/assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  service = await startService({ data, env })
  secrets.push(service.key)
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

describe('the page of the console', () => {
  /** Only if the package of the SDK is not built. */
  const NO_PACKAGE = '<meta name="trailmark-package" content="missing">'
  const CSP =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

  test.each(['/console', '/console/', '/console/overview?period=7d', '/console/persons/ada@example.com'])(
    '%s is the page, which no cache stores',
    async (path) => {
      const { status, headers, body } = await send('GET', path)
      expect([status, body.replace(NO_PACKAGE, '')]).toEqual([200, PAGE.replace('"/"', '"/console/"')])
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': CSP,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    },
  )

  test('the files of the page are immutable and compressed', async () => {
    const reply = await send('GET', '/console/assets/main-1a2b.js', { 'accept-encoding': 'br' })
    expect(reply).toMatchObject({
      status: 200,
      headers: {
        'content-type': expect.stringContaining('javascript'),
        'content-encoding': 'br',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      },
    })
    expect((await send('GET', '/console/assets/main-1a2b.js')).body).toBe(SCRIPT)
  })

  test.each([
    '/console/assets/gone-1a2b.js',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/assets/../../secret.txt',
  ])('%s is a 404', async (path) => {
    expect(await send('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('/ redirects browsers to the page, on console hosts only', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    expect(await send('GET', '/', { accept })).toMatchObject({ status: 302, headers: { location: '/console/' } })
    for (const headers of [{ accept: '*/*' }, { accept, host: 'events.example.com' }])
      expect(await send('GET', '/', headers)).toMatchObject({
        status: 200,
        body: expect.stringContaining('trailmark console'),
      })
  })

  test('the URL of get_session_replay_url redirects to the page, on console hosts only', async () => {
    const path = `/project/${service.token}/replay/0197a5b0-0000-7000-8000-000000000001`
    const recording = `/console/projects/${service.projectId}/recordings/0197a5b0-0000-7000-8000-000000000001`
    expect(await send('GET', path)).toMatchObject({ status: 302, headers: { location: recording } })
    expect(await send('GET', `${path}?t=12`)).toMatchObject({ headers: { location: `${recording}?t=12000` } })
    expect(await send('GET', '/project/tm_unknown/replay/x')).toMatchObject({ status: 404 })
    expect(await send('GET', path, { host: 'events.example.com' })).toMatchObject({ status: 421 })
  })
})

describe('hosts', () => {
  test.each([{ host: 'evil.example' }, { 'x-forwarded-host': 'shop.example' }, { host: 'console.example.com.evil' }])(
    'a host that is not one of the console gets a 421: %j',
    async (headers) => {
      const { cookie } = await signIn({ key: service.key })
      for (const [method, path] of [
        ['GET', '/console/'],
        ['GET', '/console/assets/main-1a2b.js'],
        ['GET', '/api/console/session'],
        ['POST', '/api/console/session'],
        ['GET', '/api/projects/1/endpoints/'],
        ['GET', '/api/environments/1/endpoints/'],
      ] as const)
        expect([path, await send(method, path, { ...OWN, cookie, ...headers })]).toMatchObject([
          path,
          { status: 421, body: { code: 'misdirected_request' } },
        ])
      expect((await sessionOf(cookie)).status).toBe(200)
    },
  )

  test('any host accepts events and requests with a key', async () => {
    const { cookie } = await signIn({ key: service.key })
    const headers = { host: 'events.example.com', cookie, origin: 'https://shop.example' }
    const body = { api_key: service.token, batch: [event('sent')] }
    expect((await send('POST', '/e/', { ...headers, body })).status).toBe(200)
    expect(
      (await send('GET', '/api/projects/1/endpoints/', { ...headers, authorization: `Bearer ${service.key}` })).status,
    ).toBe(200)
  })
})

describe('sign-in', () => {
  test('works once with the link of the startup message', async () => {
    const token = secretIn(/^ {2}Console: (\S+)$/m.exec(service.output())![1]!)
    const ready = JSON.parse(/^trailmark ready (.*)$/m.exec(service.output())![1]!)
    expect(ready.console).toEqual({ link: `${service.url}/console/#t=${token}` })
    for (const method of ['GET', 'HEAD']) await send(method, `/console/?t=${token}`)
    const { reply, cookie } = await signIn({ token })
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      body: { key: { label: 'first key', scopes: expect.arrayContaining(['project:write']), scoped_teams: [1] } },
    })
    expect(reply.headers['set-cookie']).toEqual([`${cookie}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict`])
    expect(cookie).toMatch(new RegExp(`^trailmark_${reply.body.instance}=tmc_[0-9a-f]{64}$`))
    expect(Date.parse(reply.body.expires_at) - Date.now()).toBeGreaterThan(11.9 * 3_600_000)
    expect(await sessionOf(cookie)).toMatchObject({ status: 200, body: reply.body })
    expect((await signIn({ token })).reply).toMatchObject({
      status: 401,
      body: { code: 'sign_in_failed', detail: expect.stringContaining('"trailmark console"') },
    })
  })

  test('a sign-in with a key has the rights of that key', async () => {
    const { value, id } = await newKey('reader', 'endpoint:read')
    const { reply, cookie } = await signIn({ key: value })
    expect(reply).toMatchObject({
      status: 201,
      body: { key: { id, label: 'reader', scopes: ['endpoint:read'], scoped_teams: [1] } },
    })
    const get = (path: string) => send('GET', path, { ...OWN, cookie })
    expect((await get('/api/projects/1/endpoints/')).status).toBe(200)
    expect((await get('/api/environments/1/endpoints/')).status).toBe(200)
    expect(await get('/api/projects/1/feature_flags/')).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', detail: expect.stringContaining('feature_flag:read') },
    })
    expect((await get('/api/projects/2/endpoints/')).status).toBe(404)
  })

  test('a sign-in with a link for another key has the rights of that key', async () => {
    await newKey('by link', 'endpoint:read')
    const { reply } = await signIn({ token: await newLink('--key', 'by link') })
    expect(reply.body.key).toMatchObject({ label: 'by link', scopes: ['endpoint:read'] })
  })

  test('ends the session that the browser had', async () => {
    const first = await signIn({ key: service.key })
    const second = await signIn({ key: service.key }, { cookie: first.cookie })
    expect([(await sessionOf(first.cookie)).status, (await sessionOf(second.cookie)).status]).toEqual([401, 200])
  })

  test('a sign-in over TLS sets a cookie that only TLS uses', async () => {
    const headers = { host: 'console.example.com', 'x-forwarded-proto': 'https' }
    const { reply, cookie } = await signIn({ key: service.key }, headers)
    expect(cookie).toMatch(/^__Host-trailmark_/)
    expect(reply.headers['set-cookie']![0]).toMatch(/; Path=\/; .*; HttpOnly; SameSite=Strict; Secure$/)
    const get = (more: object) => send('GET', '/api/console/session', { ...OWN, ...headers, cookie, ...more })
    expect((await get({})).status).toBe(200)
    expect((await get({ 'x-forwarded-proto': 'http' })).status).toBe(401)
    expect((await get({ cookie: cookie.replace('__Host-', '') })).status).toBe(401)
  })

  test('answers the same for a used, a wrong and an expired credential', async () => {
    const token = await newLink()
    await signIn({ token })
    const { value, id } = await newKey('gone', 'endpoint:read')
    const lost = await newLink('--key', id)
    await trailmark(data, 'key', 'revoke', 'gone')
    const answers = []
    for (const credential of [
      { token },
      { token: 'wrong' },
      { key: 'wrong' },
      { key: value },
      { token: lost },
      { key: lost },
    ]) {
      const { reply, cookie } = await signIn(credential, { 'x-forwarded-for': '203.0.113.1' })
      expect(cookie).toBe('')
      answers.push([reply.status, { ...reply.body, request_id: '' }])
    }
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(answers[0]![0]).toBe(401)
  })

  test.each([[{}], [{ token: 'a', key: 'b' }], [{ token: 1 }], [{ password: 'a' }], [{ key: 'x'.repeat(301) }]])(
    'rejects the body %j',
    async (body) => {
      expect((await signIn(body)).reply).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    },
  )

  test('takes JSON only', async () => {
    const reply = await send('POST', '/api/console/session', {
      ...OWN,
      'content-type': 'text/plain',
      body: JSON.stringify({ key: service.key }),
    })
    expect(reply).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  })

  test('does not use up a link in a request of another page', async () => {
    const token = await newLink()
    const foreign = { 'sec-fetch-site': 'same-site', origin: 'http://localhost:1' }
    const rejected: Record<string, string>[] = [foreign, { host: 'evil.example' }, { 'content-type': 'text/plain' }]
    for (const headers of rejected) expect((await signIn({ token }, headers)).reply.status).not.toBe(201)
    expect((await signIn({ token })).reply.status).toBe(201)
  })

  test('is limited to 10 failed attempts per minute and client', async () => {
    const from = (client: string) => ({ 'x-forwarded-for': client })
    const statuses: number[] = []
    const afterGuesses = async () => {
      for (let attempt = 0; attempt < 11; attempt += 1)
        statuses.push((await signIn({ key: `guess ${attempt}` }, from('2001:db8:1:2::5'))).reply.status)
      return (await signIn({ key: service.key }, from('2001:db8:1:2::6'))).reply
    }
    let limited = await afterGuesses()
    // A minute began in between.
    if (limited.status === 201) limited = await afterGuesses()
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(10)
    expect(limited).toMatchObject({
      status: 429,
      body: { code: 'too_many_sign_ins' },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    })
    expect((await signIn({ key: service.key }, from('2001:db8:1:3::5'))).reply.status).toBe(201)
    expect((await api(service, 'GET', '/endpoints/')).status).toBe(200)
  })

  test('is not refused because others failed', async () => {
    const guesses = Array.from({ length: 150 }, (_, each) =>
      signIn({ key: `guess ${each}` }, { 'x-forwarded-for': `198.51.100.${each}` }),
    )
    expect(new Set((await Promise.all(guesses)).map(({ reply }) => reply.status))).toEqual(new Set([401]))
    expect((await signIn({ key: service.key })).reply.status).toBe(201)
    expect((await signIn({ token: await newLink() })).reply.status).toBe(201)
  })
})

describe('a session', () => {
  let cookie: string
  beforeAll(async () => {
    cookie = (await signIn({ key: service.key })).cookie
  })

  test('changes what its key may change', async () => {
    const body = { name: 'by_console', query: { kind: 'HogQLQuery', query: 'SELECT 1' } }
    const reply = await send('POST', '/api/projects/1/endpoints/', { origin: service.url, cookie, body })
    expect(reply).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } })
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test.each([
    ['a page on another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a page of another site, without Sec-Fetch-Site', { origin: 'https://evil.example' }],
    ['a site that forwards to the service', { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' }],
    ['an unknown page', {}],
    ['a typed URL', { 'sec-fetch-site': 'none' }],
  ])('is rejected in a request of %s', async (_, headers) => {
    const rejected = { status: 403, body: { code: 'cross_origin_request' } }
    const body = { name: 'foreign', query: { kind: 'HogQLQuery', query: 'SELECT 1' } }
    for (const [method, path, more] of [
      ['GET', '/api/projects/1/endpoints/', {}],
      ['POST', '/api/projects/1/endpoints/', { body }],
      ['POST', '/api/projects/1/endpoints/by_console/run', { body: {} }],
      ['DELETE', '/api/projects/1/endpoints/by_console/', {}],
      ['POST', '/api/personal_api_keys', { body: { label: 'x', scopes: ['*'] } }],
      ['GET', '/metrics', {}],
      ['GET', '/api/console/session', {}],
      ['POST', '/api/console/session', { body: { key: service.key } }],
      ['DELETE', '/api/console/session', {}],
    ] as const) {
      const reply = await send(method, path, { ...headers, cookie, ...more })
      expect([method, path, reply]).toMatchObject([method, path, rejected])
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
      expect(reply.headers).not.toHaveProperty('set-cookie')
    }
    expect((await sessionOf(cookie)).status).toBe(200)
    expect((await api(service, 'GET', '/endpoints/foreign/')).status).toBe(404)
    expect((await api(service, 'GET', '/endpoints/by_console/')).status).toBe(200)
  })

  test('reads without Sec-Fetch-Site only with the header of the console', async () => {
    const get = (headers: object) => send('GET', '/api/projects/1/endpoints/', { cookie, ...headers })
    expect([(await get({})).status, (await get({ 'x-trailmark-console': '1' })).status]).toEqual([403, 200])
  })

  test('is not used in a request with an Authorization header', async () => {
    for (const authorization of ['Bearer wrong', 'Basic x', ''])
      expect((await send('GET', '/api/projects/1/endpoints/', { ...OWN, cookie, authorization })).status).toBe(401)
  })

  test('allows no preflight', async () => {
    for (const path of ['/api/console/session', '/api/projects/1/endpoints/', '/console/']) {
      const reply = await send('OPTIONS', path, { origin: 'http://localhost:1', cookie })
      expect([path, reply.status]).toEqual([path, 404])
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  test('ends when the person signs out', async () => {
    const own = await signIn({ key: service.key })
    const reply = await send('DELETE', '/api/console/session', { ...OWN, cookie: own.cookie })
    expect(reply.status).toBe(204)
    expect(reply.headers['set-cookie']![0]).toMatch(/^trailmark_\w+=; Path=\/; Max-Age=0; /)
    expect(await sessionOf(own.cookie)).toMatchObject({ status: 401, body: { code: 'not_signed_in' } })
    expect(await send('GET', '/api/projects/1/endpoints/', { ...OWN, cookie: own.cookie })).toMatchObject({
      status: 401,
      body: { code: 'not_signed_in' },
    })
  })

  test('ends when its key is revoked', async () => {
    const key = await newKey('revoked', 'endpoint:read')
    const own = await signIn({ key: key.value })
    expect((await sessionOf(own.cookie)).status).toBe(200)
    expect((await send('DELETE', `/api/personal_api_keys/${key.id}`, { ...OWN, cookie })).status).toBe(204)
    expect((await sessionOf(own.cookie)).status).toBe(401)
  })

  test('ends when the secret of its key is replaced, after the grace period', async () => {
    const key = await newKey('rolled', 'endpoint:read')
    const roll = (grace_seconds: number) =>
      send('POST', `/api/personal_api_keys/${key.id}/roll`, { ...OWN, cookie, body: { grace_seconds } })
    const [own, byLink] = [await signIn({ key: key.value }), await signIn({ token: await newLink('--key', 'rolled') })]
    const unused = await newLink('--key', 'rolled')
    secrets.push((await roll(60)).body.value)
    expect([(await sessionOf(own.cookie)).status, (await sessionOf(byLink.cookie)).status]).toEqual([200, 200])
    secrets.push((await roll(0)).body.value)
    expect([(await sessionOf(own.cookie)).status, (await sessionOf(byLink.cookie)).status]).toEqual([401, 401])
    expect((await signIn({ token: unused }, { 'x-forwarded-for': '203.0.113.2' })).reply.status).toBe(401)
  })
})

test('a session ends after 12 hours without use, and after 30 days', async () => {
  const metadata = await openMetadata(join(folder, 'definitions.db'))
  try {
    const HOUR = 3_600_000
    let later = 0
    const sessions = createConsoleSessions({ metadata, instance: 'ab12', log: () => {}, now: () => Date.now() + later })
    await metadata.keys.put({ projectId: undefined, label: 'k', secret: 'the secret of k', scopes: [] })
    const start = async () => (await sessions.start({ key: 'the secret of k' }, 'me')).secret
    const idle = await start()
    later = 11.9 * HOUR
    expect(await sessions.find(idle)).toMatchObject({ view: { key: { scoped_teams: null } } })
    later = 12.1 * HOUR
    // The use above is recorded in the background.
    await until(async () => (await sessions.find(idle)) !== undefined)
    later = 25 * HOUR
    expect(await sessions.find(idle)).toBeUndefined()

    later = 0
    const used = await start()
    for (later = 0; later < 30 * 24 * HOUR; later += 8 * HOUR) {
      const expected = Math.min(Date.now() + later + 12 * HOUR, Date.now() + 30 * 24 * HOUR)
      await metadata.console.touch(used, new Date(Date.now() + later).toISOString())
      expect(Date.parse((await sessions.find(used))!.view.expires_at)).toBeLessThanOrEqual(expected + 1_000)
    }
    later = 30 * 24 * HOUR + 1_000
    expect(await sessions.find(used)).toBeUndefined()
  } finally {
    await metadata.close()
  }
})

test('failed attempts limit their own client only, and those that succeed do not count', () => {
  let now = 0
  const attempts = createAttempts(() => now)
  for (let each = 0; each < 500; each += 1) attempts.begin('one')()
  for (let client = 0; client < 1_000; client += 1)
    for (let each = 0; each < 10; each += 1) attempts.begin(`client ${client}`)
  expect(() => attempts.begin('client 0')).toThrow('too_many_sign_ins')
  attempts.begin('one')()
  now = 60_000
  for (let each = 0; each < 10; each += 1) attempts.begin('one')
  expect(() => attempts.begin('one')).toThrow('too_many_sign_ins')
  attempts.begin('another')
})

describe('trailmark console', () => {
  test('prints a link and whose rights it has', async () => {
    const { stdout, code } = await trailmark(data, 'console')
    const [link, words] = stdout.split('\n')
    secrets.push(secretIn(link!))
    expect([code, link]).toEqual([0, expect.stringMatching(`^${service.url}/console/#t=tmc_`)])
    expect(words).toBe('This link signs in once, within 15 minutes, with the rights of the key "first key".')
    expect(await trailmark(data, 'console', '--key', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no key "nobody"'),
    })
  })

  test('says what to do if no service has started', async () => {
    const other = join(folder, 'other')
    await trailmark(other, 'project', 'create', 'p')
    expect(await trailmark(other, 'console')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('start it with "trailmark serve"'),
    })
  })

  // Last: these tests need the first key.
  test('says what to do if the first key was revoked', async () => {
    await trailmark(data, 'key', 'revoke', 'first key')
    expect(await trailmark(data, 'console')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pass another with --key <id|label>'),
    })
  })
})

test('sessions survive a restart, and the service answers below a base path', async () => {
  const { value } = await newKey('stays', 'endpoint:read')
  const { cookie } = await signIn({ key: value })
  await service.stop()
  const logged = service.output().replace(/^ {2}Console: .*$|^trailmark ready .*$/gm, '')
  expect(logged).toContain('route=/api/console/session')
  expect(logged).toContain('Signed in to the console')
  expect(secrets.length).toBeGreaterThan(20)
  expect(secrets.filter((secret) => logged.includes(secret))).toEqual([])

  service = await startService({ data, env: { ...env, TRAILMARK_CONSOLE_BASE: '/tools/trailmark' } })
  expect((await sessionOf(cookie)).status).toBe(200)
  const link = /^ {2}Console: (\S+)$/m.exec(service.output())![1]!
  expect(link).toMatch(`${service.url}/tools/trailmark/console/#t=tmc_`)
  for (const base of ['', '/tools/trailmark']) {
    expect((await send('GET', `${base}/console/`)).body).toContain('<base href="/tools/trailmark/console/">')
    expect((await send('GET', `${base}/console/assets/main-1a2b.js`)).status).toBe(200)
    expect((await send('GET', `${base}/`, { accept: 'text/html' })).headers.location).toBe('/tools/trailmark/console/')
  }
  const { reply } = await signIn({ token: secretIn(link) }, { 'x-forwarded-proto': 'https' })
  expect(reply.headers['set-cookie']![0]).toMatch(
    /^__Secure-trailmark_\w+=tmc_\w+; Path=\/tools\/trailmark\/; .*; Secure$/,
  )
  expect((await capture({ ...service, url: `${service.url}/tools/trailmark` }, event('below'))).status).toBe(200)
})
