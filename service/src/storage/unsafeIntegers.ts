import { Transform } from 'node:stream'

// An escape, the start or end of a string, or an integer with as many digits as one of 256 bits has. A pattern that matches
// whole strings would exceed the stack of the regular expression engine at a few megabytes.
const TOKEN = /(?:\\[^]){1,50}|"|(?<![\d.])-?\d{16,78}(?![\d.eE])/g

// A long number after a character that may precede one outside of strings. Ids of digits in strings follow a quote, and rarely match.
const BEFORE_LONG = /(?:^|[\s[,:])-?\d{16}/

interface Quoted {
  readonly text: string
  /** Whether the text ends inside a string. */
  readonly isInString: boolean
}

const quoteFrom = (text: string, startsInString: boolean): Quoted => {
  let isInString = startsInString
  const quoted = text.replace(TOKEN, (token) => {
    if (token === '"') isInString = !isInString
    else if (!isInString && !Number.isSafeInteger(Number(token))) return `"${token}"`
    return token
  })
  return { text: quoted, isInString }
}

/** Quotes integers beyond 2^53 in JSON text, so that parsing loses no digit. */
export const quoteUnsafeIntegers = (text: string): string =>
  BEFORE_LONG.test(text) ? quoteFrom(text, false).text : text

/** Returns the number of backslashes before an index. */
const slashesBefore = (text: string, index: number): number => {
  let start = index
  while (text[start - 1] === '\\') start -= 1
  return index - start
}

/** Whether lines of JSON end inside a string. */
const endsInString = (text: string, startsInString: boolean): boolean => {
  // A line break in a string is escaped.
  const line = text.lastIndexOf('\n') + 1
  let isInString = line ? false : startsInString
  for (let at = text.indexOf('"', line); at >= 0; at = text.indexOf('"', at + 1))
    if (slashesBefore(text, at) % 2 === 0) isInString = !isInString
  return isInString
}

const PART_OF_NUMBER = /[-+.\deE]/
const MAX_NUMBER = 100

/** Returns where a text can be cut, so that neither a number nor an escape is. */
const endOfTokens = (text: string): number => {
  let end = text.length
  while (end > 0 && text.length - end < MAX_NUMBER && PART_OF_NUMBER.test(text[end - 1]!)) end -= 1
  return end - (slashesBefore(text, end) % 2)
}

/** Quotes integers beyond 2^53 in a stream of JSON lines of any length. */
export const quotingIntegers = (): Transform => {
  let rest = ''
  let isInString = false
  // A character for each byte, because all that matters is ASCII.
  const quote = (text: string): Buffer => {
    const quoted = BEFORE_LONG.test(text)
      ? quoteFrom(text, isInString)
      : { text, isInString: endsInString(text, isInString) }
    isInString = quoted.isInString
    return Buffer.from(quoted.text, 'latin1')
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = rest + chunk.toString('latin1')
      const end = endOfTokens(text)
      rest = text.slice(end)
      done(null, quote(text.slice(0, end)))
    },
    flush(done) {
      done(null, quote(rest))
    },
  })
}
