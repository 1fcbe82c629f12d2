import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a run token says, which everyone who has it can read and nobody can change. */
export interface RunTokenClaims {
  /** The token's id, a UUID. */
  readonly jti: string
  /** When it was made and until when it is taken, in seconds since the epoch. */
  readonly iat: number
  readonly exp: number
  /** Id of the personal API key that made it. */
  readonly key: string
  readonly endpoints: readonly string[]
  /** Values that hold in each run. */
  readonly variables: Readonly<Record<string, unknown>>
  /** The variables that a run may give. Absent: all others. */
  readonly allowed_variables?: readonly string[]
  readonly runs_per_minute: number
  /** Pages of which sites may use it. Absent: of all. */
  readonly origins?: readonly string[]
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

// The only one that is taken, so no token can choose how it is checked (RFC 8725, 3.1).
const HEADER = encode({ alg: 'HS256', typ: 'JWT' })

const signatureOf = (signed: string, secret: string): Buffer => createHmac('sha256', secret).update(signed).digest()

/** Whether a secret is meant to be a run token, valid or not. */
export const isRunToken = (secret: string): boolean => secret.startsWith(`${HEADER}.`)

/** The claims as a JSON Web Token (RFC 7519), signed with HMAC-SHA256. */
export const signRunToken = (claims: RunTokenClaims, secret: string): string => {
  const signed = `${HEADER}.${encode(claims)}`
  return `${signed}.${signatureOf(signed, secret).toString('base64url')}`
}

/** The claims of a token that `secret` has signed; `undefined` of any other text. */
export const readRunToken = (token: string, secret: string): RunTokenClaims | undefined => {
  const end = token.lastIndexOf('.')
  if (!isRunToken(token) || end < HEADER.length + 1) return undefined
  const given = Buffer.from(token.slice(end + 1), 'base64url')
  const right = signatureOf(token.slice(0, end), secret)
  // As text too: the same bytes have several spellings in base64url.
  if (
    given.length !== right.length ||
    !timingSafeEqual(given, right) ||
    token.slice(end + 1) !== right.toString('base64url')
  )
    return undefined
  return JSON.parse(Buffer.from(token.slice(HEADER.length + 1, end), 'base64url').toString()) as RunTokenClaims
}
