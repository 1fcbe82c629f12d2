// Builds a small app with a bundler and the plugin for source maps, runs it, and prints where it threw. A separate process,
// because the bundlers are modules that Jest cannot load:
//   node buildAndThrow.mjs <rollup|vite|webpack|esbuild> <folder>
// The environment has TRAILMARK_HOST, TRAILMARK_PROJECT_ID and TRAILMARK_API_KEY. For esbuild, the command uploads.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const [bundler, folder] = process.argv.slice(2)
const plugins = await import(pathToFileURL(join(ROOT, 'dist/esm/sourcemaps.js')).href)

mkdirSync(join(folder, 'src'), { recursive: true })
writeFileSync(
  join(folder, 'src/checkout.js'),
  '// The price of a cart.\nexport const pay = (cart) => {\n  return cart.total.toFixed(2)\n}\n',
)
const entry = join(folder, 'src/main.js')
writeFileSync(entry, `'use strict'\nimport { pay } from './checkout.js'\nglobalThis.payNothing = () => pay({})\n`)
const out = join(folder, 'out')
const options = { root: folder }

const BUNDLERS = {
  rollup: async () => {
    const [{ rollup }, { default: terser }] = await Promise.all([import('rollup'), import('@rollup/plugin-terser')])
    const bundle = await rollup({ input: entry, plugins: [plugins.rollup(options)] })
    await bundle.write({ dir: out, format: 'es', sourcemap: true, plugins: [terser()] })
  },
  vite: async () => {
    const { build } = await import('vite')
    await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      plugins: [plugins.vite(options)],
      build: {
        outDir: out,
        sourcemap: 'hidden',
        rollupOptions: { input: entry, output: { entryFileNames: 'main.js' } },
      },
    })
  },
  webpack: async () => {
    const { default: webpack } = await import('webpack')
    const compiler = webpack({
      mode: 'production',
      context: folder,
      entry,
      devtool: 'hidden-source-map',
      plugins: [plugins.webpack(options)],
      output: { path: out, filename: 'main.js' },
    })
    await new Promise((done, failed) =>
      compiler.run((error, stats) => {
        if (error ?? stats.hasErrors()) failed(error ?? new Error(stats.toString()))
        else done()
      }),
    )
  },
  esbuild: async () => {
    const { build } = await import('esbuild')
    await build({ entryPoints: [entry], outdir: out, bundle: true, minify: true, format: 'esm', sourcemap: true })
    execFileSync(process.execPath, [join(ROOT, 'bin/trailmark.mjs'), 'sourcemaps', 'upload', out], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  },
}

console.log = () => {}
await BUNDLERS[bundler]()
const built = join(out, 'main.js')
await import(pathToFileURL(built).href)
let stack = ''
try {
  globalThis.payNothing()
} catch (error) {
  stack = error.stack
}
const [, line, column] = /main\.js:(\d+):(\d+)/.exec(stack)
const [, id] = Object.entries(globalThis._debugIds).find(([of]) => of.includes('main.js'))
const maps = existsSync(out) ? readdirSync(out).filter((name) => name.endsWith('.map')) : []
process.stdout.write(JSON.stringify({ id, line: Number(line), column: Number(column), maps }))
