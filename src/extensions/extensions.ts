import type * as clicks from './clicks'
import type * as gzip from './gzip'

/** What is loaded on demand, by name: the module as npm's `import()` gives it and as its script registers it. */
export interface Extensions {
  clicks: typeof clicks
  gzip: typeof gzip
}

/** Fetches an extension of the same release. Rejects when the page forbids it or the network fails. */
export type LoadExtension = <N extends keyof Extensions>(name: N) => Promise<Extensions[N]>
