import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../lib/apiError.ts'
import { isShort, streamJson, toLargeJson } from '../lib/largeJson.ts'
import { own } from '../lib/own.ts'
import { identityOf } from './authenticate.ts'
import { varyBy } from './compression.ts'
import { readQuery } from './readQuery.ts'
import type { RouteRequest, ServedRoute } from './route.ts'
import { firstOf, projectIdOf, stringsOf } from './values.ts'

/** Returns a signal that is aborted when the connection ends before the response. */
const hangUp = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController()
  const end = () => {
    if (!raw.writableFinished) gone.abort(new ApiError('query_cancelled'))
  }
  if (raw.destroyed) end()
  else raw.once('close', end)
  return gone.signal
}

/** Returns a function that returns all values of a query parameter. */
const allOf = (request: FastifyRequest) => (name: string) =>
  stringsOf(own(request.query as Record<string, unknown>, name))

// Getters for fields that few routes need, because most of the cost of deliveries and flags is here.
const toRequest = (
  { access, query, readsQuery }: ServedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  receivedAt: number,
): RouteRequest<never, never> => ({
  params: request.params as Record<string, string>,
  values: (query && access !== 'public' && !readsQuery ? readQuery(query, allOf(request)) : {}) as never,
  query: Object.fromEntries(
    Object.entries(request.query as Record<string, unknown>).map(([name, value]) => [name, firstOf(value)]),
  ),
  queryAll: allOf(request),
  // The route validates it.
  body: request.body as never,
  projectId: identityOf(request)?.projectId ?? projectIdOf(request)!,
  key: identityOf(request)?.key as RouteRequest['key'],
  grant: identityOf(request)?.grant,
  get signal() {
    return hangUp(reply)
  },
  get headers() {
    return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, firstOf(value)]))
  },
  receivedAt,
  ip: request.ip,
  protocol: request.protocol,
})

export type Respond = (route: ServedRoute) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Returns a function from a route to its handler. `staticDir`: folder of the SDK's built files. */
export const createRespond =
  (staticDir: string): Respond =>
  (route) =>
  async (request, reply) => {
    const {
      status = 200,
      headers = {},
      body,
      file,
      root = staticDir,
    } = await route.handler(toRequest(route, request, reply, Date.now()))
    reply.status(status).headers(headers)
    if (file !== undefined) {
      varyBy(reply, 'accept-encoding')
      return reply.sendFile(file, root, { cacheControl: false })
    }
    return reply.send(await toPayload(reply, body))
  }

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && (Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype)

/** Returns a body to send. Writing a long one as JSON does not block the event loop. */
const toPayload = async (reply: FastifyReply, body: unknown): Promise<unknown> => {
  if (!isPlain(body) || isShort(body)) return body
  const chunks = await toLargeJson(body)
  reply.type('application/json; charset=utf-8')
  return streamJson(chunks)
}
