/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(__dirname, '../..')
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
const wordsOf = (text: string) => new Set(text.match(/[\w$]+/g))

const [names, recorderNames] = [
  ...readFileSync(join(ROOT, 'scripts/internalNames.mjs'), 'utf8').matchAll(/`\n([^`]*)`/g),
].map(([, list]) => list!.trim().split(/\s+/)) as [string[], string[]]
// Sub-paths and commands are built on their own.
const sources = readdirSync(join(ROOT, 'src'))
  .filter((room) => !['cli', 'plan', 'subpaths'].includes(room))
  .flatMap((room) =>
    room.includes('.')
      ? /\.ts$/.test(room)
        ? [readFileSync(join(ROOT, 'src', room), 'utf8')]
        : []
      : filesIn(`src/${room}`),
  )
const withoutComments = (text: string) => text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, '')
const code = withoutComments(sources.join('\n')).replace(/(from |import\()'.*'/g, '')

const domTypes = ['lib.dom.d.ts', 'lib.es5.d.ts', 'lib.es2020.promise.d.ts'].map((name) =>
  readFileSync(require.resolve(`typescript/lib/${name}`), 'utf8'),
)

describe('the names that the build of the scripts shortens', () => {
  test('are members of the sources, each once', () => {
    const known = wordsOf(code)
    expect(names.filter((name) => !known.has(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test('are members of rrweb or beside it and of no other script, if only recorderPage.js shortens them', () => {
    const rrweb = ['node_modules/@rrweb/record/dist/record.js', 'src/extensions/recorder/rrweb.patch']
    const page = [...rrweb.map((file) => readFileSync(join(ROOT, file), 'utf8')), ...filesIn('src/extensions/recorder')]
    const known = wordsOf(page.join('\n'))
    expect(recorderNames.filter((name) => !known.has(name) || names.includes(name))).toEqual([])
    const folders = readdirSync(join(ROOT, 'src/extensions')).filter((name) => !/^recorder(Page)?$|\./.test(name))
    const parts = [
      'host',
      'types',
      'extensions/contract',
      'extensions/recorder/pageParts',
      'extensions/recorder/settings',
    ]
    const others = [
      ...folders.flatMap((folder) => filesIn(`src/extensions/${folder}`)),
      ...['client', 'config'].flatMap((folder) => filesIn(`src/${folder}`)),
      ...parts.map((file) => readFileSync(join(ROOT, `src/${file}.ts`), 'utf8')),
    ]
    const taken = wordsOf(withoutComments(others.join('\n')))
    expect(recorderNames.filter((name) => taken.has(name))).toEqual([])
  })

  const all = [...names, ...recorderNames]
  test.each([
    ['are not public', withoutComments(filesIn('api').join('\n'))],
    ["are not the browser's", withoutComments(domTypes.join('\n'))],
    // Preact finds listeners of elements by names that browsers do not have, such as onChange.
    ['are not attributes in JSX', code.match(/(?<=\s)\w+(?==[{"])/g)!.join('\n')],
    [
      'are not built from text',
      code
        .match(/'[^'\n]*'|`[^`]*`/g)!
        .join('\n')
        .replace(/\$\{[^}]*\}/g, ''),
    ],
  ])('%s', (_, text) => {
    const taken = wordsOf(text)
    expect(all.filter((name) => taken.has(name))).toEqual([])
  })

  test('get short names that no other member has', async () => {
    const script =
      'const { SHORT_NAMES } = await import("./scripts/internalNames.mjs"); console.log([...SHORT_NAMES.values()].join())'
    const short = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' })
    const shortNames = short.trim().split(',')
    const taken = new Set(code.match(/(?<=\.|\b)[a-z]{2}(?=\??:)|(?<=\.)[a-z]{2}\b|(?<=[{,]\s*)[a-z]{2}(?=\s*[,}])/g))
    expect(taken).toContain('id')
    expect(new Set(shortNames).size).toBe(names.length)
    expect(shortNames.filter((name) => taken.has(name))).toEqual([])
  })

  test('are not attributes of the script tag', () => {
    const guide = readFileSync(join(ROOT, 'docs/guides/getting-started.md'), 'utf8')
    const taken = [...guide.matchAll(/`data-([a-z-]+)`/g)].map(([, name]) =>
      name!.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    )
    expect(taken).toContain('apiHost')
    expect(names.filter((name) => taken.includes(name))).toEqual([])
  })

  test('are not stored or sent: none is a member of the protocol', () => {
    const taken = wordsOf(
      readFileSync(join(ROOT, 'docs/reference/protocol.md'), 'utf8')
        .match(/`[^`\n]+`|"\w+"/g)!
        .join('\n'),
    )
    expect(all.filter((name) => taken.has(name))).toEqual([])
  })
})
