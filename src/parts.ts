import type parts from './parts.json'

/**
 * The names of the parts that a site can import one by one, as `trailmark/<name>`. `parts.json` lists them, and what each
 * may weigh in an app: `core` by itself, every other part beside it, bytes gzipped. From that list come the files of the
 * package (rollup.config.mjs), its exports, the size tests and docs/guides/parts.md.
 */
export type PartName = Exclude<keyof typeof parts, 'core'>
