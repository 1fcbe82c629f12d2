/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ROOT = resolve(__dirname, '..')

interface Row {
  name: string
  limit: number
  platform: 'any' | 'client' | 'node'
}
/** Evaluates an expression of an ES module with the exports of scripts/subpaths.mjs. */
const evaluate = (expression: string) =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { readFileSync } from 'node:fs'
         import { subpaths, withSubpaths } from './scripts/subpaths.mjs'
         const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
         console.log(JSON.stringify(${expression}))`,
      ],
      { cwd: ROOT, encoding: 'utf8' },
    ),
  ) as unknown
const rows = evaluate('subpaths') as Row[]

test('package.json has the rows of src/subpaths.json', () => {
  expect(evaluate('withSubpaths(manifest)')).toEqual(JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')))
})

describe.each(rows)('trailmark/$name', ({ name, limit, platform }) => {
  const file = resolve(ROOT, `dist/esm/${name}.js`)

  test('has a build and types for import and require', () => {
    const paths = [`esm/${name}.js`, `esm/${name}.d.ts`, `cjs/${name}.cjs`, `cjs/${name}.d.cts`]
    expect(paths.filter((path) => !existsSync(resolve(ROOT, 'dist', path)))).toEqual([])
  })

  test(`is at most ${limit} bytes, minified and gzipped`, async () => {
    const { outputFiles } = await build({
      entryPoints: [file],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      packages: 'external',
      external: ['node:*'],
      // Without the paths of tsconfig.json, by which other sub-paths would be bundled.
      tsconfigRaw: '{}',
    })
    expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThanOrEqual(limit)
  })

  test('has "use client" as its first statement if and only if it is for browsers only', () => {
    for (const path of [file, resolve(ROOT, `dist/cjs/${name}.cjs`)]) {
      const code = readFileSync(path, 'utf8')
      expect(/^(['"])use client\1/.test(code)).toBe(platform === 'client')
    }
  })
})
