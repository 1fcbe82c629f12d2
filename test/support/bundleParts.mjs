// Bundles a small app that imports parts of the package, as sites do. Runs as a command in a separate process, because the
// bundlers are modules that Jest cannot load:
//   node bundleParts.mjs vite '[["flags"],[]]'   prints, for each list of parts, the code of all files that Vite writes
//   node bundleParts.mjs sizes                   prints what each part adds to an app, bytes gzipped
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PARTS = Object.keys(JSON.parse(readFileSync(join(ROOT, 'src/parts.json'), 'utf8'))).filter(
  (name) => name !== 'core',
)

const appWith = (parts) => `
import { createAnalytics } from 'trailmark/core'
${parts.map((name) => `import { ${name} } from 'trailmark/${name}'`).join('\n')}

const analytics = createAnalytics({ features: [${parts.join(', ')}] })
analytics.init('token', { api_host: 'https://events.example.com' })
analytics.capture('signed up')
`

/**
 * Builds `entry` into files in `out` with each bundler, using its documented production settings. Rollup removes unused code
 * itself, so nothing minifies its output.
 */
const BUNDLERS = {
  esbuild: async (entry, out) => {
    const { build } = await import('esbuild')
    await build({
      entryPoints: [entry],
      outdir: out,
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      target: 'es2020',
    })
  },
  rollup: async (entry, out) => {
    const [{ rollup }, { default: resolve }] = await Promise.all(
      ['rollup', '@rollup/plugin-node-resolve'].map((name) => import(name)),
    )
    const bundle = await rollup({ input: entry, plugins: [resolve({ browser: true })] })
    await bundle.write({ dir: out })
  },
  vite: async (entry, out) => {
    const { build } = await import('vite')
    await build({
      root: join(entry, '..'),
      configFile: false,
      logLevel: 'error',
      build: { outDir: out, rollupOptions: { input: entry, output: { entryFileNames: 'app.js' } } },
    })
  },
  webpack: async (entry, out) => {
    const [{ default: webpack }, { minify }] = await Promise.all([import('webpack'), import('@swc/core')])
    const compiler = webpack({
      mode: 'production',
      entry,
      output: { path: out, filename: 'app.js' },
      optimization: { minimize: false },
    })
    await new Promise((done, failed) =>
      compiler.run((error, stats) => {
        if (error ?? stats.hasErrors()) failed(error ?? new Error(stats.toString()))
        else done()
      }),
    )
    // webpack marks unused exports and leaves their removal to the minifier. Its default, Terser, takes seconds per app.
    const app = join(out, 'app.js')
    writeFileSync(app, (await minify(readFileSync(app, 'utf8'))).code)
  },
}

/** Bundles an app with these parts. Returns the code of each file by its name, the entry file first. */
const bundle = async (bundler, parts) => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-parts-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/trailmark'))
    const entry = join(folder, 'app.mjs')
    writeFileSync(entry, appWith(parts))
    const out = join(folder, 'out')
    await BUNDLERS[bundler](entry, out)
    const files = readdirSync(out, { recursive: true })
      .filter((file) => /\.m?js$/.test(file))
      .sort((a, b) => Number(b === 'app.js') - Number(a === 'app.js'))
    return Object.fromEntries(files.map((file) => [file, readFileSync(join(out, file), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// Names of files that a file imports at once. Those of `import()` are loaded later.
const importsOf = (code) => [...code.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)].map(([, name]) => name)

/** Returns the size of what a page loads at its start: the entry file and what it imports, bytes gzipped. */
const startSize = (files) => {
  const names = new Set(['app.js'])
  for (const name of names) importsOf(files[name]).forEach((imported) => names.add(imported))
  return [...names].reduce((sum, name) => sum + gzipSync(files[name], { level: 9 }).length, 0)
}

const sizes = async () => {
  const sizeOf = async (parts) => startSize(await bundle('esbuild', parts))
  const core = await sizeOf([])
  const result = { core }
  for (const name of PARTS) result[name] = (await sizeOf([name])) - core
  return { ...result, all: await sizeOf(PARTS) }
}

const [bundler, apps] = process.argv.slice(2)
const result =
  bundler === 'sizes'
    ? await sizes()
    : await Promise.all(JSON.parse(apps).map(async (parts) => Object.values(await bundle(bundler, parts))))
process.stdout.write(JSON.stringify(result))
