/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import legacyResolve from 'resolve'
import ts from 'typescript'

const ROOT = resolve(__dirname, '..')
const run = (command: string, ...args: string[]) =>
  execFileSync('npx', [command, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  })
const readJson = (file: string) => JSON.parse(readFileSync(resolve(ROOT, file), 'utf8')) as Record<string, number>
const EXTENSIONS = Object.entries(readJson('src/extensions/extensions.json'))
const BUDGETS: Record<string, number> = {
  ...readJson('budgets.json'),
  ...Object.fromEntries(EXTENSIONS.map(([name, budget]) => [`dist/${name}.js`, budget])),
}

test.each(Object.entries(BUDGETS))('%s is at most %i bytes gzipped', (file, budget) => {
  expect(gzipSync(readFileSync(resolve(ROOT, file)), { level: 9 }).length).toBeLessThanOrEqual(budget)
})

test.each(Object.keys(BUDGETS))(
  '%s contains no lookbehind, which breaks the whole script in Safari before 16.4',
  (file) => {
    expect(readFileSync(resolve(ROOT, file), 'utf8')).not.toMatch(/\(\?<[=!]/)
  },
)

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-pack-'))
  let tarball: string
  beforeAll(() => {
    const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    tarball = join(folder, name.trim())
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('publint reports no problems', () => {
    expect(run('publint', '--strict', tarball)).toContain('All good!')
  })

  test('attw reports no problems', () => {
    expect(JSON.parse(run('attw', tarball, '--format', 'json')).analysis.problems).toEqual([])
  })
})

test('the npm build creates no script element and contains no script URL', () => {
  for (const build of ['esm/main.js', 'cjs/main.cjs']) {
    const text = readFileSync(resolve(ROOT, 'dist', build), 'utf8')
    expect(text).not.toMatch(/createElement\(['"]script/)
    expect(text).not.toMatch(/https?:\/\/[^\s'"`]+\.js\b/)
  }
})

test('the script build is ASCII so that pages in any encoding can load it', () => {
  expect(readFileSync(resolve(ROOT, 'dist/analytics.js'), 'utf8')).toMatch(/^[\p{ASCII}]*$/u)
})

test('source maps contain their sources', () => {
  for (const map of ['analytics.js.map', 'esm/main.js.map', 'cjs/main.cjs.map']) {
    const { sourcesContent } = JSON.parse(readFileSync(resolve(ROOT, 'dist', map), 'utf8')) as {
      sourcesContent: (string | null)[]
    }
    expect(sourcesContent.length).toBeGreaterThan(10)
    expect(sourcesContent.every(Boolean)).toBe(true)
  }
})

test.each(['esm/main.js', 'cjs/main.cjs'])(
  'importing %s in Node has no side effects and exports a silent no-op',
  (build) => {
    const script = `
    const { analytics, posthog } = await import('./dist/${build}').then((m) => m.analytics ? m : m.default)
    if (posthog !== analytics) throw new Error('posthog is not the same object')
    analytics.init('token', { api_host: 'https://events.example.com' })
    if (analytics.capture('x') !== undefined || analytics.get_distinct_id() !== '') throw new Error('not a no-op')
    console.log('quiet')`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(output.trim()).toBe('quiet')
  },
)

describe('trailmark/chart', () => {
  test('is in no other file, so a page that does not import it has nothing of it', () => {
    const others = [
      'analytics.js',
      'analytics.core.js',
      'esm/main.js',
      'cjs/main.cjs',
      'esm/parts/core.js',
      'esm/endpoints.js',
    ]
    const has = (file: string) => readFileSync(resolve(ROOT, 'dist', file), 'utf8').includes('trailmark-chart')
    expect(['chart.js', 'esm/chart.js', 'cjs/chart.cjs', ...others].filter(has)).toEqual([
      'chart.js',
      'esm/chart.js',
      'cjs/chart.cjs',
    ])
  })

  test('has types for elements, events and JSX', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'trailmark-chart-')), 'consumer.mts')
    writeFileSync(
      file,
      `import { defineChart, type TrailmarkChartAttributes } from '${ROOT}/dist/esm/chart.js'
       defineChart({ host: 'https://events.example.com' })
       const chart = document.createElement('trailmark-chart')
       chart.tokenProvider = async () => 'token'
       chart.addEventListener('error', ({ detail }) => console.log(detail.code, detail.retryAfterMs))
       export const png: Promise<Blob> = chart.toPNG()
       export const attributes: TrailmarkChartAttributes = { endpoint: 'orders', 'token-provider': '/token', type: 'bar' }
       // @ts-expect-error there is no such type
       export const wrong: TrailmarkChartAttributes = { type: 'cake' }`,
    )
    const program = ts.createProgram([file], {
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      skipDefaultLibCheck: true,
      types: [],
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
    })
    expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([])
    rmSync(join(file, '..'), { recursive: true })
  })

  test('can be imported on a server, where it defines nothing', () => {
    const script = `
    const { defineChart } = await import('./dist/esm/chart.js')
    defineChart()
    console.log(Object.keys(await import('./dist/cjs/chart.cjs')).includes('defineChart'))`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(output.trim()).toBe('true')
  })
})

describe('trailmark/endpoints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-consumer-'))
  beforeAll(() => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/trailmark'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('resolves for tools that do not read the exports of package.json, such as eslint-plugin-import', () => {
    const file = legacyResolve.sync('trailmark/endpoints', { basedir: folder, preserveSymlinks: false })
    expect(file).toBe(join(ROOT, 'dist/cjs/endpoints.cjs'))
  })

  test.each([
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
    ['node16', ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16],
  ])('has types that compile without DOM and Node types (%s)', (_, module, moduleResolution) => {
    const file = join(folder, 'consumer.mts')
    writeFileSync(
      file,
      `import { createEndpoints } from 'trailmark/endpoints'
       const endpoints = createEndpoints({ host: 'https://events.example.com', projectId: 1, personalApiKey: 'key' })
       export const rows: Promise<unknown[]> = endpoints.run('top_paths', { event: 'x' }).then((result) => result.rows)`,
    )
    const program = ts.createProgram([file], {
      lib: ['lib.es2022.d.ts'],
      skipDefaultLibCheck: true,
      types: [],
      strict: true,
      noEmit: true,
      module,
      moduleResolution,
    })
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)
    expect(messages).toEqual([])
  })

  test.each([
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
  ])('is imported by the docs in a way that compiles (%s)', (_, module, moduleResolution) => {
    const docs = readFileSync(resolve(ROOT, 'docs/reference/endpoints.md'), 'utf8')
    const [, snippet] = /```ts\n(import \{ createEndpoints[^]*?)```/.exec(docs)!
    const files = {
      'package.json': '{ "type": "module" }',
      'endpoints.ts':
        "export type Endpoints = { orders: { variables: { plan: 'free' | 'pro' }; row: { id: string } } }",
      'snippet.ts': `${snippet}\nexport { EndpointError, rows }`,
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const program = ts.createProgram([join(folder, 'snippet.ts')], {
      lib: ['lib.es2023.d.ts'],
      target: ts.ScriptTarget.ES2022,
      skipLibCheck: true,
      typeRoots: [join(ROOT, 'node_modules/@types')],
      types: ['node'],
      strict: true,
      noEmit: true,
      module,
      moduleResolution,
    })
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)
    expect(messages).toEqual([])
  })
})

test('package.json links to repository, home page and issues, and the README links only to existing files', () => {
  const { repository, homepage, bugs } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'))
  expect([repository.url, homepage, bugs].every((url) => /^(git\+)?https:/.test(url))).toBe(true)
  const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8')
  const targets = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!)
  expect(targets.length).toBeGreaterThan(5)
  expect(targets.filter((target) => !existsSync(resolve(ROOT, target)))).toEqual([])
})
