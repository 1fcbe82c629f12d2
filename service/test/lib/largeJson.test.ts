import { isShort, parseInSteps, toLargeJson } from '../../src/lib/largeJson.ts'
import { runSteps } from '../../src/lib/timeSlices.ts'

const VALUES: Readonly<Record<string, unknown>> = {
  'a short value': { a: [1, 'x', null, true], b: {} },
  numbers: Array.from({ length: 50_000 }, (_, n) => n / 3),
  texts: Array.from({ length: 20_000 }, (_, n) => `a "quoted" \\ text\n${n}`),
  'empty lists': Array.from({ length: 50_000 }, () => []),
  'distinct keys': Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key "${n}" \\`, n])),
  'one long text': ['\\"'.repeat(100_000), 'after'],
  'long values in a list': [1, Array.from({ length: 20_000 }, (_, n) => [n]), { a: 'x'.repeat(50_000) }, 2],
  'long values in an object': {
    a: 1,
    b: { c: Array.from({ length: 20_000 }, (_, n) => ({ n })) },
    d: 'x'.repeat(50_000),
    e: 2,
  },
  'names of prototypes': JSON.parse(`{"__proto__":{"x":[${'"y",'.repeat(20_000)}1]},"constructor":1}`),
}

describe.each(Object.entries(VALUES))('%s', (_, value) => {
  test.each([undefined, 2])('are parsed like by JSON.parse (indent %s)', (indent) => {
    const text = JSON.stringify(value, undefined, indent)
    expect(runSteps(parseInSteps(text))).toEqual(JSON.parse(text))
    expect(JSON.stringify(runSteps(parseInSteps(text)))).toBe(JSON.stringify(JSON.parse(text)))
  })

  test('are written like by JSON.stringify', async () => {
    expect(Buffer.concat(await toLargeJson(value)).toString()).toBe(JSON.stringify(value))
  })
})

test('no step parses more than a short text, except one long string', () => {
  const lengths: number[] = []
  const text = JSON.stringify(Object.values(VALUES))
  runSteps(
    parseInSteps(text, (part) => {
      lengths.push(part.length)
      return JSON.parse(part)
    }),
  )
  expect(Math.max(...lengths)).toBeLessThan(50_000)
})

test('a long value is written in chunks', async () => {
  const chunks = await toLargeJson(VALUES.texts)
  expect(chunks.length).toBeGreaterThan(5)
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(130_000)
})

test('members that JSON.stringify leaves out are left out, also of a long object', async () => {
  const value = { a: undefined, b: () => 1, c: new Date(0), d: Array.from({ length: 5_000 }, () => undefined) }
  expect(isShort(value)).toBe(false)
  expect(Buffer.concat(await toLargeJson(value)).toString()).toBe(JSON.stringify(value))
})

test.each(['[1,2', '["a', '{"a":[', ''])('a truncated text is rejected: %s', (end) => {
  const text = `[${'1,'.repeat(20_000)}${end}`
  expect(() => runSteps(parseInSteps(text))).toThrow(SyntaxError)
})
