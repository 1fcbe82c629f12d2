import { gunzipSync } from 'node:zlib'
import { Unreadable } from '../readEvents'

// Largest body, unpacked. The service has the same order of limits.
const MAX_BYTES = 64_000_000

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Decodes a body to text: gzip, a form with `data`, base64, or plain. Throws `Unreadable`. */
export const decode = (bytes: Buffer, compression: string | null): string => {
  let text: string
  try {
    text = (isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes).toString()
  } catch (error) {
    throw new Unreadable('invalid_encoding', `The body is damaged gzip: ${(error as Error).message}.`)
  }
  const data = /^data=/.test(text) ? (new URLSearchParams(text).get('data') ?? '') : text
  if (compression === 'lz64') throw new Unreadable('unsupported_compression', 'The collector does not read LZ-string.')
  // `+` of base64 is a blank in a form.
  const packed = data.trim().replaceAll(' ', '+')
  return packed && /^[\w+/]+=*$/.test(packed) && !/^\d+$/.test(packed) ? Buffer.from(packed, 'base64').toString() : data
}
