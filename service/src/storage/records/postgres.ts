import { DatabaseError, Pool, type PoolClient, types } from 'pg'
import { type PostgresPool, PostgresDialect } from 'kysely'
import { RecordsMismatch, RecordsUnavailable } from './errors.ts'

// Of one process: more than its requests need at once, and few enough for many processes on a server's usual 100.
const CONNECTIONS = 10
const CONNECT_MS = 5_000
// Longer than any change of the definitions waits for those before it; a server that has gone without a word is noticed by it.
const ANSWER_MS = 30_000

const AWAY = 'The Postgres server at DATABASE_URL does not answer'
const ADDRESS = 'postgres://user:password@host:5432/database'

/** What a server that cannot be used says, by the code of its error, in words for whoever set DATABASE_URL. */
const UNUSABLE: readonly (readonly [RegExp, string])[] = [
  [
    /^28/,
    `the Postgres server refuses the user: set DATABASE_URL to an address with the right user and password, ${ADDRESS}.`,
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

// Errors that the driver makes itself carry words instead of a code.
const UNUSABLE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/password must be a string|no password|SASL/i, UNUSABLE[0]![1]],
  [
    /does not support SSL/i,
    'the Postgres server at DATABASE_URL does not speak TLS: leave out sslmode, or turn TLS on at the server.',
  ],
]

// 08: the connection; 53: too many of them, no memory; 57P: it is shut down or starts up; 25006: another server has become the primary.
const isPassing = (code: string) => /^(08|53[023]|57P|25006)/.test(code)

/**
 * What is known of an error: that the server is away, which passes, or the error itself. What the server answers is a
 * `DatabaseError`; anything else came between it and us.
 */
const toRecordsError = (error: unknown): unknown => {
  if (error instanceof DatabaseError && !isPassing(error.code ?? '')) return error
  return new RecordsUnavailable(AWAY, { cause: error })
}

/** What to tell whoever started the process about an error of the first connection, or of the first statements. */
export const toStartError = (error: unknown): unknown => {
  const cause = (error instanceof RecordsUnavailable ? error.cause : error) as
    { code?: string; message?: string } | undefined
  const found =
    UNUSABLE.find(([pattern]) => pattern.test(cause?.code ?? '')) ??
    UNUSABLE_WORDS.find(([pattern]) => pattern.test(cause?.message ?? ''))
  if (found) return new RecordsMismatch(found[1])
  return error instanceof RecordsUnavailable
    ? new RecordsMismatch(
        'the Postgres server at DATABASE_URL does not answer: check the address, and that the server runs.',
      )
    : error
}

// Postgres keeps no text with the character of code 0: as with half a character, the sign for what cannot be shown stands there.
const storable = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd') : value)

/** A connection as Kysely uses it, whose errors say whether the server is away, and which is not used again if it is. */
const guarded = (client: PoolClient) => {
  let broken: RecordsUnavailable | undefined
  return {
    async query(text: string, values: readonly unknown[]) {
      // What comes after, such as an end of the transaction, would wait behind what is not answered.
      if (broken) throw broken
      try {
        return await client.query(text, values.map(storable))
      } catch (error) {
        const known = toRecordsError(error)
        if (known instanceof RecordsUnavailable) broken = known
        throw known
      }
    },
    release: () => client.release(broken !== undefined),
  }
}

/** Kysely over connections to the Postgres database of an address, which are made again when they drop. */
export const postgresDialect = (url: string): PostgresDialect => {
  const pool = new Pool({
    connectionString: url,
    application_name: 'trailmark',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    // 64-bit integers are numbers here, as in SQLite; none of ours comes near 2^53.
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  })
  // A connection that drops is replaced by the next that is needed. Without a listener the process would end.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const connect = async () => {
    try {
      return guarded(await pool.connect())
    } catch (error) {
      throw new RecordsUnavailable(AWAY, { cause: error })
    }
  }
  return new PostgresDialect({ pool: { connect, end: () => pool.end() } as unknown as PostgresPool })
}
