import type { Snapshot } from '../../api/recordings.ts'
import { inRanges, type PlayableChunk, playableEvents } from './playable.ts'

/** Small, so that the wanted moment is shown soon. */
const URGENT_RANGE_BYTES = 250_000
const RANGE_BYTES = 1_000_000
const REQUESTS_AT_ONCE = 4
/** Events this far ahead of the shown moment are loaded without pauses. */
const AHEAD_MS = 60_000
const PAUSE_MS = 500

export interface ChunkLoading {
  /** Loaded chunks, in order of time. */
  readonly chunks: readonly PlayableChunk[]
  /** The wanted moment, in ms since the epoch. */
  readonly until: number
  /** Returns the shown moment. */
  readonly now: () => number
  readonly request: (from: number, to: number) => Promise<readonly Snapshot[]>
  /** Called for each range in order, with its events and the last chunk. */
  readonly onEvents: (events: readonly Snapshot[], last: PlayableChunk) => void
}

/** Loads chunks: first those up to the wanted moment, several at once, then the others little by little. Rejects with `Failure`. */
export const loadChunks = async ({ chunks, until, now, request, onEvents }: ChunkLoading): Promise<void> => {
  // The player shows a moment once it has a later event.
  const later = chunks.findIndex(({ from }) => from > until)
  const urgent = later < 0 ? chunks : chunks.slice(0, later + 1)
  const read = async (range: readonly PlayableChunk[]) =>
    playableEvents(await request(range[0]!.seq, range.at(-1)!.seq), range)

  const ranges = inRanges(urgent, URGENT_RANGE_BYTES)
  const running: Promise<Snapshot[]>[] = []
  for (const [index, range] of ranges.entries()) {
    while (running.length < ranges.length && running.length < index + REQUESTS_AT_ONCE) {
      const next = read(ranges[running.length]!)
      next.catch(() => {}) // Reported when it is its turn.
      running.push(next)
    }
    onEvents(await running[index]!, range.at(-1)!)
  }
  for (const range of inRanges(chunks.slice(urgent.length), RANGE_BYTES)) {
    if (range[0]!.from > now() + AHEAD_MS) await new Promise((done) => setTimeout(done, PAUSE_MS))
    onEvents(await read(range), range.at(-1)!)
  }
}
