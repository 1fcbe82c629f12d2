import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SCOPES } from '../../src/http/auth.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { capture, countOf, event, type Reply, request } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
const ALL = 'a-key-of-all-projects'
const SECOND = 'a-key-of-the-second-project'

/** Sends a request with the key `secret`; `path` begins after `/api`. */
const ask = (secret: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  request(`${service.url}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

beforeAll(async () => {
  service = await startService()
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  await metadata.keys.put({ projectId: undefined, label: 'all', secret: ALL, scopes: SCOPES })
  const { id } = await metadata.projects.create({ name: 'Second', token: 'second-token' })
  await metadata.keys.put({ projectId: id, label: 'second', secret: SECOND, scopes: SCOPES })
  await metadata.close()
})
afterAll(() => service.stop())

describe('projects', () => {
  test('can be created with a key for all projects and accept events immediately', async () => {
    const created = await ask(ALL, 'POST', '/projects/', { name: ' Shop ', timezone: 'Europe/Berlin' })
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'Shop',
        timezone: 'Europe/Berlin',
        api_token: expect.stringMatching(/^tm_\w{30,}$/),
        previous_api_token_until: null,
      },
    })
    const project = { url: service.url, token: created.body.api_token, key: ALL, projectId: created.body.id }
    expect((await capture(project, event('in the shop'))).status).toBe(200)
    expect(await countOf(project, 'in the shop')).toBe(1)
    expect(await countOf(service, 'in the shop')).toBe(0)
    expect((await ask(ALL, 'GET', `/projects/${created.body.id}/`)).body).toEqual(created.body)
  })

  test('can be created with an existing token', async () => {
    expect(await ask(ALL, 'POST', '/projects/', { name: 'Moved', api_token: 'phc_from_elsewhere' })).toMatchObject({
      status: 201,
      body: { api_token: 'phc_from_elsewhere' },
    })
    expect(await ask(ALL, 'POST', '/projects/', { name: 'Again', api_token: 'phc_from_elsewhere' })).toMatchObject({
      status: 400,
      body: { code: 'name_taken', attr: 'api_token' },
    })
  })

  test('cannot be created with a key for one project, which sees only its own', async () => {
    expect((await ask(service.key, 'GET', '/projects/')).body.results.map(({ id }: { id: number }) => id)).toEqual([1])
    expect((await ask(ALL, 'GET', '/projects/')).body.count).toBeGreaterThan(1)
    expect(await ask(service.key, 'POST', '/projects/', { name: 'Mine' })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('trailmark key create --all-projects') },
    })
    expect((await ask(service.key, 'GET', '/projects/2/')).status).toBe(404)
  })

  test('can change name and time zone', async () => {
    expect(await ask(SECOND, 'PATCH', '/projects/2/', { name: 'Renamed', timezone: 'asia/tokyo' })).toMatchObject({
      status: 200,
      body: { name: 'Renamed', timezone: 'Asia/Tokyo' },
    })
    expect(await ask(SECOND, 'PATCH', '/projects/2/', { timezone: 'Asia/Kolkata' })).toMatchObject({
      status: 200,
      body: { name: 'Renamed', timezone: 'Asia/Kolkata' },
    })
  })

  test.each([
    ['no name', { timezone: 'UTC' }, '"name" is required.'],
    ['an empty name', { name: '  ' }, '"name" must have 1 to 200 characters and must not be blank.'],
    [
      'an unknown time zone',
      { name: 'x', timezone: 'Mars/Olympus' },
      '"Mars/Olympus" is not an IANA time zone. Use one such as Europe/Berlin or UTC.',
    ],
    [
      'a UTC offset as the time zone',
      { name: 'x', timezone: '+02:00' },
      '"+02:00" is not an IANA time zone. Use one such as Europe/Berlin or UTC.',
    ],
    [
      'a time zone in the wrong case',
      { name: 'x', timezone: 'asia/kolkata' },
      '"asia/kolkata" is not an IANA time zone. Use one such as Europe/Berlin or UTC.',
    ],
    [
      'a token with a space',
      { name: 'x', api_token: 'a b' },
      '"api_token" must have 1 to 200 letters, digits, _ and -.',
    ],
    ['an unknown field', { name: 'x', color: 'red' }, '"color" is not a field of this request.'],
  ])('reject %s', async (_, body, detail) => {
    expect(await ask(ALL, 'POST', '/projects/', body)).toMatchObject({ status: 400, body: { detail } })
  })

  test('reject a rotated token immediately or after its grace period', async () => {
    const { body: made } = await ask(ALL, 'POST', '/projects/', { name: 'Rotating' })
    const send = (token: string) => capture({ ...service, token }, event('rotating'))
    const { body: next } = await ask(ALL, 'POST', `/projects/${made.id}/rotate_token/`, { grace_seconds: 3600 })
    expect(next.api_token).not.toBe(made.api_token)
    expect(Date.parse(next.previous_api_token_until)).toBeGreaterThan(Date.now() + 3_500_000)
    expect([(await send(made.api_token)).status, (await send(next.api_token)).status]).toEqual([200, 200])
    const { body: last } = await ask(ALL, 'POST', `/projects/${made.id}/rotate_token/`)
    expect(last.previous_api_token_until).toBeNull()
    expect(
      await Promise.all([made, next, last].map(async ({ api_token: token }) => (await send(token)).status)),
    ).toEqual([401, 401, 200])
    expect(await ask(ALL, 'POST', `/projects/${made.id}/rotate_token/`, { grace_seconds: 1e9 })).toMatchObject({
      status: 400,
      body: { attr: 'grace_seconds' },
    })
  })
})

describe('personal API keys', () => {
  const create = (secret: string, body: Record<string, unknown>) => ask(secret, 'POST', '/personal_api_keys/', body)
  const reads = (secret: string, project = 1) => ask(secret, 'GET', `/projects/${project}/endpoints/`)

  test('are shown once, not stored, and allow what their scopes allow', async () => {
    const created = await create(service.key, { label: 'reader', scopes: ['endpoint:read'] })
    expect(created).toMatchObject({
      status: 201,
      body: {
        label: 'reader',
        scopes: ['endpoint:read'],
        scoped_teams: [1],
        value: expect.stringMatching(/^tmk_\w{30,}$/),
      },
    })
    expect(created.headers.get('cache-control')).toBe('no-store')
    const { value, id } = created.body
    expect((await reads(value)).status).toBe(200)
    expect((await reads(value, 2)).status).toBe(404)
    expect(await ask(value, 'POST', '/projects/1/endpoints/', {})).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('endpoint:write') },
    })
    const [list, one] = [
      await ask(service.key, 'GET', '/personal_api_keys/'),
      await ask(service.key, 'GET', `/personal_api_keys/${id}/`),
    ]
    expect(JSON.stringify([list.body, one.body])).not.toContain(value)
    expect(one.body).toMatchObject({ mask_value: `tmk_…${value.slice(-4)}`, last_used_at: expect.any(String) })
    const bytes = ['', '-wal'].map((end) => readFileSync(join(service.data, `definitions.db${end}`), 'latin1')).join('')
    expect(bytes).not.toContain(value)
  })

  test('are rejected immediately after revocation', async () => {
    const { body: key } = await create(service.key, { label: 'short-lived', scopes: ['endpoint:read'] })
    expect((await reads(key.value)).status).toBe(200)
    expect((await ask(service.key, 'DELETE', `/personal_api_keys/${key.id}/`)).status).toBe(204)
    expect((await reads(key.value)).status).toBe(401)
    expect((await ask(service.key, 'DELETE', `/personal_api_keys/${key.id}/`)).status).toBe(404)
  })

  test('reject a rotated secret immediately or after its grace period', async () => {
    const { body: key } = await create(service.key, { label: 'rotating', scopes: ['endpoint:read'] })
    const roll = async (body?: unknown) =>
      (await ask(service.key, 'POST', `/personal_api_keys/${key.id}/roll/`, body)).body
    const second = await roll({ grace_seconds: 60 })
    expect(second).toMatchObject({
      id: key.id,
      last_rolled_at: expect.any(String),
      previous_value_until: expect.any(String),
    })
    expect([(await reads(key.value)).status, (await reads(second.value)).status]).toEqual([200, 200])
    const third = await roll()
    expect([
      (await reads(key.value)).status,
      (await reads(second.value)).status,
      (await reads(third.value)).status,
    ]).toEqual([401, 401, 200])
  })

  test('cannot create keys with more permissions than their own', async () => {
    const { body: clerk } = await create(service.key, {
      label: 'clerk',
      scopes: ['personal_api_key:read', 'personal_api_key:write'],
    })
    expect(await create(clerk.value, { label: 'more', scopes: ['endpoint:write'] })).toMatchObject({
      status: 403,
      body: { attr: 'scopes', detail: expect.stringContaining('endpoint:write') },
    })
    expect(await create(clerk.value, { label: 'wider', scopes: ['*'], scoped_teams: null })).toMatchObject({
      status: 403,
      body: { attr: 'scoped_teams' },
    })
    expect(await create(clerk.value, { label: 'elsewhere', scopes: ['*'], scoped_teams: [2] })).toMatchObject({
      status: 403,
      body: { attr: 'scoped_teams' },
    })
    expect(await create(clerk.value, { label: 'deputy', scopes: ['*'] })).toMatchObject({
      status: 201,
      body: { scopes: ['personal_api_key:read', 'personal_api_key:write'], scoped_teams: [1] },
    })
    // The key can neither roll nor delete a key with more permissions.
    const [first] = (await ask(clerk.value, 'GET', '/personal_api_keys/')).body.results.filter(
      ({ label }: { label: string }) => label === 'first key',
    )
    expect(await ask(clerk.value, 'POST', `/personal_api_keys/${first.id}/roll/`)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('endpoint:read') },
    })
    expect((await ask(clerk.value, 'DELETE', `/personal_api_keys/${first.id}/`)).status).toBe(403)
    expect((await reads(service.key)).status).toBe(200)
  })

  test('are not visible to other projects', async () => {
    const { body: mine } = await create(service.key, { label: 'hidden', scopes: ['endpoint:read'] })
    const theirs = (await ask(SECOND, 'GET', '/personal_api_keys/')).body.results
    expect(theirs.map(({ label }: { label: string }) => label)).toEqual(['second'])
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', 'roll/'],
    ] as const) {
      expect((await ask(SECOND, method, `/personal_api_keys/${mine.id}/${path}`)).status).toBe(404)
    }
    expect((await reads(mine.value)).status).toBe(200)
    // A label is unique within a project, not across projects.
    expect((await create(SECOND, { label: 'hidden', scopes: ['endpoint:read'] })).status).toBe(201)
    expect(await create(service.key, { label: 'hidden', scopes: ['endpoint:read'] })).toMatchObject({
      status: 400,
      body: { code: 'name_taken' },
    })
  })

  test('require the project of a new key when created with a key for all projects', async () => {
    expect(await create(ALL, { label: 'where', scopes: ['endpoint:read'] })).toMatchObject({
      status: 400,
      body: { attr: 'scoped_teams' },
    })
    expect(await create(ALL, { label: 'where', scopes: ['endpoint:read'], scoped_teams: [999] })).toMatchObject({
      status: 400,
      body: { detail: 'There is no project 999.' },
    })
    const { body: one } = await create(ALL, { label: 'where', scopes: ['endpoint:read'], scoped_teams: [2] })
    expect([(await reads(one.value, 2)).status, (await reads(one.value, 1)).status]).toEqual([200, 404])
    const { body: all } = await create(ALL, { label: 'everywhere', scopes: ['endpoint:read'], scoped_teams: null })
    expect([(await reads(all.value, 2)).status, (await reads(all.value, 1)).status]).toEqual([200, 200])
  })

  test.each([
    ['no scope', { label: 'x', scopes: [] }, 'A key needs at least one scope. Valid scopes: endpoint:read'],
    [
      'an unknown scope',
      { label: 'x', scopes: ['endpoints:read'] },
      'There is no scope "endpoints:read". Valid scopes: endpoint:read',
    ],
    ['no label', { label: ' ', scopes: ['endpoint:read'] }, '"label" must have 1 to 200 characters'],
    [
      'a reserved label',
      { label: 'first key', scopes: ['endpoint:read'] },
      'The label "first key" is reserved for the service. Choose another.',
    ],
  ])('reject a new key with %s', async (_, body, detail) => {
    expect(await create(service.key, body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(detail) },
    })
  })
})

test('rotating the first key updates its key file and survives a restart', async () => {
  const first = await startService()
  const { body } = await request(`${first.url}/api/personal_api_keys/`, {
    headers: { authorization: `Bearer ${first.key}` },
  })
  const rolled = await request(`${first.url}/api/personal_api_keys/${body.results[0].id}/roll/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' },
    body: '{"grace_seconds": 600}',
  })
  expect(readFileSync(join(first.data, 'personal_api_key'), 'utf8').trim()).toBe(rolled.body.value)
  await first.kill()
  const again = await startService({ data: first.data })
  try {
    expect(again.key).toBe(rolled.body.value)
    expect(await countOf(again, 'nothing')).toBe(0)
    expect(await countOf({ ...again, key: first.key }, 'nothing')).toBe(0) // in its grace period
  } finally {
    await again.stop()
  }
})
