const SECRET_WORDS =
  /pass(word|wd|code|phrase)|pwd|secret|token|api[-_]?key|auth|credential|private[-_]?key|session|csrf|xsrf|cvv|cvc/i
const DENIED_HEADERS =
  /auth|token|secret|session|api-?key|credential|password|cookie|csrf|xsrf|^x-forwarded-for$|^x-real-ip$|^remote-addr$|^proxy-/i
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g
const BEARER = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi
// `password: x`, `"token":"x"`, `secret=x` in any text.
const NAMED =
  /((?:pass(?:word|wd|code|phrase)?|pwd|secret|token|api[-_]?key|authorization|credential|private[-_]?key|cvv|cvc)["']?\s*[:=]\s*["']?)([^\s"',;&}]+)/gi

const REDACTED = '[redacted]'

/** Returns a text without tokens and without values that it names as secret. */
export const withoutSecrets = (text: string): string =>
  text.replace(JWT, REDACTED).replace(BEARER, `$1 ${REDACTED}`).replace(NAMED, `$1${REDACTED}`)

/** Returns a body that may be recorded: all of it is redacted if it has anything that looks like a secret. */
export const safeBody = (body: string, hasSensitiveNumbers: (text: string) => boolean): string =>
  SECRET_WORDS.test(body) || JWT.test(body) || hasSensitiveNumbers(body) ? REDACTED : body

/** Returns the headers that may be recorded. */
export const safeHeaders = (headers: Iterable<readonly [string, string]>): Record<string, string> =>
  Object.fromEntries(
    [...headers].map(([name, value]) => [name, DENIED_HEADERS.test(name) ? REDACTED : withoutSecrets(value)]),
  )
