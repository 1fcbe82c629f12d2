import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { PART_OPTIONS } from '../../src/client/missingOptions'
import { PART_METHODS } from '../../src/client/missingParts'
import type { PartName } from '../../src/parts'

const ROOT = resolve(__dirname, '../..')

/** Size budget of each part in bytes, gzipped: `core` alone, the others in addition to it. */
export const PART_BUDGETS = JSON.parse(readFileSync(resolve(ROOT, 'src/parts.json'), 'utf8')) as Record<string, number>

/** Names of the parts a site can leave out. */
export const PARTS = Object.keys(PART_BUDGETS).filter((name) => name !== 'core')

/** Returns the methods and options that belong to a part. */
export const membersOf = (part: string, names: readonly string[]): string[] =>
  names.filter((name) => PART_OPTIONS[part as PartName]?.test(name) || name in (PART_METHODS[part as PartName] ?? {}))

const run = (...args: string[]): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [resolve(__dirname, 'bundleParts.mjs'), ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1e8,
    }),
  )

/** The bundlers sites use. */
export const BUNDLERS = ['esbuild', 'rollup', 'vite', 'webpack']

/** Bundles an app for each list of parts. Returns the code of all files of each app, starting with the entry file. */
export const bundleApps = (bundler: string, apps: readonly (readonly string[])[]) =>
  run(bundler, JSON.stringify(apps)) as string[][]

/** Returns the size of the core in an app, the size each part adds to it, and `all`, in bytes gzipped. */
export const measureParts = () => run('sizes') as Record<string, number>
