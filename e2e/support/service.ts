import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './root'
import { startProcess } from './startProcess'

export interface StoredEvent {
  event: string
  uuid: string
  distinct_id: string
  session_id: string
  elements_chain: string
  properties: Record<string, unknown>
}

/** A project of a running service. */
export interface Service {
  url: string
  token: string
  key: string
  projectId: number
  /** Sends a request to the service's API with the personal API key. */
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  /** Returns the events stored for a site's host, ordered by time, by running an endpoint with a variable. */
  events(host: string): Promise<StoredEvent[]>
  /** Runs a SQL query and returns its rows. For tests that store too many events to read them all. */
  query<Row extends readonly unknown[]>(sql: string): Promise<Row[]>
}

/** A service and its first project. */
export interface RunningService extends Service {
  /** The one-time link to the console that the service prints at its start. */
  consoleLink: string
  /** Creates another project. */
  createProject(): Promise<Service>
  stop(): Promise<void>
}

const MAIN = join(ROOT, 'service/dist/main.js')

// As text, UUIDv7s sort by time. The engine sorts the type UUID by its second half first.
const EVENTS = `SELECT event, uuid, distinct_id, $session_id, elements_chain, toString(properties) FROM events
  WHERE properties.$host = {variables.host} ORDER BY timestamp, toString(uuid)`

/** Sends a JSON request with a personal API key. */
const send = async (key: string, method: string, url: string, body?: unknown) => {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> }
}

const create = async (key: string, url: string, body: unknown) => {
  const answer = await send(key, 'POST', url, body)
  if (answer.status !== 201) throw new Error(`POST ${url}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Adds the endpoint that returns the events of a host to a project. */
const openProject = async (project: Pick<Service, 'url' | 'token' | 'key' | 'projectId'>): Promise<Service> => {
  const { url, key, projectId } = project
  const base = `${url}/api/projects/${projectId}`
  await create(key, `${base}/insight_variables/`, { name: 'host', type: 'String' })
  await create(key, `${base}/endpoints/`, { name: 'events_of_host', query: { kind: 'HogQLQuery', query: EVENTS } })
  const api: Service['api'] = (method, path, body) => send(key, method, base + path, body)
  const rowsOf = async (path: string, body: object) => {
    const answer = await api('POST', path, body)
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.results
  }
  return {
    ...project,
    api,
    query: async <Row extends readonly unknown[]>(sql: string) =>
      (await rowsOf('/query', { query: { kind: 'HogQLQuery', query: sql } })) as Row[],
    events: async (host) => {
      const rows = await rowsOf('/endpoints/events_of_host/run', { variables: { host } })
      return (rows as [string, string, string, string, string, string][]).map(
        ([event, uuid, distinct_id, session_id, elements_chain, properties]) => ({
          event,
          uuid,
          distinct_id,
          session_id,
          elements_chain,
          properties: JSON.parse(properties) as Record<string, unknown>,
        }),
      )
    },
  }
}

const run = promisify(execFile)

/** Creates a key for all projects. */
const createAdminKey = async (data: string): Promise<string> => {
  const words = ['key', 'create', 'tests', '--all-projects', '--scopes', 'all', '--json', '--data', data]
  const { stdout } = await run(process.execPath, [MAIN, ...words])
  return (JSON.parse(stdout) as { value: string }).value
}

/** Starts the real service as `npm start` does, with a new data folder. `env`: more settings. */
export const startService = async (env: Readonly<Record<string, string>> = {}): Promise<RunningService> => {
  const data = await mkdtemp(join(tmpdir(), 'trailmark-e2e-'))
  const key = 'e2e-personal-api-key-0123456789'
  const { ready, stop } = await startProcess(
    [MAIN],
    {
      TRAILMARK_PORT: '0',
      TRAILMARK_DATA: data,
      TRAILMARK_PERSONAL_API_KEY: key,
      // The longest that the service allows: a run on a machine that stalls must not end as a query that is too slow.
      TRAILMARK_RUN_SECONDS: '60',
      ...env,
    },
    (line) => line.startsWith('trailmark ready '),
  )
  const { url, projectId, console } = JSON.parse(ready.slice('trailmark ready '.length)) as {
    url: string
    projectId: number
    console: { link: string }
  }
  // Not from the environment, whose token the console cannot rotate.
  const project = await fetch(`${url}/api/projects/${projectId}`, { headers: { Authorization: `Bearer ${key}` } })
  const { api_token: token } = (await project.json()) as { api_token: string }

  let adminKey: Promise<string> | undefined
  return {
    ...(await openProject({ url, token, key, projectId })),
    consoleLink: console.link,
    createProject: async () => {
      const admin = await (adminKey ??= createAdminKey(data))
      const { id, api_token } = await create(admin, `${url}/api/projects`, { name: 'Project of a test' })
      return openProject({ url, token: api_token as string, key: admin, projectId: id as number })
    },
    stop: async () => {
      await stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}
