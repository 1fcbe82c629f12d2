import { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Quotes integers beyond 2^53 in JSON text, so that parsing loses no digit. */
export const quoteUnsafeIntegers = (text: string): string =>
  /\d{16}/.test(text)
    ? text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (token) =>
        token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
      )
    : text

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
