import { type Signal, signal } from '@preact/signals'
import { loadSnapshots, type RecordingWindow } from '../../api/recordings.ts'
import { Failure, isAborted } from '../../api/failure.ts'
import type { FromPlayer, ToPlayer } from '../../player/messages.ts'
import { entriesOf, type LogEntry } from './logEntries.ts'
import { anchorAt, inRanges, playableEvents, playableOf, type Playable } from './playable.ts'

export interface PlaybackOptions {
  readonly speed: number
  readonly skipsIdle: boolean
}

/** Plays one window of a recording in a frame. Its state is in signals, so that a moving time draws little. */
export interface Playback {
  readonly playable: Playable
  /** ms since the epoch. */
  readonly time: Signal<number>
  readonly isPlaying: Signal<boolean>
  /** Whether events of the shown moment are still loading. */
  readonly isWaiting: Signal<boolean>
  /** Size of the recorded page, in px. */
  readonly size: Signal<{ readonly width: number; readonly height: number } | undefined>
  /** What the console and the network said, of everything that is loaded. */
  readonly entries: Signal<readonly LogEntry[]>
  readonly error: Signal<Failure | undefined>
  /** Shows the recording in a frame. Returns a function that ends it. */
  attach(frame: HTMLIFrameElement): () => void
  seek(at: number, plays?: boolean): void
  toggle(): void
  setOptions(options: PlaybackOptions): void
}

interface PlaybackSource {
  readonly projectId: number
  readonly sessionId: string
  readonly window: RecordingWindow
  /** The moment to begin with. */
  readonly at: number
  readonly options: PlaybackOptions
}

/**
 * Creates the playback of a window. It loads events from the last full snapshot before the shown moment on. An earlier
 * moment starts over from an earlier snapshot.
 */
export const createPlayback = ({
  projectId,
  sessionId,
  window: part,
  at,
  options: first,
}: PlaybackSource): Playback => {
  const playable = playableOf(part)
  const { chunks, gaps } = playable
  const [time, isPlaying, isWaiting] = [signal(at), signal(false), signal(true)]
  const size = signal<{ width: number; height: number } | undefined>(undefined)
  const entries = signal<readonly LogEntry[]>([])
  const error = signal<Failure | undefined>(undefined)
  const seen = new Set<number>()
  let options = first
  let frame: HTMLIFrameElement | undefined
  let isReady = false
  let loading: AbortController | undefined
  /** The chunks that were loaded from: its index, and the time up to which events are there. */
  let start = -1
  let loadedUntil = 0
  let wanted = { at, plays: false }

  const post = (message: ToPlayer) => frame?.contentWindow?.postMessage(message, location.origin)

  const addEntries = (found: readonly LogEntry[]) => {
    if (found.length) entries.value = [...entries.value, ...found].sort((a, b) => a.at - b.at)
  }

  const load = async (from: number, signal: AbortSignal) => {
    const ranges = inRanges(chunks.slice(from))
    const request = (range = ranges[0]!) =>
      loadSnapshots(projectId, { sessionId, windowId: part.id, from: range[0]!.seq, to: range.at(-1)!.seq }, signal)
    let next = request()
    for (const [index, range] of ranges.entries()) {
      const loaded = await next
      // On its way while this range is shown.
      if (index + 1 < ranges.length) next = request(ranges[index + 1])
      next.catch(() => {}) // reported when it is its turn
      const snapshots = playableEvents(loaded, range)
      addEntries(entriesOf(snapshots.filter(({ seq }) => !seen.has(seq))))
      for (const { seq } of range) seen.add(seq)
      loadedUntil = range.at(-1)!.to
      post({ type: 'events', events: snapshots.map(({ event }) => event), isEnd: index === ranges.length - 1 })
    }
  }

  const open = (from: number) => {
    loading?.abort()
    const controller = (loading = new AbortController())
    start = from
    loadedUntil = chunks[from]!.from
    error.value = undefined
    post({ type: 'open', gaps })
    post({ type: 'options', ...options })
    load(from, controller.signal).catch((reason: unknown) => {
      if (controller.signal.aborted || isAborted(reason)) return
      error.value = reason instanceof Failure ? reason : new Failure('The recording cannot be read.', 'unknown', 0)
    })
  }

  const show = () => {
    if (!isReady || !chunks.length) return
    const anchor = anchorAt(chunks, wanted.at)
    // Loaded already, or next in line. Far ahead, it is faster to begin there.
    const isNear =
      start >= 0 && chunks[start]!.from <= wanted.at && (anchor === start || chunks[anchor]!.from <= loadedUntil)
    if (!isNear || error.value) open(anchor)
    post({ type: 'seek', ...wanted })
  }

  const on: { readonly [Type in FromPlayer['type']]: (message: Extract<FromPlayer, { type: Type }>) => void } = {
    ready() {
      isReady = true
      start = -1
      show()
    },
    time(message) {
      time.value = message.at
      isPlaying.value = message.isPlaying
      isWaiting.value = message.isWaiting
    },
    size({ width, height }) {
      size.value = { width, height }
    },
  }

  const onMessage = ({ source, origin, data }: MessageEvent<FromPlayer>) => {
    // Tools that inspect pages send messages too.
    const isOwn = source === frame?.contentWindow && origin === location.origin && Object.hasOwn(on, data?.type)
    if (isOwn) on[data.type](data as never)
  }

  const seek = (to: number, plays = isPlaying.value) => {
    wanted = { at: to, plays }
    time.value = to
    show()
  }

  return {
    playable,
    time,
    isPlaying,
    isWaiting,
    size,
    entries,
    error,
    attach(next) {
      frame = next
      addEventListener('message', onMessage)
      return () => {
        loading?.abort()
        removeEventListener('message', onMessage)
        post({ type: 'open', gaps: [] })
        frame = undefined
        isReady = false
      }
    },
    seek,
    toggle() {
      const last = chunks.at(-1)
      const isOver = last !== undefined && time.value >= last.to
      seek(isOver ? chunks[0]!.from : time.value, !isPlaying.value)
    },
    setOptions(next) {
      options = next
      post({ type: 'options', ...options })
    },
  }
}
