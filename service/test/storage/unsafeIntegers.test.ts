import { quoteUnsafeIntegers } from '../../src/storage/unsafeIntegers.ts'

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
