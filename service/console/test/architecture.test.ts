import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

const SRC = resolve(__dirname, '../src')
const DIST = resolve(__dirname, '../dist')

/** The folders that each folder may import from, besides itself. Files at the top connect the folders and may import all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  api: ['lib', 'player'],
  // The types of the SDK, for the names that it sends.
  lib: ['api', 'top', '..'],
  ui: ['lib', 'api', 'top'],
  // Kinds of insights: a folder has everything that the pages know of a kind.
  insights: ['lib', 'api', 'ui'],
  // The page of shares, and what previews of them show too.
  shared: ['insights', 'ui', 'lib', 'api', 'styles'],
  // How people share dashboards and endpoints.
  shares: ['shared', 'ui', 'lib', 'api', 'top'],
  pages: ['shares', 'insights', 'ui', 'lib', 'api', 'player', 'preview', 'top'],
  // The document that plays recordings. Other folders import only the types of its messages.
  player: [],
  // The document that previews surveys, by code of the SDK and the style of the service's hosted page.
  preview: ['..'],
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))

/** Returns the folder that a file belongs to: `pages/NAME` for pages, else the top-level folder. */
const roomOf = (file: string): string => {
  const [room, page] = file.split('/')
  return file.includes('/') ? (room === 'pages' ? `pages/${page}` : room!) : 'top'
}

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)].map(([, path]) =>
    relative(SRC, resolve(SRC, dirname(file), path!)),
  )

test('console pages import no other pages, and folders import only what the table allows', () => {
  const wrong = files
    .filter((file) => roomOf(file) !== 'top')
    .flatMap((file) => {
      const room = roomOf(file)
      const allowed = [room, ...MAY_IMPORT[room.split('/')[0]!]!]
      return importsOf(file)
        .filter((other) => !allowed.includes(roomOf(other)))
        .map((other) => `${file} imports ${other}`)
    })
  expect(files.length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})

test('sources of the console have no import cycles, not even of types or of what loads on demand', () => {
  const cycles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file) || !files.includes(file)) return
    importsOf(file).forEach((next) => walk(next, [...path, file]))
    done.add(file)
  }
  files.forEach((file) => walk(file, []))
  expect(cycles).toEqual([])
})

test('the console builds no markup from strings and sets no style attributes, as its content security policy requires', () => {
  const wrong = files.filter((file) =>
    /innerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write|setAttribute\('style'|\beval\(|new Function/.test(
      readFileSync(join(SRC, file), 'utf8'),
    ),
  )
  expect(wrong).toEqual([])
})

// So the layout of pages is tested in one theme. Both colors of `light-dark()` are colors.
test('themes of the console differ in their colors only', () => {
  const styles = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'))
  const rules = styles.flatMap((name) =>
    [
      ...readFileSync(join(SRC, name), 'utf8').matchAll(/[^{};]*(?:prefers-color-scheme|data-theme)[^{]*\{([^}]*)\}/g),
    ].map(([, declarations]) => `${name}: ${declarations!.trim()}`),
  )
  expect(rules).toEqual(['styles/tokens.css: color-scheme: light;', 'styles/tokens.css: color-scheme: dark;'])
})

test('each row of a table of data has a boundary of its own, which only Rows draws', () => {
  const wrong = files.filter(
    (file) => file !== 'ui/rows.tsx' && /<tr\s+key=/.test(readFileSync(join(SRC, file), 'utf8')),
  )
  // The keys of the keyboard shortcuts and the scroll depths are constants of the console and numbers.
  expect(wrong.sort()).toEqual(['pages/heatmaps/scrollDepth.tsx', 'shell.tsx'])
})

test('the first load of the overview takes at most 120 kB gzipped', () => {
  const assets = join(DIST, 'assets')
  if (!existsSync(assets)) throw new Error('The console is not built. Run: npm run build --workspace trailmark-console')
  const names = readdirSync(assets)
  const find = (start: string, end: string) => names.find((name) => name.startsWith(start) && name.endsWith(end))!
  const wanted = new Set<string>()
  const add = (name: string) => {
    if (wanted.has(name)) return
    wanted.add(name)
    const code = readFileSync(join(assets, name), 'utf8')
    for (const [, other] of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) add(other!)
  }
  add(find('index-', '.js'))
  add(find('overviewPage-', '.js'))
  const styles = names.filter((name) => /^(index|overviewPage|lineChart|periodMenu)-.*\.css$/.test(name))
  const bytes = [...wanted, ...styles].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(assets, name)), { level: 9 }).length,
    0,
  )
  expect(wanted.size).toBeGreaterThan(3)
  expect(bytes).toBeLessThanOrEqual(120_000)
})
