import { DatabaseError, Pool, type PoolClient, types } from 'pg'
import { type PostgresPool, PostgresDialect } from 'kysely'
import { MetadataMismatch, MetadataUnavailable } from './errors.ts'

// Per process: more than its concurrent requests need, and few enough for many processes on a server's default of 100.
const MAX_CONNECTIONS = 10
const CONNECT_MS = 5_000
// A start waits longer than a request: a server on a busy machine may take long to accept the first connection.
const FIRST_CONNECT_TRIES = 3
// Longer than any transaction waits for earlier ones. Detects a server that disappeared silently.
const QUERY_MS = 30_000

const NO_RESPONSE = 'The Postgres server at DATABASE_URL does not respond'
const URL_FORMAT = 'postgres://user:password@host:5432/database'

/** Remedies for an unusable server, by the code of its error. */
const MESSAGES_BY_CODE: readonly (readonly [RegExp, string])[] = [
  [
    /^28/,
    `the Postgres server rejects the user: set DATABASE_URL to a URL with the right user and password, ${URL_FORMAT}.`,
  ],
  [/^3D000$/, 'the Postgres server has no database of that name: create it, or name another in DATABASE_URL.'],
  [
    /^(42501|3F000)$/,
    'the Postgres user may not create tables in the database of DATABASE_URL: make it the owner of the database, or GRANT USAGE, CREATE ON SCHEMA public to it.',
  ],
  [/^25006$/, 'the Postgres server at DATABASE_URL is read-only: name the primary, not a standby.'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/,
    'the certificate of the Postgres server at DATABASE_URL is not trusted: name its authority with ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.',
  ],
]

// Errors of the driver itself have a message and no code.
const MESSAGES_BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/password must be a string|no password|SASL/i, MESSAGES_BY_CODE[0]![1]],
  [
    /does not support SSL/i,
    'the Postgres server at DATABASE_URL does not speak TLS: leave out sslmode, or turn TLS on at the server.',
  ],
]

// 08: connection failure. 53: too many connections, out of memory. 57P: shutting down or starting. 25006: failover to another primary.
const isTransient = (code: string) => /^(08|53[023]|57P|25006)/.test(code)

// The pool's error has no code.
const isTimeout = (error: unknown) => error instanceof Error && error.message.includes('timeout')

/**
 * Returns `MetadataUnavailable` for a transient error, or the error itself. Errors that the server sends are
 * `DatabaseError`s. All others are failures of the connection.
 */
const toMetadataError = (error: unknown): unknown => {
  if (error instanceof DatabaseError && !isTransient(error.code ?? '')) return error
  return new MetadataUnavailable(NO_RESPONSE, { cause: error })
}

const hostOf = (url: string): string => {
  const { hostname, port, searchParams } = new URL(url)
  // The URL of a Unix socket has its folder in the query.
  return hostname ? `${hostname}:${port || 5432}` : (searchParams.get('host') ?? 'localhost')
}

/** Turns an error of the first connection to `url`, or of the first statements, into one that tells the operator what to do. */
export const toStartError = (error: unknown, url: string): unknown => {
  const cause = (error instanceof MetadataUnavailable ? error.cause : error) as
    | { code?: string; message?: string }
    | undefined
  const found =
    MESSAGES_BY_CODE.find(([pattern]) => pattern.test(cause?.code ?? '')) ??
    MESSAGES_BY_TEXT.find(([pattern]) => pattern.test(cause?.message ?? ''))
  if (found) return new MetadataMismatch(found[1])
  return error instanceof MetadataUnavailable
    ? new MetadataMismatch(
        `the Postgres server at DATABASE_URL (${hostOf(url)}) does not respond: ${cause?.code ?? cause?.message ?? 'no response'}. Check the URL, and that the server is running.`,
      )
    : error
}

// Postgres does not store NUL characters. Replaces them with U+FFFD, like lone surrogates.
const storable = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd') : value)

/** Wraps a connection for Kysely: maps its errors, and discards it after the server became unavailable. */
const guarded = (client: PoolClient) => {
  let broken: MetadataUnavailable | undefined
  return {
    async query(text: string, values: readonly unknown[]) {
      // Later statements, such as a rollback, would wait for the one that gets no response.
      if (broken) throw broken
      try {
        return await client.query(text, values.map(storable))
      } catch (error) {
        const mapped = toMetadataError(error)
        if (mapped instanceof MetadataUnavailable) broken = mapped
        throw mapped
      }
    },
    release: () => client.release(broken !== undefined),
  }
}

/** Returns Kysely's Postgres dialect over a connection pool that replaces dropped connections. */
export const postgresDialect = (url: string): PostgresDialect => {
  const pool = new Pool({
    connectionString: url,
    application_name: 'trailmark',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    // Parses 64-bit integers as numbers, as SQLite does. No stored integer comes near 2^53.
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === (types.builtins.INT8 as number)
          ? Number
          : (types.getTypeParser(oid, format) as unknown)) as typeof types.getTypeParser,
    },
  })
  // The pool replaces dropped connections when needed. Without a listener, the error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  let triesLeft = FIRST_CONNECT_TRIES
  const connect = async (): Promise<ReturnType<typeof guarded>> => {
    try {
      const client = await pool.connect()
      triesLeft = 0
      return guarded(client)
    } catch (error) {
      triesLeft -= 1
      if (triesLeft > 0 && isTimeout(error)) return connect()
      throw new MetadataUnavailable(NO_RESPONSE, { cause: error })
    }
  }
  return new PostgresDialect({ pool: { connect, end: () => pool.end() } as unknown as PostgresPool })
}
