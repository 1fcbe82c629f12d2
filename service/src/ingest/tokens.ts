import type { NextStep } from '../lib/timeSlices.ts'

/** Maximum project tokens of one body that are looked up. Events of further projects are rejected. */
export const MAX_TOKENS = 100
const MAX_TOKEN_BYTES = 200
// Two for each event that a body may have.
const MAX_FIELDS = 20_000
// More blanks between a name and its value than any JSON writer leaves.
const MAX_BLANKS = 1_000
// Searching this many characters takes less than a millisecond, or a few milliseconds if all are ends of names.
const STEP_BYTES = 128 * 1024

/** The names, and the ends of them by which they are found. JSON is full of quotation marks, so a search for all of a name takes four times as long. */
const NAMES = [
  ['"api_key"', '_key"'],
  ['"token"', 'ken"'],
].map(([name = '', end = '']) => ({ name: Buffer.from(name), end: Buffer.from(end) }))
type Name = (typeof NAMES)[number]

/** Returns the index of a name in `part`, at `from` or later, or -1 if it does not occur. */
const indexOfName = (part: Buffer, { name, end }: Name, from: number): number => {
  const before = name.length - end.length
  for (let at = part.indexOf(end, from + before); at >= 0; at = part.indexOf(end, at + 1)) {
    const start = at - before
    if (part.compare(name, 0, before, start, at) === 0) return start
  }
  return -1
}

const [QUOTE, COLON] = [0x22, 0x3a]
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const skipBlanks = (bytes: Buffer, start: number): number => {
  let at = start
  while (isSpace(bytes[at]) && at - start < MAX_BLANKS) at += 1
  return at
}

/** Returns the string value that follows a name, as in `: "…"`. `undefined`: the value is not a string. */
const valueAt = (bytes: Buffer, afterName: number): string | undefined => {
  const colon = skipBlanks(bytes, afterName)
  if (bytes[colon] !== COLON) return undefined
  const start = skipBlanks(bytes, colon + 1)
  if (bytes[start] !== QUOTE) return undefined
  const length = bytes.subarray(start + 1, start + MAX_TOKEN_BYTES + 1).indexOf(QUOTE)
  return length > 0 ? bytes.toString('utf8', start + 1, start + 1 + length) : undefined
}

/**
 * Yields strings in JSON text that may be project tokens, found by the names of their fields without parsing, and
 * `undefined` after each step without one. Tokens and these names have no characters that a JSON writer escapes.
 */
const scanTokens = function* (bytes: Buffer): Generator<string | undefined> {
  for (const each of NAMES) {
    const { length } = each.name
    let fields = 0
    for (let start = 0; start < bytes.length; start += STEP_BYTES) {
      const part = bytes.subarray(start, start + STEP_BYTES + length - 1)
      for (
        let at = indexOfName(part, each, 0);
        at >= 0 && fields < MAX_FIELDS;
        at = indexOfName(part, each, at + length)
      ) {
        fields += 1
        yield valueAt(bytes, start + at + length)
      }
      yield undefined
    }
  }
}

/** Finds up to `MAX_TOKENS` different project tokens in JSON text, without parsing it. */
export const tokensIn = async (bytes: Buffer, next: NextStep): Promise<string[]> => {
  const tokens = new Set<string>()
  for (const token of scanTokens(bytes)) {
    if (token !== undefined) tokens.add(token)
    if (tokens.size >= MAX_TOKENS) break
    const turn = next()
    if (turn) await turn
  }
  return [...tokens]
}

/** Finds the first project token in the JSON text of one event. */
export const firstTokenIn = (bytes: Buffer): string | undefined => {
  for (const token of scanTokens(bytes)) if (token !== undefined) return token
  return undefined
}
