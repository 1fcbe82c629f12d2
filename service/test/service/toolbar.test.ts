import { createClient } from '@libsql/client/sqlite3'
import { join } from 'node:path'
import { api, capture, type Reply, request } from '../support/api.ts'
import { trailmarkJson } from '../support/cli.ts'
import { until } from '../support/engine.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

const SHOP = 'https://shop.example'
const ADMIN = 'https://admin.shop.example'
const EVIL = 'https://evil.example'

let service: SharedService

interface Project {
  readonly projectId: number
  readonly token: string
  readonly key: string
  readonly url: string
}

let operatorKey: string

const asOperator = async (path: string, body: object): Promise<any> => {
  const reply = await request(`${service.url}/api/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(reply.status).toBe(201)
  return reply.body
}

const newKey = async (projectId: number, label: string, scopes = ['*']): Promise<{ id: string; value: string }> =>
  asOperator('personal_api_keys', { label, scopes, scoped_teams: [projectId] })

/** Creates a project that authorizes the sites, and a key for it. */
const newProject = async (name: string): Promise<Project & { readonly keyId: string }> => {
  const { id: projectId, api_token: token } = await asOperator('projects', { name })
  const { value: key, id: keyId } = await newKey(projectId, name)
  const project = { projectId, token, key, keyId, url: service.url }
  expect((await api(project, 'PATCH', '', { toolbar_origins: [SHOP, ADMIN] })).status).toBe(200)
  return project
}

const newCode = async (project: Project, origin = SHOP): Promise<string> => {
  const { status, body } = await api(project, 'POST', '/toolbar/codes', { origin })
  expect(status).toBe(201)
  return body.code
}

type Headers = Readonly<Record<string, string>>

const FROM_SHOP = { origin: SHOP, 'x-trailmark-toolbar': '1', 'sec-fetch-site': 'cross-site' }

let clients = 0

/** Exchanges a code. Each exchange uses a different IP address, because failed attempts are limited per address. */
const exchange = (project: Project, code: string, more: object = {}, headers: Headers = FROM_SHOP) =>
  request(`${service.url}/toolbar/session`, {
    method: 'POST',
    headers: { 'x-forwarded-for': `198.51.100.${++clients}`, ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ token: project.token, code, ...more }),
  })

const cookieOf = ({ headers }: Reply) => headers.get('set-cookie')?.split(';')[0] ?? ''

/** Sends a request of the toolbar. `path` begins after `/toolbar/`. */
const toolbar = (project: Project, path: string, headers: Headers, method = 'GET') =>
  request(`${service.url}/toolbar/${path}${path.includes('?') ? '&' : '?'}token=${project.token}`, {
    method,
    headers: { ...FROM_SHOP, ...headers },
  })

/** Opens a session on the shop and returns its cookie. */
const openSession = async (project: Project) => ({ cookie: cookieOf(await exchange(project, await newCode(project))) })

let shop: Awaited<ReturnType<typeof newProject>>

beforeAll(async () => {
  service = await sharedService()
  const key = await trailmarkJson(service.data, 'key', 'create', 'operator', '--scopes', 'all', '--all-projects')
  operatorKey = key.value
  shop = await newProject('Shop')
})
afterAll(() => service.stop())

describe('authorized origins', () => {
  test.each([
    [['https://shop.example/']],
    [['shop.example']],
    [['https://*.shop.example']],
    [['https://Shop.example']],
    [['https://shop.example:443']],
    [['null']],
    [['file:///index.html']],
    [['https://shop.example', 'https://shop.example']],
    ['https://shop.example'],
  ])('%j is rejected with a 400 that names the field', async (origins) => {
    expect(await api(shop, 'PATCH', '', { toolbar_origins: origins })).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr: 'toolbar_origins' },
    })
  })

  test('are set with the project and kept when it is renamed', async () => {
    const project = await newProject('Origins')
    const origins = ['http://localhost:3000', SHOP]
    expect(await api(project, 'PATCH', '', { toolbar_origins: origins })).toMatchObject({
      status: 200,
      body: { name: 'Origins', toolbar_origins: origins },
    })
    expect((await api(project, 'PATCH', '', { name: 'Renamed' })).body.toolbar_origins).toEqual(origins)
  })
})

describe('a code', () => {
  test('is in the fragment of the URL of a page, for 60 seconds', async () => {
    const before = Date.now()
    const { status, headers, body } = await api(shop, 'POST', '/toolbar/codes', { origin: SHOP, path: '/a?b=c' })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body.code).toMatch(/^tmb_[0-9a-f]{32}$/)
    expect(body.url).toBe(`${SHOP}/a?b=c#__trailmark_toolbar=${body.code}`)
    expect(Date.parse(body.expires_at) - before).toBeGreaterThanOrEqual(60_000)
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(60_000)
  })

  test.each([
    [{ origin: EVIL }, 'origin'],
    [{ origin: SHOP, path: '//evil.example' }, 'path'],
    [{ origin: SHOP, path: '/\\evil.example' }, 'path'],
    [{ origin: SHOP, path: '.evil.example' }, 'path'],
    [{ origin: SHOP, path: '@evil.example' }, 'path'],
    [{ origin: SHOP, path: '/a#b' }, 'path'],
  ])('is not created for %j', async (body, attr) => {
    expect(await api(shop, 'POST', '/toolbar/codes', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr },
    })
  })

  test('is created for a key with the scope, or by the page of the console', async () => {
    const path = `${service.url}/api/projects/${shop.projectId}/toolbar/codes`
    const post = (headers: Headers) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ origin: SHOP }),
      })
    const { value } = await newKey(shop.projectId, 'reader', ['query:read'])
    expect((await post({ authorization: `Bearer ${value}` })).status).toBe(403)
    expect((await post({})).status).toBe(401)
    const signIn = await fetch(`${service.url}/api/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ key: shop.key }),
    })
    const cookie = signIn.headers.get('set-cookie')!.split(';')[0]!
    expect((await post({ cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(201)
    for (const site of ['cross-site', 'same-site'])
      expect(await post({ cookie, origin: EVIL, 'sec-fetch-site': site })).toMatchObject({
        status: 403,
        body: { code: 'cross_origin_request' },
      })
  })

  test('starts one session, with a cookie that scripts and other sites cannot use', async () => {
    const code = await newCode(shop)
    const reply = await exchange(shop, code)
    expect(reply).toMatchObject({
      status: 200,
      body: {
        project: { id: shop.projectId, name: 'Shop' },
        console_url: `${service.url}/console/`,
        expires_at: expect.any(String),
        max_expires_at: expect.any(String),
      },
    })
    expect(reply.body).not.toHaveProperty('secret')
    expect(reply.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^__Host-trailmark_toolbar_${shop.projectId}=tmb_[0-9a-f]{64}; Path=/; Max-Age=28800; HttpOnly; Secure; SameSite=None; Partitioned$`,
      ),
    )
    expect(reply.headers.get('access-control-allow-origin')).toBe(SHOP)
    expect(reply.headers.get('access-control-allow-credentials')).toBe('true')
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const cookie = cookieOf(reply)
    expect(await toolbar(shop, 'session', { cookie })).toMatchObject({
      status: 200,
      body: { project: { name: 'Shop' } },
    })
    expect((await exchange(shop, code)).status).toBe(401)
  })

  test('is rejected with one message if it is wrong, used, of another site or of another project', async () => {
    const other = await newProject('Other')
    const [code, used] = [await newCode(shop), await newCode(shop)]
    await exchange(shop, used)
    const rejected = [
      await exchange(shop, 'tmb_0'),
      await exchange(shop, used),
      await exchange(shop, code, {}, { ...FROM_SHOP, origin: EVIL }),
      await exchange(shop, code, {}, { ...FROM_SHOP, origin: ADMIN }),
      await exchange(shop, code, {}, { 'x-trailmark-toolbar': '1', 'sec-fetch-site': 'same-origin' }),
      await exchange(other, code),
      await exchange({ ...shop, token: 'unknown' }, code),
    ]
    for (const { status, body, headers } of rejected) {
      expect([status, body.code, headers.get('set-cookie')]).toEqual([401, 'invalid_toolbar_code', null])
      expect(body.detail).toBe(rejected[0]!.body.detail)
    }
    // A page that could not use the code has not used it up.
    expect((await exchange(shop, code)).status).toBe(200)
  })

  test('is accepted only in a request of the toolbar', async () => {
    const code = await newCode(shop)
    expect(await exchange(shop, code, {}, { origin: SHOP })).toMatchObject({
      status: 403,
      body: { code: 'cross_origin_request' },
    })
    expect((await exchange(shop, code, { storage: 'local' })).status).toBe(400)
    expect((await exchange(shop, code)).status).toBe(200)
  })
})

test('failed exchanges of one client are limited', async () => {
  const [code, guesser] = [await newCode(shop), { ...FROM_SHOP, 'x-forwarded-for': '203.0.113.9' }]
  let reply = await exchange(shop, 'tmb_0', {}, guesser)
  while (reply.status === 401) reply = await exchange(shop, 'tmb_0', {}, guesser)
  expect(reply).toMatchObject({ status: 429, body: { code: 'too_many_sign_ins' } })
  expect(reply.headers.get('access-control-allow-origin')).toBe(SHOP)
  expect((await exchange(shop, code)).status).toBe(200)
})

describe('a browser that refuses the cookie', () => {
  test('gets the secret once, before the first use of the session, which ends', async () => {
    const code = await newCode(shop)
    expect((await exchange(shop, code, { storage: 'memory' })).status).toBe(401)
    const cookie = cookieOf(await exchange(shop, code))
    const reply = await exchange(shop, code, { storage: 'memory' })
    expect(reply).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^tmb_[0-9a-f]{64}$/) } })
    expect(reply.headers.get('set-cookie')).toBeNull()
    expect((await toolbar(shop, 'session', { cookie })).status).toBe(401)
    const authorization = `Bearer ${reply.body.secret}`
    expect((await toolbar(shop, 'session', { authorization })).status).toBe(200)
    expect((await exchange(shop, code, { storage: 'memory' })).status).toBe(401)
    expect((await toolbar(shop, 'session', { authorization })).status).toBe(200)
  })

  test('gets no secret after the session was used, or on another site', async () => {
    const code = await newCode(shop)
    const cookie = cookieOf(await exchange(shop, code))
    expect((await exchange(shop, code, { storage: 'memory' }, { ...FROM_SHOP, origin: ADMIN })).status).toBe(401)
    expect((await toolbar(shop, 'session', { cookie })).status).toBe(200)
    expect((await exchange(shop, code, { storage: 'memory' })).status).toBe(401)
    expect((await toolbar(shop, 'session', { cookie })).status).toBe(200)
  })
})

describe('a session', () => {
  test('is of one site and one project, and needs the header', async () => {
    const other = await newProject('Another')
    const { cookie } = await openSession(shop)
    const secret = cookie.split('=')[1]!
    const rejected: readonly Reply[] = [
      await toolbar(shop, 'session', {}),
      await toolbar(shop, 'session', { cookie, origin: EVIL }),
      await toolbar(shop, 'session', { cookie, origin: ADMIN }),
      await toolbar(shop, 'session', { cookie: `${cookie}; ${cookie}` }),
      await toolbar({ ...shop, token: 'unknown' }, 'session', { cookie }),
      await toolbar(other, 'session', { cookie }),
      await toolbar(other, 'session', { cookie: `__Host-trailmark_toolbar_${other.projectId}=${secret}` }),
      await toolbar(other, 'session', { authorization: `Bearer ${secret}` }),
      await toolbar(shop, 'session', { authorization: `Bearer ${shop.key}` }),
    ]
    for (const { status, body } of rejected) expect([status, body.code]).toEqual([401, 'no_toolbar_session'])
    const withoutHeader = await toolbar(shop, 'session', { cookie, 'x-trailmark-toolbar': '' })
    expect(withoutHeader).toMatchObject({ status: 403, body: { code: 'cross_origin_request' } })
    expect((await toolbar(shop, 'session', { cookie })).status).toBe(200)
  })

  test('is no session of the console and no key', async () => {
    const { cookie } = await openSession(shop)
    const [, secret] = cookie.split('=')
    const path = `${service.url}/api/projects/${shop.projectId}`
    expect((await request(path, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })).status).toBe(401)
    expect((await request(path, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(401)
    expect((await toolbar(shop, 'api/flags', { cookie }, 'POST')).status).toBe(404)
  })

  test('works through a proxy on the origin of the site, whose GET requests have no Origin', async () => {
    const { 'x-trailmark-toolbar': header } = FROM_SHOP
    const sameOrigin = { 'x-trailmark-toolbar': header, 'sec-fetch-site': 'same-origin' }
    const get = (cookie: string, headers: Headers) =>
      request(`${service.url}/toolbar/session?token=${shop.token}`, { headers: { cookie, ...headers } })
    const proxied = cookieOf(await exchange(shop, await newCode(shop), {}, { ...sameOrigin, origin: SHOP }))
    const reply = await get(proxied, sameOrigin)
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, SHOP])
    expect((await get(proxied, { ...sameOrigin, 'sec-fetch-site': 'none' })).status).toBe(401)
    // A page on the origin of the service cannot use the session of a site on another origin.
    const { cookie } = await openSession(shop)
    expect((await get(cookie, sameOrigin)).status).toBe(401)
  })

  test('ends on sign-out', async () => {
    const { cookie } = await openSession(shop)
    expect((await toolbar(shop, 'session', { cookie, origin: EVIL }, 'DELETE')).status).toBe(401)
    const reply = await toolbar(shop, 'session', { cookie }, 'DELETE')
    expect(reply.status).toBe(204)
    expect(reply.headers.get('set-cookie')).toMatch(/^__Host-trailmark_toolbar_\d+=; Path=\/; Max-Age=0; /)
    expect((await toolbar(shop, 'session', { cookie })).status).toBe(401)
  })

  test('ends when its origin is no longer authorized', async () => {
    const project = await newProject('Closed')
    const [session, code] = [await openSession(project), await newCode(project)]
    await api(project, 'PATCH', '', { toolbar_origins: [ADMIN] })
    expect((await toolbar(project, 'session', session)).status).toBe(401)
    expect((await exchange(project, code)).status).toBe(401)
  })

  test('ends when its key is revoked or replaced', async () => {
    const { token, ...project } = await newProject('Keys')
    const revoked = await newKey(project.projectId, 'leaving')
    const leaving = { ...project, token, key: revoked.value }
    const [session, code] = [await openSession(leaving), await newCode(leaving)]
    const staying = await openSession({ ...project, token })
    expect(
      (
        await request(`${service.url}/api/personal_api_keys/${revoked.id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${project.key}` },
        })
      ).status,
    ).toBe(204)
    expect((await toolbar(leaving, 'session', session)).status).toBe(401)
    expect((await exchange(leaving, code)).status).toBe(401)
    expect((await toolbar(leaving, 'session', staying)).status).toBe(200)
    const rotated = await request(`${service.url}/api/personal_api_keys/${project.keyId}/roll`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(rotated.status).toBe(200)
    expect((await toolbar(leaving, 'session', staying)).status).toBe(401)
  })

  test('ends when its project is gone', async () => {
    const project = await newProject('Gone')
    const session = await openSession(project)
    const definitions = createClient({ url: `file:${join(service.data, 'definitions.db')}`, timeout: 5_000 })
    await definitions.execute({ sql: 'DELETE FROM projects WHERE id = ?', args: [project.projectId] })
    definitions.close()
    expect((await toolbar(project, 'session', session)).status).toBe(401)
    expect((await toolbar(project, 'api/flags', session)).status).toBe(401)
  })

  test('is limited to some requests a minute', async () => {
    const session = await openSession(shop)
    const other = await openSession(shop)
    let reply: Reply
    // At once, because the count begins again each minute.
    do {
      const replies = await Promise.all(Array.from({ length: 50 }, () => toolbar(shop, 'session', session)))
      reply = replies.find(({ status }) => status !== 200) ?? replies[0]!
    } while (reply.status === 200)
    expect(reply).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await toolbar(shop, 'session', other)).status).toBe(200)
  })
})

describe('CORS', () => {
  test('lets pages send the header and the cookie, and never any origin read', async () => {
    for (const path of ['session', 'api/heatmap', 'api/flags']) {
      const preflight = await fetch(`${service.url}/toolbar/${path}`, {
        method: 'OPTIONS',
        headers: { origin: SHOP, 'access-control-request-headers': 'x-trailmark-toolbar' },
      })
      expect([preflight.status, Object.fromEntries(preflight.headers)]).toMatchObject([
        204,
        {
          'access-control-allow-origin': SHOP,
          'access-control-allow-credentials': 'true',
          'access-control-allow-methods': 'GET, POST, DELETE',
          'access-control-allow-headers': 'authorization, content-type, x-trailmark-toolbar',
          vary: 'origin',
        },
      ])
      const without = await fetch(`${service.url}/toolbar/${path}`, { method: 'OPTIONS' })
      expect(without.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

describe('reads of the toolbar', () => {
  const emails = ['ada@example.com', 'grace@example.com']
  let session: { readonly cookie: string }

  beforeAll(async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const size = { vw: 1_280, vh: 800, ph: 3_000 }
    const point = { type: 'click', x: 100, y: 40, target_fixed: false, selector: '#buy', ex: 0.5, ey: 0.5, ...size }
    const { status } = await capture(
      shop,
      ...emails.map((email, index) => ({
        event: '$$heatmap',
        timestamp: at,
        properties: { distinct_id: email, $heatmap_data: { [`${SHOP}/a`]: [{ ...point, x: 100 + index }] } },
      })),
      ...emails.map((email, index) => ({
        event: '$web_vitals',
        timestamp: at,
        properties: {
          distinct_id: email,
          $pathname: '/a',
          $set: { email },
          $web_vitals_LCP_value: 1_000 + index * 1_000,
          $web_vitals_LCP_event: { id: `view ${index}`, value: 1_000, navigationType: 'navigate' },
        },
      })),
    )
    expect(status).toBe(200)
    const flag = await api(shop, 'POST', '/feature_flags/', {
      key: 'checkout',
      name: 'New checkout',
      filters: {
        groups: [{ properties: [{ key: 'email', value: emails, operator: 'exact', type: 'person' }] }],
        multivariate: { variants: [{ key: 'one', name: 'One page', rollout_percentage: 100 }] },
        payloads: { one: { steps: 1 } },
      },
    })
    expect(flag.status).toBe(201)
    session = await openSession(shop)
  })

  const read = (path: string, headers: Headers = session) => toolbar(shop, `api/${path}`, headers)
  const page = `url=${encodeURIComponent(`${SHOP}/a`)}`

  test('return the heatmaps that the API of the project returns', async () => {
    for (const [path, same] of [
      [`heatmap?${page}&width=1280&viewport_min=1000`, `?${page}&width=1280&viewport_min=1000`],
      [`heatmap/elements?${page}&date_from=-1d`, `/elements?${page}&date_from=-1d`],
      [`heatmap/scroll?${page}`, `/scroll?${page}`],
    ] as const) {
      const { status, body } = await read(path)
      expect([path, status, body]).toEqual([path, 200, (await api(shop, 'GET', `/heatmaps${same}`)).body])
    }
    expect((await read(`heatmap?${page}`)).body).toMatchObject({ points: 2, cells: [{ count: 2, people: 2 }] })
    expect((await read('heatmap')).body).toMatchObject({ code: 'invalid_input', attr: 'url' })
  })

  test('return flags with variants and payloads', async () => {
    expect((await read('flags')).body).toEqual({
      results: [
        {
          key: 'checkout',
          name: 'New checkout',
          active: true,
          variants: [{ key: 'one', name: 'One page' }],
          payloads: { one: { steps: 1 } },
        },
      ],
    })
  })

  test('return the p75 of web vitals for a path', async () => {
    const { body } = await read('vitals?path=/a')
    expect(body.results.map(({ metric }: { metric: string }) => metric)).toEqual(['LCP', 'INP', 'CLS', 'FCP', 'TTFB'])
    expect(body.results.slice(0, 2)).toEqual([
      { metric: 'LCP', p75: 2_000, count: 2, rating: 'good' },
      { metric: 'INP', p75: null, count: 0, rating: null },
    ])
    expect((await read('vitals?path=/none')).body.results[0]).toEqual({
      metric: 'LCP',
      p75: null,
      count: 0,
      rating: null,
    })
    expect((await read('vitals')).body).toMatchObject({ code: 'invalid_input', attr: 'path' })
  })

  test('are allowed only to the page of the session, and contain no email', async () => {
    for (const path of [
      `heatmap?${page}`,
      `heatmap/elements?${page}`,
      `heatmap/scroll?${page}`,
      'flags',
      'vitals?path=/a',
    ]) {
      const { status, body, headers } = await read(path)
      expect([path, status]).toEqual([path, 200])
      expect(headers.get('access-control-allow-origin')).toBe(SHOP)
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(headers.get('cache-control')).toBe('no-store')
      for (const email of emails) expect(JSON.stringify(body)).not.toContain(email)
      expect((await read(path, { ...session, origin: ADMIN })).status).toBe(401)
      expect((await read(path, {})).status).toBe(401)
      expect((await read(path, { ...session, 'x-trailmark-toolbar': '' })).status).toBe(403)
    }
  })

  test('never return the data of another project', async () => {
    const other = await newProject('Neighbor')
    const neighbor = await openSession(other)
    expect((await toolbar(other, `api/heatmap?${page}`, neighbor)).body).toMatchObject({ points: 0, cells: [] })
    expect((await toolbar(other, 'api/flags', neighbor)).body).toEqual({ results: [] })
    expect((await toolbar(other, 'api/vitals?path=/a', neighbor)).body.results[0].count).toBe(0)
    expect((await toolbar(shop, 'api/flags', neighbor)).status).toBe(401)
  })

  test('require a key with the scope of the API route', async () => {
    const { value } = await newKey(shop.projectId, 'project reader', ['project:read'])
    const limited = await openSession({ ...shop, key: value })
    expect((await toolbar(shop, 'session', limited)).status).toBe(200)
    for (const [path, scope] of [
      [`heatmap?${page}`, 'query:read'],
      ['flags', 'feature_flag:read'],
      ['vitals?path=/a', 'query:read'],
    ] as const)
      expect(await read(path, limited)).toMatchObject({
        status: 403,
        body: { code: 'permission_denied', detail: expect.stringContaining(scope) },
      })
  })
})

test('the link to the settings of the toolbar leads to the console', async () => {
  const get = async (path: string) =>
    (await fetch(`${service.url}${path}`, { redirect: 'manual' })).headers.get('location')
  expect(await get(`/settings?tab=toolbar&token=${shop.token}`)).toBe(
    `/console/projects/${shop.projectId}/settings?tab=toolbar`,
  )
  expect(await get('/settings?tab=toolbar')).toBe('/console/settings?tab=toolbar')
})

test('the log has neither codes nor secrets', async () => {
  await until(() => service.output().includes('Started a session of the toolbar'))
  expect(service.output()).not.toMatch(/tmb_[0-9a-f]/)
})
