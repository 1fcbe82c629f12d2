/** @jest-environment node */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SRC = resolve(__dirname, '../src')

/** Allowed imports per room, including type imports. Rooms on one level do not import each other. `client` connects them. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  types: [],
  version: [],
  lib: ['types'],
  // Types that sources and extensions share with the pipeline.
  host: ['lib', 'types'],
  parts: [],
  browser: ['lib', 'types', 'version'],
  config: ['lib', 'types'],
  state: ['browser', 'lib', 'types'],
  pipeline: ['browser', 'lib', 'types'],
  delivery: ['lib', 'types'],
  flags: ['lib', 'types'],
  sources: ['host', 'browser', 'lib', 'types'],
  extensions: ['host', 'browser', 'lib', 'types'],
  // Server code. No page loads it.
  backend: [],
  // The element <trailmark-chart>. Only pages that import it have it.
  chart: [],
  // The plan of events: used by commands and by `trailmark/plan`.
  plan: ['lib'],
  // Code of builds. No page loads it.
  sourcemaps: [],
  cli: ['plan'],
  // Sub-paths of the package around the SDK, such as `trailmark/react`. They import the SDK by its name. `trailmark/server`
  // reads responses of the service as the SDK does (delivery/retry.ts, pure functions).
  subpaths: ['delivery', 'plan', 'version'],
  client: [
    'host',
    'sources',
    'extensions',
    'pipeline',
    'state',
    'delivery',
    'flags',
    'config',
    'browser',
    'lib',
    'parts',
    'types',
    'version',
  ],
  entries: ['backend', 'browser', 'chart', 'cli', 'client', 'extensions', 'lib', 'sourcemaps', 'types', 'version'],
}
/** The bundled packages and the rooms that may import them. */
const MAY_CONTAIN: Record<string, string> = {
  'js-cookie': 'state',
  fflate: 'extensions',
  '@rrweb/record': 'extensions',
  // Types only.
  '@rrweb/types': 'extensions',
  'web-vitals': 'extensions',
  'web-vitals/attribution': 'extensions',
  'error-stack-parser-es/lite': 'extensions',
  preact: 'extensions',
  'preact/hooks': 'extensions',
  '@medv/finder': 'extensions',
  dompurify: 'extensions',
  '@jridgewell/sourcemap-codec': 'sourcemaps',
}

/** What the sub-paths import by name: the SDK, modules of Node and optional peer dependencies. */
const SUBPATHS = Object.values(
  JSON.parse(readFileSync(join(SRC, 'subpaths.json'), 'utf8')) as Record<string, { peers?: Record<string, string> }>,
)
const PEERS = SUBPATHS.flatMap(({ peers = {} }) => Object.keys(peers))
const isOfSubpaths = (name: string) =>
  /^(node:|trailmark(\/|$))/.test(name) || PEERS.some((peer) => name === peer || name.startsWith(`${peer}/`))

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
const roomOf = (file: string) => file.replace(/\.tsx?$/, '').split(/[/\\]/)[0]!
const importsOf = (file: string) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?<!')(?:from|import\(?) ?'([^']+)'/g)].map(
    ([, target]) => target!,
  )
const localImportsOf = (file: string) =>
  importsOf(file)
    .filter((target) => target.startsWith('.') && !target.endsWith('.json'))
    .map((target) => relative(SRC, resolve(SRC, dirname(file), target)))
    .map((target) => (files.includes(`${target}.tsx`) ? `${target}.tsx` : `${target}.ts`))

test('the table of allowed imports lists every room', () => {
  expect([...new Set([...files.map(roomOf), 'subpaths'])].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
})

test.each(files)('%s imports only from rooms it may import', (file) => {
  const room = roomOf(file)
  const wrong = localImportsOf(file).filter(
    (target) => roomOf(target) !== room && !MAY_IMPORT[room]!.includes(roomOf(target)),
  )
  expect(wrong).toEqual([])
  const packages = importsOf(file).filter((target) => !target.startsWith('.'))
  const isAllowed = (name: string) =>
    MAY_CONTAIN[name] === room ||
    (['cli', 'sourcemaps'].includes(room) && name.startsWith('node:')) ||
    (room === 'subpaths' && isOfSubpaths(name))
  expect(packages.filter((name) => !isAllowed(name))).toEqual([])
})

test('the sources have no import cycles', () => {
  const cycles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    localImportsOf(file).forEach((next) => walk(next, [...path, file]))
    done.add(file)
  }
  files.forEach((file) => walk(file, []))
  expect(cycles).toEqual([])
})

test('modules other than entries contain only declarations and have no side effects on import', () => {
  const statements = files
    .filter((file) => roomOf(file) !== 'entries')
    .flatMap((file) =>
      readFileSync(join(SRC, file), 'utf8')
        .split('\n')
        .filter((line) => /^[a-z]\S*\(|^(if|for|window|document)\b/.test(line))
        .map((line) => `${file}: ${line}`),
    )
  expect(statements).toEqual([])
})

test('the sources add no unload listeners, which would disable the back/forward cache', () => {
  expect(files.filter((file) => /['"](before)?unload['"]/.test(readFileSync(join(SRC, file), 'utf8')))).toEqual([])
})
