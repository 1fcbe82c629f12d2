import { fileURLToPath, pathToFileURL } from 'node:url'
import { rollup } from 'rollup'
import config from '../../service/rollup.config.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Bundles a module of the service like the service itself, and imports it. `path`: in `service/src`, without extension. */
export const importService = async (path) => {
  const bundle = await rollup({ ...config, input: here(`../../service/src/${path}.ts`) })
  // Inside the repository, so that its imports of packages resolve.
  const file = here(`../../.cache/bench/${path}.mjs`)
  await bundle.write({ file, format: 'es' })
  return import(pathToFileURL(file).href)
}
