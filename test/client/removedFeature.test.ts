/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const ROOT = resolve(__dirname, '../..')
const NAME = 'heatmaps'
/** The feature, its extension and its part. */
const FILES = [`client/features/${NAME}`, `extensions/${NAME}`, `entries/parts/${NAME}.ts`]
/** The lists in which it has a row, with its import. */
const LISTS = ['client/features/features.ts', 'parts.json', 'extensions/extensions.json']

const copy = mkdtempSync(join(tmpdir(), 'trailmark-'))
const src = (file: string) => join(copy, 'src', file)

beforeAll(() => {
  cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true })
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, file), join(copy, file))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'tsconfig.src.json'), '{ "extends": "./tsconfig.json", "include": ["src"] }')
  for (const file of FILES) rmSync(src(file), { recursive: true })
  for (const list of LISTS) {
    const lines = readFileSync(src(list), 'utf8').split('\n')
    const left = lines.filter((line) => !line.includes(NAME))
    expect(lines.length - left.length).toBeLessThanOrEqual(2)
    writeFileSync(src(list), left.join('\n'))
  }
})
afterAll(() => rmSync(copy, { recursive: true }))

test('a feature is removed with its folders and its rows: the sources compile, and the script no longer knows its option', async () => {
  execFileSync(process.execPath, [
    join(ROOT, 'node_modules/typescript-7/bin/tsc'),
    '-p',
    join(copy, 'tsconfig.src.json'),
    '--noEmit',
  ])
  const bundled = async (folder: string) => {
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'src/entries/script.ts')],
      bundle: true,
      write: false,
      tsconfigRaw: {},
    })
    return outputFiles[0]!.text
  }
  expect(await bundled(ROOT)).toMatch(/capture_heatmaps: \[/)
  expect(await bundled(copy)).not.toMatch(/capture_heatmaps: \[/)
})
