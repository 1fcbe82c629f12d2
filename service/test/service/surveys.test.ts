import { api, capture, event, request } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
let other: Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>

beforeAll(async () => {
  service = await startService()
  const { body } = await request(`${service.url}/api/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'other' }),
  })
  other = { url: service.url, token: body.token, key: service.key, projectId: body.id }
})
afterAll(() => service.stop())

const OPEN = { type: 'open', question: 'What is missing?' }
const PAST = '2026-01-01T00:00:00.000Z'

let surveys = 0
const create = async (fields: Record<string, unknown> = {}, target = service as typeof other): Promise<any> => {
  const input = { name: `Survey ${(surveys += 1)}`, type: 'popover', questions: [OPEN], ...fields }
  const { status, body } = await api(target as RunningService, 'POST', '/surveys', input)
  expect({ status, body }).toMatchObject({ status: 201 })
  return body
}
const change = async (id: string, fields: Record<string, unknown>): Promise<any> => {
  const { status, body } = await api(service, 'PATCH', `/surveys/${id}`, fields)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
const remove = (id: string) => api(service, 'DELETE', `/surveys/${id}`)

const publicSurveys = (target: { url: string; token: string } = service, headers: Record<string, string> = {}) =>
  request(`${target.url}/api/surveys/?token=${target.token}&_=1`, { headers })

const flagsOf = async (distinctId: string, more: Record<string, unknown> = {}, query = 'v=2&config=true') =>
  (
    await request(`${service.url}/flags/?${query}`, {
      method: 'POST',
      body: JSON.stringify({ token: service.token, distinct_id: distinctId, ...more }),
    })
  ).body

describe('a survey', () => {
  test('is created, changed and deleted, and only SDKs of its project read it while it runs', async () => {
    const draft = await create({ name: 'First', description: 'Only for us', responses_limit: 10 })
    expect(draft).toMatchObject({
      name: 'First',
      state: 'draft',
      start_date: null,
      questions: [{ ...OPEN, id: expect.stringMatching(/^[\w-]{36}$/) }],
      internal_targeting_flag_key: expect.stringMatching(/^survey-targeting-[0-9a-f]{10}-custom$/),
    })
    expect((await flagsOf('ann')).surveys).toBe(false)
    expect((await publicSurveys()).body).toEqual({ surveys: [] })

    expect(await change(draft.id, { start_date: PAST })).toMatchObject({ state: 'running', questions: draft.questions })
    const { body, headers } = await publicSurveys()
    expect(body.surveys).toEqual([
      {
        id: draft.id,
        name: 'First',
        type: 'popover',
        questions: draft.questions,
        feature_flag_keys: null,
        linked_flag_key: null,
        targeting_flag_key: null,
        internal_targeting_flag_key: draft.internal_targeting_flag_key,
        appearance: null,
        conditions: null,
        start_date: PAST,
        end_date: null,
        current_iteration: null,
        current_iteration_start_date: null,
        schedule: 'once',
        enable_partial_responses: false,
      },
    ])
    expect(headers.get('cache-control')).toContain('max-age=60')
    const again = await publicSurveys(service, { 'if-none-match': headers.get('etag')! })
    expect(again).toMatchObject({ status: 304, body: '' })
    expect((await flagsOf('ann')).surveys).toBe(true)
    expect((await publicSurveys(other)).body).toEqual({ surveys: [] })
    expect((await api(other as RunningService, 'GET', `/surveys/${draft.id}`)).status).toBe(404)
    expect((await api(service, 'GET', '/surveys')).body.results).toEqual([
      expect.objectContaining({ id: draft.id, state: 'running' }),
    ])

    await api(service, 'PATCH', '/remote_config/', { surveys: false })
    expect((await flagsOf('ann')).surveys).toBe(false)
    await api(service, 'PATCH', '/remote_config/', { surveys: true })

    expect(await change(draft.id, { end_date: new Date().toISOString() })).toMatchObject({ state: 'stopped' })
    expect((await publicSurveys()).body).toEqual({ surveys: [] })
    expect((await remove(draft.id)).status).toBe(204)
    expect((await api(service, 'GET', `/surveys/${draft.id}`)).status).toBe(404)
  })
})
