import { api, capture, event, type Reply, request } from '../support/api.ts'
import { sharedService, type SharedService } from '../support/sharedService.ts'

const ATTACKS = 10_000
const MIXED_RUNS = 1_000
const AT_ONCE = 16
const SEED = 20_261_127

const ORGS = ['acme', 'rival', 'third']
const PLANS = ['free', 'pro', 'secret']
const DAYS = ['2025-11-05', '2026-01-05', '2026-02-05', '2026-03-05']
const LIMITS = { min: '2026-01-01', max: '2026-02-28' }
const SHARED_PLANS = ['free', 'pro']

const QUERY =
  'SELECT properties.org AS org, properties.plan AS plan, toString(toDate(timestamp)) AS day FROM events WHERE properties.org = {variables.org} AND properties.plan = {variables.plan} AND toDate(timestamp) BETWEEN {variables.date_from} AND {variables.date_to} ORDER BY day'

type Row = readonly [org: string, plan: string, day: string]

interface Target {
  readonly service: SharedService
  readonly org: string
  /** Token of a share of this organization. */
  readonly token: string
  readonly runToken: string
  view: string
}

/** A generator of numbers from 0 to 1 that repeats with its seed. */
const random = (() => {
  let state = SEED
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
})()
const below = (limit: number) => Math.floor(random() * limit)
const one = <Value>(values: readonly Value[]): Value => values[below(values.length)]!

let targets: Target[]
const services: SharedService[] = []

const post = (service: SharedService, path: string, body: string, headers: Record<string, string> = {}) =>
  request(`${service.url}${path}`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json', ...headers },
    body,
  })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const prepare = async (): Promise<SharedService> => {
  const service = await sharedService()
  for (const [name, type] of Object.entries({ org: 'String', plan: 'String', date_from: 'Date', date_to: 'Date' }))
    await api(service, 'POST', '/insight_variables/', { name, type })
  for (const name of ['orders', 'not_shared'])
    expect(
      (await api(service, 'POST', '/endpoints/', { name, query: { kind: 'HogQLQuery', query: QUERY } })).status,
    ).toBe(201)
  const rows = ORGS.flatMap((org) => PLANS.flatMap((plan) => DAYS.map((day) => ({ org, plan, day }))))
  await capture(
    service,
    ...rows.map(({ org, plan, day }) => event('order', { timestamp: `${day}T10:00:00Z` }, { org, plan })),
  )
  services.push(service)
  return service
}

const targetOf = async (service: SharedService, org: string): Promise<Target> => {
  const share = await api(service, 'POST', '/shares', {
    endpoint: 'orders',
    variables: { org },
    allowed_values: { plan: SHARED_PLANS },
    date_range: { from: LIMITS.min, to: LIMITS.max, ...LIMITS },
  })
  const runToken = await api(service, 'POST', '/endpoints/run_tokens', {
    endpoints: ['orders'],
    variables: { org },
    allowed_values: { plan: SHARED_PLANS },
    date_range: { from: LIMITS.min, to: LIMITS.max },
    runs_per_minute: 100_000,
  })
  expect([share.status, share.body.detail, runToken.status]).toEqual([201, undefined, 201])
  const { body } = await post(service, '/shared/session', JSON.stringify({ token: share.body.token }))
  return { service, org, token: share.body.token, runToken: runToken.body.token, view: body.view }
}

beforeAll(async () => {
  const [first, second] = [await prepare(), await prepare()]
  targets = []
  // Several shares of each organization, because one may run 600 times a minute.
  for (const org of ['acme', 'rival', 'acme', 'rival', 'acme', 'rival']) targets.push(await targetOf(first, org))
  targets.push(await targetOf(second, 'acme'))
})
afterAll(async () => {
  for (const service of services) await service.stop()
})

/** Whether a share of an organization allows a row. */
const isAllowed = (org: string, [ofOrg, plan, day]: Row) =>
  ofOrg === org && SHARED_PLANS.includes(plan) && day >= LIMITS.min && day <= LIMITS.max

const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  '%',
  "' OR 1=1 --",
  '{variables.org}',
  'acme\u0000',
  'ACME',
  'x'.repeat(5_000),
  [],
  ['pro'],
  ['free', 'secret'],
  {},
  { toString: 'pro' },
  { $ne: null },
  { constructor: { prototype: {} } },
]
const NAMES = [
  'org',
  'plan',
  'date_from',
  'date_to',
  'from',
  'to',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'Plan',
  'plan ',
  'variables',
  'tile',
  'values',
]
const DATES = [
  '2025-12-31',
  '2026-03-05',
  '1970-01-01',
  '-90d',
  '-500d',
  'all',
  'mStart',
  '2026-02-05T00:00:00Z',
  '0d',
  '2026-02-30',
  '+1d',
]

const valueOf = (): unknown => one([...ORGS, ...PLANS, ...DAYS, ...DATES, ...STRANGE])

type Entry = readonly [name: string, value: unknown]

// As text, because JSON may repeat keys and have a key __proto__.
const textOf = (entries: readonly Entry[]) =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value instanceof Raw ? value.text : JSON.stringify(value)}`).join(',')}}`

class Raw {
  constructor(readonly text: string) {}
}

const table = () => new Raw(textOf(Array.from({ length: below(4) }, (): Entry => [one(NAMES), valueOf()])))

/** Returns entries with one change: another value, another key, a repeated key or one less. */
const changed = (entries: readonly Entry[], values: readonly unknown[]): readonly Entry[] => {
  const at = below(entries.length)
  const value = random() < 0.7 ? one(values) : valueOf()
  return one([
    entries.map((entry, index): Entry => (index === at ? [entry[0], value] : entry)),
    entries.map((entry, index): Entry => (index === at ? [entry[0], value] : entry)),
    [...entries, [one(NAMES), value]],
    [...entries, [entries[at]![0], value]],
    [[entries[at]![0], value], ...entries],
    entries.filter((_, index) => index !== at),
  ])
}

const maybe = (entries: readonly Entry[], values: readonly unknown[]) =>
  random() < 0.5 ? changed(entries, values) : entries

const DAY_VALUES = [...DAYS, ...DATES, LIMITS.min, LIMITS.max]

const bodyOfTile = (): string => {
  const values: readonly Entry[] = [['plan', one(SHARED_PLANS)]]
  const dates: readonly Entry[] = [
    ['from', LIMITS.min],
    ['to', LIMITS.max],
  ]
  const body: readonly Entry[] = [
    ['tile', 'endpoint'],
    ['values', new Raw(textOf(maybe(values, [...PLANS, ...ORGS])))],
    ['dates', new Raw(textOf(maybe(dates, DAY_VALUES)))],
  ]
  return textOf(random() < 0.2 ? changed(body, ['orders', 'not_shared', table(), table()]) : body)
}

const bodyOfRun = (): string => {
  const variables: readonly Entry[] = [
    ['plan', one(SHARED_PLANS)],
    ['date_from', LIMITS.min],
    ['date_to', LIMITS.max],
  ]
  const all = maybe(maybe(variables, [...PLANS, ...DAY_VALUES]), [...ORGS, ...DAY_VALUES])
  const body: readonly Entry[] = [['variables', new Raw(textOf(all))]]
  const extra: Entry = [
    one(['version', 'debug', 'refresh', 'limit', 'offset', 'cursor', 'query', 'variables']),
    valueOf(),
  ]
  return textOf(random() < 0.2 ? [...body, extra] : body)
}

const mutate = (token: string): string => {
  const at = below(token.length)
  return one([
    `${token.slice(0, at)}${one([...'abcXYZ019._-'])}${token.slice(at + 1)}`,
    `${token.slice(0, at)}${token.slice(at + 1)}`,
    `${token}${one([...'=.aA'])}`,
    token.toUpperCase(),
    token.split('.').reverse().join('.'),
    token.slice(0, at),
  ])
}

/** Returns a token in which the part before its signature has been replaced by that of another one. */
const spliced = (token: string, other: string): string => {
  const [end, otherEnd] = [token.lastIndexOf('.'), other.lastIndexOf('.')]
  return `${other.slice(0, otherEnd)}${token.slice(end)}`
}

const expiredView = (view: string): string => {
  const parts = view.split('.')
  return one([
    [...parts.slice(0, 2), String(Date.now() + 10 ** 9), ...parts.slice(3)].join('.'),
    [parts[0], '0000000000000', ...parts.slice(2)].join('.'),
  ])
}

type Attack = (target: Target, other: Target) => Promise<{ readonly reply: Reply; readonly org?: string }>

const RUN = (projectId: number, name: string) => `/api/projects/${projectId}/endpoints/${name}/run`

/** Kinds of attacks. `org`: whose rows the response may have. Absent: it may have none. */
const KINDS: Readonly<Record<string, Attack>> = {
  parameters: async ({ service, view, org }) => ({
    reply: await post(service, '/shared/tile', bodyOfTile(), bearer(view)),
    org,
  }),
  'run parameters': async ({ service, runToken, org }) => ({
    reply: await post(service, RUN(service.projectId, 'orders'), bodyOfRun(), bearer(runToken)),
    org,
  }),
  'changed views': async ({ service, view, org }) => {
    const changed = mutate(view)
    const reply = await post(service, '/shared/tile', bodyOfTile(), bearer(changed))
    return changed === view ? { reply, org } : { reply }
  },
  'views of others': async ({ service, view }, other) => ({
    reply: await post(
      service,
      '/shared/tile',
      '{"tile":"endpoint"}',
      bearer(
        one([spliced(view, other.view), spliced(other.view, view), expiredView(view), other.token, other.runToken]),
      ),
    ),
  }),
  'changed links': async ({ service, token }) => {
    const changed = mutate(token)
    return changed === token
      ? { reply: await post(service, '/shared/session', '{"token":"tms_"}') }
      : { reply: await post(service, '/shared/session', JSON.stringify({ token: changed, view: one([token, 'x']) })) }
  },
  'changed run tokens': async ({ service, runToken, org }) => {
    const changed = mutate(runToken)
    const reply = await post(service, RUN(service.projectId, 'orders'), bodyOfRun(), bearer(changed))
    return changed === runToken ? { reply, org } : { reply }
  },
  'tokens elsewhere': async ({ service, view, token, runToken }, other) => ({
    reply: await post(
      service,
      one([RUN(other.service.projectId, 'not_shared'), RUN(service.projectId, 'not_shared'), RUN(999_999, 'orders')]),
      bodyOfRun(),
      bearer(one([view, token, runToken, spliced(runToken, other.runToken)])),
    ),
  }),
}

const rowsIn = (body: unknown): readonly Row[] => {
  const { results } = (body ?? {}) as { results?: unknown }
  return Array.isArray(results) ? (results as Row[]) : []
}

const inParallel = async (count: number, work: (index: number) => Promise<void>) => {
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await work(next++)
    }),
  )
}

test(`${ATTACKS} attacks on tokens, links and parameters widen nothing`, async () => {
  const kinds = Object.entries(KINDS)
  const answered = new Map<string, number>()
  const statuses = new Set<number>()
  const wrong: unknown[] = []
  await inParallel(ATTACKS, async (index) => {
    const [kind, attack] = kinds[index % kinds.length]!
    const [target, other] = [one(targets), one(targets)]
    const { reply, org } = await attack(
      target,
      other === target ? targets[(targets.indexOf(target) + 1) % targets.length]! : other,
    )
    statuses.add(reply.status)
    const rows = rowsIn(reply.body)
    if (rows.length) answered.set(kind, (answered.get(kind) ?? 0) + 1)
    const isRight =
      reply.status < 500 &&
      (reply.status === 200 ? org !== undefined && rows.every((row) => isAllowed(org, row)) : rows.length === 0) &&
      // Errors name nothing of other organizations and no secret value.
      (reply.status === 200 ||
        !/rival|third|SELECT|\btm[sv]_/.test(JSON.stringify(reply.body).replaceAll(/"detail":"[^"]*"/g, '')))
    if (!isRight) wrong.push([kind, target.org, reply.status, JSON.stringify(reply.body).slice(0, 300)])
  })
  expect(wrong).toEqual([])
  // Attacks that stay within a share get its rows, so the comparison is one of rows.
  expect(answered.get('parameters')).toBeGreaterThan(300)
  expect(answered.get('run parameters')).toBeGreaterThan(300)
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 404]))
})

test(`${MIXED_RUNS} runs of one endpoint for two tenants have no row of the other, and neither have their lists`, async () => {
  const service = services[0]!
  const lists: Record<string, readonly string[]> = { acme: ['free', 'pro'], rival: ['pro', 'secret'] }
  const views = await Promise.all(
    Object.entries(lists).flatMap(([org, plans]) =>
      // Two shares each, because one may run 600 times a minute.
      [1, 2].map(async () => {
        const share = await api(service, 'POST', '/shares', {
          endpoint: 'orders',
          variables: { org },
          allowed_values: { plan: plans },
          date_range: { from: '2025-01-01', to: '2026-12-31' },
        })
        const { body } = await post(service, '/shared/session', JSON.stringify({ token: share.body.token }))
        expect(body.share.variables).toEqual([{ name: 'plan', values: plans }])
        return { org, plans, view: body.view as string }
      }),
    ),
  )
  const wrong: unknown[] = []
  await inParallel(MIXED_RUNS, async (index) => {
    const { org, plans, view } = views[index % views.length]!
    const plan = one(plans)
    const { status, body } = await post(
      service,
      '/shared/tile',
      JSON.stringify({ tile: 'endpoint', values: { plan } }),
      bearer(view),
    )
    const right = DAYS.map((day) => [org, plan, day])
    if (status !== 200 || JSON.stringify(body.results) !== JSON.stringify(right)) wrong.push([org, plan, status, body])
  })
  expect(wrong).toEqual([])
})
