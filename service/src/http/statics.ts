import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dependencies } from './route.ts'

/** What the build says of the scripts beside it (scripts/servedFiles.mjs). */
export interface Release {
  readonly version: string
  readonly files: Readonly<Record<string, { readonly integrity: string }>>
}

/** The script-tag build, under the name that snippets ask for. */
export const CORE = 'analytics.js'
const ALIASES: Readonly<Record<string, string>> = { 'array.js': CORE, 'array.full.js': CORE }

/**
 * Scripts that SDKs of this protocol load on demand. What is not in the folder is empty, which they take for a feature that is
 * not there; after a 404 they log errors and ask again under another path.
 */
const ON_DEMAND: ReadonlySet<string> = new Set(
  [
    'lazy-recorder',
    'recorder',
    'posthog-recorder',
    'recorder-v2',
    'surveys',
    'surveys-preview',
    'exception-autocapture',
    'web-vitals',
    'web-vitals-with-attribution',
    'web-vitals-soft-navs',
    'web-vitals-with-attribution-soft-navs',
    'dead-clicks-autocapture',
    'tracing-headers',
    'element-inference',
    'logs',
    'product-tours',
    'conversations',
    'toolbar',
    'intercom-integration',
    'crisp-chat-integration',
    'customizations.full',
  ].map((name) => `${name}.js`),
)

// A release behind a path without its version reaches pages within minutes.
const BRIEFLY = 'public, max-age=300, stale-while-revalidate=86400'
const FOREVER = 'public, max-age=31536000, immutable'

/** Pages of any origin may embed these files, also pages that isolate themselves (COEP); nothing takes a script for anything else. */
const EMBEDDABLE = { 'cross-origin-resource-policy': 'cross-origin', 'x-content-type-options': 'nosniff' }

const EMPTY_SCRIPT = '/* This script is not part of Trailmark. */\n'

/** The version in front of `/static/<path>` and the file behind it; `undefined` if the path cannot name a file. */
export const staticFile = (
  path: string,
): { readonly file: string; readonly version: string | undefined } | undefined => {
  const [, version, rest] = /^(?:(\d+\.\d+\.\d+[^/]*)\/)?(.*)$/s.exec(path)!
  if (!/^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(rest!) || version?.includes('..')) return undefined
  return { file: ALIASES[rest!] ?? rest!, version }
}

/** The release in the folder; `undefined` if its build left no manifest. */
export const readRelease = (staticDir: string): Release | undefined => {
  const manifest = join(staticDir, 'release.json')
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as Release) : undefined
}

/**
 * Serves the scripts of a folder. Under the path with their version they never change: the version is either the folder's own,
 * or one that an operator has kept in a folder of that name. Any other version gets the current scripts, for a short while.
 */
export const createStatics = (staticDir: string): Dependencies['statics'] => {
  const current = readRelease(staticDir)?.version
  const isThere = (...path: string[]) => existsSync(join(staticDir, ...path))

  return (path) => {
    const found = staticFile(path)
    if (!found) return undefined
    const { file, version } = found
    if (version && isThere(version, file))
      return { file: `${version}/${file}`, headers: { ...EMBEDDABLE, 'cache-control': FOREVER } }
    if (isThere(file)) {
      const isPinned = version !== undefined && version === current
      return { file, headers: { ...EMBEDDABLE, 'cache-control': isPinned ? FOREVER : BRIEFLY } }
    }
    if (!ON_DEMAND.has(file)) return undefined
    return {
      body: EMPTY_SCRIPT,
      headers: { ...EMBEDDABLE, 'cache-control': BRIEFLY, 'content-type': 'text/javascript; charset=utf-8' },
    }
  }
}
