import { sanitizeCss } from '../../../src/extensions/recorder/sanitize/css'
import { hashData } from '../../../src/extensions/recorder/sanitize/text'
import { safeBody, withoutSecrets } from '../../../src/extensions/recorderPlugins/secrets'

const BLANKS = ' '.repeat(50_000)
const WORD = 'a'.repeat(60_000)
const redact = (text: string) => text

// CPU time. In linear time some ms, in quadratic time several seconds.
test.each<[string, () => unknown]>([
  ['an endless URL', () => sanitizeCss(`a { background: url(${BLANKS}`)],
  ['many endless URLs', () => sanitizeCss('url('.repeat(60_000), redact)],
  ['dashes', () => sanitizeCss('-'.repeat(100_000))],
  ['a long value of a variable', () => sanitizeCss(`--a: ${WORD}`)],
  ['a long class', () => hashData(WORD)],
  ['a long class of digits of one kind', () => hashData(`${'f'.repeat(80_000)}`)],
  ['the starts of many tokens', () => withoutSecrets('eyJa-'.repeat(30_000))],
])('sanitizes hostile text in linear time: %s', (_, sanitize) => {
  const since = process.cpuUsage()
  sanitize()
  expect(process.cpuUsage(since).user / 1_000).toBeLessThan(1_500)
})

test('safeBody redacts tokens in each of several bodies', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  const bodies = [`{"some": "text before", "jwt": "${token}"}`, `{"jwt": "${token}"}`, `{"jwt": "${token}"}`]
  for (const body of bodies) expect(safeBody(body, () => false)).toBe('[redacted]')
  expect(safeBody('{"jwt": "none"}', () => false)).toBe('{"jwt": "none"}')
})

test('sanitizeCss removes everything after an unclosed url()', () => {
  expect(sanitizeCss('a { background: url(https://shop.example/ann@example.com')).toBe('a { background: url()')
  expect(sanitizeCss('a { fill: url( #mark ) }')).toContain('#mark')
})
