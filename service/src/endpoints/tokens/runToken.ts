import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DateRange } from './days.ts'

/** A value that a reader may choose. */
export type Choice = string | number | boolean

/** Claims of a run token. Anyone with the token can read them. The signature prevents changes. */
export interface RunTokenClaims {
  /** Token id, a UUID. */
  readonly jti: string
  /** Times of issue (`iat`) and expiry (`exp`), in seconds since the epoch. */
  readonly iat: number
  readonly exp: number
  /** Id of the project, for pages: a run names it in its path. Absent in older tokens. */
  readonly project?: number
  /** Id of the personal API key that issued it. */
  readonly key: string
  readonly endpoints: readonly string[]
  /** Pinned values: the same in each run. */
  readonly variables: Readonly<Record<string, unknown>>
  /** The variables that a run may set. Default: all others. */
  readonly allowed_variables?: readonly string[]
  /** The values that a run may set some variables to. It must set each of them. */
  readonly allowed_values?: Readonly<Record<string, readonly Choice[]>>
  /** The days that a run may read. A run without dates reads all of them. */
  readonly date_range?: DateRange
  readonly runs_per_minute: number
  /** The origins of the pages that may use it. Default: all. */
  readonly origins?: readonly string[]
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

// The only header accepted, so that no token can choose how it is verified (RFC 8725, 3.1).
const HEADER = encode({ alg: 'HS256', typ: 'JWT' })

const signatureOf = (signed: string, secret: string): Buffer => createHmac('sha256', secret).update(signed).digest()

/** Whether a secret has the form of a run token, valid or not. */
export const isRunToken = (secret: string): boolean => secret.startsWith(`${HEADER}.`)

/** Returns the claims as a JSON Web Token (RFC 7519), signed with HMAC-SHA256. */
export const signRunToken = (claims: RunTokenClaims, secret: string): string => {
  const signed = `${HEADER}.${encode(claims)}`
  return `${signed}.${signatureOf(signed, secret).toString('base64url')}`
}

/** Returns the claims of a token that was signed with `secret`, or `undefined` for any other string. */
export const readRunToken = (token: string, secret: string): RunTokenClaims | undefined => {
  const end = token.lastIndexOf('.')
  if (!isRunToken(token) || end < HEADER.length + 1) return undefined
  const given = Buffer.from(token.slice(end + 1), 'base64url')
  const right = signatureOf(token.slice(0, end), secret)
  // Compared as a string too: the same bytes have several encodings in base64url.
  if (
    given.length !== right.length ||
    !timingSafeEqual(given, right) ||
    token.slice(end + 1) !== right.toString('base64url')
  )
    return undefined
  return JSON.parse(Buffer.from(token.slice(HEADER.length + 1, end), 'base64url').toString()) as RunTokenClaims
}
