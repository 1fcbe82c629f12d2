/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import type { FeatureHost, Running } from '../../src/client/feature'
import { createRunner } from '../../src/client/runFeatures'
import type { Extension, ExtensionHost } from '../../src/extensions/contract'
import { startExtension } from '../../src/extensions/startExtension'

const ROOT = resolve(__dirname, '../..')
const TOY = `
import type { Extension } from '../contract'

export const start: Extension['start'] = (host) => {
  host.capture('toy started')
  return () => void host.capture('toy stopped')
}
`

describe('a new extension', () => {
  const project = mkdtempSync(join(tmpdir(), 'trailmark-toy-'))
  const built = (file: string) => join(project, 'dist', file)

  beforeAll(() => {
    for (const each of ['src', 'scripts', 'rollup.config.mjs', 'tsconfig.json', 'package.json'])
      cpSync(join(ROOT, each), join(project, each), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))

    // One folder and one row.
    mkdirSync(join(project, 'src/extensions/toy'))
    writeFileSync(join(project, 'src/extensions/toy/toy.ts'), TOY)
    const list = join(project, 'src/extensions/extensions.json')
    writeFileSync(list, JSON.stringify({ ...(JSON.parse(readFileSync(list, 'utf8')) as object), toy: 500 }))

    // The configured build without the files the toy is not part of.
    const build = `
      import { rollup } from 'rollup'
      import config from './rollup.config.mjs'
      import { withQuickCompile } from './scripts/quickCompile.mjs'
      const wanted = config.filter(({ output }) => [output].flat().some(({ file, dir }) => dir === 'dist/esm' || file === 'dist/toy.js'))
      for (const { output, plugins, ...input } of wanted) {
        const bundle = await rollup({ ...input, plugins: withQuickCompile(plugins) })
        for (const each of [output].flat()) await bundle.write(each)
      }`
    writeFileSync(join(project, 'build.mjs'), build)
    execFileSync(process.execPath, ['build.mjs'], { cwd: project, stdio: 'pipe' })
  }, 300_000)
  afterAll(() => rmSync(project, { recursive: true }))

  /** The toy as its script registers it in a page. */
  const fromScript = () => {
    const page: { __trailmark_extensions__?: { toy: Extension } } = {}
    runInNewContext(readFileSync(built('toy.js'), 'utf8'), Object.assign(page, { this: page }))
    return page.__trailmark_extensions__!.toy
  }
  /** The toy as loaded through the import table of the npm build. */
  const fromPackage = async () => {
    const main = readFileSync(built('esm/main.js'), 'utf8')
    const [, chunk] = /toy: \(?\(\) => import\('(.*?)'\)/.exec(main)!
    const code = readFileSync(built(join('esm', chunk!)), 'utf8').replace(/export \{ start \};?/, 'this.start = start')
    const exported = {} as Extension
    runInNewContext(`(function () { ${code.replace(/\/\/#.*/, '')} }).call(exported)`, { exported })
    return exported
  }

  test.each([
    ['script', async () => fromScript()],
    ['npm', fromPackage],
  ])('is built for the %s form, and starts and stops with its feature', async (_, load) => {
    const toy = await load()
    const captured: string[] = []
    const capture = (event: string) => void captured.push(event) as never
    const host = {
      capture,
      startExtension: () => startExtension(Promise.resolve(toy), { capture } as unknown as ExtensionHost, () => {}),
    } as unknown as FeatureHost
    let isWanted = true
    const feature: Running = { wanted: () => isWanted, load: 'toy' as never }
    const features = createRunner(
      () => host,
      () => true,
      [feature],
    )

    features.align()
    await new Promise((done) => setTimeout(done))
    expect(captured).toEqual(['toy started'])
    isWanted = false
    features.align()
    expect(captured).toEqual(['toy started', 'toy stopped'])
  })
})

describe('startExtension', () => {
  const host = {} as ExtensionHost

  test('does not start an extension that was stopped while it loaded', async () => {
    const start = jest.fn(() => () => {})
    const onFailure = jest.fn()
    const stop = startExtension(Promise.resolve({ start }), host, onFailure)
    stop()
    await new Promise((done) => setTimeout(done))
    expect(start).not.toHaveBeenCalled()
    expect(onFailure).not.toHaveBeenCalled()
  })

  test('reports why an extension does not run', async () => {
    const failures: unknown[] = []
    const onFailure = (error: unknown) => void failures.push(error)
    startExtension(Promise.reject(new Error('blocked')), host, onFailure)
    const start = () => {
      throw new Error('broken')
    }
    startExtension(Promise.resolve({ start }), host, onFailure)
    await new Promise((done) => setTimeout(done))
    expect(failures).toEqual([new Error('blocked'), new Error('broken')])
  })
})
