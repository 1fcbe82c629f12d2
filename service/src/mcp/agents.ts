import type { Gate } from '../endpoints/limits.ts'
import { ERRORS } from '../http/errors.ts'
import { ApiError } from '../lib/apiError.ts'
import type { Log } from '../lib/log.ts'
import type { ApiKey } from '../storage/metadata/metadata.ts'
import { own } from '../lib/own.ts'
import { asApiError, errorAnswer } from './errorAnswer.ts'
import { type Session, type ServeMessage, type ToolResult, toResult } from './protocol.ts'
import type { AgentCall, AgentTool, AgentTools } from './tool.ts'
import { collectTools, maySeePeople, refusalOf, toListed } from './toolList.ts'

/** Maximum duration of a call. */
const MAX_CALL_MS = 20_000

/** A message of a client. */
export interface AgentMessage {
  readonly projectId: number
  readonly key: ApiKey
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export interface Agents {
  /** Responds to a message. Rejects with `ApiError` if the key may not call the tool, or has made too many calls. */
  serve(message: AgentMessage): Promise<Response>
}

export interface AgentsDependencies {
  /** The tools of each module. */
  readonly sources: readonly AgentTools[]
  readonly serveMessage: ServeMessage
  readonly gate: Gate
  readonly callsPerMinute: number
  readonly log: Log
  readonly countCall: () => void
}

const PASSED_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

const toRequest = ({ headers, signal }: AgentMessage): Request =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    signal,
    headers: PASSED_HEADERS.flatMap((name): [string, string][] => {
      const value = own(headers, name)
      return value === undefined ? [] : [[name, value]]
    }),
  })

/** Methods that need the tools of the key. */
const WITH_TOOLS: ReadonlySet<unknown> = new Set(['tools/list', 'tools/call'])

/** Returns the name of the tool that a message calls. */
const calledTool = ({ method, params }: AgentMessage['body']): string | undefined => {
  const name = method === 'tools/call' ? (params as { name?: unknown } | undefined)?.name : undefined
  return typeof name === 'string' ? name : undefined
}

/** Rejects when the signal is aborted, even if the work continues. */
const orAborted = <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })

const inTime = async <Value>(given: AbortSignal, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> => {
  const late = new AbortController()
  const timer = setTimeout(
    () =>
      late.abort(
        new ApiError('query_timeout', {
          detail: `The tool took longer than ${MAX_CALL_MS / 1_000} s. Read less, such as a shorter range.`,
        }),
      ),
    MAX_CALL_MS,
  )
  const signal = AbortSignal.any([given, late.signal])
  try {
    return await orAborted(work(signal), signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Creates the function that answers agents' messages: it lists the tools that the key may call, or calls one. */
export const createAgents = ({
  sources,
  serveMessage,
  gate,
  callsPerMinute,
  log,
  countCall,
}: AgentsDependencies): Agents => {
  const allowance = { perMinute: callsPerMinute, perHour: Infinity, atOnce: Infinity }

  const record = (tool: string, { key, projectId }: AgentMessage, outcome: string, more: object = {}) => {
    countCall()
    log('Agent call', { key: key.id, label: key.label, project: projectId, tool, outcome, ...more })
  }

  /** Throws `ApiError` unless the key may call the tool now. */
  const admit = (name: string, message: AgentMessage, all: readonly AgentTool[]) => {
    const tool = all.find((each) => each.name === name)
    const refusal = tool && refusalOf(tool, message.key.scopes)
    try {
      if (refusal) throw new ApiError('permission_denied', { detail: refusal })
      gate.enter(message.key.id, allowance)()
    } catch (error) {
      record(tool ? name : 'unknown', message, (error as ApiError).code)
      throw error
    }
  }

  const run = async (
    tool: AgentTool,
    args: Readonly<Record<string, unknown>>,
    message: AgentMessage,
    base: Omit<AgentCall, 'signal'>,
  ): Promise<ToolResult> => {
    const startedAt = performance.now()
    const ms = () => Math.round(performance.now() - startedAt)
    try {
      const result = toResult(await inTime(message.signal, (signal) => tool.run(args, { ...base, signal })))
      record(tool.name, message, 'ok', { ms: ms(), results: result.value.shown, total: result.value.total })
      return result
    } catch (error) {
      const known = asApiError(error, log)
      record(tool.name, message, known.code, { ms: ms() })
      return { text: JSON.stringify(errorAnswer(known, ERRORS[known.code].message)) }
    }
  }

  return {
    async serve(message) {
      const { projectId, key, body } = message
      const base = { projectId, key, seesPeople: maySeePeople(key.scopes) }
      const all = WITH_TOOLS.has(body.method) ? await collectTools(sources, base) : []
      const called = calledTool(body)
      if (called !== undefined) admit(called, message, all)
      const allowed = all.filter((tool) => !refusalOf(tool, key.scopes))
      const session: Session = {
        tools: () => allowed.map(toListed),
        call: async (name, args) => {
          const tool = allowed.find((each) => each.name === name)
          if (tool) return run(tool, args, message, base)
          record('unknown', message, 'not_found')
          return undefined
        },
      }
      return serveMessage(toRequest(message), body, session)
    },
  }
}
