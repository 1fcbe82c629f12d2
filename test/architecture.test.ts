/** @jest-environment node */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SRC = resolve(__dirname, '../src')

/** Who may import whom; type imports count. Rooms side by side do not know each other: `client` introduces them. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  types: [],
  version: [],
  lib: ['types'],
  host: ['types'],
  parts: [],
  browser: ['lib', 'types', 'version'],
  config: ['lib', 'types'],
  state: ['browser', 'lib', 'types'],
  pipeline: ['browser', 'lib', 'types'],
  delivery: ['lib', 'types'],
  flags: ['lib', 'types'],
  sources: ['host', 'browser', 'lib', 'types'],
  extensions: ['host', 'browser', 'lib', 'types'],
  // For servers; nothing of it is in a page.
  backend: [],
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
  entries: ['backend', 'browser', 'client', 'extensions', 'types'],
}
/** The packages that may be inside, and where. */
const MAY_CONTAIN: Record<string, string> = { 'js-cookie': 'state', fflate: 'extensions' }

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const roomOf = (file: string) => file.replace(/\.ts$/, '').split(/[/\\]/)[0]!
const importsOf = (file: string) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import\(?) ?'([^']+)'/g)].map(([, target]) => target!)
const localImportsOf = (file: string) =>
  importsOf(file)
    .filter((target) => target.startsWith('.') && !target.endsWith('.json'))
    .map((target) => `${relative(SRC, resolve(SRC, dirname(file), target))}.ts`)

test('every room is in the table', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
})

test.each(files)('%s imports only what its room may know', (file) => {
  const room = roomOf(file)
  const wrong = localImportsOf(file).filter(
    (target) => roomOf(target) !== room && !MAY_IMPORT[room]!.includes(roomOf(target)),
  )
  expect(wrong).toEqual([])
  const packages = importsOf(file).filter((target) => !target.startsWith('.'))
  expect(packages.filter((name) => MAY_CONTAIN[name] !== room)).toEqual([])
})

test('no import leads back to where it began', () => {
  const circles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, way: readonly string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (way.includes(file) || done.has(file)) return
    localImportsOf(file).forEach((next) => walk(next, [...way, file]))
    done.add(file)
  }
  files.forEach((file) => walk(file, []))
  expect(circles).toEqual([])
})

test('nothing happens on import outside entries: no statement but declarations', () => {
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

test('the page keeps its place in the back/forward cache: no unload listeners', () => {
  expect(files.filter((file) => /['"](before)?unload['"]/.test(readFileSync(join(SRC, file), 'utf8')))).toEqual([])
})
