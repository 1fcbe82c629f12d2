import { readFileSync } from 'node:fs'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import typescript from '@rollup/plugin-typescript'
import dts from 'rollup-plugin-dts'
import { licenses, served } from './scripts/servedFiles.mjs'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
// The list of extensions (src/extensions/contract.ts): names, and the largest size of each script.
const extensions = Object.keys(
  JSON.parse(readFileSync(new URL('./src/extensions/extensions.json', import.meta.url), 'utf8')),
)
// The parts of the npm package that a site can import one by one (src/parts.ts).
const parts = Object.keys(JSON.parse(readFileSync(new URL('./src/parts.json', import.meta.url), 'utf8')))
const apiHost = process.env.TRAILMARK_DEFAULT_API_HOST

// What the sources call by these names becomes text at build time.
const constants = (channel) => ({
  name: 'constants',
  renderChunk(code) {
    const values = { __VERSION__: version, __CHANNEL__: channel, __DEFAULT_API_HOST__: apiHost || undefined }
    // Names and texts differ in length, so positions behind them shift; no map line holds two of them with code between.
    return {
      code: code.replace(/\b__(VERSION|CHANNEL|DEFAULT_API_HOST)__\b/g, (name) => String(JSON.stringify(values[name]))),
      map: null,
    }
  },
})

// "const" is a word for people and TypeScript. With "let" alone the minifier joins more declarations: 0.1 kB gzipped. The
// blanks keep every position, so the source map stays right.
const letOnly = {
  name: 'let-only',
  renderChunk(code) {
    const starts = []
    const visit = (node) => {
      if (node.type === 'VariableDeclaration' && node.kind === 'const') starts.push(node.start)
      for (const child of Object.values(node).flat()) if (child?.type) visit(child)
    }
    visit(this.parse(code))
    for (const start of starts) code = `${code.slice(0, start)}let  ${code.slice(start + 5)}`
    return { code, map: null }
  },
}

// `import()` of a computed name is nothing that the bundler of a site can follow: a table of imports is.
const importTable = {
  name: 'import-table',
  load: (id) =>
    id.replaceAll('\\', '/').endsWith('/src/extensions/imports.ts')
      ? `const IMPORTS = { ${extensions.map((name) => `${name}: () => import('./${name}/${name}')`).join()} }
         export const importExtension = (name) => IMPORTS[name]()`
      : null,
}

const sources = (channel) => [
  importTable,
  resolve({ browser: true }),
  typescript({
    tsconfig: './tsconfig.json',
    include: ['src/**/*.ts'],
    noEmit: false,
    compilerOptions: { types: [], inlineSources: true },
  }),
  constants(channel),
]

// The libraries inside keep their licenses: their texts travel with the code, in licenses.txt.
const banner = `/*! Trailmark ${version}, MIT. Third parties: licenses.txt */`
const output = { sourcemap: true, banner }

const script = (input, file, more = {}) => ({
  input,
  output: {
    ...output,
    // V8 compiles every function with the script, not one by one as the start calls them: a seventh of the start's time.
    banner: `//# allFunctionsCalledOnLoad\n${banner}`,
    file,
    format: 'iife',
    // ASCII only: a page that is not UTF-8 would garble anything else. `inline: 1`: what is inlined further compresses worse.
    plugins: [
      letOnly,
      terser({
        ecma: 2020,
        compress: { passes: 3, unsafe_arrows: true, inline: 1 },
        format: { ascii_only: true, comments: /^! Trailmark|^# allFunctionsCalledOnLoad/ },
      }),
    ],
    ...more,
  },
  plugins: [...sources('cdn'), licenses, served(version)],
})

/** An extension's script leaves its exports where src/entries/loadByScript.ts looks for them. */
const extensionScript = (name) =>
  script(`src/extensions/${name}/${name}.ts`, `dist/${name}.js`, {
    name: `__trailmark_extensions__.${name}`,
    extend: true,
  })

/** The declarations of a part beside its code: `core` has a file of its own (below), the others are a `Feature` each. */
const partTypes = (extension, core) => ({
  name: 'part-types',
  generateBundle() {
    for (const name of parts.filter((each) => each !== 'core')) {
      const source = `import type { Feature } from './${core}'\nexport declare const ${name}: Feature\n`
      this.emitFile({ type: 'asset', fileName: `${name}.${extension}`, source })
    }
  },
})

export default [
  script('src/entries/script.ts', 'dist/analytics.js'),
  script('src/entries/script.core.ts', 'dist/analytics.core.js'),
  ...extensions.map(extensionScript),
  {
    input: 'src/entries/main.ts',
    output: [
      { ...output, dir: 'dist/esm', format: 'es', chunkFileNames: '[name].js' },
      {
        ...output,
        dir: 'dist/cjs',
        format: 'cjs',
        exports: 'named',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name].cjs',
      },
    ],
    plugins: [...sources('npm'), licenses],
  },
  {
    input: Object.fromEntries(parts.map((name) => [name, `src/entries/parts/${name}.ts`])),
    output: [
      {
        ...output,
        dir: 'dist/esm/parts',
        format: 'es',
        // A bare import of a chunk that another chunk imports anyway makes bundlers warn.
        hoistTransitiveImports: false,
        chunkFileNames: 'shared/[name].js',
        plugins: [partTypes('d.ts', 'core.js')],
      },
      {
        ...output,
        dir: 'dist/cjs/parts',
        format: 'cjs',
        exports: 'named',
        entryFileNames: '[name].cjs',
        // A bare import of a chunk that another chunk imports anyway makes bundlers warn.
        hoistTransitiveImports: false,
        chunkFileNames: 'shared/[name].cjs',
        plugins: [partTypes('d.cts', 'core.cjs')],
      },
    ],
    plugins: [...sources('npm'), licenses],
  },
  {
    input: 'src/entries/endpoints.ts',
    output: [
      { sourcemap: true, file: 'dist/esm/endpoints.js', format: 'es' },
      { sourcemap: true, file: 'dist/cjs/endpoints.cjs', format: 'cjs' },
    ],
    plugins: sources('npm'),
  },
  ...['main', 'endpoints', 'parts/core'].map((name) => ({
    input: `src/entries/${name}.ts`,
    output: [{ file: `dist/esm/${name}.d.ts` }, { file: `dist/cjs/${name}.d.cts` }],
    plugins: [dts({ tsconfig: './tsconfig.json' })],
  })),
]
