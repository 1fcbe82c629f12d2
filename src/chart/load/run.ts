import { isRecord, plainText } from '../read/cells'
import { ChartError, createError, type ErrorContext } from './errors'
import { share } from './share'
import { claimsOf, type TokenSource } from './tokens'

/** A run of an endpoint. */
export interface ChartRun {
  readonly host: string
  readonly endpoint: string
  readonly variables: Readonly<Record<string, unknown>>
}

const TIMEOUT_MS = 65_000
const OPTIONS = { method: 'POST', credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' } as const

const urlOf = ({ host, endpoint }: ChartRun, token: string) => {
  const id = encodeURIComponent(plainText(claimsOf(token).project) || '1')
  return `${host}/api/projects/${id}/endpoints/${encodeURIComponent(endpoint)}/run`
}

/** Reads an error response. */
const errorOf = async (response: Response, context: ErrorContext): Promise<ChartError> => {
  const body: unknown = await response.json().catch(() => 0)
  const { code, detail } = isRecord(body) ? body : {}
  const seconds = Number(response.headers.get('retry-after'))
  return createError(
    plainText(code) || `http_${response.status}`,
    response.status,
    { ...context, detail: plainText(detail) },
    seconds > 0 ? Math.min(seconds, 3_600) * 1_000 : undefined,
  )
}

/** Stands in for a body that is not JSON. Throws if it could not be read. */
const orNothing = (error: unknown): undefined => {
  if (!(error instanceof SyntaxError)) throw error
}

/** Sends one run. Rejects with a `ChartError`. */
const send = async (run: ChartRun, token: string, context: ErrorContext, signal: AbortSignal): Promise<unknown> => {
  const controller = new AbortController()
  let code = 'unreachable'
  const abort = () => controller.abort()
  const timer = setTimeout(() => {
    code = 'timeout'
    abort()
  }, TIMEOUT_MS)
  signal.addEventListener('abort', abort)
  try {
    const response = await fetch(urlOf(run, token), {
      ...OPTIONS,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ variables: run.variables }),
      signal: controller.signal,
    })
    if (response.ok) return await response.json().catch(orNothing)
    throw await errorOf(response, context)
  } catch (error) {
    throw error instanceof ChartError ? error : createError(code, 0, context)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Runs an endpoint. Equal runs of several charts are one request. A token that the service refuses is renewed once.
 * Rejects with a `ChartError`, or with any error after `signal` is aborted.
 */
export const runChart = async (run: ChartRun, source: TokenSource, signal: AbortSignal): Promise<unknown> => {
  const attempt = (token: string) => {
    const key = JSON.stringify([run, token])
    return share(key, signal, (shared) => send(run, token, { ...run, hasProvider: source.canRenew }, shared))
  }
  const token = await source.get()
  // A personal API key must never leave the page.
  if (!claimsOf(token).exp)
    throw new ChartError(
      'invalid_run_token',
      '"token" must be a run token, never a personal API key, which every visitor could read.',
    )
  try {
    return await attempt(token)
  } catch (error) {
    const renewed = error instanceof ChartError && error.status === 401 ? await source.renew(token) : undefined
    if (!renewed) throw error
    return attempt(renewed)
  }
}
