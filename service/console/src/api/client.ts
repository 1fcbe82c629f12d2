import createClient, { type Middleware } from 'openapi-fetch'
import { Failure, toFailure } from './failure.ts'
import type { paths } from './schema.d.ts'
import { expire, renewals } from './session.ts'

/** URL of the service, without a trailing slash. The console is served one path segment below it. */
export const SERVICE_URL = new URL('..', document.baseURI).href.replace(/\/$/, '')

const client = createClient<paths>({ baseUrl: SERVICE_URL })

/** The value of `renewals` when a request began. */
const begunAt = new WeakMap<Request, number>()

const guard: Middleware = {
  onRequest({ request }) {
    // Browsers do not send Origin or Sec-Fetch-Site with GETs to plain HTTP addresses; no other site can send this header.
    request.headers.set('x-trailmark-console', '1')
    begunAt.set(request, renewals.peek())
    return request
  },
  onResponse({ request, response, schemaPath }) {
    if (response.status === 401 && !schemaPath.startsWith('/api/console/')) expire(begunAt.get(request))
  },
}
client.use(guard)

/** The API of the service, typed by its OpenAPI document. Use it through `dataOf`. */
export const api = client

/** A response of the API, as openapi-fetch returns it. */
interface ApiResponse<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** Resolves with the body of a response. Rejects with `Failure`, or with an `AbortError` when the request was aborted. */
export const dataOf = async <Data>(request: Promise<ApiResponse<Data>>): Promise<Data> => {
  let answer: ApiResponse<Data>
  try {
    answer = await request
  } catch (error) {
    if (error instanceof DOMException) throw error
    throw new Failure('The service cannot be reached. Check that it is running and that you are online.', 'offline', 0)
  }
  const { data, error, response } = answer
  if (!response.ok) throw toFailure(response.status, error)
  return data as Data
}
