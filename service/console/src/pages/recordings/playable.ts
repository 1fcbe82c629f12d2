import type { RecordingWindow, Snapshot } from '../../api/recordings.ts'
import type { Span } from '../../player/messages.ts'

export interface PlayableChunk {
  readonly seq: number
  /** ms since the epoch. */
  readonly from: number
  readonly to: number
  readonly bytes: number
  readonly isAnchor: boolean
  /** Whether the visitor did something. */
  readonly isActive: boolean
  /** Whether chunks are missing before it. It is an anchor then. */
  readonly followsGap: boolean
}

/** Playable chunks of a window. They begin with a full snapshot, and continue with one after each gap. */
export interface Playable {
  readonly chunks: readonly PlayableChunk[]
  readonly gaps: readonly Span[]
}

/** Returns what can be played of a window. */
export const playableOf = ({ chunks, gaps }: RecordingWindow): Playable => {
  const after = new Set(gaps.map(({ to_seq }) => to_seq + 1))
  const kept: PlayableChunk[] = []
  const spans: Span[] = []
  let end: number | undefined
  let isBroken = true
  for (const { seq, started_at, ended_at, bytes, is_anchor, is_active } of chunks) {
    const [from, to] = [Date.parse(started_at), Date.parse(ended_at)]
    if (after.has(seq)) isBroken = true
    if (isBroken && !is_anchor) continue
    if (isBroken && end !== undefined) spans.push({ from: end, to: from })
    kept.push({ seq, from, to, bytes, isAnchor: is_anchor, isActive: is_active, followsGap: isBroken })
    isBroken = false
    end = to
  }
  return { chunks: kept, gaps: spans }
}

const FULL_SNAPSHOT = 2
const META = 4

/** Returns the events of a chunk that can be played: after a gap, those from its full snapshot on. */
export const playableEvents = (snapshots: readonly Snapshot[], chunks: readonly PlayableChunk[]): Snapshot[] => {
  const broken = new Set(chunks.filter(({ followsGap }) => followsGap).map(({ seq }) => seq))
  const begun = new Set<number>()
  const playable = new Set(chunks.map(({ seq }) => seq))
  return snapshots.filter(({ seq, event: { type } }) => {
    if (!playable.has(seq)) return false
    if (broken.has(seq) && (type === META || type === FULL_SNAPSHOT)) begun.add(seq)
    return !broken.has(seq) || begun.has(seq)
  })
}

/** Returns the index of the last anchor at or before a moment, or of the first one. */
export const anchorAt = (chunks: readonly PlayableChunk[], time: number): number => {
  const index = chunks.findLastIndex(({ isAnchor, from }) => isAnchor && from <= time)
  return index < 0 ? 0 : index
}

/** Splits chunks into ranges of at most `rangeBytes`. A larger chunk is a range of its own. */
export const inRanges = (chunks: readonly PlayableChunk[], rangeBytes: number): PlayableChunk[][] => {
  const ranges: PlayableChunk[][] = []
  let left = 0
  for (const chunk of chunks) {
    if (!ranges.length || chunk.bytes > left) {
      ranges.push([])
      left = rangeBytes
    }
    ranges.at(-1)!.push(chunk)
    left -= chunk.bytes
  }
  return ranges
}
