import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the folder of the SDK's scripts: `dist` of the package that has this file. */
export const scriptFolder = (from = dirname(fileURLToPath(import.meta.url))): string => {
  const manifest = join(from, 'package.json')
  const isPackage = existsSync(manifest) && /"name": "trailmark"/.test(readFileSync(manifest, 'utf8'))
  return isPackage || dirname(from) === from ? join(from, 'dist') : scriptFolder(dirname(from))
}

/** Reads the script at a path such as `/static/analytics.js` or `/static/2.0.0/surveys.js`. */
export const readScript = (folder: string, path: string): Buffer | undefined => {
  const name = /\/static\/(?:\d[\w.-]*\/)?([\w.-]+\.js)$/.exec(path)?.[1]
  const file = name && join(folder, name)
  return file && existsSync(file) ? readFileSync(file) : undefined
}
