import { ApiError } from '../lib/apiError.ts'

/** Maximum characters of an `lz64` body, in base64 and decompressed. Decompression is one step of the event loop. */
export const MAX_LZ64_CHARS = { encoded: 128 * 1024, decoded: 512 * 1024 }

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BITS_PER_DIGIT = 6
/** Values of digits by ASCII code, from 1. 0: not a digit. */
const VALUES = new Uint8Array(128)
for (let value = 0; value < DIGITS.length; value += 1) VALUES[DIGITS.charCodeAt(value)] = value + 1

/** Codes that do not stand for an entry of the dictionary. */
const NEW_BYTE = 0
const NEW_CHAR = 1
const END = 2

const damaged = () =>
  new ApiError('invalid_encoding', {
    detail: 'The body is not valid lz64: it is truncated, corrupt or compressed differently.',
  })
const tooLarge = () =>
  new ApiError('body_too_large', {
    detail: `An lz64 body may have at most ${MAX_LZ64_CHARS.encoded} characters, ${MAX_LZ64_CHARS.decoded} decompressed. Send gzip instead.`,
  })

const createBitReader = (base64: string) => {
  let at = 0
  let digit = 0
  let left = 0
  const nextBit = (): number => {
    if (!left) {
      // Beyond the end the code is NaN, which is not a digit.
      digit = (VALUES[base64.charCodeAt(at)] ?? 0) - 1
      if (digit < 0) throw damaged()
      at += 1
      left = BITS_PER_DIGIT
    }
    left -= 1
    return (digit >> left) & 1
  }
  // Least significant bit first.
  return (bits: number): number => {
    let value = 0
    for (let bit = 0; bit < bits; bit += 1) value |= nextBit() << bit
    return value
  }
}

/**
 * Decompresses the output of `LZString.compressToBase64` of lz-string: LZ78 with codes that grow by a bit each time
 * the dictionary doubles. Throws `ApiError` if the text is corrupt or exceeds `MAX_LZ64_CHARS`.
 */
export const decodeLz64 = (base64: string): string => {
  if (base64.length > MAX_LZ64_CHARS.encoded) throw tooLarge()
  const read = createBitReader(base64)
  // The first three codes are reserved.
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
    // The encoder may use an entry in the step that creates it.
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
