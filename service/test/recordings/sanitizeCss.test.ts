import { parse, walk } from 'css-tree'
import fc from 'fast-check'
import { sanitize } from '../../src/recordings/sanitize.ts'
import { sanitizeCss } from '../../src/recordings/sanitizeCss.ts'

const EVIL = 'http://evil.test/x'
const IMAGE = 'data:image/png;base64,AA=='

test.each([
  [`a { b: u\\rl(${EVIL}) }`, 'a { b: url() }'],
  [`a { b: \\55\\000052 l("${EVIL}") }`, 'a { b: url() }'],
  [`@im\\port "${EVIL}"; a { b: c }`, ' a { b: c }'],
  [`@import url(${EVIL}) layer(x) supports(a: b);a { b: c }`, 'a { b: c }'],
  [`@namespace x url(${EVIL});a { b: c }`, 'a { b: c }'],
  [`a { b: i\\mage-set("${EVIL}" 1x) }`, `a { b: none("${EVIL}" 1x) }`],
  [`a { b: -webkit-cross-fade(url(${EVIL}), red) }`, 'a { b: none(url(), red) }'],
  [`a { --x: "${EVIL}"; b: image(var(--x)) }`, `a { --x: "${EVIL}"; b: none(var(--x)) }`],
  [`a { --x: url(${EVIL}) }`, 'a { --x: url() }'],
  [`@font-face { src: url(${EVIL}), src("${EVIL}") }`, `@font-face { src: url(), none("${EVIL}") }`],
  [`a { b: url("${IMAGE}" x) }`, 'a { b: url() }'],
  [`a { b: url(/**/"${IMAGE}") }`, 'a { b: url() }'],
  [`a { b: url( "${IMAGE}" /* c */ ) }`, `a { b: url( "${IMAGE}" /* c */ ) }`],
  [`a { b: url(${EVIL}`, 'a { b: url()'],
  [`a { b: url("${EVIL}`, 'a { b: url()'],
  // What is dropped leaves no gap in which two parts become one.
  [`a { b: ur@import x;l(${EVIL}) }`, `a { b: ur/**/l(${EVIL}) }`],
  [
    '.bg-\\[url\\(x\\)\\] { content: "url(x)" } /* url(x) */',
    '.bg-\\[url\\(x\\)\\] { content: "url(x)" } /* url(x) */',
  ],
])('%s becomes %s', (css, safe) => expect(sanitizeCss(css)).toBe(safe))

/** What a style sheet loads, as a parser sees it. */
const loadedBy = (css: string): string[] => {
  const found: string[] = []
  walk(parse(css, { parseCustomProperty: true }), (node) => {
    if (node.type === 'Url' && !/^(?:data:image\/|#|$)/.test(node.value.trim())) found.push(`url ${node.value}`)
    if (
      node.type === 'Function' &&
      /^(?:url|src|image|image-set|-webkit-image-set|cross-fade)$/i.test(decoded(node.name))
    )
      found.push(`${node.name}(`)
    if (node.type === 'Atrule' && /^(?:import|namespace)$/i.test(decoded(node.name))) found.push(`@${node.name}`)
    if (node.type === 'Raw' && /url\s*\(\s*["']?http/i.test(node.value)) found.push(node.value)
  })
  return found
}

const decoded = (name: string) =>
  name.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex?: string, plain?: string) =>
    hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : plain!,
  )

const HEX = /[0-9a-f]/i
/** A letter in one of the ways in which CSS writes it. */
const written = (letter: string) =>
  fc.constantFrom(
    letter,
    letter.toUpperCase(),
    ...(HEX.test(letter) ? [] : [`\\${letter}`]),
    `\\${letter.charCodeAt(0).toString(16)} `,
    `\\${letter.charCodeAt(0).toString(16).padStart(6, '0')}`,
    `\\${letter.toUpperCase().charCodeAt(0).toString(16)}\n`,
  )
const spelled = (word: string) =>
  fc
    .tuple(...[...word].map((sign) => (/[a-z]/.test(sign) ? written(sign) : fc.constant(sign))))
    .map((all) => all.join(''))

const part = fc.oneof(
  ...['url(', 'image-set(', 'src(', '-webkit-cross-fade(', '@import ', '@namespace '].map(spelled),
  fc.constantFrom(
    EVIL,
    `"${EVIL}"`,
    `'${EVIL}'`,
    IMAGE,
    `"${IMAGE}"`,
    ')',
    ';',
    '{',
    '}',
    '[',
    ']',
    ' ',
    '\n',
    '\f',
    '\0',
  ),
  fc.constantFrom(
    'a',
    'ur',
    'l(',
    '/*',
    '*/',
    '"',
    "'",
    '\\',
    '\\\n',
    ':',
    ',',
    'var(--x)',
    '--x:',
    '@media x {',
    '#',
    '-',
  ),
)

test('no spelling of anything that loads is left, and sanitizing again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      for (const css of [parts.join(''), `a { b: ${parts.join('')} }`]) {
        const safe = sanitizeCss(css)
        expect(sanitizeCss(safe)).toBe(safe)
        expect(loadedBy(safe)).toEqual([])
      }
    }),
    { numRuns: 1_000 },
  )
})

test('the check of the test above finds what loads', () => {
  expect(loadedBy(`a { b: url(${EVIL}) } @import "x"; c { d: image-set("x" 1x) }`)).toHaveLength(3)
})

describe('where styles may be', () => {
  const css = `u\\rl(${EVIL})`
  const element = (tagName: string, attributes: object, childNodes: object[] = []) => ({
    type: 2,
    id: 5,
    tagName,
    attributes,
    childNodes,
  })
  const snapshot = (node: object) =>
    JSON.stringify(sanitize({ type: 2, timestamp: 1, data: { node: { type: 0, id: 1, childNodes: [node] } } }))
  const incremental = (data: object) => JSON.stringify(sanitize({ type: 3, timestamp: 1, data }))

  test.each([
    'style',
    'mask',
    'filter',
    'clip-path',
    'fill',
    'stroke',
    'cursor',
    'marker-end',
    'xml:base',
    'mask-image',
  ])('the attribute %s', (name) => {
    expect(snapshot(element('rect', { [name]: css }))).not.toContain('evil')
    expect(incremental({ source: 0, attributes: [{ id: 5, attributes: { [name]: css } }] })).not.toContain('evil')
  })
  test.each(['srcset', 'imagesrcset', 'archive'])('the second URL of %s', (name) =>
    expect(snapshot(element('img', { [name]: `${IMAGE} 1x, ${EVIL} 2x` }))).not.toContain('evil'),
  )
  test.each(['style', 'svg:style', 'SVG:STYLE'])('the text of <%s>', (tag) =>
    expect(snapshot(element(tag, {}, [{ type: 3, id: 6, textContent: `a { b: ${css} }` }]))).not.toContain('evil'),
  )
  test.each([
    ['text added to a style', { source: 0, adds: [{ parentId: 5, node: { type: 3, id: 6, textContent: css } }] }],
    ['changed text of a style', { source: 0, texts: [{ id: 6, value: css }] }],
    [
      'a change of the style attribute',
      { source: 0, attributes: [{ id: 5, attributes: { style: { mask: [css, ''] } } }] },
    ],
    ['a rule', { source: 8, id: 5, adds: [{ rule: `a { b: ${css} }` }] }],
    ['a replaced style sheet', { source: 8, id: 5, replaceSync: css }],
    ['a declaration', { source: 13, id: 5, set: { property: 'mask', value: css } }],
    ['an adopted style sheet', { source: 15, id: 5, styles: [{ styleId: 1, rules: [{ rule: css }] }] }],
  ])('%s', (_, data) => expect(incremental(data)).not.toContain('evil'))

  test.each(['class', 'id', 'title', 'data-x', 'aria-label'])('%s is text', (name) =>
    expect(snapshot(element('p', { [name]: 'bg-[url(a.png)]' }))).toContain('bg-[url(a.png)]'),
  )
})
