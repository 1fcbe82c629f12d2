import { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

// An escape, the start or end of a string, or an integer with as many digits as one of 256 bits has. A pattern that matches
// whole strings would exceed the stack of the regular expression engine at a few megabytes.
const TOKEN = /(?:\\[^]){1,50}|"|(?<![\d.])-?\d{16,78}(?![\d.eE])/g

// A long number after a character that may precede one outside of strings. Ids of digits in strings follow a quote, and rarely match.
const BEFORE_LONG = /(?:^|[\s[,:])-?\d{16}/

/** Quotes integers beyond 2^53 in JSON text, so that parsing loses no digit. */
export const quoteUnsafeIntegers = (text: string): string => {
  if (!BEFORE_LONG.test(text)) return text
  let isInString = false
  return text.replace(TOKEN, (token) => {
    if (token === '"') isInString = !isInString
    else if (!isInString && !Number.isSafeInteger(Number(token))) return `"${token}"`
    return token
  })
}

/** Quotes integers beyond 2^53 in a stream of JSON lines. */
export const quotingIntegers = (): Transform => {
  const decoder = new StringDecoder()
  let rest = ''
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = rest + decoder.write(chunk)
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      done(null, quoteUnsafeIntegers(text.slice(0, end)))
    },
    flush(done) {
      done(null, quoteUnsafeIntegers(rest + decoder.end()))
    },
  })
}
