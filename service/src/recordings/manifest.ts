import type { WindowView } from './views.ts'

/** A stored chunk without its events. Times are in ms since the epoch, each by the clock that its own delivery revealed. */
export interface ChunkRow {
  readonly windowId: string
  readonly seq: number
  readonly firstAt: number
  readonly lastAt: number
  readonly shiftMs: number
  readonly isAnchor: boolean
  /** Whether all parts are stored. */
  readonly isWhole: boolean
  /** Rows that the chunk is stored in. */
  readonly parts: number
  readonly bytes: number
  readonly policy: string
  readonly dropped: number
  /** Whether the visitor did something. */
  readonly isActive: boolean
}

/** Sequence numbers of SDKs that number their chunks are below this. Those of others are times. */
const MAX_NUMBERED = 1_000_000_000

const iso = (ms: number) => new Date(ms).toISOString()

/** Applies the clock of a window's first chunk to all its chunks. Otherwise the delay of each delivery would move its events. */
const onOneClock = (chunks: readonly ChunkRow[]): ChunkRow[] => {
  const shiftMs = chunks[0]!.shiftMs
  return chunks.map((chunk) => ({
    ...chunk,
    firstAt: chunk.firstAt - chunk.shiftMs + shiftMs,
    lastAt: chunk.lastAt - chunk.shiftMs + shiftMs,
    shiftMs,
  }))
}

/** Returns where chunks are missing between those that are complete. */
const gapsOf = (chunks: readonly ChunkRow[]): WindowView['gaps'] => {
  const gaps: WindowView['gaps'] = []
  let expected = 0
  let endedAt = chunks[0]?.firstAt
  for (const [index, { seq, firstAt, lastAt }] of chunks.entries()) {
    const isNumbered = seq <= MAX_NUMBERED
    if (isNumbered && seq > expected) {
      const next = chunks.slice(index).find(({ isAnchor }) => isAnchor)
      gaps.push({
        from_seq: expected,
        to_seq: seq - 1,
        started_at: iso(Math.min(endedAt!, firstAt)),
        ended_at: next ? iso(next.firstAt) : null,
      })
    }
    expected = isNumbered ? seq + 1 : 0
    endedAt = lastAt
  }
  return gaps
}

/** Returns the windows of a session in order of time. `rows`: its chunks in order of window and sequence number. */
export const windowsOf = (rows: readonly ChunkRow[]): WindowView[] => {
  const byWindow = new Map<string, ChunkRow[]>()
  for (const row of rows) byWindow.set(row.windowId, [...(byWindow.get(row.windowId) ?? []), row])
  return [...byWindow]
    .map(([id, own]) => {
      const chunks = onOneClock(own)
      // If the service left out all events of a chunk, the chunk is stored without bytes.
      const whole = chunks.filter(({ isWhole, bytes }) => isWhole && bytes > 0)
      return {
        id,
        started_at: iso(Math.min(...chunks.map(({ firstAt }) => firstAt))),
        ended_at: iso(Math.max(...chunks.map(({ lastAt }) => lastAt))),
        policy: chunks[0]!.policy,
        dropped: chunks.reduce((sum, { dropped }) => sum + dropped, 0),
        chunks: whole.map(({ seq, firstAt, lastAt, bytes, isAnchor, isActive }) => ({
          seq,
          started_at: iso(firstAt),
          ended_at: iso(lastAt),
          bytes,
          is_anchor: isAnchor,
          is_active: isActive,
        })),
        gaps: gapsOf(whole),
      }
    })
    .sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
}
