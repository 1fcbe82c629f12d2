import { cleanText } from '../../src/mcp/cleanText.ts'
import { fit, MAX_ANSWER } from '../../src/mcp/fit.ts'

const SOURCE = { request: 'GET /' }

describe('cleanText', () => {
  test.each([
    ['plain', 'plain'],
    ['Ärger 日本 😀', 'Ärger 日本 😀'],
    ['a\nb\u0000', 'a\\u{a}b\\u{0}'],
    ['\u202eabc\u2066', '\\u{202e}abc\\u{2066}'],
    ['z\u200be\u2060r\ufeffo', 'z\\u{200b}e\\u{2060}r\\u{feff}o'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['half \ud83d', 'half \\u{d83d}'],
    ['from ann.lee+x@example.com to', 'from ***@example.com to'],
    ['https://a.example/?mail=ann%40example.com&b=1', 'https://a.example/?mail=***%40example.com&b=1'],
    ['{"email":"ann@example.com"}', '{"email":"***@example.com"}'],
  ])('%j becomes %j', (text, clean) => expect(cleanText(text)).toBe(clean))

  test('long texts end with …, and show no beginning of a mail address', () => {
    expect(cleanText('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`)
    expect(cleanText('x'.repeat(100_000))).toBe(`${'x'.repeat(199)}…`)
    expect(cleanText('😀'.repeat(150))).toMatch(/^(?:😀)+…$/u)
    // Masking shortens the text, so that its end is shown.
    const mails = 'annabelle.of.a.very.long.name.indeed@x.de '.repeat(200)
    for (let at = 0; at < 60; at += 1) expect(cleanText(' '.repeat(at) + mails)).not.toContain('anna')
  })
})

describe('fit', () => {
  const lengthOf = (value: object) => JSON.stringify(value).length

  test('whole answers are not marked', () => {
    expect(fit({ source: SOURCE, results: [[1, 'a']], facts: { columns: ['n', 's'] } })).toEqual({
      source: SOURCE,
      columns: ['n', 's'],
      total: 1,
      shown: 1,
      is_cut: false,
      results: [[1, 'a']],
    })
  })

  test.each<[string, readonly unknown[]]>([
    ['many rows', Array.from({ length: 5_000 }, (_, n) => [n, 'x'.repeat(50)])],
    ['few long lines', Array.from({ length: 3 }, () => ({ data: Array.from({ length: 9_000 }, (_, n) => n) }))],
    ['one wide row', [Array.from({ length: 500 }, () => 'x'.repeat(300))]],
    ['deep values', [{ a: { b: { c: Array.from({ length: 20_000 }, () => 'deep') } } }]],
    [
      'names that are long',
      [Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`${n}${'k'.repeat(400)}`, 'v'.repeat(400)]))],
    ],
    ['characters that are escaped', Array.from({ length: 900 }, () => ['"\\\u0001'.repeat(60)])],
  ])('an answer with %s fits, and says that it is cut', (_, results) => {
    const answer = fit({ source: SOURCE, results })
    expect(lengthOf(answer)).toBeLessThanOrEqual(MAX_ANSWER)
    expect(answer).toMatchObject({ total: results.length, shown: answer.results.length, is_cut: true })
    expect(answer.note).toContain('Cut')
  })

  test('long arguments are not repeated', () => {
    const source = { request: 'POST /', body: { text: 'x'.repeat(100_000) } }
    const answer = fit({ source, results: [1] })
    expect(lengthOf(answer)).toBeLessThan(1_000)
    expect(answer.results).toEqual([1])
  })

  test('an unknown total is null', () => {
    expect(fit({ source: SOURCE, results: [1], total: null })).toMatchObject({ total: null, is_cut: true, shown: 1 })
  })
})
