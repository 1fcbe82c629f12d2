import { isDeeperThan, storableJson } from '../../src/lib/storableJson.ts'

test.each([
  [
    'ordinary values',
    { a: 1, b: 'x', c: [true, null, 1.5], d: { e: {} } },
    '{"a":1,"b":"x","c":[true,null,1.5],"d":{"e":{}}}',
  ],
  ['a safe integer', { n: Number.MAX_SAFE_INTEGER }, '{"n":9007199254740991}'],
  ['an integer beyond the engine', { n: 2 ** 64 }, '{"n":1.8446744073709552e+19}'],
  ['an integer beyond the engine, negative', [-(2 ** 63)], '[-9.223372036854776e+18]'],
  ['a lone surrogate', { 'k\ud800': 'v\udc00!' }, '{"k\ufffd":"v\ufffd!"}'],
  ['a whole surrogate pair', { n: 2 ** 64, e: '😀' }, '{"n":1.8446744073709552e+19,"e":"😀"}'],
  ['many digits in a string', { n: '12345678901234567890' }, '{"n":"12345678901234567890"}'],
  ['a prototype by name', JSON.parse('{"__proto__":{"a":1},"n":1e30}'), '{"__proto__":{"a":1},"n":1e+30}'],
])('formats for storage: %s', (_, value, text) => {
  expect(storableJson(value)).toBe(text)
})

test.each([
  [1, 0, false],
  [{}, 0, true],
  [{ a: 1 }, 1, false],
  [{ a: { b: 1 } }, 1, true],
  [[[1]], 2, false],
  [[[[]]], 2, true],
])('tests whether %j is nested deeper than %i: %p', (value, levels, expected) => {
  expect(isDeeperThan(value, levels)).toBe(expected)
})
