/** @jest-environment node */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import ts from 'typescript'

const DIST = resolve(__dirname, '../dist')
const FILES = ['', 'esm', 'cjs'].flatMap((folder) =>
  readdirSync(resolve(DIST, folder))
    // For servers and builds, and for pages with a run token in newer browsers (docs/reference/browsers.md).
    .filter((file) => /\.c?js$/.test(file) && !/^(endpoints|cli|sourcemaps|plan|proxy|server|testing)\./.test(file))
    .map((file) => resolve(DIST, folder, file)),
)

/** APIs missing in one of the oldest supported browsers (docs/reference/browsers.md), by name of the member or global. */
const TOO_NEW = new Set([
  ...['hasOwn', 'groupBy', 'findLast', 'findLastIndex', 'toSorted', 'toReversed', 'toSpliced', 'withResolvers'],
  ...[
    'structuredClone',
    'randomUUID',
    'isWellFormed',
    'toWellFormed',
    'throwIfAborted',
    'replaceChildren',
    'checkVisibility',
  ],
  ...[
    'requestIdleCallback',
    'scheduler',
    'WeakRef',
    'FinalizationRegistry',
    'AggregateError',
    'allSettledSync',
    'union',
  ],
  ...['setHTML', 'parseHTMLUnsafe', 'fromAsync', 'hasIndices', 'transferToFixedLength'],
])
/** Static methods that are too new and whose name alone is ambiguous. */
const TOO_NEW_STATIC = new Set(['AbortSignal.timeout', 'AbortSignal.any', 'Promise.any', 'URL.canParse', 'URL.parse'])
/** Methods that share names with plain properties: only calls count. */
const TOO_NEW_CALLS = new Set(['at', 'union', 'try'])

const uses = (text: string, name = 'file.js') => {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) {
      if (TOO_NEW.has(node.name.text)) found.push(node.name.text)
      const path = `${node.expression.getText()}.${node.name.text}`
      if (TOO_NEW_STATIC.has(path)) found.push(path)
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      if (TOO_NEW_CALLS.has(node.expression.name.text)) found.push(node.expression.name.text)
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && TOO_NEW.has(node.expression.text))
      found.push(node.expression.text)
    // ES2021 and newer syntax: `a ||= b`, `1_000`, class fields, private members, static blocks.
    if (ts.isBinaryExpression(node) && /^(\|\||&&|\?\?)=$/.test(node.operatorToken.getText()))
      found.push(node.operatorToken.getText())
    if (ts.isNumericLiteral(node) && node.getText().includes('_')) found.push(node.getText())
    if (ts.isPropertyDeclaration(node) || ts.isPrivateIdentifier(node) || ts.isClassStaticBlockDeclaration(node))
      found.push('class member')
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS))
  return found
}

/** What a file uses only where it exists. */
const GUARDED: Record<string, readonly string[]> = {
  analytics: ['requestIdleCallback'],
  // For newer browsers (docs/reference/browsers.md), which have these.
  chart: ['at', 'hasOwn', 'replaceChildren'],
  main: ['requestIdleCallback'],
  recorderPage: ['requestIdleCallback'],
  surveysView: ['setHTML'],
  // In @medv/finder. Older browsers do not load the toolbar, which only the site's own team opens.
  toolbar: ['||='],
  // Loaded only in browsers with `findLast`, which also have the other features in this list.
  webVitals: ['at', 'class member', 'requestIdleCallback'],
  webVitalsAttribution: ['at', 'class member', 'findLast', 'requestIdleCallback'],
  startVitals: ['at', 'class member', 'requestIdleCallback'],
}

test.each(FILES)('%s uses only features of the oldest supported browsers', (file) => {
  const guarded = GUARDED[basename(file).split('.')[0]!] ?? []
  expect(uses(readFileSync(file, 'utf8')).filter((name) => !guarded.includes(name))).toEqual([])
})

test.each([
  'Object.hasOwn(a, b)',
  'list.at(-1)',
  'structuredClone(a)',
  'crypto.randomUUID()',
  'AbortSignal.timeout(5)',
  'a ??= b',
  '1_000',
])('the browser support check detects %s', (code) => {
  expect(uses(code)).toHaveLength(1)
})

test('the sources use no built-in newer than ES2020', () => {
  const entries = ['main', 'script'].map((name) => resolve(__dirname, `../src/entries/${name}.ts`))
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2020,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2020.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    esModuleInterop: true,
  })
  const messages = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  expect(messages).toEqual([])
})
