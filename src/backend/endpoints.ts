/** What one endpoint takes and gives, as in the types that the service writes (`GET …/endpoints/types.ts`). */
export interface EndpointTypes {
  variables: object
  row: unknown
}

export interface EndpointsOptions {
  /** The service's address, as `https://events.example.com`. */
  host: string
  projectId: number
  /** A personal API key with the scope `endpoint:read`, on a server. It reads everything that endpoints of the project do. */
  personalApiKey?: string
  /** Instead of a key, in a browser too: a run token that your backend has made (docs/reference/endpoints.md#run-tokens). */
  runToken?: string
  /** How long a run may take, its retries included, in ms: 30,000. */
  timeoutMs?: number
  /** How often a run is tried again that the network or the service had no room for: 2. */
  retries?: number
}

/** The part of an `AbortSignal` that a run uses. Declared here, so that the types need neither the DOM nor Node's types. */
export interface RunSignal {
  readonly aborted: boolean
  readonly reason?: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface RunOptions {
  /** Absent: the current version. */
  version?: number
  /** At most this many rows, from `offset` on. */
  limit?: number
  offset?: number
  /** `force` recomputes a cached result. */
  refresh?: 'cache' | 'force'
  /** Ends the run, also in the service. */
  signal?: RunSignal
}

export interface RunResult<Row> {
  rows: Row[]
  /** Names of the rows' columns, in their order; empty for an insight. */
  columns: string[]
  /** Whether there are rows after these. */
  hasMore: boolean
  version: number
  isCached: boolean
  /** When the rows were computed. */
  lastRefresh: Date
}

/** One thing that is wrong with a run, such as one of its variables. */
export interface EndpointFault {
  path: string
  code: string
  message: string
}

/** A run that gave nothing. `message` says what was wrong and what would be right. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Stable: `invalid_variables`, `not_found`, …; `unreachable` and `timeout` where there was no answer. */
  readonly code: string
  /** The field at fault. */
  readonly attr: string | null
  /** Everything that is wrong, one by one. */
  readonly errors: readonly EndpointFault[]
  /** By which the service's log knows the request. */
  readonly requestId: string | undefined
  /** How long the service asks to wait before the next attempt. */
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

/** A query's variables are all required; one without any needs none. */
type Given<Variables, Options> =
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
    ...given: Given<Types[Name]['variables'], RunOptions>
  ): Promise<RunResult<Types[Name]['row']>>
  /**
   * Every row of a SQL endpoint, however many there are, fetched page by page of `limit` rows (1,000).
   * @example for await (const row of endpoints.rows('orders', { plan: 'pro' })) …
   */
  rows<Name extends keyof Types & string>(
    name: Name,
    ...given: Given<Types[Name]['variables'], Omit<RunOptions, 'offset'>>
  ): AsyncGenerator<Types[Name]['row'], void, undefined>
}

interface Answer {
  results: unknown[]
  columns?: string[] | null
  hasMore?: boolean
  next_cursor?: string | null
  endpoint_version: number
  is_cached: boolean
  last_refresh: string
}

interface Refused {
  code?: string
  detail?: string
  attr?: string | null
  errors?: EndpointFault[]
  request_id?: string
}

const PAGE = 1_000
const FIRST_WAIT_MS = 250
// The service has no capacity right now. Any other error would come back the same.
const RETRYABLE_STATUS = [429, 503]

/** Aborts after `ms`, or with `own`. `AbortSignal.any` and `AbortSignal.timeout` would ask for newer browsers. */
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
}: Answer): RunResult<unknown> => ({
  rows: results.map(toRow(columns ?? [])),
  columns: columns ?? [],
  hasMore: hasMore ?? false,
  version: endpoint_version,
  isCached: is_cached,
  lastRefresh: new Date(last_refresh),
})

const inBrowser = () => 'document' in globalThis || 'indexedDB' in globalThis

/**
 * Named endpoints of one project (specification: "Running an endpoint"), for a backend, or with a run token for a page.
 * `Types`: what `GET …/endpoints/types.ts` of the service says of them. Throws when a browser is given a personal API key:
 * whoever has that can read everything.
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
      'trailmark/endpoints takes a personalApiKey on a server only: in a browser every visitor could take it and read all that it reads. Give it a runToken that your backend has made for this page.',
    )
  const secret = personalApiKey || runToken
  if (!secret)
    throw new Error(
      'trailmark/endpoints needs a personalApiKey with the scope endpoint:read, brought by the environment and not in the code; or, in a browser, a runToken from your backend.',
    )
  const urlOf = (name: string) => new URL(`/api/projects/${projectId}/endpoints/${encodeURIComponent(name)}/run`, host)

  /** Sends one run. Throws an `EndpointError` for an error response, and what `fetch` throws when there is none. */
  const sendRun = async (name: string, body: object, signal: AbortSignal): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' }
    const response = await fetch(urlOf(name), { method: 'POST', headers, body: JSON.stringify(body), signal })
    if (response.ok) return (await response.json()) as Answer
    const refused = (await response.json().catch(() => ({}))) as Refused
    throw new EndpointError(refused.detail ?? `${host} answered ${response.status} to a run of "${name}".`, {
      ...refused,
      status: response.status,
      code: refused.code ?? `http_${response.status}`,
      requestId: refused.request_id,
      retryAfterMs: 1000 * Number(response.headers.get('retry-after')) || undefined,
    })
  }

  const requestRun = async (name: string, body: object, own: RunSignal | undefined): Promise<Answer> => {
    const { signal, isTimedOut, stop } = abortAfter(timeoutMs, own)
    const toFailure = (error: unknown) => {
      if (error instanceof EndpointError) return error
      return isTimedOut()
        ? new EndpointError(`"${name}" did not answer within ${timeoutMs} ms (timeoutMs).`, { code: 'timeout' })
        : new EndpointError(`${host} cannot be reached: ${causeOf(error)}.`, { code: 'unreachable' })
    }
    try {
      for (let attempt = 0; ; attempt += 1) {
        const answer = await sendRun(name, body, signal).catch(toFailure)
        if (!(answer instanceof EndpointError)) return answer
        own?.throwIfAborted()
        const mayRetry = answer.status === 0 || RETRYABLE_STATUS.includes(answer.status)
        if (!mayRetry || attempt >= retries || isTimedOut()) throw answer
        await wait(answer.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt, signal)
        own?.throwIfAborted()
        // Waiting used up the time.
        if (isTimedOut()) throw answer
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
      const answer: Answer = await requestRun(name, { variables, ...options, limit, cursor }, signal)
      yield* resultOf(answer).rows
      cursor = answer.next_cursor
    }
  }
  return { run, rows } as Endpoints<Types>
}

const causeOf = (error: unknown) => {
  const { cause, message } = error as Error
  return (cause as Error | undefined)?.message ?? message
}
