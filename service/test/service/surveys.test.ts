import { api, capture, event, request, rowsOf } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
let other: Pick<SharedService, 'url' | 'token' | 'key' | 'projectId'>

beforeAll(async () => {
  service = await sharedService()
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
  const { status, body } = await api(target, 'POST', '/surveys', input)
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
  test('has the defaults of ratings that say nothing about how they are drawn', async () => {
    const rating = { type: 'rating', question: 'How?' }
    const { id, questions } = await create({
      name: 'Ratings',
      questions: [rating, { ...rating, scale: null, display: 'emoji' }],
    })
    expect(questions).toMatchObject([
      { display: 'number', scale: 5 },
      { display: 'emoji', scale: 5 },
    ])
    expect((await api(service, 'DELETE', `/surveys/${id}`)).status).toBe(204)
  })

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
    expect((await api(other as SharedService, 'GET', `/surveys/${draft.id}`)).status).toBe(404)
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

describe('the flags of a survey', () => {
  const evaluate = async (key: string, distinctId: string, more?: Record<string, unknown>): Promise<any> =>
    (await flagsOf(distinctId, more)).flags[key]?.enabled

  test('are off for people who answered or dismissed it, from the moment of the event on', async () => {
    const survey = await create({ start_date: PAST })
    const key = survey.internal_targeting_flag_key
    const react = (name: string, distinctId: string, more: Record<string, unknown> = {}) =>
      capture(service, event(name, {}, { distinct_id: distinctId, $survey_id: survey.id, ...more }))
    expect(await evaluate(key, 'new')).toBe(true)
    await react('survey shown', 'shown')
    // With the `$set` that the SDK sends, and without it, as a server may send it.
    await react('survey sent', 'sent', { $set: { [`$survey_responded/${survey.id}`]: true } })
    await react('survey dismissed', 'dismissed')
    await react('survey sent', 'anonymous', { $process_person_profile: false })
    expect(await Promise.all(['shown', 'sent', 'dismissed', 'anonymous'].map((id) => evaluate(key, id)))).toEqual([
      true,
      false,
      false,
      true,
    ])
    // Flags of surveys are not the project's: only `/flags` has them.
    expect((await api(service, 'GET', '/feature_flags/')).body.results).toEqual([])
    await change(survey.id, { end_date: new Date().toISOString() })
    expect((await flagsOf('new')).flags).toEqual({})
    await remove(survey.id)
  })

  test('are on again in the next iteration', async () => {
    const weeks = (count: number) => new Date(Date.now() - count * 7 * 86_400_000 - 60_000).toISOString()
    const survey = await create({
      schedule: 'recurring',
      iteration_count: 3,
      iteration_frequency_days: 7,
      start_date: weeks(1),
    })
    expect(survey).toMatchObject({ current_iteration: 2, current_iteration_start_date: expect.stringMatching(/T/) })
    const key = survey.internal_targeting_flag_key
    const sent = { distinct_id: 'weekly', $survey_id: survey.id }
    await capture(service, event('survey sent', {}, { ...sent, $survey_iteration: 1 }))
    expect(await evaluate(key, 'weekly')).toBe(true)
    await capture(service, event('survey sent', {}, { ...sent, $survey_iteration: 2 }))
    expect(await evaluate(key, 'weekly')).toBe(false)
    expect(await change(survey.id, { start_date: weeks(2) })).toMatchObject({ current_iteration: 3 })
    expect(await evaluate(key, 'weekly')).toBe(true)
    expect(await change(survey.id, { start_date: weeks(9) })).toMatchObject({ current_iteration: 3 })
    expect(await api(service, 'PATCH', `/surveys/${survey.id}`, { iteration_count: 2 })).toMatchObject({
      status: 400,
      body: { attr: 'iteration_count' },
    })
    await remove(survey.id)
  })

  test('match people by properties, and are the only ones that a page with surveys alone requests', async () => {
    await api(service, 'POST', '/feature_flags/', { key: 'beta' })
    await api(service, 'POST', '/feature_flags/', { key: 'other' })
    const adults = { key: 'age', type: 'person', operator: 'gte', value: '18' }
    const filters = { groups: [{ properties: [adults] }] }
    const survey = await create({ start_date: PAST, linked_flag_key: 'beta', targeting_flag_filters: filters })
    expect(await evaluate(survey.targeting_flag_key, 'a', { person_properties: { age: 20 } })).toBe(true)
    expect(await evaluate(survey.targeting_flag_key, 'a', { person_properties: { age: 10 } })).toBe(false)
    const only = await flagsOf('a', {}, 'v=2&only_evaluate_survey_feature_flags=true')
    expect(Object.keys(only.flags).sort()).toEqual(
      ['beta', survey.targeting_flag_key, survey.internal_targeting_flag_key].sort(),
    )
    expect(Object.keys((await flagsOf('a')).flags)).toContain('other')
    const invalid = { groups: [{ properties: [{ ...adults, operator: 'near' }] }] }
    expect(await api(service, 'PATCH', `/surveys/${survey.id}`, { targeting_flag_filters: invalid })).toMatchObject({
      status: 400,
      body: { attr: 'targeting_flag_filters.groups.0.properties.0.operator' },
    })
    await remove(survey.id)
    for (const { id } of (await api(service, 'GET', '/feature_flags/')).body.results)
      await api(service, 'DELETE', `/feature_flags/${id}`)
  })
})

test('a survey rejects a taken name, unknown fields and wrong types', async () => {
  const { id, name } = await create()
  const send = (fields: Record<string, unknown>) =>
    api(service, 'POST', '/surveys', { name: 'Another', type: 'popover', questions: [OPEN], ...fields })
  expect(await send({ name })).toMatchObject({ status: 400, body: { code: 'name_taken', attr: 'name' } })
  for (const [fields, path] of [
    [{ color: 'red' }, 'color'],
    [{ type: 'modal' }, 'type'],
    [{ questions: [{ ...OPEN, size: 3 }] }, 'questions.0.size'],
    [{ appearance: { position: 'outside' } }, 'appearance.position'],
    [{ appearance: { surveyPopupDelaySeconds: -1 } }, 'appearance.surveyPopupDelaySeconds'],
    [{ conditions: { deviceTypes: ['Fridge'] } }, 'conditions.deviceTypes.0'],
    [{ iteration_count: 501 }, 'iteration_count'],
    [{ start_date: 'soon' }, 'start_date'],
  ] as const)
    expect(await send(fields)).toMatchObject({ status: 400, body: { errors: [{ path }] } })
  await remove(id)
})

test('a survey ends with the event that reaches its limit of responses, however often events are sent again', async () => {
  const survey = await create({ start_date: PAST, responses_limit: 3 })
  const send = (submission: string, completed = true) =>
    capture(
      service,
      event(
        'survey sent',
        {},
        { $survey_id: survey.id, $survey_submission_id: submission, $survey_completed: completed },
      ),
    )
  const state = async () => (await api(service, 'GET', `/surveys/${survey.id}`)).body.state
  await send('1')
  await send('1')
  await send('2', false)
  await send('2')
  expect(await state()).toBe('running')
  await Promise.all(['3', '4', '5'].map((submission) => send(submission)))
  expect(await state()).toBe('stopped')
  expect((await publicSurveys()).body.surveys).toEqual([])
  expect((await flagsOf('someone')).surveys).toBe(false)
  await remove(survey.id)
})

test('answers of a megabyte are cut and marked', async () => {
  const { id } = await create({ start_date: PAST, questions: [{ ...OPEN, id: 'why' }] })
  const answer = 'ä'.repeat(400_000)
  await capture(
    service,
    event(
      'survey sent',
      {},
      { $survey_id: id, $survey_response_why: answer, $survey_questions: [{ id: 'why', response: answer }] },
    ),
  )
  const [row] = await rowsOf(
    service,
    `SELECT properties.$survey_response_why, length(toString(properties.$survey_questions)), properties.$survey_response_truncated
     FROM events WHERE properties.$survey_id = '${id}'`,
  )
  expect(row![0]).toBe('ä'.repeat(4_000))
  expect(Number(row![1])).toBeLessThan(9_000)
  expect(String(row![2])).toBe('true')
  await remove(id)
})

test('an IP can send 30 submissions of a hosted survey in a minute, and more events of them', async () => {
  const [hosted, popover] = [
    await create({ type: 'external_survey', start_date: PAST }),
    await create({ start_date: PAST }),
  ]
  const answer = (survey: { id: string }, submission: number) =>
    event('survey sent', {}, { $survey_id: survey.id, $survey_submission_id: `submission ${submission}` })
  const { status, body } = await request(`${service.url}/batch/`, {
    method: 'POST',
    body: JSON.stringify({
      api_key: service.token,
      batch: [
        ...Array.from({ length: 32 }, (_, index) => answer(hosted, index)),
        answer(hosted, 0),
        ...Array.from({ length: 32 }, (_, index) => answer(popover, index)),
      ],
    }),
  })
  expect(status).toBe(200)
  expect(body.refused.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
    [30, 'too_many_answers'],
    [31, 'too_many_answers'],
  ])
  await remove(hosted.id)
  await remove(popover.id)
})

test('a hosted survey has its own page, and every other URL gets the same 404', async () => {
  const name = 'Tea & </script><script>alert(1)</script>'
  const survey = await create({ name, type: 'external_survey' })
  const page = (id: string) => request(`${service.url}/external_surveys/${id}?distinct_id=ann&q0=2`)
  const popover = await create({ start_date: PAST })
  const missing = await Promise.all([survey.id, popover.id, '00000000-0000-4000-8000-000000000000', 'x%2F..'].map(page))
  expect(new Set(missing.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
  expect(missing[0]!.status).toBe(404)

  await change(survey.id, { start_date: PAST })
  expect((await publicSurveys()).body.surveys.map(({ id }: { id: string }) => id)).toContain(survey.id)
  const shown = await page(survey.id.toUpperCase())
  expect(shown.status).toBe(200)
  expect(shown.body).toContain('<title>Tea &#38; &#60;/script&#62;')
  expect(shown.body).not.toContain('alert(1)</script>')
  expect(shown.body).toContain(`<script type="application/json" id="survey-data">{"token":"${service.token}"`)
  const policy = () => page(survey.id).then(({ headers }) => headers.get('content-security-policy'))
  expect(await policy()).toMatch(
    /^default-src 'none'; script-src 'self' 'sha256-.*; sandbox allow-scripts .*frame-ancestors 'none'$/,
  )
  await change(survey.id, { enable_iframe_embedding: true })
  expect(await policy()).toMatch(/frame-ancestors \*$/)
  // A project with hosted surveys only: its pages load nothing.
  await remove(popover.id)
  expect((await flagsOf('ann')).surveys).toBe(false)

  // 30 a minute, and a minute may begin between two of them.
  const loads = []
  for (let load = 0; load < 61; load += 1) loads.push((await page(survey.id)).status)
  expect(loads).toContain(429)
  await remove(survey.id)
})
