import { api, capture, event } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
  const visit = (visitor: string, timestamp: string, $browser: string) =>
    event('visit', { timestamp }, { distinct_id: visitor, $browser })
  await capture(
    service,
    visit('ann', '2026-01-05T10:00:00Z', 'Chrome'),
    visit('ben', '2026-01-05T12:00:00Z', 'Safari'),
    visit('ann', '2026-01-06T10:00:00Z', 'Chrome'),
  )
})
afterAll(() => service.stop())

const query = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'visit', math: 'dau' }],
  dateRange: { date_from: '2026-01-05', date_to: '2026-01-06' },
  breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' },
}
const run = (name: string, body: object) => api(service, 'POST', `/endpoints/${name}/run`, body)

test('a trends endpoint can be created, stored and run with breakdown and date variables', async () => {
  expect(await api(service, 'POST', '/endpoints/', { name: 'visitors', query })).toMatchObject({
    status: 201,
    body: { query },
  })
  const { status, body } = await run('visitors', {})
  expect(status).toBe(200)
  expect(body).toMatchObject({
    name: 'visitors',
    endpoint_version: 1,
    hasMore: false,
    timezone: 'UTC',
    is_cached: false,
  })
  expect(body).not.toHaveProperty('columns')
  expect(body.results.map(({ label, data }: any) => [label, data])).toEqual([
    ['Chrome', [1, 1]],
    ['Safari', [1, 0]],
  ])
  const chrome = await run('visitors', { variables: { $browser: 'Chrome', date_from: '2026-01-06' } })
  expect(chrome.body.results).toMatchObject([{ breakdown_value: 'Chrome', days: ['2026-01-06'], data: [1] }])
})

const visits = { kind: 'EventsNode', event: 'visit' }
const RANGE = {
  dateRange: { date_from: '2026-01-05', date_to: '2026-01-06' },
  breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' },
}

test('a funnel can be created, stored and run with variables', async () => {
  const funnel = { kind: 'FunnelsQuery', series: [visits, visits], ...RANGE }
  expect(await api(service, 'POST', '/endpoints/', { name: 'funnel', query: funnel })).toMatchObject({
    status: 201,
    body: { query: funnel, columns: null },
  })
  expect(
    (await run('funnel', {})).body.results.map((steps: any) => [
      steps[0].breakdown_value,
      ...steps.map(({ count }: any) => count),
    ]),
  ).toEqual([
    [['Chrome'], 1, 1],
    [['Safari'], 1, 0],
  ])
  const chrome = await run('funnel', { variables: { $browser: 'Chrome', date_to: '2026-01-05' } })
  expect(chrome.body.results.map((steps: any) => steps.map(({ count }: any) => count))).toEqual([[1, 0]])
  expect(await run('funnel', { variables: { browser: 'Chrome' } })).toMatchObject({
    status: 400,
    body: { code: 'invalid_variables' },
  })
})

test('a funnel run returns times to convert as an object', async () => {
  await api(service, 'POST', '/endpoints/', {
    name: 'times',
    query: {
      kind: 'FunnelsQuery',
      series: [visits, visits],
      dateRange: RANGE.dateRange,
      funnelsFilter: { funnelVizType: 'time_to_convert' },
    },
  })
  expect((await run('times', {})).body.results).toEqual({ bins: [[86_400, 1]], average_conversion_time: 86_400 })
})

test('a retention can be created, stored and run with variables', async () => {
  const retention = {
    kind: 'RetentionQuery',
    retentionFilter: {
      retentionType: 'retention_first_time',
      targetEntity: { id: 'visit', type: 'events' },
      returningEntity: { id: 'visit', type: 'events' },
      period: 'Day',
      totalIntervals: 2,
    },
    ...RANGE,
  }
  expect(await api(service, 'POST', '/endpoints/', { name: 'retention', query: retention })).toMatchObject({
    status: 201,
    body: { query: retention },
  })
  const { body } = await run('retention', { variables: { $browser: 'Chrome' } })
  expect(
    body.results.map(({ breakdown_value, date, values }: any) => [
      breakdown_value,
      date,
      ...values.map(({ count }: any) => count),
    ]),
  ).toEqual([
    ['Chrome', '2026-01-05T00:00:00Z', 1, 1],
    ['Chrome', '2026-01-06T00:00:00Z', 0, 0],
  ])
})

test('a changed project time zone applies immediately and invalidates cached responses', async () => {
  await api(service, 'POST', '/endpoints/', {
    name: 'days',
    query: { kind: 'TrendsQuery', series: [visits], dateRange: { date_from: '2026-01-05', date_to: '2026-01-06' } },
  })
  const daysIn = async (timezone: string) => {
    expect((await api(service, 'PATCH', '/', { timezone })).status).toBe(200)
    const { body } = await run('days', {})
    return [body.timezone, body.results[0].data]
  }
  expect(await daysIn('UTC')).toEqual(['UTC', [2, 1]])
  expect(await daysIn('Pacific/Kiritimati')).toEqual(['Pacific/Kiritimati', [0, 2]])
  expect(await daysIn('UTC')).toEqual(['UTC', [2, 1]])
})

test.each<[string, object, string, string]>([
  ['an unknown variable', { variables: { plan: 'x' } }, 'variables', 'invalid_variables'],
  ['an invalid date', { variables: { date_to: '2026-13-01' } }, 'variables', 'invalid_variables'],
  ['a page limit', { limit: 1 }, 'limit', 'invalid_input'],
  ['materialized rows', { refresh: 'direct' }, 'refresh', 'not_materialized'],
])('an insight run is rejected for %s', async (_, body, attr, code) => {
  await api(service, 'POST', '/endpoints/', { name: 'visitors', query })
  expect(await run('visitors', body)).toMatchObject({ status: 400, body: { attr, code } })
})

test('creating an endpoint rejects an insight that cannot run', async () => {
  const { status, body } = await api(service, 'POST', '/endpoints/', {
    name: 'wrong',
    query: { ...query, interval: 'fortnight' },
  })
  expect([status, body.code, body.field]).toEqual([400, 'query_invalid', 'query.interval'])
  expect((await api(service, 'GET', '/endpoints/wrong/')).status).toBe(404)
})

test('a variable lists the SQL endpoints that use it, ignoring insights', async () => {
  const made = await api(service, 'POST', '/insight_variables/', { name: 'Unused', type: 'String' })
  expect((await api(service, 'DELETE', `/insight_variables/${made.body.id}/`)).status).toBe(204)
})

describe('a project in another time zone', () => {
  const RANGE = { dateRange: { date_from: '2026-03-29', date_to: '2026-03-30' } }
  let service: RunningService
  beforeAll(async () => {
    service = await startService({ env: { TRAILMARK_RUN_ROWS: '3' } })
    expect((await api(service, 'PATCH', '', { timezone: 'Europe/Berlin' })).status).toBe(200)
    const at = (timestamp: string) => event('visit', { timestamp }, { distinct_id: 'ann' })
    // In Berlin the 29th has 23 hours and ends at 22:00 in UTC.
    await capture(service, at('2026-03-28T23:00:00Z'), at('2026-03-29T21:59:59.999Z'), at('2026-03-29T22:00:00Z'))
    await capture(
      service,
      ...[1, 2, 3, 4, 5].map((shop) =>
        event('order', { timestamp: '2026-03-29T12:00:00Z' }, { distinct_id: `p${shop}`, shop }),
      ),
    )
  })
  afterAll(() => service.stop())

  test.each<[string, object, unknown]>([
    [
      'a trend',
      { kind: 'TrendsQuery', series: [visits], ...RANGE },
      [{ days: ['2026-03-29', '2026-03-30'], data: [2, 1] }],
    ],
    [
      'a funnel',
      { kind: 'FunnelsQuery', series: [visits, visits], ...RANGE, funnelsFilter: { funnelVizType: 'trends' } },
      [{ days: ['2026-03-29', '2026-03-30'], data: [100, 0] }],
    ],
    [
      'a retention',
      {
        kind: 'RetentionQuery',
        ...RANGE,
        retentionFilter: {
          retentionType: 'retention_recurring',
          totalIntervals: 2,
          targetEntity: { id: 'visit' },
          returningEntity: { id: 'visit' },
        },
      },
      [
        { date: '2026-03-29T00:00:00+01:00', values: [{ count: 1 }, { count: 1 }] },
        { date: '2026-03-30T00:00:00+02:00', values: [{ count: 1 }, { count: 0 }] },
      ],
    ],
  ])('runs %s with days in that time zone', async (name, query, results) => {
    const endpoint = name.replace(' ', '_')
    expect((await api(service, 'POST', '/endpoints/', { name: endpoint, query })).status).toBe(201)
    expect((await api(service, 'POST', `/endpoints/${endpoint}/run`, {})).body).toMatchObject({
      timezone: 'Europe/Berlin',
      results,
    })
  })

  test.each<[string, object]>([
    ['funnel', { kind: 'FunnelsQuery', series: [{ kind: 'EventsNode', event: 'order' }, visits] }],
    ['retention', { kind: 'RetentionQuery', retentionFilter: { targetEntity: { id: 'order' }, totalIntervals: 1 } }],
  ])('rejects a %s above the row limit instead of truncating it and runs a smaller breakdown', async (kind, query) => {
    const ofShops = (breakdown_limit: number) => ({
      ...query,
      ...RANGE,
      breakdownFilter: { breakdown: 'shop', breakdown_limit },
    })
    for (const limit of [25, 2])
      await api(service, 'POST', '/endpoints/', { name: `${kind}_of_${limit}`, query: ofShops(limit) })
    expect(await api(service, 'POST', `/endpoints/${kind}_of_25/run`, {})).toMatchObject({
      status: 400,
      body: { code: 'query_too_large', detail: expect.stringContaining('breakdown_limit') },
    })
    expect(await api(service, 'POST', `/endpoints/${kind}_of_2/run`, {})).toMatchObject({
      status: 200,
      body: { hasMore: true },
    })
  })
})
