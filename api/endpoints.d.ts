interface EndpointTypes {
  variables: object
  row: unknown
}
interface EndpointsOptions {
  host: string
  projectId: number
  personalApiKey?: string
  runToken?: string
  timeoutMs?: number
  retries?: number
}
interface RunSignal {
  readonly aborted: boolean
  readonly reason?: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}
interface RunOptions {
  version?: number
  limit?: number
  offset?: number
  refresh?: 'cache' | 'force'
  signal?: RunSignal
}
interface RunResult<Row> {
  rows: Row[]
  columns: string[]
  hasMore: boolean
  version: number
  isCached: boolean
  lastRefresh: Date
}
interface EndpointFault {
  path: string
  code: string
  message: string
}
declare class EndpointError extends Error {
  readonly name = 'EndpointError'
  readonly status: number
  readonly code: string
  readonly attr: string | null
  readonly errors: readonly EndpointFault[]
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  constructor(
    message: string,
    {
      status,
      code,
      attr,
      errors,
      requestId,
      retryAfterMs,
    }: {
      status?: number
      code: string
      attr?: string | null
      errors?: readonly EndpointFault[]
      requestId?: string
      retryAfterMs?: number
    },
  )
}
type RunArguments<Variables, Options> =
  Partial<Variables> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options]
interface Endpoints<Types extends Record<string, EndpointTypes>> {
  run<Name extends keyof Types & string>(
    name: Name,
    ...args: RunArguments<Types[Name]['variables'], RunOptions>
  ): Promise<RunResult<Types[Name]['row']>>
  rows<Name extends keyof Types & string>(
    name: Name,
    ...args: RunArguments<Types[Name]['variables'], Omit<RunOptions, 'offset'>>
  ): AsyncGenerator<Types[Name]['row'], void, undefined>
}
declare const createEndpoints: <
  Types extends Record<string, EndpointTypes> = Record<
    string,
    {
      variables: Record<string, unknown>
      row: Record<string, unknown>
    }
  >,
>({
  host,
  projectId,
  personalApiKey,
  runToken,
  timeoutMs,
  retries,
}: EndpointsOptions) => Endpoints<Types>
export { EndpointError, createEndpoints }
export type { EndpointFault, EndpointTypes, Endpoints, EndpointsOptions, RunOptions, RunResult }
