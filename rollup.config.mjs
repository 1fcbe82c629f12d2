import { readFileSync } from 'node:fs'
import resolve from '@rollup/plugin-node-resolve'
import typescript from '@rollup/plugin-typescript'
import MagicString from 'magic-string'
import dts from 'rollup-plugin-dts'
import { RECORDER_NAMES, SHORT_NAMES, shortened } from './scripts/internalNames.mjs'
import { minify } from './scripts/minify.mjs'
import { licenses, served } from './scripts/servedFiles.mjs'
import { patchedRrweb } from './scripts/patchedRrweb.mjs'
import { statelessPreact } from './scripts/statelessPreact.mjs'
import { isExternal, subpaths } from './scripts/subpaths.mjs'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
// The names of the extensions (src/extensions/contract.ts).
const extensions = Object.keys(
  JSON.parse(readFileSync(new URL('./src/extensions/extensions.json', import.meta.url), 'utf8')),
)
// The parts of the npm package that a site can import one by one (src/parts.ts).
const parts = Object.keys(JSON.parse(readFileSync(new URL('./src/parts.json', import.meta.url), 'utf8')))
const apiHost = process.env.TRAILMARK_DEFAULT_API_HOST

// Replaces these names in the sources with literals at build time.
const constants = (channel) => ({
  name: 'constants',
  renderChunk(code) {
    const values = { __VERSION__: version, __CHANNEL__: channel, __DEFAULT_API_HOST__: apiHost || undefined }
    // Names and literals differ in length, which shifts later positions in a line. No line has two of them with code between.
    return {
      code: code.replace(/\b__(VERSION|CHANNEL|DEFAULT_API_HOST)__\b/g, (name) => String(JSON.stringify(values[name]))),
      map: null,
    }
  },
})

// Replaces `const` with `let`, so that the minifier can join more declarations: saves 0.1 kB gzipped. The extra spaces keep
// all positions, so the source map stays correct.
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

// Puts functions in parentheses, which tells V8 to compile them together with the module, on another thread, instead of one by
// one at their first calls. This saves a quarter of the start's main-thread time. The minifiers of Vite 8 and esbuild keep the
// parentheses; webpack's does not. Scripts have a comment for it, which bundlers would drop.
const compileOnLoad = {
  name: 'compile-on-load',
  renderChunk(code, { isDynamicEntry }) {
    // A bundler that writes one file puts extensions into it, which most pages do not run.
    if (isDynamicEntry) return null
    const result = new MagicString(code)
    const visit = (node) => {
      const isFunction = node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression'
      if (isFunction) result.appendLeft(node.start, '(').appendRight(node.end, ')')
      // The function of a method or an accessor is its value.
      const isMethod = node.type === 'MethodDefinition' || node.method || node.kind === 'get' || node.kind === 'set'
      const children = isMethod ? [node.key, ...node.value.params, node.value.body] : Object.values(node).flat()
      for (const child of children) if (child?.type) visit(child)
    }
    visit(this.parse(code))
    return { code: result.toString(), map: result.generateMap({ hires: 'boundary' }) }
  },
}

// Gives internal members their short names in the npm build too, because bundlers of sites keep names of members.
const shortNames = {
  name: 'short-names',
  renderChunk(code) {
    const result = new MagicString(code)
    const visit = (node, parent) => {
      const short = node.type === 'Identifier' && SHORT_NAMES.get(node.name)
      const isMember = parent?.type === 'MemberExpression' ? parent.property === node : parent?.key === node
      if (short && isMember && !parent.computed) {
        if (parent.shorthand) result.appendLeft(node.start, `${short}: `)
        else result.overwrite(node.start, node.end, short)
      }
      for (const [name, child] of Object.entries(node))
        if (!(node.shorthand && name === 'value' && child.type === 'Identifier'))
          for (const each of [child].flat()) if (each?.type) visit(each, node)
    }
    visit(this.parse(code))
    return { code: result.toString(), map: result.generateMap({ hires: 'boundary' }) }
  },
}

// The bundler of a site cannot follow `import()` of a computed name, but it can follow a table of imports.
const importTable = {
  name: 'import-table',
  load: (id) =>
    id.replaceAll('\\', '/').endsWith('/src/extensions/imports.ts')
      ? `const IMPORTS = { ${extensions.map((name) => `${name}: () => import('./${name}/${name}')`).join()} }
         export const importExtension = (name) => IMPORTS[name]()`
      : null,
}

/** Returns the line breaks of a text. */
const linesOf = (text) => text.replace(/[^\n]/g, '')

// js-cookie without all but `set`, half of its code, and without its check for a document: workers have no cookies here. The SDK reads cookies itself, because `get` returns one of a name only.
const onlyCookieSet = {
  name: 'only-cookie-set',
  transform(code, id) {
    if (!/js\.cookie\.mjs$/.test(id)) return null
    const replacements = [
      [/^function assign [\s\S]*?\n}\n/m, (text) => `var assign = Object.assign;${linesOf(text)}`],
      [/^ {2}read: [\s\S]*?\n {2}},$/m, linesOf],
      [/^ {2}function get\([\s\S]*?\n {2}}\n/m, linesOf],
      [/if \(typeof document[\s\S]*?\n {4}}\n/, linesOf],
      // Through the prototype, where no element named `cookie` hides the property.
      [
        /return \(document\.cookie =(\s*)([^]*?)\)\n {2}}\n/,
        (_, space, text) => `return Reflect.set(Document.prototype, 'cookie', ${space}${text}, document)\n  }\n`,
      ],
      [/return Object\.create\([\s\S]*?\n {2}\)\n/, (text) => `return { set: set }${linesOf(text)}`],
    ]
    for (const [part, replacement] of replacements) {
      const changed = code.replace(part, replacement)
      if (changed === code) throw new Error(`js-cookie has no ${String(part)} any more.`)
      code = changed
    }
    return { code, map: null }
  },
}

// What extensions share with the SDK has a chunk of its own, so that the main file stays the one with the SDK's code.
const shared = (id) => (/\/src\/(lib|browser)\//.test(id.replaceAll('\\', '/')) ? 'shared' : undefined)

const compiler = typescript({
  tsconfig: './tsconfig.json',
  include: ['src/**/*.ts', 'src/**/*.tsx'],
  noEmit: false,
  // `npm run typecheck` checks the types.
  compilerOptions: { types: ['node'], inlineSources: true, noCheck: true },
})
// The plugin compiles all sources at the start of a build. One compilation is enough for all bundles.
let isCompiled = false
const compile = {
  ...compiler,
  buildStart(options) {
    if (!isCompiled) compiler.buildStart.call(this, options)
    isCompiled = true
  },
}

// Preact's modules import each other.
const withoutTheirWarnings = {
  name: 'without-their-warnings',
  onLog: (_level, { code, ids }) => code !== 'CIRCULAR_DEPENDENCY' || !ids.every((id) => id.includes('/node_modules/')),
}

const sources = (channel) => [
  importTable,
  patchedRrweb,
  onlyCookieSet,
  resolve({ browser: true }),
  compile,
  constants(channel),
  withoutTheirWarnings,
]

// Makes modules of JSON files.
const json = {
  name: 'json',
  transform: (code, id) => (id.endsWith('.json') ? { code: `export default ${code}`, map: null } : null),
}

// Code that runs in Node, not in pages.
const toolSources = [resolve(), compile]

// licenses.txt has the licenses of the bundled libraries.
const banner = `/*! Trailmark ${version}, MIT. Third parties: licenses.txt */`
const output = { sourcemap: true, banner }

/** The first minifier. `privateNames`: matches names of properties that it may also shorten. */
const minified = (privateNames) =>
  minify({
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true, inline: 1 },
    ...shortened(privateNames),
    format: { ascii_only: true, comments: /^! Trailmark|^# allFunctionsCalledOnLoad/ },
  })

/** `plugins`: run before the others. `privateNames`: matches names of properties that the minifier may also shorten. */
const script = (input, file, more = {}, plugins = [], privateNames) => ({
  input,
  output: {
    ...output,
    // Makes V8 compile every function together with the script instead of at its first call. Saves a seventh of the start time.
    banner: `//# allFunctionsCalledOnLoad\n${banner}`,
    file,
    format: 'iife',
    // ASCII only, because other characters would be garbled on pages that are not UTF-8. `inline: 1`: more inlining compresses worse.
    plugins: [letOnly, minified(privateNames)],
    ...more,
  },
  plugins: [...plugins, ...sources('cdn'), licenses, served(version)],
})

// The names of members that only one script has. Preact's sources mark private properties by an underscore.
const PRIVATE_NAMES = { surveysView: /^_[a-z]/, recorderPage: RegExp(`^(${RECORDER_NAMES.join('|')})$`) }
// The scripts that bundle only a part of Preact.
const STATELESS = ['surveysView']

/** The script of an extension, which stores its exports where src/entries/loadByScript.ts reads them. */
const extensionScript = (name) =>
  script(
    `src/extensions/${name}/${name}.ts`,
    `dist/${name}.js`,
    { name: `__trailmark_extensions__.${name}`, extend: true },
    STATELESS.includes(name) ? [statelessPreact] : [],
    PRIVATE_NAMES[name],
  )

/** Emits the declarations of the parts: each is a `Feature`. Those of `core` are built separately (below). */
const partTypes = (extension) => ({
  name: 'part-types',
  generateBundle() {
    for (const name of parts.filter((each) => each !== 'core')) {
      const source = `import type { Feature } from '../../types.cjs'\nexport declare const ${name}: Feature\n`
      this.emitFile({ type: 'asset', fileName: `${name}.${extension}`, source })
    }
  },
})

/** The sources of the entries that have declarations, by the names of their files. */
const TYPED = {
  main: 'src/entries/main.ts',
  'parts/core': 'src/entries/parts/core.ts',
  ...Object.fromEntries(subpaths.map(({ name, entry }) => [name, entry])),
}

// The types that all entries share (src/entries/types.ts). ES modules may import declarations of CommonJS, not the reverse.
const SHARED_TYPES = 'dist/types.d.cts'

/** Makes entries import the shared types instead of bundling them. */
const sharedTypes = {
  name: 'shared-types',
  resolveId: (path, importer) =>
    /\/(types|publicApi)$/.test(path) && /\/entries\/(main|parts\/core)\.ts$/.test(importer?.replaceAll('\\', '/'))
      ? { id: SHARED_TYPES, external: true }
      : null,
}

// A site can extend only interfaces that are exported where they are declared, and only through `export *`.
const exportDeclarations = {
  name: 'export-declarations',
  renderChunk(code) {
    const list = /^export type \{([^}]*)\};$/m
    const names = list
      .exec(code)[1]
      .split(',')
      .map((name) => name.trim())
    const declared = RegExp(`^(?=(interface|type) (${names.join('|')})\\b)`, 'gm')
    return { code: code.replace(list, 'export {};').replace(declared, 'export '), map: null }
  },
}

// The plugin reads all sources at the start of each build. One reading is enough for all entries.
const readTypes = dts({ tsconfig: './tsconfig.json' })
let prepared
const types = {
  ...readTypes,
  options(options) {
    prepared ??= readTypes.options.call(this, { input: [...Object.values(TYPED), 'src/entries/types.ts'] })
    return { ...options, onLog: prepared.onLog, treeshake: prepared.treeshake }
  },
}

export default [
  script('src/entries/script.ts', 'dist/analytics.js'),
  script('src/entries/script.core.ts', 'dist/analytics.core.js'),
  // The second minifier makes it 200 bytes larger. Pages do not wait for it, so V8 may compile its functions when they are called.
  script('src/entries/chartScript.ts', 'dist/chart.js', { banner, plugins: [letOnly, minified()] }),
  ...extensions.map(extensionScript),
  {
    input: 'src/entries/main.ts',
    output: [
      {
        ...output,
        dir: 'dist/esm',
        format: 'es',
        chunkFileNames: '[name].js',
        manualChunks: shared,
        plugins: [shortNames, compileOnLoad],
      },
      {
        ...output,
        dir: 'dist/cjs',
        format: 'cjs',
        manualChunks: shared,
        exports: 'named',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name].cjs',
        plugins: [shortNames],
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
        // Bundlers warn about a bare import of a chunk that another chunk already imports.
        hoistTransitiveImports: false,
        chunkFileNames: 'shared/[name].js',
        plugins: [shortNames, compileOnLoad, partTypes('d.ts')],
      },
      {
        ...output,
        dir: 'dist/cjs/parts',
        format: 'cjs',
        exports: 'named',
        entryFileNames: '[name].cjs',
        // Bundlers warn about a bare import of a chunk that another chunk already imports.
        hoistTransitiveImports: false,
        chunkFileNames: 'shared/[name].cjs',
        plugins: [shortNames, partTypes('d.cts')],
      },
    ],
    plugins: [...sources('npm'), licenses],
  },
  ...subpaths.map(({ name, entry, platform }) => ({
    input: { [name]: entry },
    external: isExternal,
    output: ['es', 'cjs'].map((format) => ({
      sourcemap: true,
      dir: format === 'es' ? 'dist/esm' : 'dist/cjs',
      format,
      exports: 'named',
      entryFileNames: format === 'es' ? '[name].js' : '[name].cjs',
      inlineDynamicImports: true,
      // Jest and older bundlers have no `import()` in CommonJS.
      dynamicImportInCjs: false,
      // Rollup removes directives of sources.
      ...(platform === 'client' && { banner: `'use client'` }),
    })),
    plugins: platform === 'node' ? [...toolSources, licenses] : sources('npm'),
  })),
  {
    input: 'src/entries/cli.ts',
    external: /^node:/,
    output: {
      sourcemap: true,
      file: 'dist/esm/cli.js',
      format: 'es',
      banner: '#!/usr/bin/env node',
      inlineDynamicImports: true,
    },
    plugins: [json, ...toolSources, constants('npm'), licenses],
  },
  ...Object.entries(TYPED).map(([name, input]) => ({
    input,
    output: [`esm/${name}.d.ts`, `cjs/${name}.d.cts`].map((file) => ({
      file: `dist/${file}`,
      paths: { [SHARED_TYPES]: name.includes('/') ? '../../types.cjs' : '../types.cjs' },
    })),
    external: isExternal,
    plugins: [sharedTypes, types],
  })),
  { input: 'src/entries/types.ts', output: { file: SHARED_TYPES, plugins: [exportDeclarations] }, plugins: [types] },
]
