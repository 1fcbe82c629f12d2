import { quoteUnsafeIntegers, quotingIntegers } from '../../src/storage/unsafeIntegers.ts'

test.each([
  ['[1,9007199254740991]', '[1,9007199254740991]'],
  ['[9007199254740993]', '["9007199254740993"]'],
  ['[-18446744073709551615,[12345678901234567890]]', '["-18446744073709551615",["12345678901234567890"]]'],
  ['["12345678901234567890"]', '["12345678901234567890"]'],
  ['["a\\"12345678901234567890"]', '["a\\"12345678901234567890"]'],
  ['[1234567890123456.5,1234567890123456e5]', '[1234567890123456.5,1234567890123456e5]'],
  ['{"12345678901234567890":12345678901234567890}', '{"12345678901234567890":"12345678901234567890"}'],
])('quotes unsafe integers of %s as %s', (text, expected) => {
  expect(quoteUnsafeIntegers(text)).toBe(expected)
})

test('quoting unsafe integers leaves fractions with any number of digits as numbers', () => {
  const text = '[[1.4285714285714286,-0.9999999999999999e-7,0.1111111111111111111,9007199254740993]]'
  expect(JSON.parse(quoteUnsafeIntegers(text))).toEqual([
    [1.4285714285714286, Number('-0.9999999999999999e-7'), Number('0.1111111111111111111'), '9007199254740993'],
  ])
})

test.each([
  ['characters', 'x'],
  ['escapes', '\\n'],
  ['digits', '1'],
])('keeps a string of 20 million %s', (_, part) => {
  const text = `{"long":"${part.repeat(20_000_000)}","id":9007199254740993}`
  expect(quoteUnsafeIntegers(text) === text.replace('9007199254740993}', '"9007199254740993"}')).toBe(true)
})

const LINES = [
  '{"a":12345678901234567890,"b":"12345678901234567890"}',
  '{"a\\\\":-18446744073709551615,"b":"\\"12345678901234567890\\\\\\\\","c":[1.5e300,9007199254740993]}',
  '{"ü😀\u00a0":9007199254740993,"b":"ü\u00a012345678901234567890 😀"}',
  `{"long":"${'x1\\\\"'.replaceAll('"', '\\"').repeat(200)}","id":9007199254740993}`,
].join('\n')

test.each([1, 2, 3, 7, 64, 1_000])('quotes unsafe integers in a stream that is cut every %i bytes', async (bytes) => {
  const stream = quotingIntegers()
  const all = Buffer.from(LINES)
  for (let at = 0; at < all.length; at += bytes) stream.write(all.subarray(at, at + bytes))
  stream.end()
  const expected = LINES.split('\n').map(quoteUnsafeIntegers).join('\n')
  expect((await stream.toArray()).join('')).toBe(expected)
})

test('a stream passes a line of any length on without collecting it', async () => {
  const stream = quotingIntegers()
  const part = Buffer.from('x'.repeat(64_000))
  stream.write('{"long":"')
  for (let at = 0; at < 100; at += 1) {
    stream.write(part)
    // All but the end, which could be a part of a token.
    expect((stream.read() as Buffer).length).toBeGreaterThan(63_000)
  }
  stream.end('"}\n')
  await stream.toArray()
})
