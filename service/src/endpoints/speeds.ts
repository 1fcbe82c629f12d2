/** Source of a run of a materialized endpoint: the events, or the table (or the part of it in memory). */
export type SourceName = 'live' | 'table'

export interface Choice {
  readonly source: SourceName
  readonly reason: 'live_is_quicker' | 'table_is_quicker' | 'not_measured'
  /** Median durations of recent runs. Absent: too few. */
  readonly liveMs?: number | undefined
  readonly tableMs?: number | undefined
}

/** Knows which source of each version is quicker. Both return the same rows. */
export interface Speeds {
  choose(versionId: string): Choice
  /** Notes how long a source took. */
  note(versionId: string, source: SourceName, ms: number): void
}

interface Measure {
  readonly at: number
  readonly ms: number
}

interface Known {
  source: SourceName
  readonly measures: Record<SourceName, readonly Measure[]>
}

const KEPT = 9
const FEWEST = 3
// A source that is not taken is not measured either. Afterwards, a few runs read the table again.
const VALID_MS = 30 * 60_000
// Minimum ratio of two durations. A smaller one may be chance, and the table loads the engine less.
const CLEARLY = 1.25
// A version takes about a kilobyte.
const MAX_VERSIONS = 5_000

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!

export interface SpeedsOptions {
  /** Whether runs always read the table. */
  readonly isTableFixed?: boolean
  readonly now?: () => number
}

/** Creates the record of how long the recent runs of each version took. It is in memory, for this process. */
export const createSpeeds = ({ isTableFixed = false, now = Date.now }: SpeedsOptions = {}): Speeds => {
  /** Ordered by last note. */
  const versions = new Map<string, Known>()

  const typical = (measures: readonly Measure[]): number | undefined => {
    const valid = measures.filter(({ at }) => now() - at < VALID_MS)
    return valid.length < FEWEST ? undefined : median(valid.map(({ ms }) => ms))
  }

  return {
    choose(versionId) {
      const known = versions.get(versionId)
      if (!known || isTableFixed) return { source: 'table', reason: 'not_measured' }
      const [liveMs, tableMs] = [typical(known.measures.live), typical(known.measures.table)]
      const isMeasured = liveMs !== undefined && tableMs !== undefined
      const least = known.source === 'live' ? 1 : CLEARLY
      known.source = isMeasured && liveMs * least < tableMs ? 'live' : 'table'
      return {
        source: known.source,
        reason: isMeasured ? `${known.source}_is_quicker` : 'not_measured',
        liveMs,
        tableMs,
      }
    },
    note(versionId, source, ms) {
      const known = versions.get(versionId) ?? { source: 'table', measures: { live: [], table: [] } }
      known.measures[source] = [...known.measures[source], { at: now(), ms }].slice(-KEPT)
      versions.delete(versionId)
      versions.set(versionId, known)
      for (const oldest of versions.keys()) {
        if (versions.size <= MAX_VERSIONS) return
        versions.delete(oldest)
      }
    },
  }
}
