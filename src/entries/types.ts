/**
 * The types of the package, in one file for all entries, ES modules and CommonJS: what a site declares of `trailmark` holds
 * for every entry.
 */
export type { Analytics, Options } from '../client/publicApi'
export type * from '../types'
export type * from '../client/posthogTypes'

/** A part of the SDK, such as `flags` from `trailmark/flags`. Its members are internal. */
export interface Feature {
  readonly name: string
}
