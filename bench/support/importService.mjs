import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { options } from '../../service/esbuild.config.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Bundles a module of the service like the service itself, and imports it. `path`: in `service/src`, without extension. */
export const importService = async (path) => {
  // Inside the repository, so that its imports of packages resolve.
  const outfile = here(`../../.cache/bench/${path}.mjs`)
  await build({ ...options, entryPoints: [here(`../../service/src/${path}.ts`)], outfile })
  return import(pathToFileURL(outfile).href)
}
