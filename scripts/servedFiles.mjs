// Rollup plugins for files next to the code: compressed copies and hashes for the service, and licenses of bundled packages.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })

const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/**
 * Writes compressed copies of a script next to it and adds it to `release.json`, which tells the service the version in
 * this folder and the hashes for Subresource Integrity.
 */
export const served = (version) => ({
  name: 'served',
  writeBundle({ file }) {
    const bytes = readFileSync(file)
    writeFileSync(`${file}.br`, brotli(bytes))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    const manifest = join(dirname(file), 'release.json')
    const before = readJson(manifest)
    const files = {
      ...(before.version === version ? before.files : {}),
      [basename(file)]: { integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}` },
    }
    writeFileSync(manifest, `${JSON.stringify({ version, files }, null, 2)}\n`)
  },
})

const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/

// Licenses of packages that are published without the file of their repository.
const MISSING = {
  '@rrweb': new URL('licenses/rrweb.txt', import.meta.url),
  'abstract-logging': new URL('licenses/abstract-logging.txt', import.meta.url),
}

/** Returns the license text of a package. Throws if it has none, so that it cannot be bundled. */
const licenseOf = (folder, name) => {
  const own = readdirSync(folder).find((each) => /^licen[cs]e(\.|$)/i.test(each))
  const file = own ? join(folder, own) : MISSING[name.split('/')[0]]
  if (!file) throw new Error(`${name} is bundled and has no license file in ${folder}.`)
  const { license } = readJson(join(folder, 'package.json'))
  return `${name} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`
}

// Several builds write into the same folder, and each adds the packages that it bundles.
const notices = new Map()

/**
 * Writes `licenses.txt` into a folder of built files, with the licenses of the bundled packages. `modules`: paths of
 * the bundled files.
 */
export const writeLicenses = (dir, modules) => {
  const ofFolder = notices.get(dir) ?? new Map()
  notices.set(dir, ofFolder)
  for (const path of modules.map((module) => module.replaceAll('\\', '/'))) {
    const name = PACKAGE.exec(path)
    if (!name || ofFolder.has(name[1])) continue
    ofFolder.set(name[1], licenseOf(path.slice(0, name.index + `/node_modules/${name[1]}`.length), name[1]))
  }
  const texts = [...ofFolder].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  writeFileSync(join(dir, 'licenses.txt'), texts.join('\n\n'))
}

/** Writes `licenses.txt` next to the code, with the licenses of the packages whose code is in the folder's files. */
export const licenses = {
  name: 'licenses',
  writeBundle({ file, dir = dirname(file) }, bundle) {
    const modules = Object.values(bundle).flatMap(({ modules = {} }) => Object.entries(modules))
    writeLicenses(
      dir,
      modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id),
    )
  },
}
