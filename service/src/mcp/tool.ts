import { type Static, type TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Scope } from '../http/auth.ts'
import { ApiError } from '../lib/apiError.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Caller of a tool, and its project. */
export interface AgentCall {
  readonly projectId: number
  readonly key: { readonly id: string; readonly label: string }
  /** Whether the key may read data of people. */
  readonly seesPeople: boolean
  /** Aborted when the client disconnects, or the tool takes too long. */
  readonly signal: AbortSignal
}

/** API request that returns the same rows. */
export interface AgentSource {
  readonly request: string
  readonly body?: object
}

/** Result of a tool. `fit.ts` cleans the values of visitors later. */
export interface AgentAnswer {
  readonly source: AgentSource
  readonly results: readonly unknown[]
  /** Total number of results. null: unknown, but more than `results`. Absent: `results` is complete. */
  readonly total?: number | null
  /** More about the results, such as the names of columns. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** Notes about the results that the agent must know. */
  readonly notes?: readonly string[]
}

/** A tool that agents can call. */
export interface AgentTool {
  /** At most 128 letters, digits, `_` and `-`. */
  readonly name: string
  readonly description: string
  /** Scope that the key must have. A tool that changes something also requires `mcp:write`. */
  readonly scope: Scope
  readonly isWrite?: true
  /** JSON Schema of the arguments, an object. */
  readonly input: JsonSchema
  /** Rejects with `ApiError`. */
  readonly run: (args: Readonly<Record<string, unknown>>, call: AgentCall) => Promise<AgentAnswer>
}

/** Returns the tools of a module for a project. Their order must be stable. */
export type AgentTools = (
  caller: Pick<AgentCall, 'projectId' | 'seesPeople'>,
) => readonly AgentTool[] | Promise<readonly AgentTool[]>

const assertArguments = (schema: TObject, args: unknown) => {
  const error = Value.Errors(schema, args).First()
  if (!error) return
  const path = error.path.slice(1).replaceAll('/', '.')
  throw new ApiError('invalid_input', {
    attr: path.split('.')[0]!,
    detail: `"${path.slice(0, 100)}" is wrong: ${error.message}.`,
  })
}

/** Defines a tool with fixed arguments. They are checked before it runs. */
export const agentTool = <const Input extends TObject>({
  input,
  run,
  ...tool
}: Omit<AgentTool, 'input' | 'run'> & {
  readonly input: Input
  readonly run: (args: Static<Input>, call: AgentCall) => Promise<AgentAnswer>
}): AgentTool => ({
  ...tool,
  input,
  run: async (args, call) => {
    assertArguments(input, args)
    return run(args, call)
  },
})
