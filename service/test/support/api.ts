import { checkResponse } from './responseSchema.ts'
import type { RunningService } from './startService.ts'

export interface Reply<Body = any> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

type Target = Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') ?? false

const toReply = async (response: Response): Promise<Reply> => {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: isJson(response.headers) ? JSON.parse(text) : text,
  }
}

/** Sends any request. Rejects if the response does not match the schema that its route documents. */
export const request = async (url: string, init?: RequestInit): Promise<Reply> => {
  const reply = await toReply(await fetch(url, init))
  if (isJson(reply.headers)) await checkResponse(init?.method ?? 'GET', url, reply.status, reply.body)
  return reply
}

/** Sends an API request for the service's project with its key. `path` begins after the project. */
export const api = ({ url, key, projectId }: Target, method: string, path: string, body?: unknown): Promise<Reply> =>
  request(`${url}/api/projects/${projectId}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Sends events as the SDK does. */
export const capture = ({ url, token }: Target, ...batch: unknown[]): Promise<Reply> =>
  request(`${url}/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: token, batch, sent_at: new Date().toISOString() }),
  })

/** A plain event named `event`. */
export const event = (name: string, more: Record<string, unknown> = {}, properties: Record<string, unknown> = {}) => ({
  event: name,
  timestamp: new Date().toISOString(),
  properties: { distinct_id: 'visitor', ...properties },
  ...more,
})

let queries = 0

/** Returns the rows of a query over the service's events, run through a new endpoint. */
export const rowsOf = async (
  service: Target,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<unknown[][]> => {
  queries += 1
  const name = `test_${process.pid}_${queries}`
  const created = await api(service, 'POST', '/endpoints/', { name, query: { kind: 'HogQLQuery', query } })
  if (created.status !== 201)
    throw new Error(`Creating the endpoint failed with status ${created.status}: ${JSON.stringify(created.body)}`)
  const answer = await api(service, 'POST', `/endpoints/${name}/run`, { variables })
  if (answer.status !== 200)
    throw new Error(`Running the endpoint failed with status ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.results
}

/** Returns the number of stored events with a name. */
export const countOf = async (service: Target, name: string): Promise<number> => {
  const [row] = await rowsOf(service, `SELECT count() FROM events WHERE event = '${name}'`)
  return Number(row![0])
}
