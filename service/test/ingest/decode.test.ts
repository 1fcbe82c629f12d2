import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import { decode, decodeSmall, MAX_BODY_BYTES, MAX_TEXT_BYTES, parseJson } from '../../src/ingest/decode.ts'
import { MAX_LZ64_CHARS } from '../../src/ingest/lz64.ts'
import { ApiError } from '../../src/lib/apiError.ts'

const JSON_TEXT = '{"event":"é+ 😀 %2B &data=x"}'
const base64 = Buffer.from(JSON_TEXT).toString('base64')
// Made by lz-string 1.5.0: LZString.compressToBase64(JSON_TEXT).
const LZ64 = 'N4IgpgbmB2AuIC4QEuDUACQvBuAA99BSAJgCF0AyAEwENZKBeADxAF8g'
const decodeJson = async (body: Buffer, compression?: string) => parseJson(await decode(body, compression))
const form = (value: string) => Buffer.from(`data=${encodeURIComponent(value)}`)

test.each([
  ['plain JSON', Buffer.from(JSON_TEXT), undefined],
  ['plain JSON with white space and a byte order mark', Buffer.from(`\uFEFF \n${JSON_TEXT}`), undefined],
  ['gzip', gzipSync(JSON_TEXT), undefined],
  ['gzip with its compression parameter', gzipSync(JSON_TEXT), 'gzip-js'],
  ['plain JSON with a gzip parameter', Buffer.from(JSON_TEXT), 'gzip'],
  ['a base64 form', form(base64), 'base64'],
  ['a base64 form without its parameter', form(base64), undefined],
  ['a base64 form with its + unescaped', Buffer.from(`data=${base64}`), 'base64'],
  ['a form with other fields first', Buffer.from(`ip=1&data=${encodeURIComponent(base64)}`), 'base64'],
  ['a form of plain JSON', form(JSON_TEXT), undefined],
  ['a form of gzip in base64', form(gzipSync(JSON_TEXT).toString('base64')), undefined],
  ['base64 alone', Buffer.from(base64), 'base64'],
  ['gzip of a form', gzipSync(form(base64)), undefined],
  [
    'gzip of several members',
    Buffer.concat([gzipSync(JSON_TEXT.slice(0, 9)), gzipSync(JSON_TEXT.slice(9))]),
    undefined,
  ],
  ['a form of lz64', form(LZ64), 'lz64'],
  ['lz64 alone', Buffer.from(LZ64), 'lz64'],
])('decodes %s', async (_, body, compression) => {
  expect(String(await decode(body, compression)).trim()).toBe(JSON_TEXT)
  expect(String(decodeSmall(body, compression)).trim()).toBe(JSON_TEXT)
})

test.each([
  ['an empty body', Buffer.alloc(0), undefined, 'invalid_json'],
  ['text that is not JSON', Buffer.from('hello, world'), undefined, 'invalid_json'],
  ['truncated JSON', Buffer.from('{"event":'), undefined, 'invalid_json'],
  ['truncated gzip', gzipSync(JSON_TEXT).subarray(0, 20), undefined, 'invalid_encoding'],
  [
    'gzip with trailing garbage',
    Buffer.concat([gzipSync(JSON_TEXT), Buffer.from('garbage')]),
    undefined,
    'invalid_encoding',
  ],
  ['another compression', deflateSync(JSON_TEXT), undefined, 'invalid_json'],
  ['an unsupported compression', Buffer.from('x'), 'brotli', 'unsupported_compression'],
  ['truncated lz64', Buffer.from(LZ64.slice(0, 20)), 'lz64', 'invalid_encoding'],
  ['a form that is not URL-encoded', Buffer.from('data=%E0%A4'), undefined, 'invalid_encoding'],
  ['an empty form', Buffer.from('data='), 'base64', 'invalid_json'],
])('rejects %s', async (_, body, compression, code) => {
  await expect(decodeJson(body, compression)).rejects.toBeInstanceOf(ApiError)
  await expect(decodeJson(body, compression)).rejects.toMatchObject({ code })
})

test.each([100, 60_000, 1_100_000, 3_900_000])('reads gzip of a string of %i characters', async (length) => {
  const value = await decodeJson(gzipSync(JSON.stringify({ text: 'x'.repeat(length) })))
  expect((value as { text: string }).text).toHaveLength(length)
})

test('decodes a large gzip body with the compression ratio of events', async () => {
  const line = () =>
    `{"event":"e","uuid":"${Math.random()}${Math.random()}","properties":{"text":"${'word '.repeat(100)}"}}`
  const text = `[${Array.from({ length: 20_000 }, line).join(',')}]`
  expect(text.length).toBeGreaterThan(10_000_000)
  expect(await decode(gzipSync(text))).toHaveLength(text.length)
})

// LZString.compressToBase64('a'.repeat(2_000_000)) of lz-string 1.5.0.
const LZ64_BOMB = readFileSync(join(__dirname, 'support/lz64Bomb.txt'), 'utf8').trim()

test.each<[string, Buffer, string | undefined]>([
  ['gzip that exceeds the limit of a plain body', gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1, ' ')), undefined],
  ['gzip with a compression ratio higher than that of events', gzipSync(Buffer.alloc(10_000_000, '{},')), undefined],
  ['gzip inside a form', form(gzipSync(Buffer.alloc(30_000_000, ' ')).toString('base64')), undefined],
  ['lz64 that exceeds the limit when decompressed', Buffer.from(LZ64_BOMB), 'lz64'],
  ['lz64 over the size limit', Buffer.from('A'.repeat(MAX_LZ64_CHARS.encoded + 1)), 'lz64'],
  ['base64 over the size limit', Buffer.from('A'.repeat(MAX_TEXT_BYTES + 1)), undefined],
])('rejects a body over the limit: %s', async (_, body, compression) => {
  await expect(decode(body, compression)).rejects.toMatchObject({ code: 'body_too_large' })
})
