import { queryInParts, inParts } from '../../src/lib/parts.ts'

test('every text is in one part, in order', () => {
  const texts = Array.from({ length: 20_000 }, (_, n) => `text ${n}`)
  const parts = inParts(texts)
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.flat()).toEqual(texts)
  for (const part of parts) expect(part.length).toBeGreaterThan(0)
})

test('nothing is no part, and is not asked about', async () => {
  expect(inParts([])).toEqual([])
  expect(await queryInParts([], () => Promise.reject(new Error('asked')))).toEqual([])
})

test.each([
  ['plain', 'a'],
  ['of several bytes', '漢'],
  ['that the engine is told as two signs', '\\'],
  ['quotation marks', "'"],
])('no part is larger than the engine takes: %s', (_, sign) => {
  for (const part of inParts(Array.from({ length: 1_000 }, () => sign.repeat(900)))) {
    expect(Buffer.byteLength(`[${part.map((text) => `'${text.replace(/[\\']/g, '\\$&')}'`).join(',')}]`)).toBeLessThan(
      131_072,
    )
  }
})

test('the answers of all parts come together', async () => {
  const texts = Array.from({ length: 9_000 }, (_, n) => `text number ${n}`)
  expect(await queryInParts(texts, async (part) => part)).toEqual(texts)
})
