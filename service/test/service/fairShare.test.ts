import { join } from 'node:path'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, isReady, type Reply } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

const SCOPES = ['endpoint:read', 'endpoint:write', 'insight_variable:write']
const CHANGES = 40
const RUNS_AT_ONCE = 3
/** The attack takes many times the duration of a run beside it. */
const RUNS_DURING_ATTACK = 3
// The queries of the attack run until they are stopped, on all cores.
const RUN_SECONDS = '3'

// A scalar subquery is evaluated when a query is described: this one runs until its timeout.
const heavy = (n: number) =>
  `SELECT (SELECT count() FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = ${n}) AS value`

let service: RunningService
type Target = Pick<RunningService, 'url' | 'projectId' | 'token' | 'key'>
let attacker: Target
let honest: Target

beforeAll(async () => {
  service = await startService({
    env: {
      TRAILMARK_RUN_SECONDS: RUN_SECONDS,
      // Runs beside the attack take turns with it on the processor.
      TRAILMARK_KEY_LIMITS: JSON.stringify({ honest: { seconds: 60 } }),
    },
  })
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = async (name: string): Promise<Target> => {
    const { id } = await metadata.projects.create({ name, token: `token-of-${name}` })
    const key = `personal-key-of-${name}`
    await metadata.keys.put({ projectId: id, label: name, secret: key, scopes: SCOPES })
    return { url: service.url, projectId: id, token: `token-of-${name}`, key }
  }
  attacker = await project('attacker')
  honest = await project('honest')
  await metadata.close()
})
afterAll(() => service.stop())

/** Runs the honest project's endpoint until `isOver`, never from the cache. Resolves with the replies of each caller. */
const honestRuns = (name: string, isOver: () => boolean): Promise<Reply[][]> => {
  const caller = async () => {
    const replies: Reply[] = []
    while (!isOver()) replies.push(await api(honest, 'POST', `/endpoints/${name}/run`, { refresh: 'force' }))
    return replies
  }
  return Promise.all(Array.from({ length: RUNS_AT_ONCE }, caller))
}

const expectUndisturbed = (callers: readonly Reply[][]) => {
  const rejected = callers.flat().filter(({ status }) => status !== 200)
  expect(rejected.map(({ body }) => body)).toEqual([])
  // A run that waited for the whole attack would be its caller's only one.
  expect(Math.min(...callers.map((replies) => replies.length))).toBeGreaterThan(RUNS_DURING_ATTACK)
}

/** Expects errors that say when to retry and that the client has used up its own share. */
const expectCapacity = (replies: readonly Reply[]) => {
  const refused = replies.filter(({ status }) => status >= 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, body, headers } of refused) {
    expect([status, body.code]).toEqual([503, 'query_capacity'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
}

beforeAll(async () => {
  const created = await api(honest, 'POST', '/endpoints/', {
    name: 'honest',
    query: { kind: 'HogQLQuery', query: 'SELECT count() FROM events' },
  })
  expect(created.status).toBe(201)
})

describe('a project that creates and changes expensive endpoints', () => {
  let attacks: Reply[]
  let runs: Reply[][]
  let delivery: Reply
  let created: Reply
  let wasReady: boolean
  beforeAll(async () => {
    const light = { name: 'light', query: { kind: 'HogQLQuery', query: 'SELECT 1' } }
    expect((await api(attacker, 'POST', '/endpoints/', light)).status).toBe(201)
    let isOver = false
    const changes = Promise.all(
      Array.from({ length: CHANGES }, (_, n) =>
        n % 2
          ? api(attacker, 'POST', '/endpoints/', { name: `heavy_${n}`, query: { kind: 'HogQLQuery', query: heavy(n) } })
          : api(attacker, 'PATCH', '/endpoints/light/', { query: { kind: 'HogQLQuery', query: heavy(n) } }),
      ),
    ).finally(() => (isOver = true))
    const isOnceReady = async (): Promise<boolean> => (await isReady(service)) || (!isOver && isOnceReady())
    ;[attacks, runs, delivery, created, wasReady] = await Promise.all([
      changes,
      honestRuns('honest', () => isOver),
      capture(honest, event('beside the attack')),
      api(honest, 'POST', '/endpoints/', {
        name: 'beside',
        query: { kind: 'HogQLQuery', query: 'SELECT count() FROM events' },
      }),
      isOnceReady(),
    ])
  })

  test('does not cause runs and deliveries of another project to be rejected', () => {
    expect(delivery.status).toBe(200)
    expectUndisturbed(runs)
    expectCapacity(attacks)
    expect(attacks.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 201]))
  })

  test('does not block endpoint creation in another project', () => {
    expect([created.status, created.body.detail]).toEqual([201, undefined])
  })

  test('does not make the service unready', () => {
    expect(wasReady).toBe(true)
  })
})

test('slow runs of one project with two keys do not cause runs of another project to be rejected', async () => {
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const second = 'second-personal-key-of-attacker'
  await metadata.keys.put({ projectId: attacker.projectId, label: 'second', secret: second, scopes: SCOPES })
  await metadata.close()
  expect((await api(attacker, 'POST', '/insight_variables/', { name: 'n', type: 'Number' })).status).toBe(201)
  const created = await api(attacker, 'POST', '/endpoints/', {
    name: 'slow',
    query: {
      kind: 'HogQLQuery',
      query:
        'SELECT count(), {variables.n} FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = 1',
    },
  })
  expect([created.status, created.body.detail]).toEqual([201, undefined])
  let isOver = false
  const slow = Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      api({ ...attacker, key: n % 2 ? second : attacker.key }, 'POST', '/endpoints/slow/run', { variables: { n } }),
    ),
  ).finally(() => (isOver = true))
  const [attacks, runs] = await Promise.all([slow, honestRuns('honest', () => isOver)])
  expectUndisturbed(runs)
  expectCapacity(attacks)
})
