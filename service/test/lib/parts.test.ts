import { queryInParts, inParts } from '../../src/lib/parts.ts'

test('splitting strings into parts keeps every string once and in order', () => {
  const texts = Array.from({ length: 20_000 }, (_, n) => `text ${n}`)
  const parts = inParts(texts)
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.flat()).toEqual(texts)
  for (const part of parts) expect(part.length).toBeGreaterThan(0)
})

test('splitting an empty list results in no parts and no queries', async () => {
  expect(inParts([])).toEqual([])
  expect(await queryInParts([], () => Promise.reject(new Error('asked')))).toEqual([])
})

test.each([
  ['plain', 'a'],
  ['a multi-byte character', '漢'],
  ['a character that is escaped with two', '\\'],
  ['a quotation mark', "'"],
])('splitting strings keeps each part within the limit of the engine: %s', (_, sign) => {
  for (const part of inParts(Array.from({ length: 1_000 }, () => sign.repeat(900)))) {
    expect(Buffer.byteLength(`[${part.map((text) => `'${text.replace(/[\\']/g, '\\$&')}'`).join(',')}]`)).toBeLessThan(
      131_072,
    )
  }
})

test('querying in parts joins the results of all parts', async () => {
  const texts = Array.from({ length: 9_000 }, (_, n) => `text number ${n}`)
  expect(await queryInParts(texts, async (part) => part)).toEqual(texts)
})
