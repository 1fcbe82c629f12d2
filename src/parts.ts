import type parts from './parts.json'

/**
 * The names of the parts that a site can import as `trailmark/<name>`. `parts.json` lists them with the size limit of each
 * in an app, in gzipped bytes: `core` alone, and what every other part adds to it. The files of the package
 * (rollup.config.mjs), its exports, the size tests and docs/guides/parts.md follow that list.
 */
export type PartName = Exclude<keyof typeof parts, 'core'>
