import { join } from 'node:path'
import { createShareStore } from '../../src/shares/store.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, type Reply, request } from '../support/api.ts'
import { sharedService, type SharedService } from '../support/sharedService.ts'

const SITE = 'https://app.example'
const PLANS = ['free', 'pro']

let service: SharedService
let dashboard: any

const sql = (query: string) => ({ kind: 'HogQLQuery', query })
const TREND = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'order', properties: [{ key: 'plan', operator: 'is_set' }] }],
  breakdownFilter: { breakdown: 'org', breakdown_type: 'event' },
}
const ENDPOINTS: Readonly<Record<string, object>> = {
  orders: sql(
    'SELECT properties.org AS org, properties.plan AS plan, toString(toDate(timestamp)) AS day FROM events WHERE properties.org = {variables.org} AND properties.plan = {variables.plan} AND toDate(timestamp) BETWEEN {variables.date_from} AND {variables.date_to} ORDER BY day',
  ),
  of_plan: sql('SELECT properties.org AS org FROM events WHERE properties.plan = {variables.plan}'),
  all_orders: sql("SELECT count() AS orders FROM events WHERE event = 'order'"),
  by_org: TREND,
  no_dates: sql('SELECT count() AS orders FROM events WHERE properties.org = {variables.org}'),
}
const place = { x: 0, y: 0, w: 6, h: 3 }
const tile = (id: string, more: object) => ({ id, title: `The ${id}`, display: 'table', ...place, ...more })
const TILES = [
  tile('orders', { endpoint: 'orders' }),
  tile('trend', { endpoint: 'by_org', display: 'line' }),
  tile('of-plan', { endpoint: 'of_plan', variables: { plan: 'pro' } }),
  tile('own-insight', { query: TREND, display: 'line' }),
  tile('broken', { query: { kind: 'TrendsQuery', series: 'none', breakdownFilter: 'none' } }),
  tile('own-sql', { query: sql('SELECT 1') }),
]

const create = async (query: object, name: string) => {
  const { status, body } = await api(service, 'POST', '/endpoints/', { name, query })
  expect([name, status, body.detail]).toEqual([name, 201, undefined])
}

beforeAll(async () => {
  service = await sharedService()
  for (const [name, type] of [
    ['org', 'String'],
    ['plan', 'String'],
    ['date_from', 'Date'],
    ['date_to', 'Date'],
  ])
    expect((await api(service, 'POST', '/insight_variables/', { name, type })).status).toBe(201)
  for (const [name, query] of Object.entries(ENDPOINTS)) await create(query, name)
  dashboard = (await api(service, 'POST', '/dashboards', { name: 'Orders', tiles: TILES })).body
  const orders = ['acme', 'rival'].flatMap((org) =>
    ['free', 'pro', 'secret'].flatMap((plan) =>
      ['2026-01-05', '2026-02-05', '2026-03-05'].map((day) =>
        event('order', { timestamp: `${day}T10:00:00Z` }, { org, plan }),
      ),
    ),
  )
  await capture(service, ...orders)
})
afterAll(() => service.stop())

const ACME = {
  variables: { org: 'acme' },
  allowed_values: { plan: PLANS },
  date_range: { from: '2026-02-01', to: '2026-02-28', min: '2026-01-01', max: '2026-02-28' },
}
const shareOf = async (input: object): Promise<any> => {
  const { status, body } = await api(service, 'POST', '/shares', input)
  expect([status, body.detail]).toEqual([201, undefined])
  return body
}
const shareTiles = (input: object = {}) =>
  shareOf({ dashboard: dashboard.id, tiles: ['orders', 'trend'], ...ACME, ...input })

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  request(`${service.url}/shared/${path}`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const open = (token: string, more: object = {}) => post('session', { token, ...more })
const show = (view: string, asked: unknown) => post('tile', asked, { authorization: `Bearer ${view}` })
const viewOf = async (token: string): Promise<string> => {
  const { status, body } = await open(token)
  expect([status, body.detail]).toEqual([200, undefined])
  return body.view
}
const rowsOf = async (view: string, asked: object) => {
  const { status, body } = await show(view, asked)
  expect([status, body.detail]).toEqual([200, undefined])
  return body.results
}
const openStore = async () => {
  const { store, close } = await openMetadata(join(service.data, 'definitions.db'))
  return { shares: store(createShareStore), close }
}
const bodyOf = ({ status, body: { request_id: _, ...body } }: Reply) => JSON.stringify([status, body])

describe('a share', () => {
  test('shows its tiles with its pins, and what its reader may choose', async () => {
    const share = await shareTiles({ title: 'Orders of Acme', note: 'For the board' })
    expect(share).toMatchObject({ state: 'active', has_password: false, kind: 'dashboard', note: 'For the board' })
    expect(share.path).toBe(`/shared#${share.token}`)
    const opened = await open(share.token)
    expect(opened.body.share).toEqual({
      title: 'Orders of Acme',
      description: '',
      tiles: [
        { id: 'orders', title: 'The orders', display: 'table', ...place },
        { id: 'trend', title: 'The trend', display: 'line', ...place },
      ],
      variables: [{ name: 'plan', values: PLANS }],
      dates: { from: '2026-02-01', to: '2026-02-28', min: '2026-01-01', max: '2026-02-28', is_movable: true },
      timezone: 'UTC',
    })
    for (const [name, value] of Object.entries({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    }))
      expect([name, opened.headers.get(name)]).toEqual([name, value])
    const { view } = opened.body
    const asked = { tile: 'orders', values: { plan: 'pro' }, dates: { from: '2026-01-01', to: '2026-02-28' } }
    expect(await rowsOf(view, { tile: 'orders' })).toEqual([['acme', 'free', '2026-02-05']])
    expect(await rowsOf(view, asked)).toEqual([
      ['acme', 'pro', '2026-01-05'],
      ['acme', 'pro', '2026-02-05'],
    ])
    const trend = await show(view, { tile: 'trend' })
    expect(trend.body.results).toMatchObject([{ label: 'acme', count: 3 }])
    // Nothing of the query, the endpoint or the cache.
    expect(Object.keys(trend.body).sort()).toEqual(
      ['columns', 'days', 'hasMore', 'kind', 'last_refresh', 'results', 'timezone'].sort(),
    )
    expect(JSON.stringify(trend.body)).not.toMatch(/is_set|by_org|"action"/)
  })

  test('shows an endpoint', async () => {
    const share = await shareOf({ endpoint: 'orders', display: 'table', ...ACME })
    const view = await viewOf(share.token)
    expect(await rowsOf(view, { tile: 'endpoint', values: { plan: 'pro' } })).toEqual([['acme', 'pro', '2026-02-05']])
  })

  test('keeps the version that was shared, or follows the latest one', async () => {
    const created = await api(service, 'POST', '/endpoints/', { name: 'growing', query: sql('SELECT 1 AS n') })
    expect(created.status).toBe(201)
    const board = (
      await api(service, 'POST', '/dashboards', { name: 'Growing', tiles: [tile('one', { endpoint: 'growing' })] })
    ).body
    const [fixed, latest] = [
      await shareOf({ dashboard: board.id, version: 1 }),
      await shareOf({ dashboard: board.id, version: 'latest' }),
    ]
    await api(service, 'PATCH', '/endpoints/growing', { query: sql('SELECT 2 AS n') })
    await api(service, 'PATCH', `/dashboards/${board.id}`, { version: 1, name: 'Grown' })
    expect(await rowsOf(await viewOf(fixed.token), { tile: 'one' })).toEqual([[1]])
    expect(await rowsOf(await viewOf(latest.token), { tile: 'one' })).toEqual([[2]])
    expect([(await open(fixed.token)).body.share.title, (await open(latest.token)).body.share.title]).toEqual([
      'Growing',
      'Grown',
    ])
    expect(await api(service, 'POST', '/shares', { dashboard: board.id, version: 1 })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict', detail: expect.stringContaining('"latest"') },
    })
  })

  test('ends at the next request when it is revoked, expires or gets another token', async () => {
    const share = await shareTiles()
    const view = await viewOf(share.token)
    const rotated = (await api(service, 'POST', `/shares/${share.id}/rotate`)).body
    expect((await open(share.token)).status).toBe(404)
    expect(await show(view, { tile: 'orders' })).toMatchObject({ status: 401, body: { code: 'share_view_expired' } })
    const next = await viewOf(rotated.token)
    expect((await show(next, { tile: 'orders' })).status).toBe(200)
    await api(service, 'DELETE', `/shares/${share.id}`)
    for (const reply of [await show(next, { tile: 'orders' }), await open(rotated.token)])
      expect(reply).toMatchObject({ status: 410, body: { code: 'share_ended', reason: 'revoked' } })
    expect((await api(service, 'GET', `/shares/${share.id}`)).body).toMatchObject({ state: 'revoked' })
    expect((await api(service, 'PATCH', `/shares/${share.id}`, { note: 'again' })).status).toBe(410)

    const short = await shareTiles()
    const last = await viewOf(short.token)
    const store = await openStore()
    await store.shares.update(service.projectId, short.id, { expiresAt: new Date(Date.now() - 1).toISOString() })
    await store.close()
    for (const reply of [await show(last, { tile: 'orders' }), await open(short.token)])
      expect(reply).toMatchObject({ status: 410, body: { code: 'share_ended', reason: 'expired' } })
  })

  test('is suspended while an edit loses a pin, and says what to do', async () => {
    await create(sql('SELECT properties.org AS org FROM events WHERE properties.org = {variables.org}'), 'edited')
    const share = await shareOf({ endpoint: 'edited', variables: { org: 'acme' } })
    const view = await viewOf(share.token)
    await api(service, 'PATCH', '/endpoints/edited', { query: sql('SELECT properties.org AS org FROM events') })
    for (const reply of [await show(view, { tile: 'endpoint' }), await open(share.token)])
      expect(reply).toMatchObject({ status: 410, body: { code: 'share_ended', reason: 'suspended' } })
    expect((await api(service, 'GET', `/shares/${share.id}`)).body).toMatchObject({
      state: 'suspended',
      reasons: [expect.stringContaining('does not use the pinned variable "org"')],
    })
    await api(service, 'PATCH', '/endpoints/edited', {
      query: sql('SELECT properties.org AS org FROM events WHERE properties.org = {variables.org}'),
    })
    expect((await rowsOf(view, { tile: 'endpoint' })).length).toBe(9)
    await api(service, 'DELETE', '/endpoints/edited')
    expect((await show(view, { tile: 'endpoint' })).body).toMatchObject({ reason: 'suspended' })
    // Another endpoint of the same name was not shared.
    await create(sql('SELECT {variables.org}'), 'edited')
    expect((await show(view, { tile: 'endpoint' })).body).toMatchObject({ reason: 'suspended' })
  })

  test('ends with the key that it belongs to, until another key takes it over', async () => {
    const metadata = await openMetadata(join(service.data, 'definitions.db'))
    const leaver = `the-key-of-a-leaver-${service.projectId}`
    const scopes = ['share:write', 'endpoint:read']
    await metadata.keys.put({ projectId: service.projectId, label: leaver, secret: leaver, scopes })
    const { body: share } = await api({ ...service, key: leaver }, 'POST', '/shares', { endpoint: 'all_orders' })
    const view = await viewOf(share.token)
    await metadata.keys.remove(leaver)
    await metadata.close()
    expect(await show(view, { tile: 'endpoint' })).toMatchObject({ status: 410, body: { reason: 'suspended' } })
    expect((await api(service, 'GET', `/shares/${share.id}`)).body).toMatchObject({
      owner: { label: null },
      reasons: [expect.stringContaining('Take the share over')],
    })
    expect((await api(service, 'POST', `/shares/${share.id}/take_over`)).body).toMatchObject({ state: 'active' })
    expect((await show(view, { tile: 'endpoint' })).status).toBe(200)
  })

  test('needs its password once for a day, and allows five tries a minute', async () => {
    const share = await shareTiles({ password: 'a long password' })
    expect(share.has_password).toBe(true)
    expect(await open(share.token)).toMatchObject({ status: 401, body: { code: 'share_password', attr: 'password' } })
    const first = await open(share.token, { password: 'a long password' })
    expect(first.status).toBe(200)
    // An open page goes on without it.
    expect((await open(share.token, { view: first.body.view })).status).toBe(200)
    const other = await open((await shareTiles()).token)
    expect((await open(share.token, { view: other.body.view })).status).toBe(401)
    const tries = ['wrong 1', 'wrong 2', 'wrong 3', 'wrong 4', 'wrong 5'].map((password) =>
      open(share.token, { password }),
    )
    for (const reply of await Promise.all(tries))
      expect(reply).toMatchObject({ status: 401, body: { code: 'share_password' } })
    const locked = await open(share.token, { password: 'a long password' })
    expect(locked).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0)
    await api(service, 'PATCH', `/shares/${share.id}`, { password: null })
    expect((await open(share.token)).status).toBe(200)
    expect((await show(first.body.view, { tile: 'orders' })).status).toBe(401)
    expect(service.output()).not.toMatch(new RegExp(`a long password|wrong 1|${share.token}|${first.body.view}`))
  })

  test('has cached results of its own', async () => {
    const shares = [await shareOf({ endpoint: 'orders', ...ACME }), await shareOf({ endpoint: 'orders', ...ACME })]
    const computed = async ({ token }: { token: string }) =>
      (await show(await viewOf(token), { tile: 'endpoint' })).body.last_refresh as string
    const [first, again, other] = [await computed(shares[0]), await computed(shares[0]), await computed(shares[1])]
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })

  test('is read by its own page only', async () => {
    const share = await shareTiles()
    for (const headers of <Record<string, string>[]>[
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect(await post('session', { token: share.token }, headers)).toMatchObject({
        status: 403,
        body: { code: 'cross_origin_request' },
      })
    const preflight = await request(`${service.url}/shared/session`, {
      method: 'OPTIONS',
      headers: { origin: SITE, 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('has a page for frames of its origins only', async () => {
    const share = await shareTiles({ origins: [SITE, 'http://localhost:3000'] })
    const policyOf = async (path: string) => {
      const { status, headers } = await request(`${service.url}${path}`)
      expect([status, headers.get('x-robots-tag'), headers.get('set-cookie')]).toEqual([200, 'noindex, nofollow', null])
      return /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy')!)![1]
    }
    expect(await policyOf(`/embed/${share.id}`)).toBe(`${SITE} http://localhost:3000`)
    expect(await policyOf(`/embed/${(await shareTiles()).id}`)).toBe("'none'")
    expect(await policyOf('/embed/none')).toBe("'none'")
    for (const path of ['/shared', '/shared/', '/embed/none/'])
      expect([path, await policyOf(path)]).toEqual([path, "'none'"])
    for (const path of ['/shared/index.html', '/shared/assets/none.js', '/shared/..%2f..%2fpackage.json'])
      expect([path, (await request(`${service.url}${path}`)).status]).toEqual([path, 404])
    await api(service, 'DELETE', `/shares/${share.id}`)
    expect(await policyOf(`/embed/${share.id}`)).toBe("'none'")
  })
})

describe('what is not part of a share', () => {
  test('has the same response, whatever it is', async () => {
    const share = await shareTiles()
    const view = await viewOf(share.token)
    const nothing = bodyOf(await show(view, { tile: 'no such tile' }))
    for (const asked of [
      {},
      null,
      [],
      '"orders"',
      { tile: 'of-plan' },
      { tile: ['orders'] },
      { tile: 'orders', values: { plan: 'secret' } },
      { tile: 'orders', values: { org: 'rival' } },
      { tile: 'orders', values: { org: 'acme' } },
      { tile: 'orders', values: { plan: ['pro'] } },
      { tile: 'orders', values: { plan: null } },
      { tile: 'orders', values: [] },
      { tile: 'orders', dates: { from: '2025-12-31' } },
      { tile: 'orders', dates: { to: '2026-03-01' } },
      { tile: 'orders', dates: { from: '2026-02-02', to: '2026-02-01' } },
      { tile: 'orders', dates: { date_from: '2020-01-01' } },
      { tile: 'orders', query: sql('SELECT 1') },
      { tile: 'orders', endpoint: 'all_orders' },
      '{"tile":"orders","__proto__":{"values":{}}}',
      '{"tile":"orders","values":{"__proto__":{"plan":"secret"}}}',
    ])
      expect([asked, bodyOf(await show(view, asked))]).toEqual([asked, nothing])
    const [wrong, malformed] = [await open(`tms_${'0'.repeat(64)}`), await open('nothing')]
    expect(bodyOf(wrong)).toBe(nothing)
    expect(bodyOf(malformed)).toBe(nothing)
  })
})

describe('sharing is refused', () => {
  const refusalOf = async (input: object) => {
    const { status, body } = await api(service, 'POST', '/shares', { dashboard: dashboard.id, ...input })
    return { status, code: body.code, attr: body.attr, detail: body.detail }
  }

  test.each<[string, object, string]>([
    [
      'a tile without a pinned variable',
      { tiles: ['of-plan'], variables: { org: 'acme' } },
      'Tile "The of-plan" does not use the pinned variable "org", so it would show all of its values. Add {variables.org} to its query',
    ],
    [
      'a query of a tile',
      { tiles: ['own-sql'] },
      'Tile "The own-sql" has a query of its own. Save the query as an endpoint',
    ],
    [
      'an insight that is not broken down by the pin',
      { tiles: ['own-insight'], variables: { plan: 'pro' } },
      'Break the insight down by "plan"',
    ],
    ['an insight that cannot run', { tiles: ['broken'] }, 'Tile "The broken" has a query that cannot run'],
    [
      'values of a variable that no tile uses',
      { tiles: ['own-insight'], allowed_values: { plan: PLANS } },
      'No tile uses the variable "plan"',
    ],
    ['a variable without a value', { tiles: ['orders'], variables: { org: 'acme' } }, 'has no value for "plan"'],
    [
      'a value that the variable does not take',
      { tiles: ['orders'], ...ACME, allowed_values: { plan: ['pro', 5] } },
      'does not accept the values of the share: "plan" takes a string',
    ],
  ])('%s', async (_, input, detail) => {
    expect(await refusalOf(input)).toMatchObject({
      status: 400,
      code: 'not_shareable',
      detail: expect.stringContaining(detail),
    })
  })

  test('a tile that takes no dates, if the share has some', async () => {
    expect(
      (
        await api(service, 'POST', '/shares', {
          endpoint: 'no_dates',
          variables: { org: 'acme' },
          date_range: { from: '-7d' },
        })
      ).body.detail,
    ).toContain('does not use the date variable "date_from"')
  })

  test.each<[string, object, string]>([
    ['an unknown tile', { tiles: ['none'] }, 'tiles'],
    [
      'a pin that readers may choose',
      { tiles: ['orders'], ...ACME, allowed_values: { org: ['acme'] } },
      'allowed_values',
    ],
    ['a pinned date', { tiles: ['orders'], ...ACME, variables: { date_from: '2020-01-01' } }, 'date_range'],
    [
      'days in reverse',
      { tiles: ['orders'], ...ACME, date_range: { from: '2026-02-01', to: '2026-01-01' } },
      'date_range',
    ],
    ['the origin null', { tiles: ['orders'], ...ACME, origins: ['null'] }, 'origins'],
    ['every origin', { tiles: ['orders'], ...ACME, origins: ['*'] }, 'origins'],
    ['an expiry in the past', { tiles: ['orders'], ...ACME, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['a short password', { tiles: ['orders'], ...ACME, password: 'short' }, 'password'],
    ['a dashboard and an endpoint', { endpoint: 'orders' }, 'dashboard'],
  ])('%s', async (_, input, attr) => {
    expect(await refusalOf(input)).toMatchObject({ status: 400, code: 'invalid_input', attr })
  })

  test('with a key that may not read it', async () => {
    const metadata = await openMetadata(join(service.data, 'definitions.db'))
    const secret = `the-key-of-a-sharer-${service.projectId}`
    await metadata.keys.put({ projectId: service.projectId, label: secret, secret, scopes: ['share:write'] })
    await metadata.close()
    expect(await api({ ...service, key: secret }, 'POST', '/shares', { endpoint: 'all_orders' })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', detail: expect.stringContaining('endpoint:read') },
    })
  })

  test.each<[string, string, string]>([
    ['people', 'SELECT count() AS c FROM persons', 'whose rows are people'],
    ['ids', 'SELECT distinct_id FROM events', 'ids of people'],
    ['ids by another name', 'SELECT upper(x) AS y FROM (SELECT distinct_id AS x FROM events)', 'ids of people'],
    ['lists of ids', 'SELECT groupArray(distinct_id) AS y FROM events', 'ids of people'],
    ['ids from WITH', 'WITH distinct_id AS x SELECT any(x) AS y FROM events', 'ids of people'],
    ['ids in a subquery', 'SELECT (SELECT any(distinct_id) FROM events) AS y', 'ids of people'],
    ['ids in an array', 'SELECT [distinct_id][1] AS y FROM events', 'ids of people'],
    [
      'ids in a union',
      'SELECT x FROM (SELECT event AS x FROM events UNION ALL SELECT distinct_id AS y FROM events)',
      'ids of people',
    ],
    ['all properties', 'SELECT properties AS p FROM events', 'all properties'],
    ['all columns', 'SELECT * FROM events', 'Name the columns'],
    ['an e-mail address', 'SELECT properties.userEmail AS u FROM events', 'looks like an e-mail'],
    ['an e-mail address in brackets', "SELECT properties['e-mail'] AS u FROM events", 'looks like an e-mail'],
    [
      'an e-mail address of a person',
      'SELECT person.properties.email_address AS u FROM events',
      'looks like an e-mail',
    ],
    ['a column called e-mail', 'SELECT properties.contact AS email FROM events', '"email"'],
  ])('of %s', async (name, query, detail) => {
    const endpoint = `personal_${name.replaceAll(/\W/g, '_')}`
    await create(sql(query), endpoint)
    expect(await api(service, 'POST', '/shares', { endpoint })).toMatchObject({
      status: 400,
      body: { code: 'not_shareable', detail: expect.stringContaining(detail) },
    })
  })

  test('of counts of people it is not', async () => {
    await create(
      sql(
        "SELECT count(DISTINCT person_id) AS people, uniq(distinct_id) AS visitors, countIf(properties.emails_sent > 1) AS sent, any(properties['plan']) AS a_plan, any(distinct_id = 'x') AS is_x FROM events WHERE event = 'email_sent' AND distinct_id != 'x'",
      ),
      'counts',
    )
    await shareOf({ endpoint: 'counts' })
  })
})

test('a preview shows what a reader would see, or why it cannot be shared', async () => {
  const preview = async (more: object) =>
    (await api(service, 'POST', '/shares/preview', { dashboard: dashboard.id, ...more })).body
  expect(
    await preview({ tiles: ['orders'], ...ACME, reader: { tile: 'orders', values: { plan: 'pro' } } }),
  ).toMatchObject({
    share: { tiles: [{ id: 'orders' }] },
    reasons: [],
    tile: { results: [['acme', 'pro', '2026-02-05']] },
  })
  expect(await preview({ tiles: ['own-sql'] })).toMatchObject({
    share: null,
    tile: null,
    reasons: [expect.any(String)],
  })
})

test('shares are listed by what they show, and belong to one project', async () => {
  const share = await shareOf({ endpoint: 'all_orders' })
  const list = async (query: string) =>
    (await api(service, 'GET', `/shares${query}`)).body.results.map(({ id }: { id: string }) => id)
  expect(await list('?endpoint=all_orders')).toContain(share.id)
  expect(await list(`?dashboard=${dashboard.id}`)).not.toContain(share.id)
  const other = await sharedService()
  expect((await api(other, 'GET', '/shares')).body.results).toEqual([])
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/take_over'],
  ] as const)
    expect([path, (await api(other, method, `/shares/${share.id}${path}`, {})).status]).toEqual([path, 404])
})
