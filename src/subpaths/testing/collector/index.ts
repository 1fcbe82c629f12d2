import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProject, type Project } from '../project'
import { type Answer, receive } from '../receive'
import type { Unreadable } from '../readEvents'
import type { Sender } from '../sender'
import type { Captures } from '../types'
import { decode } from './decode'
import { readScript, scriptFolder } from './scripts'

export type { Sender } from '../sender'
export type * from '../types'

export interface CollectorOptions {
  /** Port to listen on. Default: 0, any free one. */
  port?: number
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string
  /** Token of the first project. Default: a random one. */
  token?: string
  /** An SDK in this process that sends to the first project. `flush` empties its queue. */
  analytics?: Sender
  /** Folder of the SDK's scripts. Default: that of this package. */
  scripts?: string
}

/** A server that answers SDKs like the service and keeps what they send. It is its own first project. */
export interface Collector extends Captures {
  /** Adds a project with a token of its own, such as one for each test or worker. Its events are in no other. */
  project(token?: string, analytics?: Sender): Captures
  /**
   * Returns the `api_host` under which all requests belong to a project, whatever their token. For sites whose token
   * cannot change.
   */
  hostFor(project: Captures): string
  /** Stops the server. */
  stop(): Promise<void>
}

/** The path prefix of `hostFor`. */
const AS = /^\/as\/([^/]+)(\/.*)$/

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const corsOf = ({ headers }: IncomingMessage) => ({
  'Access-Control-Allow-Origin': headers.origin ?? '*',
  ...(headers.origin ? { 'Access-Control-Allow-Credentials': 'true', Vary: 'Origin' } : {}),
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? '*',
  // Pages on public addresses ask before they send to a local one.
  'Access-Control-Allow-Private-Network': 'true',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'no-store',
})

const newToken = () => `test_${randomUUID().replaceAll('-', '')}`

const json = (status: number, body: unknown): Answer => ({ status, body })

/** Returns what answers requests, for the first project and others. */
const createResponder = (projects: ReadonlyMap<string, Project>, first: Project, scripts: string) => {
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const [, alias, rest] = AS.exec(request.url!) ?? []
    const path = rest ?? request.url!
    const query = new URL(path, 'http://collector').searchParams
    const only = alias === undefined ? undefined : projects.get(decodeURIComponent(alias))
    const bytes = await bodyOf(request)
    try {
      const text = decode(bytes.length ? bytes : Buffer.from(query.get('data') ?? ''), query.get('compression'))
      const projectOf = (token: string | undefined) => only ?? projects.get(token ?? '')
      return receive({ method: request.method!, path, text }, projectOf, only ?? first)
    } catch (error) {
      const { code, message } = error as Unreadable
      const owner = only ?? first
      owner.add([{ code, reason: message, sample: `${bytes.length} bytes` }])
      return json(400, { type: 'validation_error', code, detail: message, attr: null })
    }
  }

  return async (request: IncomingMessage, response: ServerResponse) => {
    const cors = corsOf(request)
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end()
    const script = request.method === 'GET' ? readScript(scripts, request.url!.split('?')[0]!) : undefined
    if (script) return response.writeHead(200, { ...cors, 'Content-Type': 'text/javascript' }).end(script)
    // Its project is known only once its body is read.
    const held = [...projects.values()].map((each) => each.hold())
    response.once('close', () => held.forEach((release) => release()))
    const { status, body } = await answer(request)
    const isScript = typeof body === 'string'
    return response
      .writeHead(status, { ...cors, 'Content-Type': isScript ? 'text/javascript' : 'application/json' })
      .end(isScript ? body : JSON.stringify(body))
  }
}

/** Starts a collector. */
export const createCollector = async ({
  port = 0,
  host = '127.0.0.1',
  token = newToken(),
  analytics,
  scripts = scriptFolder(),
}: CollectorOptions = {}): Promise<Collector> => {
  const server = createServer()
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, host, done)
  })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  const projects = new Map<string, Project>()
  const project = (name = newToken(), sender?: Sender) => {
    const added = projects.get(name) ?? createProject(name, url, sender)
    projects.set(name, added)
    return added
  }
  const first = project(token, analytics)
  const respond = createResponder(projects, first, scripts)
  // A request that is cut off has no answer.
  server.on('request', (request, response) => void respond(request, response).catch(() => response.destroy()))
  return {
    ...first,
    project,
    hostFor: ({ token: name }) => `${url}/as/${encodeURIComponent(name)}`,
    stop: () => {
      const stopped = new Promise<void>((done) => void server.close(() => done()))
      server.closeAllConnections()
      return stopped
    },
  }
}
