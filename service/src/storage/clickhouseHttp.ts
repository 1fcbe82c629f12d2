import { randomUUID } from 'node:crypto'
import { type Dispatcher, Pool } from 'undici'

/** Settings of a statement, by the names that the engine has for them. */
export type Settings = Readonly<Record<string, string | number>>

export interface Server {
  /** Address, with user and password if it needs them and no account is given. */
  readonly url: string
  readonly account?: { readonly username: string; readonly password: string } | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long an answer may take to begin, and to go on. */
  readonly timeoutMs: number
  readonly connections: number
}

export interface Question {
  readonly text: string
  /** Values of the `{name:Type}` placeholders. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly settings: Settings
  /** Rows of an INSERT, in the format that it names. */
  readonly rows?: Buffer
  readonly queryId?: string
  readonly signal?: AbortSignal | undefined
}

export interface Reply {
  readonly body: Dispatcher.ResponseData['body']
  /** How many rows it has; 0 if the engine does not say. */
  readonly rowCount: number
}

/** What the engine says of a statement that it refuses or gives up. */
export class EngineError extends Error {
  override name = 'EngineError'
  /** The engine's name for it, such as `UNKNOWN_TABLE`; empty if what answered is no engine. */
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

export interface ClickhouseHttp {
  /** Rejects with `EngineError`, or with an error of the connection. The connection is free again when the body has been read. */
  ask(question: Question): Promise<Reply>
  ping(timeoutMs: number): Promise<boolean>
  /** Ends what is under way. */
  close(): Promise<void>
}

// Beyond it some server or proxy on the way refuses an address.
const MAX_ADDRESS = 4_096

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' }
const escape = (text: string) => text.replace(/[\t\n\r'\\]/g, (sign) => ESCAPES[sign]!)

const numberText = (value: number) =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'nan' : value > 0 ? '+inf' : '-inf'

/** A value as the engine reads it for a placeholder: in its TSV format, inside of a list as a literal. */
export const paramText = (value: unknown, isInList = false): string => {
  if (value === null || value === undefined) return isInList ? 'NULL' : '\\N'
  if (Array.isArray(value)) return `[${value.map((each) => paramText(each, true)).join(',')}]`
  if (typeof value === 'string') return isInList ? `'${escape(value)}'` : escape(value)
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'boolean') return isInList ? String(value) : String(Number(value))
  throw new Error(`A value of type ${typeof value} cannot be a parameter`)
}

// A cluster's node puts the words of another around its own: the innermost ones say what happened.
const ENGINE_ERROR = /Code: \d+.*Exception: (.+?)\((?=[A-Z0-9_]*[A-Z]{3})([A-Z0-9_]+)\)/s

const toError = (text: string): EngineError => {
  const [, message = text, code = ''] = ENGINE_ERROR.exec(text) ?? []
  return new EngineError(message, code)
}

const rowCountOf = (summary: unknown): number => {
  if (typeof summary !== 'string') return 0
  return Number(/"result_rows":"(\d+)"/.exec(summary)?.[1] ?? 0)
}

/** The fields as the body of a form. None of them can hold the boundary, which is new each time. */
const formOf = (fields: readonly (readonly [string, string])[]) => {
  const boundary = randomUUID()
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return { body: `${parts.join('')}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` }
}

/**
 * ClickHouse's HTTP interface (clickhouse.com/docs/interfaces/http): a statement and the values of its placeholders travel
 * side by side, so that no value is ever part of a statement.
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
    async ask({ text, params = {}, settings, rows, queryId, signal }) {
      const values = Object.entries(params).map(([name, value]) => [`param_${name}`, paramText(value)] as const)
      const inAddress = [
        ...(queryId ? [['query_id', queryId] as const] : []),
        ...Object.entries(settings).map(([name, value]) => [name, String(value)] as const),
      ]
      const isForm = !rows && values.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_ADDRESS
      const form = isForm ? formOf([...values, ['query', text]]) : undefined
      const fields = [...inAddress, ...(isForm ? [] : values), ...(rows ? [['query', text] as const] : [])]
      const {
        statusCode,
        headers: said,
        body,
      } = await pool.request({
        method: 'POST',
        path: `/?${new URLSearchParams(fields as [string, string][]).toString()}`,
        headers: { ...common, ...(form ? { 'content-type': form.type } : {}) },
        body: rows ?? form?.body ?? text,
        signal: signal ?? null,
      })
      if (statusCode !== 200 || said['x-clickhouse-exception-code'] !== undefined) throw toError(await body.text())
      // An answer that is given up half read has an error, which must not end the process where nobody listens any more.
      body.on('error', () => {})
      return { body, rowCount: rowCountOf(said['x-clickhouse-summary']) }
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
