// The sub-paths of the npm package that are not parts of the SDK: `trailmark/endpoints`, `trailmark/react` and others. Each is a
// row of src/subpaths.json. `node scripts/subpaths.mjs` writes the rows into package.json, a test compares them.
//
// A row:
// - `entry`: the source, by default src/subpaths/<name>/index.ts
// - `limit`: the largest size in bytes, minified and gzipped, without what it imports from other packages
// - `platform`: `node` for code that may import modules of Node, `client` for React components that run in browsers only
//   (their file begins with "use client"), `any` by default
// - `conditions`: other rows for conditions of importers, in their order, such as `{"react-server": "next/server"}`
// - `peers`: optional peer dependencies and their ranges
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('..', import.meta.url)
const readJson = (file) => JSON.parse(readFileSync(new URL(file, ROOT), 'utf8'))

/** The rows of src/subpaths.json, with their defaults. */
export const subpaths = Object.entries(readJson('src/subpaths.json')).map(([name, row]) => ({
  name,
  entry: `src/subpaths/${name}/index.ts`,
  platform: 'any',
  conditions: {},
  peers: {},
  ...row,
}))

/**
 * Whether a sub-path imports a module by name instead of bundling it: the package itself, its peers and modules of
 * Node.
 */
export const isExternal = (id) =>
  /^(node:|trailmark(\/|$))/.test(id) ||
  subpaths.some(({ peers }) => Object.keys(peers).some((peer) => id === peer || id.startsWith(`${peer}/`)))

const formatsOf = (file) => ({
  import: { types: `./dist/esm/${file}.d.ts`, default: `./dist/esm/${file}.js` },
  require: { types: `./dist/cjs/${file}.d.cts`, default: `./dist/cjs/${file}.cjs` },
})

/** Returns a package.json with the rows in its `exports`, `typesVersions`, `peerDependencies` and `peerDependenciesMeta`. */
export const withSubpaths = (manifest) => {
  const names = new Set(subpaths.map(({ name }) => name))
  const isOther = ([key, value]) =>
    !names.has(key.replace('./', '')) && key !== './package.json' && /\/parts\/|\/main\./.test(JSON.stringify(value))
  const kept = (entries) => Object.fromEntries(Object.entries(entries).filter(isOther))
  const peers = Object.fromEntries(subpaths.flatMap((row) => Object.entries(row.peers)).sort())
  const { peerDependencies: _ranges, peerDependenciesMeta: _meta, ...rest } = manifest
  return {
    ...rest,
    exports: {
      ...kept(manifest.exports),
      ...Object.fromEntries(
        subpaths.map(({ name, conditions }) => [
          `./${name}`,
          {
            ...Object.fromEntries(Object.entries(conditions).map(([key, row]) => [key, formatsOf(row)])),
            ...formatsOf(name),
          },
        ]),
      ),
      './package.json': './package.json',
    },
    typesVersions: {
      '*': {
        ...kept(manifest.typesVersions['*']),
        ...Object.fromEntries(subpaths.map(({ name }) => [name, [`./dist/cjs/${name}.d.cts`]])),
      },
    },
    ...(Object.keys(peers).length > 0 && {
      peerDependencies: peers,
      peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((peer) => [peer, { optional: true }])),
    }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifest = withSubpaths(readJson('package.json'))
  writeFileSync(new URL('package.json', ROOT), `${JSON.stringify(manifest, null, 2)}\n`)
}
