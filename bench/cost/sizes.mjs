import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { versionOf } from '../sdks.mjs'

const sizes = (texts) => ({
  raw: total(texts, (text) => Buffer.byteLength(text)),
  gzip: total(texts, (text) => gzipSync(text, { level: 9 }).length),
  // The default of brotli is the highest quality, 11.
  brotli: total(texts, (text) => brotliCompressSync(text).length),
})
const total = (texts, sizeOf) => texts.reduce((sum, text) => sum + sizeOf(text), 0)

/** Returns the builds of each SDK, with the bytes that are loaded immediately and those that may be loaded later. */
export const formsOf = (sdks, built) =>
  sdks.flatMap((sdk) => {
    const form = (kind, how, atOnce, later = []) => ({
      sdk: sdk.name,
      version: versionOf(sdk),
      kind,
      how,
      ...sizes(atOnce),
      later: sizes(later).gzip,
    })
    return [
      ...(sdk.script ? [form('script', basename(sdk.script), [readFileSync(sdk.script, 'utf8')])] : []),
      ...[sdk.name, ...(sdk.forms ?? [])].map((name) =>
        form('import', `pages/${name}.js`, built[name].atOnce, built[name].later),
      ),
    ]
  })
