// Builds the service with another list of modules, and prints the source files of the build as JSON. Nothing but a row of the list
// differs.
//   node buildModules.mjs <output folder> add <file of the module> <name>
//   node buildModules.mjs <output folder> remove <folder in service/src> <name>
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { options } from '../../esbuild.config.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const [outdir, way, place, name] = process.argv.slice(2)

const EDITS = {
  add: (text) =>
    `import { ${name} } from ${JSON.stringify(place)}\n${text}`.replace('[] = [\n', (start) => `${start}  ${name},\n`),
  remove: (text) =>
    text.replace(`import { ${name} } from './${place}/module.ts'\n`, '').replace(new RegExp(`^ +${name},\n`, 'm'), ''),
}

const list = here('../../src/modules.ts')
const { metafile } = await build({
  ...options,
  entryPoints: {
    main: here('../../src/main.ts'),
    'storage/embedded/child': here('../../src/storage/embedded/child.ts'),
    'recordings/threadProgram': here('../../src/recordings/threadProgram.ts'),
    'errorTracking/mapWorker': here('../../src/errorTracking/mapWorker.ts'),
  },
  outdir,
  splitting: true,
  metafile: true,
  plugins: [
    {
      name: 'modules',
      setup: ({ onLoad }) =>
        onLoad({ filter: /src\/modules\.ts$/ }, () => {
          const text = readFileSync(list, 'utf8')
          const contents = EDITS[way](text)
          if (contents === text) throw new Error(`${list} has no such row`)
          return { contents, loader: 'ts' }
        }),
    },
  ],
})
process.stdout.write(JSON.stringify(Object.keys(metafile.inputs)))
