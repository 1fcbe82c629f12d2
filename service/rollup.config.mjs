// One file for each process of the service: Node loads a bundle in half the time of a thousand small modules.
import { fileURLToPath } from 'node:url'
import resolve from '@rollup/plugin-node-resolve'
import swc from '@swc/core'
import { licenses } from '../scripts/servedFiles.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

// Packages of many small modules are bundled. All others are loaded from node_modules, native ones among them.
const BUNDLED = ['kysely', '@sinclair/typebox']
const isOf = (name) => (id) => id === name || id.startsWith(`${name}/`)
const isBundled = (id) => /^[./]/.test(id) || BUNDLED.some((name) => isOf(name)(id))

/** Removes types. `npm run typecheck` checks them. */
const typescript = {
  name: 'typescript',
  transform: (code, filename) =>
    filename.endsWith('.ts')
      ? swc.transform(code, {
          filename,
          configFile: false,
          sourceMaps: true,
          jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        })
      : null,
}

export default {
  input: {
    main: here('src/main.ts'),
    'storage/embedded/child': here('src/storage/embedded/child.ts'),
    'recordings/threadProgram': here('src/recordings/threadProgram.ts'),
    'errorTracking/mapWorker': here('src/errorTracking/mapWorker.ts'),
  },
  output: { dir: here('dist'), format: 'es', sourcemap: true, chunkFileNames: 'chunks/[name].js' },
  external: (id) => !isBundled(id),
  plugins: [resolve(), typescript, licenses],
  onwarn(warning, warn) {
    // Ignores harmless warnings about code of bundled packages.
    const isTheirs = (warning.ids ?? [warning.id]).every((id) => id?.includes('/node_modules/'))
    if (!isTheirs || !['CIRCULAR_DEPENDENCY', 'THIS_IS_UNDEFINED'].includes(warning.code)) warn(warning)
  },
}
