import { PostHog } from 'posthog-node'
import { api, capture, event, request } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.stop())

const FEATURES = '/early_access_feature/'
const create = async (input: object) => {
  const reply = await api(service, 'POST', FEATURES, input)
  expect(reply).toMatchObject({ status: 201 })
  return reply.body
}
const offered = async (query = '') =>
  (await request(`${service.url}/api/early_access_features/?token=${service.token}${query}&_=1`)).body
    .earlyAccessFeatures
const flagOf = async (key: string, question: object) =>
  (
    await request(`${service.url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ token: service.token, ...question }),
    })
  ).body.flags[key]
const enroll = (distinct_id: string, key: string, isEnrolled: boolean) =>
  capture(
    service,
    event(
      '$feature_enrollment_update',
      { $set: { [`$feature_enrollment/${key}`]: isEnrolled } },
      { distinct_id, $feature_flag: key, $feature_enrollment: isEnrolled },
    ),
  )

test('an early access feature goes from concept to general availability, with opt-in, opt-out and removal', async () => {
  const made = await create({
    name: 'Dark mode!',
    description: 'Easy on the eyes',
    documentation_url: 'https://example.com/dark',
    payload: { icon: 'moon' },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Dark mode!',
    stage: 'draft',
    feature_flag: { id: expect.any(Number), key: 'dark-mode' },
    created_at: expect.any(String),
  })
  expect(await offered('&stage=draft&stage=beta')).toEqual([])

  const stage = (name: string) => api(service, 'PATCH', `${FEATURES}${made.id}`, { stage: name })
  await stage('concept')
  expect(await offered()).toEqual([])
  expect(await offered('&stage=beta&stage=concept')).toEqual([
    {
      id: made.id,
      name: 'Dark mode!',
      description: 'Easy on the eyes',
      stage: 'concept',
      documentationUrl: 'https://example.com/dark',
      payload: { icon: 'moon' },
      flagKey: 'dark-mode',
    },
  ])
  await enroll('keen', 'dark-mode', true)
  await enroll('wary', 'dark-mode', false)
  expect(await flagOf('dark-mode', { distinct_id: 'keen' })).toMatchObject({ enabled: false })

  await stage('beta')
  expect((await offered()).map(({ flagKey }: { flagKey: string }) => flagKey)).toEqual(['dark-mode'])
  expect(await flagOf('dark-mode', { distinct_id: 'keen' })).toMatchObject({
    enabled: true,
    reason: { code: 'condition_match' },
  })
  expect(await flagOf('dark-mode', { distinct_id: 'wary' })).toMatchObject({ enabled: false })
  expect(await flagOf('dark-mode', { distinct_id: 'somebody' })).toMatchObject({ enabled: false })
  // The SDK sends the enrollment with its flag request before the event arrives.
  expect(
    await flagOf('dark-mode', {
      distinct_id: 'somebody',
      person_properties: { '$feature_enrollment/dark-mode': true },
    }),
  ).toMatchObject({ enabled: true })
  await enroll('keen', 'dark-mode', false)
  expect(await flagOf('dark-mode', { distinct_id: 'keen' })).toMatchObject({ enabled: false })

  // A flag that is on for everyone is off for persons who opted out, until the feature is deleted.
  await api(service, 'PATCH', `/feature_flags/${made.feature_flag.id}`, { filters: { groups: [{}] } })
  expect(await flagOf('dark-mode', { distinct_id: 'somebody' })).toMatchObject({
    enabled: true,
    reason: { condition_index: 0 },
  })
  expect(await flagOf('dark-mode', { distinct_id: 'wary' })).toMatchObject({ enabled: false })
  expect((await api(service, 'GET', `/feature_flags/${made.feature_flag.id}`)).body.filters).toEqual({ groups: [{}] })
  expect((await api(service, 'DELETE', `${FEATURES}${made.id}`)).status).toBe(204)
  expect(await flagOf('dark-mode', { distinct_id: 'wary' })).toMatchObject({ enabled: true })
  expect(await offered('&stage=beta')).toEqual([])
  expect((await api(service, 'GET', `${FEATURES}${made.id}`)).status).toBe(404)
})

test('an early access feature of an existing flag keeps the rollout and variants of the flag', async () => {
  const { body: flag } = await api(service, 'POST', '/feature_flags/', {
    key: 'editor',
    filters: {
      groups: [{ rollout_percentage: 0 }],
      multivariate: { variants: [{ key: 'new', rollout_percentage: 100 }] },
    },
  })
  const made = await create({ name: 'Editor', stage: 'alpha', feature_flag_id: flag.id })
  expect(await flagOf('editor', { distinct_id: 'x' })).toMatchObject({
    enabled: false,
    reason: { code: 'out_of_rollout_bound' },
  })
  await enroll('x', 'editor', true)
  expect(await flagOf('editor', { distinct_id: 'x' })).toMatchObject({ enabled: true, variant: 'new' })
  // An inactive flag is off for everyone and offered to no one.
  await api(service, 'PATCH', `/feature_flags/${flag.id}`, { active: false })
  expect(await offered('&stage=alpha')).toEqual([])
  await api(service, 'PATCH', `/feature_flags/${flag.id}`, { active: true })
  expect(await api(service, 'DELETE', `/feature_flags/${flag.id}`)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('"Editor"') },
  })
  expect((await api(service, 'GET', FEATURES)).body.results.map(({ id }: { id: string }) => id)).toContain(made.id)
})

test('posthog-node evaluates an early access flag locally with the result of the service', async () => {
  await create({ name: 'Local', stage: 'beta' })
  const client = new PostHog(service.token, {
    host: service.url,
    personalApiKey: service.key,
    featureFlagsPollingInterval: 600_000,
  })
  await client.waitForLocalEvaluationReady()
  const value = (properties: object) =>
    client.getFeatureFlag('local', 'x', {
      personProperties: properties,
      onlyEvaluateLocally: true,
      sendFeatureFlagEvents: false,
    })
  jest.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await value({ '$feature_enrollment/local': true })).toBe(true)
  expect(await value({ '$feature_enrollment/local': false })).toBe(false)
  expect(await value({})).toBeUndefined()
  await client.shutdown()
})

test('concurrent requests to create early access features all succeed', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => create({ name, stage: 'beta' })))
  expect((await offered()).map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['a', 'b', 'c', 'd']),
  )
})

describe('the early access API', () => {
  test.each([
    ['no name', {}, 'name'],
    ['an invalid stage', { name: 'x', stage: 'soon' }, 'stage'],
    ['an unknown flag', { name: 'x', feature_flag_id: 999 }, 'feature_flag_id'],
    ['a name whose flag exists', { name: 'a' }, 'key'],
    ['a name without characters for a key', { name: '???' }, 'key'],
    ['an unknown field', { name: 'x', stages: 'beta' }, 'stages'],
  ])('rejects %s', async (_, input, attr) => {
    expect(await api(service, 'POST', FEATURES, input)).toMatchObject({ status: 400, body: { attr } })
  })

  test('rejects a second feature of a flag and a feature of a group flag', async () => {
    const { body: flag } = await api(service, 'POST', '/feature_flags/', {
      key: 'of-groups',
      filters: { groups: [{}], aggregation_group_type: 'company' },
    })
    expect(await api(service, 'POST', FEATURES, { name: 'x', feature_flag_id: flag.id })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('groups') },
    })
    const { feature_flag: taken } = await create({ name: 'Taken' })
    expect(await api(service, 'POST', FEATURES, { name: 'x', feature_flag_id: taken.id })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('needs its own flag') },
    })
  })

  test('returns 401 for an unknown token', async () => {
    expect((await request(`${service.url}/api/early_access_features/?token=wrong`)).status).toBe(401)
  })
})
