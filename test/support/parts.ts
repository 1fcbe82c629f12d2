import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { PART_MEMBERS } from '../../src/client/missingParts'
import type { PartName } from '../../src/parts'

const ROOT = resolve(__dirname, '../..')

/** What each part may weigh, bytes gzipped: `core` by itself, the others beside it. */
export const PART_BUDGETS = JSON.parse(readFileSync(resolve(ROOT, 'src/parts.json'), 'utf8')) as Record<string, number>

/** The names of the parts that a site can leave out. */
export const PARTS = Object.keys(PART_BUDGETS).filter((name) => name !== 'core')

/** The methods and options that belong to a part. */
export const membersOf = (part: string, names: readonly string[]): string[] =>
  names.filter((name) => PART_MEMBERS[part as PartName]?.test(name))

const run = (...args: string[]): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [resolve(__dirname, 'bundleParts.mjs'), ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1e8,
    }),
  )

/** The bundlers that sites use. */
export const BUNDLERS = ['esbuild', 'rollup', 'vite', 'webpack']

/** Bundles an app for each list of parts. Returns the code of all files of each app, the app's own first. */
export const bundleApps = (bundler: string, apps: readonly (readonly string[])[]) =>
  run(bundler, JSON.stringify(apps)) as string[][]

/** Returns what the core weighs in an app, what each part adds to it, and `all` of it, bytes gzipped. */
export const measureParts = () => run('sizes') as Record<string, number>
