import { deflateSync, gzipSync } from 'node:zlib'
import { decode, decodeJson, MAX_DECODED_BYTES } from '../../src/ingest/decode.ts'
import { Refusal } from '../../src/lib/refusal.ts'

const JSON_TEXT = '{"event":"é+ 😀 %2B &data=x"}'
const base64 = Buffer.from(JSON_TEXT).toString('base64')
const form = (value: string) => Buffer.from(`data=${encodeURIComponent(value)}`)

test.each([
  ['plain JSON', Buffer.from(JSON_TEXT), undefined],
  ['plain JSON with white space and a byte order mark', Buffer.from(`\uFEFF \n${JSON_TEXT}`), undefined],
  ['gzip', gzipSync(JSON_TEXT), undefined],
  ['gzip that says so', gzipSync(JSON_TEXT), 'gzip-js'],
  ['plain JSON that says gzip', Buffer.from(JSON_TEXT), 'gzip'],
  ['a base64 form', form(base64), 'base64'],
  ['a base64 form that does not say so', form(base64), undefined],
  ['a base64 form with its + unescaped', Buffer.from(`data=${base64}`), 'base64'],
  ['a form with other fields before', Buffer.from(`ip=1&data=${encodeURIComponent(base64)}`), 'base64'],
  ['a form of plain JSON', form(JSON_TEXT), undefined],
  ['a form of gzip in base64', form(gzipSync(JSON_TEXT).toString('base64')), undefined],
  ['base64 alone', Buffer.from(base64), 'base64'],
  ['gzip of a form', gzipSync(form(base64)), undefined],
])('%s is read', async (_, body, compression) => {
  expect((await decode(body, compression)).replace(/^\s+/, '')).toBe(JSON_TEXT)
})

test.each([
  ['nothing', Buffer.alloc(0), undefined, 'invalid_json'],
  ['words', Buffer.from('hello, world'), undefined, 'invalid_json'],
  ['half of an object', Buffer.from('{"event":'), undefined, 'invalid_json'],
  ['gzip that is cut off', gzipSync(JSON_TEXT).subarray(0, 20), undefined, 'invalid_encoding'],
  ['another compression', deflateSync(JSON_TEXT), undefined, 'invalid_json'],
  ['a compression that is not supported', Buffer.from('x'), 'lz64', 'unsupported_compression'],
  ['an empty form', Buffer.from('data='), 'base64', 'invalid_json'],
])('%s is refused', async (_, body, compression, code) => {
  await expect(decodeJson(body, compression)).rejects.toBeInstanceOf(Refusal)
  await expect(decodeJson(body, compression)).rejects.toMatchObject({ code })
})

test.each([100, 60_000, 1_100_000, 20_000_000, MAX_DECODED_BYTES - 100])(
  'a small body is read to its end though its text has %i characters',
  async (length) => {
    const value = await decodeJson(gzipSync(JSON.stringify({ text: 'x'.repeat(length) })))
    expect((value as { text: string }).text).toHaveLength(length)
  },
)

test('a small body that would fill the memory is refused', async () => {
  await expect(decodeJson(gzipSync(Buffer.alloc(70 * 1024 * 1024, ' ')))).rejects.toMatchObject({
    code: 'body_too_large',
  })
})
