import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { Refusal } from '../lib/refusal.ts'

/** Most bytes that one body may have after decompression. */
export const MAX_DECODED_BYTES = 64 * 1024 * 1024

const inflate = promisify(gunzip)

// The parameter's values in use (protocol.md §4.3, §4.11). The bytes decide, the name only says what is not understood.
const KNOWN_COMPRESSIONS = new Set(['', 'gzip', 'gzip-js', 'base64'])

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

// What a page sends at a time. To hand it to another thread, and to take what it gives back piece by piece, costs several
// times as much as the work, which takes no longer than reading the events does.
const MAX_SMALL_BYTES = 64 * 1024
const SMALL = { chunkSize: 64 * 1024, maxOutputLength: 1024 * 1024 }

/** `undefined`: it is not small, or damaged. */
const unzipSmall = (bytes: Buffer): Buffer | undefined => {
  if (bytes.length > MAX_SMALL_BYTES) return undefined
  try {
    return gunzipSync(bytes, SMALL)
  } catch {
    return undefined // the other way says what is wrong, if anything is
  }
}

const unzip = async (bytes: Buffer): Promise<Buffer> => {
  try {
    return unzipSmall(bytes) ?? (await inflate(bytes, { maxOutputLength: MAX_DECODED_BYTES }))
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw new Refusal('body_too_large')
    throw new Refusal('invalid_encoding', {
      detail: 'The body begins like gzip and cannot be decompressed: it is cut off or damaged.',
    })
  }
}

const startsLikeJson = (text: string) => /^\s*[[{]/.test(text)

const IS_FORM = /^(?:[^=&]*=[^&]*&)*data=/
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/**
 * The JSON text of a body, however it was sent: gzip, a form's `data` in base64, base64 alone, or plain.
 * The content type is not consulted: beacons and `fetch` send what keeps a request free of a preflight.
 * Throws `Refusal`.
 */
export const decode = async (body: Buffer, compression = ''): Promise<string> => {
  if (!KNOWN_COMPRESSIONS.has(compression)) {
    throw new Refusal('unsupported_compression', {
      detail: `compression=${compression.slice(0, 20)} is not supported: send gzip, base64 or plain JSON.`,
      attr: 'compression',
    })
  }
  const bytes = isGzip(body) ? await unzip(body) : body
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (startsLikeJson(text)) return text
  const data = IS_FORM.test(text) ? new URLSearchParams(text).get('data') : text.trim()
  if (data && startsLikeJson(data)) return data
  // An unescaped + of base64 reads as the space that it means in a form.
  const value = data?.replace(/ /g, '+')
  if (!value || !BASE64.test(value))
    throw new Refusal('invalid_json', { detail: 'The body is neither JSON nor gzip nor base64 of either.' })
  const inner = Buffer.from(value, 'base64')
  return (isGzip(inner) ? await unzip(inner) : inner).toString('utf8')
}

/** The value of a body as `decode` reads it. Throws `Refusal` if its text is not JSON. */
export const decodeJson = async (body: Buffer, compression?: string): Promise<unknown> => {
  const text = await decode(body, compression)
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('invalid_json')
  }
}
