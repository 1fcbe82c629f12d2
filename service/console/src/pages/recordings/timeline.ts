import type { RecordingWindow } from '../../api/recordings.ts'
import type { Span } from '../../player/messages.ts'
import { type Playable, type PlayableChunk, playableOf } from './playable.ts'

export interface PlayableWindow extends Playable {
  readonly id: string
}

/** A time span in which one window is shown. Times are in ms since the epoch. */
export interface Segment extends Span {
  /** Index of the window. */
  readonly window: number
}

/** The windows of a recording on one time axis. */
export interface Timeline extends Span {
  /** Windows that can be played, in order of time. */
  readonly windows: readonly PlayableWindow[]
  /** In order of time. Between two of them, nothing was recorded. */
  readonly segments: readonly Segment[]
  /** Gaps in the chunks of the shown windows. */
  readonly gaps: readonly Span[]
}

interface WindowChunk extends PlayableChunk {
  readonly window: number
}

const endOf = ({ chunks }: Playable): number => chunks.at(-1)!.to

/** Returns where each shown window begins: where the visitor becomes active in it, or the window before it has ended. */
const beginningsOf = (windows: readonly PlayableWindow[]): WindowChunk[] => {
  const chunks = windows
    .flatMap((each, window) => each.chunks.map((chunk): WindowChunk => ({ ...chunk, window })))
    .sort((a, b) => a.from - b.from)
  const beginnings: WindowChunk[] = []
  for (const chunk of chunks) {
    const shown = beginnings.at(-1)
    const isNext = !shown || chunk.isActive || chunk.from >= endOf(windows[shown.window]!)
    if (isNext && chunk.window !== shown?.window) beginnings.push(chunk)
  }
  return beginnings
}

/** Returns the timeline of some windows, or `undefined` if none of them can be played. */
export const timelineOf = (all: readonly RecordingWindow[]): Timeline | undefined => {
  const windows = all.map((each) => ({ id: each.id, ...playableOf(each) })).filter(({ chunks }) => chunks.length)
  const beginnings = beginningsOf(windows)
  const segments = beginnings.map(({ window, from }, index): Segment => {
    const end = endOf(windows[window]!)
    return { window, from, to: Math.min(end, beginnings[index + 1]?.from ?? end) }
  })
  if (!segments.length) return undefined
  const gaps = segments.flatMap(({ window, from, to }) =>
    windows[window]!.gaps.filter((gap) => gap.to > from && gap.from < to).map((gap) => ({
      from: Math.max(gap.from, from),
      to: Math.min(gap.to, to),
    })),
  )
  return { windows, segments, gaps, from: segments[0]!.from, to: segments.at(-1)!.to }
}

/** Returns the index of the segment that shows a moment: the one that contains it, or else the next one, or the last. */
export const segmentAt = ({ segments }: Timeline, time: number): number => {
  const index = segments.findIndex(({ to }) => time < to)
  return index < 0 ? segments.length - 1 : index
}
