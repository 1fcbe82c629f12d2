import type { EndpointVersion } from '../../storage/metadata/metadata.ts'

/** A table that runs are answered from. */
export interface MaterializedTable {
  readonly table: string
  readonly signature: string
  readonly watermark: string
  readonly rows: number
  readonly bytes: number
  /** Of how many events it was made. */
  readonly events: number
  readonly builtAt: string
}

/** What all processes know of the materialization of a version. There is none where it is not materialized. */
export interface State {
  /** Of an insight: whether runs may pass dates. */
  readonly takesDates?: boolean | undefined
  /** The last good one. Absent: runs are live. */
  readonly build?: MaterializedTable | undefined
  /** Who builds: the table that comes of it, which nobody else names, and until when it is believed that it still does. */
  readonly claim?: { readonly table: string; readonly until: string } | undefined
  /** When somebody last began to build it, or to look whether it is whole. */
  readonly lookedAt?: string | undefined
  /** Why the last build failed, or why it is turned off. */
  readonly error?: string | undefined
  /** It gave other rows than a live run, and waits for a person. */
  readonly isTurnedOff?: boolean | undefined
}

export const stateOf = ({ materialization }: EndpointVersion): State | undefined => materialization as State | undefined

export type Due = 'build' | 'check' | 'nothing'

// A check counts all events of the table.
const LOOK_MS = 60_000

/** What is to be done for a version, by whoever comes first. */
export const dueOf = ({ build, claim, lookedAt, isTurnedOff }: State, freshnessSeconds: number, now: number): Due => {
  if (isTurnedOff || (claim && now < Date.parse(claim.until))) return 'nothing'
  // Whoever had the claim has fallen.
  if (claim) return 'build'
  if (lookedAt && now - Date.parse(lookedAt) < LOOK_MS) return 'nothing'
  return build && now - Date.parse(build.builtAt) < freshnessSeconds * 1_000 ? 'check' : 'build'
}
