import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { own } from '../lib/own.ts'

/** Manifest that the build writes next to the scripts (scripts/servedFiles.mjs). */
export interface Release {
  readonly version: string
  readonly files: Readonly<Record<string, { readonly integrity: string }>>
}

/** Name of the script-tag build in snippets. */
export const CORE = 'analytics.js'
const ALIASES: Readonly<Record<string, string>> = { 'array.js': CORE, 'array.full.js': CORE }

/**
 * Scripts that SDKs of this protocol load on demand. Those that are not in the folder are served empty, which SDKs
 * treat as a missing feature. After a 404, they log errors and try another path.
 */
const ON_DEMAND: ReadonlySet<string> = new Set(
  [
    'lazy-recorder',
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

// A new release reaches pages that load a path without a version within minutes.
const BRIEFLY = 'public, max-age=300, stale-while-revalidate=86400'
const FOREVER = 'public, max-age=31536000, immutable'

/** Allows pages of any origin to embed these files, including isolated pages (COEP), as scripts only. */
const EMBEDDABLE = { 'cross-origin-resource-policy': 'cross-origin', 'x-content-type-options': 'nosniff' }

const EMPTY_SCRIPT = '/* This script is not part of Trailmark. */\n'

/** Splits `/static/<path>` into version and file. `undefined`: not a valid path. */
export const staticFile = (
  path: string,
): { readonly file: string; readonly version: string | undefined } | undefined => {
  const folder = path.slice(0, Math.max(0, path.indexOf('/')))
  const version = /^\d+\.\d+\.\d/.test(folder) ? folder : undefined
  const rest = version === undefined ? path : path.slice(version.length + 1)
  if (!/^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(rest) || version?.includes('..')) return undefined
  return { file: own(ALIASES, rest) ?? rest, version }
}

/** Returns the release in the folder. `undefined`: the build has no manifest. */
export const readRelease = (staticDir: string): Release | undefined => {
  const manifest = join(staticDir, 'release.json')
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as Release) : undefined
}

/** Finds the script for `/static/<path>`. `undefined` if there is none. */
export type Statics = (path: string) => StaticResponse | undefined

interface StaticResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly file?: string
  readonly body?: string
}

/**
 * Serves the scripts of a folder. A path with a version never changes: it is the folder's own version, or one that an
 * operator has kept in a folder of that name. Any other version gets the current scripts, with a short cache lifetime.
 */
export const createStatics = (staticDir: string): Statics => {
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
