import { ApiError } from '../lib/apiError.ts'

/** Most characters of an `lz64` body, in base64 and decompressed. Decompression is one step of the event loop. */
export const MAX_LZ64_CHARS = { encoded: 128 * 1024, decoded: 512 * 1024 }

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BITS_PER_DIGIT = 6
/** Value of a digit by its ASCII code; 0 below what is no digit, so values count from 1. */
const VALUES = new Uint8Array(128)
for (let value = 0; value < DIGITS.length; value += 1) VALUES[DIGITS.charCodeAt(value)] = value + 1

/** Codes that stand for something else than an entry of the dictionary. */
const NEW_BYTE = 0
const NEW_CHAR = 1
const END = 2

const damaged = () =>
  new ApiError('invalid_encoding', { detail: 'The body is not lz64: it is cut off, damaged or compressed otherwise.' })
const tooLarge = () =>
  new ApiError('body_too_large', {
    detail: `An lz64 body has at most ${MAX_LZ64_CHARS.encoded} characters, ${MAX_LZ64_CHARS.decoded} decompressed. Send gzip instead.`,
  })

const createBitReader = (base64: string) => {
  let at = 0
  let digit = 0
  let left = 0
  const nextBit = (): number => {
    if (!left) {
      // Beyond the end the code is NaN, and no digit.
      digit = (VALUES[base64.charCodeAt(at)] ?? 0) - 1
      if (digit < 0) throw damaged()
      at += 1
      left = BITS_PER_DIGIT
    }
    left -= 1
    return (digit >> left) & 1
  }
  // The lowest bit comes first.
  return (bits: number): number => {
    let value = 0
    for (let bit = 0; bit < bits; bit += 1) value |= nextBit() << bit
    return value
  }
}

/**
 * Decompresses what `LZString.compressToBase64` of lz-string makes: LZ78, whose codes get a bit longer each time the
 * dictionary has doubled. Throws `ApiError` if the text is damaged, or larger than `MAX_LZ64_CHARS`.
 */
export const decodeLz64 = (base64: string): string => {
  if (base64.length > MAX_LZ64_CHARS.encoded) throw tooLarge()
  const read = createBitReader(base64)
  // The first three codes are not entries.
  const entries = ['', '', '']
  const parts: string[] = []
  let length = 0
  let bits = 2
  let untilLonger = 1
  let previous = ''
  const grow = () => {
    untilLonger -= 1
    if (untilLonger > 0) return
    untilLonger = 2 ** bits
    bits += 1
  }
  for (let code = read(bits); code !== END; code = read(bits)) {
    if (code === NEW_BYTE || code === NEW_CHAR) {
      entries.push(String.fromCharCode(read(code === NEW_BYTE ? 8 : 16)))
      code = entries.length - 1
      grow()
    }
    // The encoder may use an entry in the step that makes it.
    const entry = entries[code] ?? (code === entries.length && previous ? previous + previous[0]! : '')
    if (!entry) throw damaged()
    length += entry.length
    if (length > MAX_LZ64_CHARS.decoded) throw tooLarge()
    parts.push(entry)
    if (previous) {
      entries.push(previous + entry[0]!)
      grow()
    }
    previous = entry
  }
  return parts.join('')
}
