import fc from 'fast-check'
import { sanitize } from '../../src/recordings/sanitize.ts'

const EVIL = 'http://evil.test/x'

const element = (tagName: string, attributes: object = {}, childNodes: object[] = []) => ({
  type: 2,
  id: 5,
  tagName,
  attributes,
  childNodes,
})
const snapshot = (...nodes: object[]) => ({
  type: 2,
  timestamp: 1,
  data: { node: { type: 0, id: 1, childNodes: nodes }, initialOffset: { top: 0, left: 0 } },
})
const nodesOf = (...nodes: object[]): any[] => (sanitize(snapshot(...nodes))!.data as any).node.childNodes
const attributesOf = (attributes: object, tagName = 'p') => nodesOf(element(tagName, attributes))[0].attributes
const incremental = (data: object) => sanitize({ type: 3, timestamp: 1, data })?.data as any

test.each([
  'script',
  'SCRIPT',
  'svg:script',
  'base',
  'object',
  'embed',
  'applet',
  'frame',
  'frameset',
  'animate',
  'set',
  '<img src=x>',
  '',
  '1',
])('replaces the element %j by an empty one with the same id', (tagName) => {
  expect(nodesOf(element(tagName, { src: EVIL }, [{ type: 3, id: 6, textContent: 'run()' }]))).toEqual([
    { type: 2, id: 5, tagName: 'noscript', attributes: {}, childNodes: [] },
  ])
})

test.each<[string, unknown]>([
  ['onclick', 'run()'],
  ['ONERROR', 'run()'],
  ['srcdoc', '<script>'],
  ['http-equiv', 'refresh'],
  ['action', EVIL],
  ['formaction', EVIL],
  ['ping', EVIL],
  ['target', '_top'],
  ['src', EVIL],
  ['src', '//evil.test'],
  ['src', 'data:text/html,<script>'],
  ['srcset', `${EVIL} 2x`],
  ['poster', EVIL],
  ['src', [EVIL]],
  ['src', { a: EVIL }],
  ['background', EVIL],
  ['data', EVIL],
  ['rr_dataURL', EVIL],
  ['title', ' java\tscript:run()'],
  ['title', '\u0000vbscript:run()'],
  ['a b', '1'],
  ['"><script>', '1'],
])('drops the attribute %s=%j', (name, value) => {
  expect(attributesOf({ [name]: value, id: 'kept' })).toEqual({ id: 'kept' })
})

test.each<[object, object]>([
  [{ href: EVIL }, { href: '#' }],
  [{ href: 'javascript:run()' }, { href: '#' }],
  [
    { href: '#part', 'xlink:href': '#icon' },
    { href: '#part', 'xlink:href': '#icon' },
  ],
  [{ src: 'data:image/png;base64,AAAA' }, { src: 'data:image/png;base64,AAAA' }],
  [
    { rr_width: '10px', rr_scrollTop: 5, checked: true, class: 'a', 'data-x': 'y', 'aria-label': 'z' },
    { rr_width: '10px', rr_scrollTop: 5, checked: true, class: 'a', 'data-x': 'y', 'aria-label': 'z' },
  ],
  [{ style: `color: red; background: url(${EVIL})` }, { style: 'color: red; background: url()' }],
  [
    { style: { background: [`URL("${EVIL}")`, 'important'], color: 'red', top: false } },
    { style: { background: ['url()', 'important'], color: 'red', top: false } },
  ],
])('turns the attributes %j into %j', (attributes, expected) => {
  expect(attributesOf(attributes)).toEqual(expected)
})

test('links keep only style sheets whose rules were recorded', () => {
  expect(nodesOf(element('link', { rel: 'stylesheet', href: EVIL }))[0].attributes).toEqual({})
  expect(nodesOf(element('link', { rel: 'stylesheet', href: EVIL, _cssText: 'p { color: red }' }))[0]).toMatchObject({
    tagName: 'link',
    attributes: { rel: 'stylesheet', href: '#', _cssText: 'p { color: red }' },
  })
})

test.each([
  [`@import url(${EVIL}); p { color: red }`, ' p { color: red }'],
  [`@\\69mport "${EVIL}"`, ''],
  [`p { background: u\\72 l(${EVIL}) }`, 'p { background: url() }'],
  [`p { background: image-set("${EVIL}" 1x) }`, `p { background: none("${EVIL}" 1x) }`],
  ['p { background: url(data:image/png;base64,AA==) }', 'p { background: url(data:image/png;base64,AA==) }'],
  [
    'p { mask: url(#mask) } .\\31 0::after { content: "\\201c" }',
    'p { mask: url(#mask) } .\\31 0::after { content: "\\201c" }',
  ],
])('style sheets load nothing: %s', (css, expected) => {
  expect(nodesOf(element('style', {}, [{ type: 3, id: 6, textContent: css }]))[0].childNodes[0].textContent).toBe(
    expected,
  )
  expect(attributesOf({ _cssText: css }, 'style')).toEqual({ _cssText: expected })
  expect(incremental({ source: 8, id: 1, adds: [{ rule: css, index: 0 }] }).adds[0]).toEqual({
    rule: expected,
    index: 0,
  })
})

test('mutations are sanitized', () => {
  expect(
    incremental({
      source: 0,
      adds: [{ parentId: 1, nextId: null, node: element('script') }, 'no object'],
      attributes: [{ id: 1, attributes: { onclick: 'run()', title: 'a' } }],
      texts: [{ id: 1, value: 'text' }],
      removes: 'no list',
    }),
  ).toEqual({
    source: 0,
    adds: [{ parentId: 1, nextId: null, node: { ...element('noscript') } }],
    attributes: [{ id: 1, attributes: { title: 'a' } }],
    texts: [{ id: 1, value: 'text' }],
    removes: [],
  })
})

test('a font is kept if it has its bytes', () => {
  const font = { source: 10, family: 'Box', buffer: true, fontSource: '[0,1,0]' }
  expect(incremental(font)).toEqual(font)
  expect(incremental({ ...font, buffer: false, fontSource: `url(${EVIL})` })).toBeUndefined()
  expect(incremental({ ...font, fontSource: EVIL })).toBeUndefined()
  const css = `@font-face { src: url("data:font/ttf;base64,AA==") }`
  expect(nodesOf(element('style', { _cssText: css }))[0].attributes._cssText).toBe(css)
})

test('an image or video whose file is not loaded keeps its size', () => {
  const attributes = { src: EVIL, poster: EVIL, rr_size: '160 90' }
  for (const tag of ['img', 'video']) {
    const { src, poster, rr_size } = nodesOf(element(tag, attributes))[0].attributes
    for (const url of [src, poster])
      expect(decodeURIComponent(url)).toMatch(/^data:image\/svg\+xml,.*width="160" height="90"><\/svg>$/)
    expect(rr_size).toBeUndefined()
  }
  const image = 'data:image/png;base64,AA=='
  expect(nodesOf(element('img', { src: EVIL, rr_src: image, rr_size: '1 1' }))[0].attributes.src).toBe(image)
  const poster = nodesOf(element('video', { rr_size: '1 1', poster: image }))[0].attributes.poster
  expect(decodeURIComponent(poster)).toContain(`<image href="${image}"`)
  expect(nodesOf(element('img', { src: EVIL, rr_size: '1" onload="run()' }))[0].attributes.src).toBeUndefined()
})

test('a frame of a canvas becomes the background of its element, and other calls are dropped', () => {
  const draw = (blob: unknown) => ({
    source: 9,
    id: 7,
    type: 0,
    commands: [
      { property: 'clearRect', args: [0, 0, 300, 150] },
      { property: 'drawImage', args: [{ rr_type: 'ImageBitmap', args: [blob] }, 0, 0, 300, 150] },
    ],
  })
  const blob = { rr_type: 'Blob', data: [{ rr_type: 'ArrayBuffer', base64: 'AAAA' }], type: 'image/webp' }
  const style = {
    'background-image': 'url("data:image/webp;base64,AAAA")',
    'background-size': '100% 100%',
    'background-origin': 'content-box',
  }
  expect(incremental(draw(blob))).toEqual({
    source: 0,
    adds: [],
    removes: [],
    texts: [],
    attributes: [{ id: 7, attributes: { width: '300', style } }],
  })
  expect(incremental(draw({ ...blob, type: 'image/svg+xml' }))).toBeUndefined()
  expect(incremental(draw({ ...blob, data: [{ base64: `AAAA") url(${EVIL}` }] }))).toBeUndefined()
  expect(incremental(draw(EVIL))).toBeUndefined()
  expect(incremental({ ...draw(blob), id: 'x' })).toBeUndefined()
  expect(
    incremental({ source: 9, id: 7, commands: [{ property: 'drawImage', args: [{ src: EVIL }] }] }),
  ).toBeUndefined()
})

test('moves without a position, which would stop the player, are dropped', () => {
  const position = { x: 1, y: 2, id: 3, timeOffset: -50 }
  expect(incremental({ source: 1, positions: [position, { x: 1 }, null] })).toEqual({
    source: 1,
    positions: [position],
  })
  expect(incremental({ source: 1, positions: [] })).toBeUndefined()
  expect(incremental({ source: 6, positions: [{ ...position, timeOffset: null }] })).toBeUndefined()
})

test('removes everything dangerous from any tree and keeps every id', () => {
  const name = fc.constantFrom(
    'src',
    'href',
    'xlink:href',
    'onload',
    'oNclick',
    'srcdoc',
    'style',
    'http-equiv',
    'action',
    'class',
    '_cssText',
    'data',
    'title',
    'poster',
  )
  const value = fc.constantFrom<unknown>(
    EVIL,
    'javascript:run()',
    ' jav\nascript:run()',
    `url(${EVIL})`,
    `u\\72l('${EVIL}')`,
    `@import "${EVIL}";`,
    '#a',
    'plain',
    1,
    true,
    null,
    { color: `url(${EVIL})` },
  )
  const tag = fc.constantFrom(
    'script',
    'div',
    'img',
    'svg',
    'use',
    'iframe',
    'object',
    'link',
    'style',
    'a',
    'meta',
    'base',
    'form',
    'SCRIPT',
    'svg:script',
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.record({ type: fc.constant(3), id: fc.nat(), textContent: fc.string() }),
      fc.record({
        type: fc.constant(2),
        id: fc.nat(),
        tagName: tag,
        attributes: fc.dictionary(name, value),
        childNodes: fc.array(tie('tree'), { maxLength: 4 }),
      }),
    ),
  }))
  const walk = (node: any, visit: (node: any) => void) => {
    visit(node)
    for (const child of node.childNodes ?? []) walk(child, visit)
  }
  fc.assert(
    fc.property(tree, (node) => {
      const [safe] = nodesOf(node)
      expect(safe.id).toBe((node as { id: number }).id)
      walk(safe, ({ tagName = 'text', attributes = {} }) => {
        expect(tagName).not.toMatch(
          /script$|^(?:object|base)$/i.source === '' ? /./ : /^(?:script|svg:script|object|base)$/i,
        )
        for (const [key, kept] of Object.entries(attributes)) {
          expect(key).not.toMatch(/^on|^srcdoc$|^http-equiv$|^action$/i)
          const isCss = key === 'style' || key === '_cssText'
          if (key !== 'title' && key !== 'class')
            expect(JSON.stringify(kept)).not.toMatch(isCss ? /url\([^)]*evil|@import/ : /evil/)
          if (!isCss) expect(String(kept)).not.toMatch(/^\s*jav\s*ascript:/i)
        }
      })
    }),
    { numRuns: 500 },
  )
})

test('sanitizing accepts any JSON', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), fc.jsonValue(), (type, data) => {
      sanitize({ type, timestamp: 1, data })
      sanitize({ type, timestamp: 1, data: { source: 0, adds: data, attributes: data, node: data } })
    }),
  )
})
