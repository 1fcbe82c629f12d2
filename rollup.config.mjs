import { readFileSync } from 'node:fs'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import typescript from '@rollup/plugin-typescript'
import dts from 'rollup-plugin-dts'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
const apiHost = process.env.TRAILMARK_DEFAULT_API_HOST

// What the sources call by these names becomes text at build time.
const constants = (channel) => ({
  name: 'constants',
  renderChunk(code) {
    const values = { __VERSION__: version, __CHANNEL__: channel, ...(apiHost ? { __DEFAULT_API_HOST__: apiHost } : {}) }
    // Names and texts differ in length, so positions behind them shift; no map line holds two of them with code between.
    return { code: code.replace(/\b__(VERSION|CHANNEL|DEFAULT_API_HOST)__\b/g, (name) => (name in values ? JSON.stringify(values[name]) : name)), map: null }
  },
})

const sources = (channel) => [
  resolve({ browser: true }),
  typescript({ tsconfig: './tsconfig.json', include: ['src/**/*.ts'], noEmit: false, compilerOptions: { types: [], inlineSources: true } }),
  constants(channel),
]

const notice = (name) => `${name}\n\n${readFileSync(new URL(`./node_modules/${name}/LICENSE`, import.meta.url), 'utf8')}`
const licenses = {
  name: 'licenses',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: ['fflate', 'js-cookie'].map(notice).join('\n\n') })
  },
}

// The two small libraries inside are MIT: their notices travel with the code.
const banner = `/*! Trailmark ${version}, MIT. Contains fflate and js-cookie, MIT: see licenses.txt */`
const output = { sourcemap: true, banner }

const script = (input, file, more = {}) => ({
  input,
  output: {
    ...output,
    file,
    format: 'iife',
    // ASCII only: a page that is not UTF-8 would garble anything else.
    plugins: [terser({ ecma: 2020, compress: { passes: 3, unsafe_arrows: true }, format: { ascii_only: true, comments: /^!/ } })],
    ...more,
  },
  plugins: sources('cdn'),
})

/** An extension's script leaves its exports where src/entries/loadByScript.ts looks for them. */
const extensionScript = (name) => script(`src/extensions/${name}.ts`, `dist/${name}.js`, { name: `__trailmark_extensions__.${name}`, extend: true })

export default [
  script('src/entries/script.ts', 'dist/analytics.js'),
  ...['clicks', 'gzip'].map(extensionScript),
  {
    input: 'src/entries/main.ts',
    output: [
      { ...output, dir: 'dist/esm', format: 'es', chunkFileNames: '[name].js' },
      { ...output, dir: 'dist/cjs', format: 'cjs', exports: 'named', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
    ],
    plugins: [...sources('npm'), licenses],
  },
  {
    input: 'src/entries/main.ts',
    output: [{ file: 'dist/esm/main.d.ts' }, { file: 'dist/cjs/main.d.cts' }],
    plugins: [dts({ tsconfig: './tsconfig.json' })],
  },
]
