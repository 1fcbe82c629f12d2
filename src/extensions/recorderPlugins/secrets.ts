const SECRET_WORDS =
  /pass(word|wd|code|phrase)|pwd|secret|token|api[-_]?key|auth|credential|private[-_]?key|session|csrf|xsrf|cvv|cvc/i
const DENIED_HEADERS =
  /auth|token|secret|session|api-?key|credential|password|cookie|csrf|xsrf|^x-forwarded-for$|^x-real-ip$|^remote-addr$|^proxy-/i
// The rest is optional, so that no part of a text is searched twice.
const JWT = /\beyJ[\w-]+(\.[\w-]+\.[\w-]*)?/g
const BEARER = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi
// `password: x`, `"token":"x"`, `secret=x` in any text.
const NAMED =
  /((?:pass(?:word|wd|code|phrase)?|pwd|secret|token|api[-_]?key|authorization|credential|private[-_]?key|cvv|cvc)["']?\s*[:=]\s*["']?)([^\s"',;&}]+)/gi

const REDACTED = '[redacted]'

const withoutTokens = (text: string) => text.replace(JWT, (whole, rest?: string) => (rest ? REDACTED : whole))

/** Returns a string without tokens and without the values of secret names. */
export const withoutSecrets = (text: string): string =>
  withoutTokens(text).replace(BEARER, `$1 ${REDACTED}`).replace(NAMED, `$1${REDACTED}`)

/** Returns a body that may be recorded: all of it is redacted if it has anything that looks like a secret. */
export const safeBody = (body: string, hasSensitiveNumbers: (text: string) => boolean): string =>
  SECRET_WORDS.test(body) || withoutTokens(body) !== body || hasSensitiveNumbers(body) ? REDACTED : body

/** Returns the headers that may be recorded. */
export const safeHeaders = (headers: Iterable<readonly [string, string]>): Record<string, string> =>
  Object.fromEntries(
    [...headers].map(([name, value]) => [name, DENIED_HEADERS.test(name) ? REDACTED : withoutSecrets(value)]),
  )
