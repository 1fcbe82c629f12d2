import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { createGate } from '../endpoints/limits.ts'
import { ApiError } from '../lib/apiError.ts'
import { invalidInput } from '../http/request.ts'
import { type Handler, type RouteRequest, type RouteResponse, routesWith } from '../http/route.ts'
import type { AnyModule, Module } from '../module.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { readRelease } from '../statics/statics.ts'
import { type Agents, createAgents } from './agents.ts'
import { createProtocol } from './protocol.ts'

/** What the routes use. */
interface AgentParts {
  readonly agents: Agents
  readonly projects: Pick<Metadata['projects'], 'all' | 'byId'>
}

const route = routesWith<AgentParts>()

const QUERY = { project_id: Type.Integer({ minimum: 1, description: 'With a key for all projects: the one to read' }) }
const MESSAGE = Type.Object({}, { additionalProperties: true })

/** Returns the project of a message: that of the key, or the one in the URL. Rejects with `ApiError`. */
const projectOf = async (
  { projects }: AgentParts,
  { key, values }: RouteRequest<unknown, { readonly project_id?: number | undefined }>,
): Promise<number> => {
  const wanted = values.project_id
  const unknown = () => new ApiError('not_found', { detail: 'There is no project with this id.' })
  if (key.projectId !== undefined) {
    if (wanted !== undefined && wanted !== key.projectId) throw unknown()
    return key.projectId
  }
  if (wanted !== undefined) {
    if (!(await projects.byId(wanted))) throw unknown()
    return wanted
  }
  const [first, ...others] = await projects.all()
  if (first && !others.length) return first.id
  throw invalidInput(
    'project_id',
    'This key is for all projects: add ?project_id=… to the address, or use a key of one project.',
  )
}

const toRouteResponse = ({ status, headers, body }: Response): RouteResponse => ({
  status,
  headers: {
    ...(headers.get('content-type') === null ? {} : { 'content-type': headers.get('content-type')! }),
    // Proxies would hold back the events of a stream.
    'x-accel-buffering': 'no',
  },
  ...(body ? { body: Readable.fromWeb(body as never) } : {}),
})

const message: Handler<AgentParts, Record<string, unknown>, typeof QUERY> = async (parts, request) =>
  toRouteResponse(
    await parts.agents.serve({
      projectId: await projectOf(parts, request),
      key: request.key,
      body: request.body,
      headers: request.headers,
      signal: request.signal,
    }),
  )

/** Clients of older revisions request a stream from the server, or end a session. The service supports neither. */
const notAllowed = (): RouteResponse => ({
  status: 405,
  headers: { allow: 'POST' },
  body: { jsonrpc: '2.0', error: { code: -32_000, message: 'Send messages as POST.' }, id: null },
})

/** Returns the module that offers the tools of all modules to agents through the Model Context Protocol. */
export const agentsFor = (modules: readonly AnyModule[]): Module<AgentParts> => ({
  create({ config, metadata, metrics, use, onStop, log }) {
    const { serve, close } = createProtocol(readRelease(config.staticDir)?.version ?? '2')
    onStop(close)
    return {
      projects: metadata.projects,
      agents: createAgents({
        sources: modules.flatMap((module) => module.agentTools?.(use(module) as never) ?? []),
        serveMessage: serve,
        gate: createGate(Date.now, 'tools'),
        callsPerMinute: config.agentCallsPerMinute,
        log,
        countCall: metrics.counter('trailmark_agent_calls_total'),
      }),
    }
  },
  routes: [
    route({
      method: 'POST',
      path: '/mcp',
      access: 'agent',
      summary: 'Model Context Protocol: list and call the tools that the scopes of the key allow',
      query: QUERY,
      body: MESSAGE,
      handler: message,
    }),
    ...(['GET', 'DELETE'] as const).map((method) =>
      route({ method, path: '/mcp', access: 'agent', handler: notAllowed }),
    ),
  ],
  metrics: {
    trailmark_agent_calls_total: {
      type: 'counter',
      labels: [],
      help: 'Calls of tools by agents.',
    },
  },
})
