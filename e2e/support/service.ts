import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

export interface Service {
  url: string
  token: string
  key: string
  projectId: number
  /** Sends a request to the service's API with the personal API key. */
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  /** Returns the events stored for a site's host, ordered by time, by running an endpoint with a variable. */
  events(host: string): Promise<StoredEvent[]>
  stop(): Promise<void>
}

// As text, UUIDv7s sort by time. The engine sorts the type UUID by its second half first.
const EVENTS = `SELECT event, uuid, distinct_id, $session_id, elements_chain, toString(properties) FROM events
  WHERE properties.$host = {variables.host} ORDER BY timestamp, toString(uuid)`

/** Starts the real service as `npm start` does, with a new data folder. `env`: more settings. */
export const startService = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const data = await mkdtemp(join(tmpdir(), 'trailmark-e2e-'))
  const [token, key] = ['e2e-token', 'e2e-personal-api-key-0123456789']
  const { ready, stop } = await startProcess(
    [join(ROOT, 'service/dist/main.js')],
    {
      TRAILMARK_PORT: '0',
      TRAILMARK_DATA: data,
      TRAILMARK_PROJECT_TOKEN: token,
      TRAILMARK_PERSONAL_API_KEY: key,
      ...env,
    },
    (line) => line.startsWith('trailmark ready '),
  )
  const { url, projectId } = JSON.parse(ready.slice('trailmark ready '.length)) as { url: string; projectId: number }

  const api: Service['api'] = async (method, path, body) => {
    const response = await fetch(`${url}/api/projects/${projectId}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const created = async (path: string, body: unknown) => {
    const answer = await api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  await created('/insight_variables/', { name: 'host', type: 'String' })
  await created('/endpoints/', { name: 'events_of_host', query: { kind: 'HogQLQuery', query: EVENTS } })

  return {
    url,
    token,
    key,
    projectId,
    api,
    events: async (host) => {
      const { status, body } = await api('POST', '/endpoints/events_of_host/run', { variables: { host } })
      if (status !== 200) throw new Error(`run: ${status} ${JSON.stringify(body)}`)
      return (body.results as [string, string, string, string, string, string][]).map(
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
    stop: async () => {
      await stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}
