import { Agent, request as httpRequest } from 'node:http'
import { checkResponse } from './responseSchema.ts'
import type { RunningService } from './startService.ts'

export interface Reply<Body = any> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

type Target = Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') ?? false

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
}

const agent = new Agent({ keepAlive: true })

/**
 * If a connection breaks while the request is still being sent, but its response is complete, Node has removed its listener
 * from the socket, and the error would be uncaught.
 */
const ignoreError = () => {}

/** Sends a request with the headers of `fetch`, which would take four times the CPU time. */
const send = (url: string, { method = 'GET', headers = {}, body, signal }: RequestOptions): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const options = {
      method,
      agent,
      signal,
      headers: {
        accept: '*/*',
        'user-agent': 'node',
        ...(typeof body === 'string' ? { 'content-type': 'text/plain;charset=UTF-8' } : {}),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      },
    }
    let isAnswered = false
    const sent = httpRequest(url, options, (response) => {
      isAnswered = true
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const received = new Headers()
        for (const [name, values] of Object.entries(response.headersDistinct))
          for (const value of values!) received.append(name, value)
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode!, headers: received, body: isJson(received) ? JSON.parse(text) : text })
      })
    })
    sent.once('socket', (socket) => {
      if (!socket.listeners('error').includes(ignoreError)) socket.on('error', ignoreError)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The service closed the idle connection at that moment. https://nodejs.org/api/http.html#requestreusedsocket
      if (!isAnswered && sent.reusedSocket && error.code === 'ECONNRESET')
        resolve(send(url, { method, headers, body, signal }))
      else reject(error)
    })
    sent.end(body)
  })

/** Sends any request. Rejects if the response does not match the schema that its route documents. */
export const request = async (url: string, options: RequestOptions = {}): Promise<Reply> => {
  const reply = await send(url, options)
  if (isJson(reply.headers)) await checkResponse(options.method ?? 'GET', url, reply.status, reply.body)
  return reply
}

/** Sends an API request for the service's project with its key. `path` begins after the project. */
export const api = ({ url, key, projectId }: Target, method: string, path: string, body?: unknown): Promise<Reply> =>
  request(`${url}/api/projects/${projectId}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Whether the service says that it is ready. An engine that waits for the processor for 2 s is not. */
export const isReady = async ({ url }: Pick<Target, 'url'>): Promise<boolean> =>
  (await request(`${url}/_readiness`)).status === 200

/** Sends events. Without `sent_at`, because a request that is late on a busy machine would look like a wrong clock. */
export const capture = ({ url, token }: Target, ...batch: unknown[]): Promise<Reply> =>
  request(`${url}/e/`, { method: 'POST', body: JSON.stringify({ api_key: token, batch }) })

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
