// One file for each process of the service: Node loads a bundle in half the time of hundreds of small modules.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeLicenses } from '../scripts/servedFiles.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const dist = here('dist')
rmSync(dist, { recursive: true, force: true })

const { metafile } = await build({
  entryPoints: {
    main: here('src/main.ts'),
    'storage/embedded/child': here('src/storage/embedded/child.ts'),
    'recordings/threadProgram': here('src/recordings/threadProgram.ts'),
    'errorTracking/mapWorker': here('src/errorTracking/mapWorker.ts'),
  },
  outdir: dist,
  absWorkingDir: here('..'),
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
  // Native packages with their wrapper, and the package that only services with a Postgres database load.
  external: ['@libsql/client', 'ffi-rs', '@chdb/*', 'pg'],
  // Bundled CommonJS modules load Node's own with `require`, which ES modules lack.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url)",
  },
})

const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => here(`../${path}`))
writeLicenses(dist, bundled)
