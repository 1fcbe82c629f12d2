/** Most tokens of one body that are looked up; events of further projects are refused. */
export const MAX_TOKENS = 100
const MAX_TOKEN_BYTES = 200
// Two for each event that a body may have.
const MAX_FIELDS = 20_000

const NAMES = ['"api_key"', '"token"'].map((name) => Buffer.from(name))
const [QUOTE, COLON] = [0x22, 0x3a]
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The string that follows a name at `at`, as `: "…"`; `undefined`: there is none. */
const valueAt = (bytes: Buffer, at: number): string | undefined => {
  while (isSpace(bytes[at])) at += 1
  if (bytes[at] !== COLON) return undefined
  at += 1
  while (isSpace(bytes[at])) at += 1
  if (bytes[at] !== QUOTE) return undefined
  const end = bytes.indexOf(QUOTE, at + 1)
  return end > at + 1 && end - at <= MAX_TOKEN_BYTES ? bytes.toString('utf8', at + 1, end) : undefined
}

/**
 * What may be project tokens in JSON text, found by their fields' names without parsing it: at most `MAX_TOKENS`, in the order
 * in which they stand. Tokens and these names have no characters that any writer of JSON escapes.
 */
export const tokensIn = (bytes: Buffer): string[] => {
  const tokens = new Set<string>()
  for (const name of NAMES) {
    let at = bytes.indexOf(name)
    for (let fields = 0; at >= 0 && fields < MAX_FIELDS && tokens.size < MAX_TOKENS; fields += 1) {
      at += name.length
      const token = valueAt(bytes, at)
      if (token !== undefined) tokens.add(token)
      at = bytes.indexOf(name, at)
    }
  }
  return [...tokens]
}
