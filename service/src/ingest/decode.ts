import { createGunzip, gunzipSync } from 'node:zlib'
import { ApiError } from '../lib/apiError.ts'
import { concatInSteps } from '../lib/concatInSteps.ts'
import { type NextStep, WITHOUT_PAUSE } from '../lib/timeSlices.ts'
import { decodeLz64 } from './lz64.ts'

/** Maximum bytes of one body, both as sent and decompressed. */
export const MAX_BODY_BYTES = 20 * 1024 * 1024

/** Maximum compression ratio of bodies that decompress to more than `FREE_BYTES`. */
export const MAX_RATIO = 100
export const FREE_BYTES = 4 * 1024 * 1024

/** Maximum bytes of a form or base64 body, which is decoded in one step of the event loop. */
export const MAX_TEXT_BYTES = 1024 * 1024

/**
 * Bodies up to this size, and up to `MAX_SMALL_INFLATED` decompressed, are read immediately. Larger ones wait for their
 * turn.
 */
export const MAX_SMALL_BYTES = 64 * 1024
export const MAX_SMALL_INFLATED = 256 * 1024

const CHUNK = { chunkSize: 64 * 1024 }

// Accepted values of the parameter. The bytes decide the format, except between base64 and lz64, which look alike.
const KNOWN_COMPRESSIONS = new Set(['', 'gzip', 'gzip-js', 'base64', 'lz64'])

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

// For a small body, another thread and a stream cost several times as much as decompressing it.
const unzipSmall = (bytes: Buffer): Buffer | undefined => {
  try {
    return gunzipSync(bytes, { ...CHUNK, maxOutputLength: MAX_SMALL_INFLATED })
  } catch {
    return undefined // `unzip` reports the error, if there is one
  }
}

const unzip = async (bytes: Buffer, maxBytes: number, next: NextStep): Promise<Buffer> => {
  const maxDecompressed = Math.min(maxBytes, Math.max(FREE_BYTES, bytes.length * MAX_RATIO))
  const chunks: Buffer[] = []
  let length = 0
  const stream = createGunzip(CHUNK)
  stream.end(bytes)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxDecompressed) break
      chunks.push(chunk)
    }
  } catch {
    throw new ApiError('invalid_encoding', {
      detail: 'The gzip body cannot be decompressed: it is truncated or corrupt.',
    })
  }
  if (length > maxDecompressed)
    throw new ApiError('body_too_large', {
      detail: `The body decompresses to more than ${maxDecompressed} bytes. Send it in parts.`,
    })
  return concatInSteps(chunks, next)
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
const withoutMark = (bytes: Buffer) =>
  bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes

const isSpace = (byte: number | undefined) => byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)

const startsLikeJson = (bytes: Buffer): boolean => {
  let at = 0
  while (isSpace(bytes[at]) && at < MAX_TEXT_BYTES) at += 1
  return bytes[at] === 0x5b || bytes[at] === 0x7b
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

const noEncoding = () => new ApiError('invalid_json', { detail: 'The body is not JSON, gzip, base64 or lz64.' })

const PLUS = 0x2b
const SPACE = 0x20

/** Replaces a byte everywhere. `String.replace` takes 60 ms for a million matches. */
const replaceByte = (bytes: Buffer, from: number, to: number): Buffer => {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === from) bytes[at] = to
  return bytes
}

/** Returns the form field `data`. `undefined`: not a form with this field. */
const dataOf = (text: string): string | undefined => {
  const start = text.startsWith('data=') ? 0 : text.indexOf('&data=') + 1
  if (!start && !text.startsWith('data=')) return undefined
  const end = text.indexOf('&', start)
  const value = text.slice(start + 'data='.length, end < 0 ? undefined : end)
  try {
    return decodeURIComponent(replaceByte(Buffer.from(value), PLUS, SPACE).toString())
  } catch {
    throw new ApiError('invalid_encoding', { detail: 'The form field "data" is not URL-encoded UTF-8.' })
  }
}

/** Returns the bytes inside a form or base64. */
const unwrap = (bytes: Buffer, compression: string): Buffer => {
  if (bytes.length > MAX_TEXT_BYTES)
    throw new ApiError('body_too_large', {
      detail: `A form or base64 body may have at most ${MAX_TEXT_BYTES} bytes. Send gzip or plain JSON instead.`,
    })
  const text = bytes.toString('utf8').trim()
  const data = dataOf(text) ?? text
  const plain = Buffer.from(data)
  if (startsLikeJson(plain)) return plain
  // An unescaped + of base64 decodes to a space in a form.
  const value = replaceByte(plain, SPACE, PLUS).toString()
  if (!BASE64.test(value)) throw noEncoding()
  return compression === 'lz64' ? Buffer.from(decodeLz64(value)) : Buffer.from(value, 'base64')
}

const checkCompression = (compression: string) => {
  if (KNOWN_COMPRESSIONS.has(compression)) return
  throw new ApiError('unsupported_compression', {
    detail: `compression=${compression.slice(0, 20)} is not supported. Send gzip, base64, lz64 or plain JSON.`,
    attr: 'compression',
  })
}

/** Decodes a small body like `decode`, in one step. Returns `undefined` if the body is large or corrupt. */
export const decodeSmall = (body: Buffer, compression = ''): Buffer | undefined => {
  checkCompression(compression)
  if (body.length > MAX_SMALL_BYTES) return undefined
  const bytes = isGzip(body) ? unzipSmall(body) : body
  if (!bytes || startsLikeJson(withoutMark(bytes))) return bytes && withoutMark(bytes)
  const inner = unwrap(bytes, compression)
  return isGzip(inner) ? unzipSmall(inner) : inner
}

/**
 * Returns the JSON of a body as bytes. The body may be gzip, a form with `data` in base64 or lz64, base64 or plain
 * JSON. The content type is ignored, because beacons and `fetch` send one that avoids a preflight. Gzip is decompressed
 * in another thread. Throws `ApiError`.
 */
export const decode = async (
  body: Buffer,
  compression = '',
  { maxBytes = MAX_BODY_BYTES, next = WITHOUT_PAUSE }: { readonly maxBytes?: number; readonly next?: NextStep } = {},
): Promise<Buffer> => {
  checkCompression(compression)
  const bytes = withoutMark(isGzip(body) ? await unzip(body, maxBytes, next) : body)
  if (startsLikeJson(bytes)) return bytes
  const inner = unwrap(bytes, compression)
  return isGzip(inner) ? unzip(inner, maxBytes, next) : inner
}

export const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new ApiError('invalid_json')
  }
}
