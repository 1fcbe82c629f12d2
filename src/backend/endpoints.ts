/** Variables and rows of an endpoint, as in the types that the service generates (`GET …/endpoints/types.ts`). */
export interface EndpointTypes {
  variables: object
  row: unknown
}

export interface EndpointsOptions {
  /** URL of the service, such as `https://events.example.com`. */
  host: string
  projectId: number
  /** A personal API key with the scope `endpoint:read`, for servers. It can read the results of all endpoints. */
  personalApiKey?: string
  /** Instead of a key, also in a browser: a run token created by your backend (docs/reference/endpoints.md#run-tokens). */
  runToken?: string
  /** Timeout of a run including its retries, in ms. Default: 30,000. */
  timeoutMs?: number
  /** Number of retries after a network error or an overload of the service. Default: 2. */
  retries?: number
}

/** The members of an `AbortSignal` that a run uses. Declared here, so that these types need neither DOM nor Node types. */
export interface RunSignal {
  readonly aborted: boolean
  readonly reason?: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface RunOptions {
  /** Defaults to the current version. */
  version?: number
  /** Maximum number of rows, starting at `offset`. */
  limit?: number
  offset?: number
  /** `force` recomputes a cached result. */
  refresh?: 'cache' | 'force'
  /** Aborts the run, also in the service. */
  signal?: RunSignal
}

export interface RunResult<Row> {
  rows: Row[]
  /** Names of the columns, in order; empty for an insight. */
  columns: string[]
  /** Whether there are more rows. */
  hasMore: boolean
  version: number
  isCached: boolean
  /** When the rows were computed. */
  lastRefresh: Date
}

/** A problem of a run, such as an invalid variable. */
export interface EndpointFault {
  path: string
  code: string
  message: string
}

/** Error of a run. `message` says what was wrong and what was expected. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Stable code: `invalid_variables`, `not_found`, …; `unreachable` and `timeout` without a response. */
  readonly code: string
  /** The invalid field. */
  readonly attr: string | null
  /** All problems. */
  readonly errors: readonly EndpointFault[]
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined
  /** The value of `Retry-After`. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    {
      status = 0,
      code,
      attr = null,
      errors = [],
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
  ) {
    super(message)
    this.status = status
    this.code = code
    this.attr = attr
    this.errors = errors
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/** Arguments after the name of the endpoint. `variables` may be omitted if none of them is required. */
type RunArguments<Variables, Options> =
  Partial<Variables> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options]

export interface Endpoints<Types extends Record<string, EndpointTypes>> {
  /**
   * Runs an endpoint. Rejects with an `EndpointError`.
   * @example const { rows } = await endpoints.run('revenue_by_plan', { since: '2026-01-01' })
   */
  run<Name extends keyof Types & string>(
    name: Name,
    ...args: RunArguments<Types[Name]['variables'], RunOptions>
  ): Promise<RunResult<Types[Name]['row']>>
  /**
   * Iterates over all rows of a SQL endpoint. They are fetched in pages of `limit` rows (1,000).
   * @example for await (const row of endpoints.rows('orders', { plan: 'pro' })) …
   */
  rows<Name extends keyof Types & string>(
    name: Name,
    ...args: RunArguments<Types[Name]['variables'], Omit<RunOptions, 'offset'>>
  ): AsyncGenerator<Types[Name]['row'], void, undefined>
}

interface RunResponse {
  results: unknown[]
  columns?: string[] | null
  hasMore?: boolean
  next_cursor?: string | null
  endpoint_version: number
  is_cached: boolean
  last_refresh: string
}

interface ErrorBody {
  code?: string
  detail?: string
  attr?: string | null
  errors?: EndpointFault[]
  request_id?: string
}

const PAGE = 1_000
const FIRST_WAIT_MS = 250
// The service is rate limiting or overloaded. Requests without a response are retried too, all other errors are not.
const RETRYABLE_STATUS = [429, 503]

/** Aborts after `ms`, or with `own`. `AbortSignal.any` and `AbortSignal.timeout` need newer browsers. */
const abortAfter = (ms: number, own: RunSignal | undefined) => {
  const controller = new AbortController()
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    controller.abort()
  }, ms)
  const onAbort = () => controller.abort(own!.reason)
  if (own?.aborted) onAbort()
  own?.addEventListener('abort', onAbort)
  return {
    signal: controller.signal,
    isTimedOut: () => isTimedOut,
    stop() {
      clearTimeout(timer)
      own?.removeEventListener('abort', onAbort)
    },
  }
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(finish, Math.min(ms, 2 ** 31 - 1))
    signal.addEventListener('abort', finish)
    function finish() {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      done()
    }
  })

const toRow = (columns: readonly string[]) => (values: unknown) =>
  Array.isArray(values) && columns.length
    ? Object.fromEntries(columns.map((name, index) => [name, values[index]]))
    : values

const resultOf = ({
  results,
  columns,
  hasMore,
  endpoint_version,
  is_cached,
  last_refresh,
}: RunResponse): RunResult<unknown> => ({
  rows: results.map(toRow(columns ?? [])),
  columns: columns ?? [],
  hasMore: hasMore ?? false,
  version: endpoint_version,
  isCached: is_cached,
  lastRefresh: new Date(last_refresh),
})

const inBrowser = () => 'document' in globalThis || 'indexedDB' in globalThis

/**
 * Creates a client for the named endpoints of a project (specification: "Running an endpoint"), for a backend, or with a
 * run token for a page. `Types`: the types that `GET …/endpoints/types.ts` returns. Throws if a personal API key is used
 * in a browser, because visitors could read everything with it.
 */
export const createEndpoints = <
  Types extends Record<string, EndpointTypes> = Record<
    string,
    { variables: Record<string, unknown>; row: Record<string, unknown> }
  >,
>({
  host,
  projectId,
  personalApiKey,
  runToken,
  timeoutMs = 30_000,
  retries = 2,
}: EndpointsOptions): Endpoints<Types> => {
  if (personalApiKey && inBrowser())
    throw new Error(
      'trailmark/endpoints accepts a personalApiKey on a server only, because in a browser every visitor could read the key. Pass a runToken that your backend creates for this page.',
    )
  const secret = personalApiKey || runToken
  if (!secret)
    throw new Error(
      'trailmark/endpoints needs a personalApiKey with the scope endpoint:read, which belongs in an environment variable, not in the code. In a browser, it needs a runToken from your backend.',
    )
  const urlOf = (name: string) => new URL(`/api/projects/${projectId}/endpoints/${encodeURIComponent(name)}/run`, host)

  /** Sends one run. Throws an `EndpointError` for an error response, and the error of `fetch` without a response. */
  const sendRun = async (name: string, body: object, signal: AbortSignal): Promise<RunResponse> => {
    const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' }
    const response = await fetch(urlOf(name), { method: 'POST', headers, body: JSON.stringify(body), signal })
    if (response.ok) return (await response.json()) as RunResponse
    const failure = (await response.json().catch(() => ({}))) as ErrorBody
    throw new EndpointError(
      failure.detail ?? `The run of "${name}" on ${host} failed with status ${response.status}.`,
      {
        ...failure,
        status: response.status,
        code: failure.code ?? `http_${response.status}`,
        requestId: failure.request_id,
        retryAfterMs: 1000 * Number(response.headers.get('retry-after')) || undefined,
      },
    )
  }

  const requestRun = async (name: string, body: object, own: RunSignal | undefined): Promise<RunResponse> => {
    const { signal, isTimedOut, stop } = abortAfter(timeoutMs, own)
    const toFailure = (error: unknown) => {
      if (error instanceof EndpointError) return error
      return isTimedOut()
        ? new EndpointError(`The run of "${name}" did not finish within ${timeoutMs} ms (timeoutMs).`, {
            code: 'timeout',
          })
        : new EndpointError(`${host} cannot be reached: ${causeOf(error)}.`, { code: 'unreachable' })
    }
    try {
      for (let attempt = 0; ; attempt += 1) {
        const response = await sendRun(name, body, signal).catch(toFailure)
        if (!(response instanceof EndpointError)) return response
        own?.throwIfAborted()
        const mayRetry = response.status === 0 || RETRYABLE_STATUS.includes(response.status)
        if (!mayRetry || attempt >= retries || isTimedOut()) throw response
        await wait(response.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt, signal)
        own?.throwIfAborted()
        // The timeout passed while waiting.
        if (isTimedOut()) throw response
      }
    } finally {
      stop()
    }
  }

  const run = async (name: string, variables: object = {}, { signal, ...options }: RunOptions = {}) =>
    resultOf(await requestRun(name, { variables, ...options }, signal))
  async function* rows(
    name: string,
    variables: object = {},
    { signal, limit = PAGE, ...options }: Omit<RunOptions, 'offset'> = {},
  ) {
    let cursor: string | null | undefined = '*'
    while (cursor) {
      const response: RunResponse = await requestRun(name, { variables, ...options, limit, cursor }, signal)
      yield* resultOf(response).rows
      cursor = response.next_cursor
    }
  }
  return { run, rows } as Endpoints<Types>
}

const causeOf = (error: unknown) => {
  const { cause, message } = error as Error
  return (cause as Error | undefined)?.message ?? message
}
