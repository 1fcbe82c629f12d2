// `node scripts/quickBuild.mjs [folder]`: builds the scripts that the service serves, in seconds, for `npm start`: compiled and minified by esbuild instead of
// TypeScript and terser. They are a few percent larger than those of a release. So they have no `release.json`, without
// which the service does not promise browsers that the files of this version never change. `npm run build` builds a release.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { rollup } from 'rollup'
import configs from '../rollup.config.mjs'
import { withQuickCompile } from './quickCompile.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = resolve(process.argv[2] ?? join(ROOT, 'dist'))
const OF_RELEASE = /\.(br|gz|tgz)$|^release\.json$/

/** Minifies, instead of the plugins of a script's output. */
const minify = {
  name: 'quick-minify',
  renderChunk: (code) => transform(code, { minify: true, target: 'es2020', sourcemap: true, legalComments: 'inline' }),
}

const build = async ({ plugins, output, ...input }) => {
  const bundle = await rollup({
    ...input,
    plugins: withQuickCompile(plugins).filter(({ name }) => name !== 'served'),
  })
  await bundle.write({ ...output, file: join(FOLDER, basename(output.file)), plugins: [minify] })
  await bundle.close()
}

// Compressed copies and the package of an earlier build would be served instead.
for (const name of existsSync(FOLDER) ? readdirSync(FOLDER) : []) if (OF_RELEASE.test(name)) rmSync(join(FOLDER, name))
process.chdir(ROOT)
await Promise.all(configs.filter(({ output }) => output.format === 'iife').map(build))
