import type { EndpointVersion } from '../../storage/metadata/metadata.ts'

/** A table that runs read. */
export interface MaterializedTable {
  /** Name of the table. */
  readonly table: string
  readonly signature: string
  readonly watermark: string
  readonly rows: number
  readonly bytes: number
  /** Number of events that the table was built from. */
  readonly events: number
  readonly builtAt: string
}

/** The materialization of a version, shared by all processes. Absent where the version is not materialized. */
export interface State {
  /** For an insight: whether runs may pass dates. */
  readonly takesDates?: boolean | undefined
  /** The table in use. Absent: runs are live. */
  readonly build?: MaterializedTable | undefined
  /** The build in progress: the name of its table, and when the claim expires unless it is renewed. */
  readonly claim?: { readonly table: string; readonly until: string } | undefined
  /** When a process last began to build or to check the table. */
  readonly lookedAt?: string | undefined
  /** Why the last build failed, or why materialization is turned off. */
  readonly error?: string | undefined
  /** Whether the table returned other rows than a live run. Stays set until materialization is enabled again. */
  readonly isTurnedOff?: boolean | undefined
}

export const stateOf = ({ materialization }: EndpointVersion): State | undefined => materialization as State | undefined

export type Due = 'build' | 'check' | 'nothing'

// A check counts all events of the table.
const CHECK_INTERVAL_MS = 60_000

/** Returns what is due for a version. `now`: ms since the epoch. */
export const dueOf = ({ build, claim, lookedAt, isTurnedOff }: State, freshnessSeconds: number, now: number): Due => {
  if (isTurnedOff || (claim && now < Date.parse(claim.until))) return 'nothing'
  // The claim expired: its holder crashed.
  if (claim) return 'build'
  if (lookedAt && now - Date.parse(lookedAt) < CHECK_INTERVAL_MS) return 'nothing'
  return build && now - Date.parse(build.builtAt) < freshnessSeconds * 1_000 ? 'check' : 'build'
}
