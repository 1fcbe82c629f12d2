import { randomUUID } from 'node:crypto'
import { type Dispatcher, Pool } from 'undici'
import { own } from '../lib/own.ts'

/** Settings of a statement, by the engine's names. */
export type Settings = Readonly<Record<string, string | number>>

export interface Server {
  /** URL, with user and password if needed and `account` is absent. */
  readonly url: string
  readonly account?: { readonly username: string; readonly password: string } | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Maximum time until the response begins, and between two chunks of it, in ms. */
  readonly timeoutMs: number
  readonly connections: number
}

export interface EngineRequest {
  readonly text: string
  /** Values of the `{name:Type}` placeholders. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly settings: Settings
  /** Rows of an INSERT, in the format the statement names. */
  readonly rows?: Buffer
  readonly queryId?: string
  readonly signal?: AbortSignal | undefined
}

export interface EngineResponse {
  readonly body: Dispatcher.ResponseData['body']
  /** Number of rows. 0: unknown. */
  readonly rowCount: number
  /** Read statistics of the engine when the response began. */
  readonly read: { readonly bytes: number; readonly ms: number }
}

/** An error response of the engine. */
export class EngineError extends Error {
  override name = 'EngineError'
  /** The engine's name of the error, such as `UNKNOWN_TABLE`. Empty: the response is not from an engine. */
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

export interface ClickhouseHttp {
  /**
   * Sends a statement. Rejects with `EngineError`, or with an error of the connection. Read the body to free the
   * connection.
   */
  send(request: EngineRequest): Promise<EngineResponse>
  ping(timeoutMs: number): Promise<boolean>
  /** Aborts running requests. */
  close(): Promise<void>
}

// Some servers and proxies reject longer URLs.
const MAX_URL_LENGTH = 4_096

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' }
const escape = (text: string) => text.replace(/[\t\n\r'\\]/g, (sign) => own(ESCAPES, sign)!)

const numberText = (value: number) =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'nan' : value > 0 ? '+inf' : '-inf'

/** Returns a value of a placeholder in the engine's TSV format, or as a literal inside a list. */
export const paramText = (value: unknown, isInList = false): string => {
  if (value === null || value === undefined) return isInList ? 'NULL' : '\\N'
  if (Array.isArray(value)) return `[${value.map((each) => paramText(each, true)).join(',')}]`
  if (typeof value === 'string') return isInList ? `'${escape(value)}'` : escape(value)
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'boolean') return isInList ? String(value) : String(Number(value))
  throw new Error(`A value of type ${typeof value} cannot be a parameter`)
}

// A node of a cluster wraps errors of other nodes. The innermost message has the cause.
const ENGINE_ERROR = /Code: \d+.*Exception: (.+?)\((?=[A-Z0-9_]*[A-Z]{3})([A-Z0-9_]+)\)/s

const toError = (text: string): EngineError => {
  const [, message = text, code = ''] = ENGINE_ERROR.exec(text) ?? []
  return new EngineError(message, code)
}

const SUMMARY = /"read_bytes":"(\d+)".*"result_rows":"(\d+)".*"elapsed_ns":"(\d+)"/

/** Reads the engine's summary of a statement. */
const summaryOf = (summary: unknown): Omit<EngineResponse, 'body'> => {
  const [, bytes = 0, rows = 0, elapsedNs = 0] = (typeof summary === 'string' && SUMMARY.exec(summary)) || []
  return { rowCount: Number(rows), read: { bytes: Number(bytes), ms: Number(elapsedNs) / 1e6 } }
}

const addressOf = (fields: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(fields as [string, string][]).toString()

/** Settings that are sent with several statements are encoded once. */
const encoded = new WeakMap<Settings, string>()

const settingsInAddress = (settings: Settings): string => {
  const known = encoded.get(settings)
  if (known !== undefined) return known
  const text = addressOf(Object.entries(settings).map(([name, value]) => [name, String(value)]))
  encoded.set(settings, text)
  return text
}

/** Returns the fields as a form body. The boundary is random, so no field can contain it. */
const formOf = (fields: readonly (readonly [string, string])[]) => {
  const boundary = randomUUID()
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return { body: `${parts.join('')}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` }
}

/**
 * Creates a client of ClickHouse's HTTP interface (clickhouse.com/docs/interfaces/http). It sends the values of
 * placeholders separately from the statement, so that no value is ever part of SQL.
 */
export const createClickhouseHttp = ({ url, account, headers, timeoutMs, connections }: Server): ClickhouseHttp => {
  const { origin, username, password } = new URL(url)
  const { username: user, password: secret } = account ?? {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
  const pool = new Pool(origin, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  const common = {
    ...headers,
    ...(user ? { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` } : {}),
  }

  return {
    async send({ text, params = {}, settings, rows, queryId, signal }) {
      const values = Object.entries(params).map(([name, value]) => [`param_${name}`, paramText(value)] as const)
      const isForm =
        !rows && values.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_URL_LENGTH
      const form = isForm ? formOf([...values, ['query', text]]) : undefined
      const fields = [
        ...(queryId ? [['query_id', queryId] as const] : []),
        ...(isForm ? [] : values),
        ...(rows ? [['query', text] as const] : []),
      ]
      const {
        statusCode,
        headers: responseHeaders,
        body,
      } = await pool.request({
        method: 'POST',
        path: `/?${settingsInAddress(settings)}&${addressOf(fields)}`,
        headers: { ...common, ...(form ? { 'content-type': form.type } : {}) },
        body: rows ?? form?.body ?? text,
        signal: signal ?? null,
      })
      if (statusCode !== 200 || responseHeaders['x-clickhouse-exception-code'] !== undefined)
        throw toError(await body.text())
      // An aborted response emits an error, which would end the process without a listener.
      body.on('error', () => {})
      return { body, ...summaryOf(responseHeaders['x-clickhouse-summary']) }
    },
    async ping(withinMs) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: '/ping',
        headers: common,
        signal: AbortSignal.timeout(withinMs),
      })
      await body.dump()
      return statusCode === 200
    },
    close: () => pool.destroy(),
  }
}
