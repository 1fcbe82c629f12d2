import type { EndpointVersion } from '../../../storage/metadata/metadata.ts'
import type { Layer } from '../layers.ts'

/** A table that runs read. */
export interface MaterializedTable {
  /** Name of the table. */
  readonly table: string
  readonly signature: string
  readonly watermark: string
  readonly layers: readonly Layer[]
  readonly bytes: number
  /** Time at which events were last added. */
  readonly builtAt: string
}

/** The materialization of a version, shared by all processes. Absent where the version is not materialized. */
export interface State {
  /** For an insight: whether runs may pass dates. */
  readonly takesDates?: boolean | undefined
  /** The table in use. Absent: runs are live. */
  readonly inUse?: MaterializedTable | undefined
  /** A table that may be used again when the events of these UTC days are stored again. Without `days`: of all days. */
  readonly stale?: { readonly table: MaterializedTable; readonly days?: readonly string[] | undefined } | undefined
  /** The work in progress: the table and the layer it stores, and when the claim expires unless it is renewed. */
  readonly claim?: { readonly table: string; readonly layer: number; readonly until: string } | undefined
  /** Deletions of events in progress, by id, and when they expire unless they are renewed. Nothing is stored meanwhile. */
  readonly deletions?: Readonly<Record<string, string>> | undefined
  /** Time at which a process last began to store or to check the table. */
  readonly lookedAt?: string | undefined
  /** Time at which the events of the table were last counted, and the engine's last change of stored events until then. */
  readonly counted?: { readonly at: string; readonly change: string } | undefined
  /** Reason why the last attempt failed, or why materialization is turned off. */
  readonly error?: string | undefined
  /** Whether the table returned other rows than a live run. Stays set until materialization is enabled again. */
  readonly isTurnedOff?: boolean | undefined
}

export const stateOf = ({ materialization }: EndpointVersion): State | undefined => materialization as State | undefined

export type Due = 'store' | 'check' | 'nothing'

const CHECK_INTERVAL_MS = 60_000
// A tail of arrived events makes runs slower, and storing it costs as little as one run.
const MAX_AGE_MS = 300_000

const isPast = (time: string, now: number): boolean => now >= Date.parse(time)

/** Returns what is due for a version. `now`: ms since the epoch. */
export const dueOf = ({ inUse, stale, claim, deletions = {}, lookedAt, isTurnedOff }: State, now: number): Due => {
  if (isTurnedOff || Object.values(deletions).some((until) => !isPast(until, now))) return 'nothing'
  if (claim && !isPast(claim.until, now)) return 'nothing'
  // The claim expired: its holder crashed.
  if (claim) return 'store'
  if (lookedAt && now - Date.parse(lookedAt) < CHECK_INTERVAL_MS) return 'nothing'
  if (!inUse || stale) return 'store'
  return now - Date.parse(inUse.builtAt) < MAX_AGE_MS ? 'check' : 'store'
}

/** Stops using the table, because its events of some UTC days were deleted or changed. Without `days`: of all days. */
export const withStaleDays = (state: State, days: readonly string[] | undefined): State => {
  const table = state.inUse ?? state.stale?.table
  if (!table) return state
  const before = state.stale ? state.stale.days : []
  return {
    ...state,
    inUse: undefined,
    claim: undefined,
    stale: { table, days: before && days ? [...new Set([...before, ...days])].sort() : undefined },
  }
}
