// Builds the service: one file for each of its processes and threads.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeLicenses } from '../scripts/servedFiles.mjs'
import { options } from './esbuild.config.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const dist = here('dist')
rmSync(dist, { recursive: true, force: true })

const { metafile } = await build({
  ...options,
  entryPoints: {
    main: here('src/main.ts'),
    'storage/embedded/child': here('src/storage/embedded/child.ts'),
    'recordings/threadProgram': here('src/recordings/threadProgram.ts'),
    'errorTracking/mapWorker': here('src/errorTracking/mapWorker.ts'),
  },
  outdir: dist,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: true,
  metafile: true,
})

const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => here(`../${path}`))
writeLicenses(dist, bundled)
