import { gzipSync } from 'node:zlib'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/modules.ts'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { api, event, request } from '../support/api.ts'
import { fill, HOSTILE, INHERITED, INVISIBLE } from '../support/hostileValues.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

/** Sends a request with all credentials. Returns what it was if the service failed to handle it. */
const faultOf = async (method: string, path: string, body?: unknown): Promise<string | undefined> => {
  const { status } = await request(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.key}`,
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return status >= 500
    ? `${status} ${method} ${path.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 200) ?? ''}`
    : undefined
}

const AT_ONCE = 8
/** A parameter that takes any text gets one of so many texts, because each is a query of the engine. `TEST_RUNS`: all. */
const SHARE = process.env.TEST_RUNS ? 1 : 4

const faultsOf = async (calls: readonly (() => Promise<string | undefined>)[]) => {
  const faults: (string | undefined)[] = []
  const waiting = [...calls]
  const sendAll = async () => {
    for (let call = waiting.shift(); call; call = waiting.shift()) faults.push(await call())
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendAll))
  return faults.filter((fault) => fault !== undefined)
}

const pathOf = ({ path }: Pick<Route, 'path'>, text: string) =>
  path.replace(/:(\w+)|\*/g, (_, name) => (name === 'projectId' ? String(service.projectId) : encodeURIComponent(text)))

// They would end the credentials of this file.
const tested = ROUTES.filter(({ path }) => !/rotate_token|roll$/.test(path))

/** What the API of a project returns. */
const reads = tested.filter(
  ({ method, path, access }) => method === 'GET' && path.startsWith('/api/projects/:projectId') && access !== 'console',
)

test('no name of Object.prototype in a path, a query or a body is found in a table of the service', async () => {
  const unknown = INHERITED.map((name) => `${name}=1`).join('&')
  const calls = tested.flatMap((route) => {
    const isList = route.method === 'GET' && pathOf(route, 'a') === pathOf(route, 'b')
    const ofName = (name: string) => {
      const path = pathOf(route, name)
      const call = (suffix: string, body?: unknown) => () => faultOf(route.method, `${path}${suffix}`, body)
      if (route.method === 'GET')
        return [
          ...(isList ? [] : [call('')]),
          ...Object.keys(route.query ?? {}).map((each) => call(`?${each}=${name}`)),
        ]
      if (typeof route.body !== 'object') return [call('', JSON.stringify({ [name]: name, kind: name, event: name }))]
      const schema = route.body
      return [call('', fill(schema, name, true)), call('', fill(schema, name, false))]
    }
    return [() => faultOf(route.method, `${pathOf(route, 'known')}?${unknown}`), ...INHERITED.flatMap(ofName)]
  })
  expect(calls.length).toBeGreaterThan(2 * tested.length)
  expect(await faultsOf(calls)).toEqual([])
  for (const name of INHERITED) expect((await request(`${service.url}/static/${name}`)).status).toBe(404)
})

describe('a value of a kind that nobody sends on purpose', () => {
  const ids = ['distinct_id', '$anon_distinct_id', '$device_id', '$session_id', '$window_id', '$user_id', 'alias']
  const eventsOf = (value: unknown) => [
    ...ids.flatMap((id) => ['$pageview', '$identify', '$create_alias'].map((name) => event(name, {}, { [id]: value }))),
    { event: value, distinct_id: 'known' },
    { event: 'elsewhere', distinct_id: value },
    { event: 'dated', distinct_id: 'known', timestamp: value, uuid: value, offset: value },
    event('persons', {}, { $set: { name: value, email: value }, $set_once: value, $unset: value }),
    event('persons', {}, { $set: Object.fromEntries([[String(JSON.stringify(value)), value]]) }),
    event('groups', {}, { $groups: { company: value } }),
    event('$groupidentify', {}, { $group_type: value, $group_key: value, $group_set: { name: value } }),
    event('$exception', {}, { $exception_list: [{ type: value, value, stacktrace: value }], $exception_level: value }),
    event('survey sent', {}, { $survey_id: value, $survey_response: value, $survey_questions: value }),
    event('$$heatmap', {}, { $heatmap_data: { x: [{ x: value, y: 1, type: value }] } }),
    event('$web_vitals', {}, { $web_vitals_LCP_value: value, $current_url: value, $pathname: value }),
    event('properties', {}, Object.fromEntries([[String(JSON.stringify(value)), value]])),
  ]
  const recordingOf = (value: unknown) =>
    gzipSync(
      JSON.stringify(
        ['$session_id', '$window_id', 'distinct_id', '$snapshot_data', 'url'].map((name) => ({
          event: '$snapshot',
          properties: {
            token: service.token,
            distinct_id: 'known',
            $session_id: uuidv7(Date.now()),
            $window_id: 'window',
            $snapshot_data: [
              { type: 4, timestamp: Date.now(), data: { href: name === 'url' ? value : 'https://x.test/' } },
            ],
            [name]: value,
          },
        })),
      ),
    )

  test('never fails the service, and everything can be read afterwards', async () => {
    const faults = await faultsOf(
      HOSTILE.flatMap((value) => [
        () => faultOf('POST', '/e/', { api_key: service.token, batch: eventsOf(value) }),
        () => faultOf('POST', '/e/', value),
        () =>
          faultOf('POST', '/flags/?v=2&config=true', {
            token: service.token,
            distinct_id: value,
            groups: { company: value },
            person_properties: { email: value },
            group_properties: value,
          }),
        () =>
          faultOf('POST', '/flags/', { token: service.token, distinct_id: 'known', groups: value, flag_keys: value }),
        async () => {
          const { status } = await request(`${service.url}/s/?compression=gzip-js`, {
            method: 'POST',
            body: recordingOf(value),
          })
          return status >= 500 ? `${status} POST /s/ ${JSON.stringify(value)}` : undefined
        },
      ]),
    )
    expect(faults).toEqual([])

    const isList = ({ path }: Route) => !/:(?!projectId)/.test(path)
    // The test above sends names of Object.prototype.
    const texts = HOSTILE.filter((value) => typeof value === 'string' && value.length < 1_000 && !INHERITED.includes(value)) as string[] // prettier-ignore
    const parameters = reads.flatMap((route) => Object.keys(route.query ?? {}).map((name) => ({ route, name })))
    const textsOf = async ({ route, name }: (typeof parameters)[number], at: number) => {
      const send = (text: string) =>
        faultOf('GET', `${pathOf(route, 'known')}?${new URLSearchParams({ [name]: text }).toString()}`)
      const { status } = await api(service, 'GET', `${pathOf(route, 'known').replace(/^\/api\/projects\/\d+/, '')}?${name}=known`) // prettier-ignore
      const isChecked = status === 400
      return texts.filter((_, index) => isChecked || (at + index) % SHARE === 0).map((text) => () => send(text))
    }
    const calls = (await Promise.all(parameters.map(textsOf))).flat()
    expect(calls.length).toBeGreaterThan((texts.length * parameters.length) / 2)
    expect(await faultsOf([...reads.map((route) => () => faultOf('GET', pathOf(route, 'known'))), ...calls])).toEqual(
      [],
    )
    for (const route of reads.filter(isList)) {
      const { status, body } = await api(service, 'GET', route.path.replace('/api/projects/:projectId', ''))
      if (status !== 200) expect(body).toMatchObject({ type: 'validation_error' })
    }
    const { body: persons } = await api(service, 'GET', '/persons/?limit=100')
    expect(persons.results.length).toBeGreaterThan(0)
    const invisible = persons.results.flatMap(({ distinct_ids: all }: any) => all).filter((id: string) => !id.trim())
    expect(invisible).toEqual([])
    for (const { id } of persons.results) expect((await api(service, 'GET', `/persons/${id}/`)).status).toBe(200)
  })
})

test.each(INVISIBLE)('an id of %j is rejected, and as an alias, a group or a session it is ignored', async (id) => {
  const send = (name: string, properties: object) => event(name, {}, { distinct_id: 'seen', ...properties })
  const { body } = await request(`${service.url}/e/`, {
    method: 'POST',
    body: JSON.stringify({
      api_key: service.token,
      batch: [
        send('one', { distinct_id: id }),
        send(id, {}),
        send('$identify', { $anon_distinct_id: id, $session_id: id, $groups: { company: id, [id]: 'acme' } }),
      ],
    }),
  })
  expect(body.refused.map(({ index, code }: any) => [index, code])).toEqual([
    [0, 'missing_distinct_id'],
    [1, 'missing_event_name'],
  ])
})
