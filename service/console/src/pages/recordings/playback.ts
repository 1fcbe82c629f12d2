import { type Signal, signal } from '@preact/signals'
import { loadSnapshots } from '../../api/recordings.ts'
import { Failure, isAborted } from '../../api/failure.ts'
import type { FromPlayer, ToPlayer } from '../../player/messages.ts'
import { entriesOf, type LogEntry } from './logEntries.ts'
import { loadChunks } from './loadChunks.ts'
import { anchorAt } from './playable.ts'
import { segmentAt, type Timeline } from './timeline.ts'

export interface PlaybackOptions {
  readonly speed: number
  readonly skipsIdle: boolean
}

/** Plays a recording in a frame. Its state is in signals, so that the moving time renders little. */
export interface Playback {
  readonly timeline: Timeline
  /** Index of the shown window. */
  readonly shownWindow: Signal<number>
  /** ms since the epoch. */
  readonly time: Signal<number>
  readonly isPlaying: Signal<boolean>
  /** Whether events of the shown moment are still loading. */
  readonly isWaiting: Signal<boolean>
  /** Size of the recorded page, in px. */
  readonly size: Signal<{ readonly width: number; readonly height: number } | undefined>
  /** Console and network entries of all loaded events. */
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
  readonly timeline: Timeline
  /** The moment to begin with. */
  readonly at: number
  readonly options: PlaybackOptions
}

/** Loading state of a window. */
interface Loading {
  readonly window: number
  /** Index of the chunk that it begins with. */
  readonly start: number
  /** Time up to which events are loaded. */
  until: number
  readonly controller: AbortController
}

/**
 * Creates the playback. It loads a window from the last full snapshot before the shown moment on. An earlier moment starts
 * over from an earlier snapshot, and so does another window.
 */
export const createPlayback = ({ projectId, sessionId, timeline, at, options: first }: PlaybackSource): Playback => {
  const { windows, segments } = timeline
  const [time, isPlaying, isWaiting] = [signal(at), signal(false), signal(true)]
  const shownWindow = signal(segments[segmentAt(timeline, at)]!.window)
  const size = signal<{ width: number; height: number } | undefined>(undefined)
  const entries = signal<readonly LogEntry[]>([])
  const error = signal<Failure | undefined>(undefined)
  /** Chunks with entries, as window and sequence number. */
  const seen = new Set<string>()
  let options = first
  let frame: HTMLIFrameElement | undefined
  let isReady = false
  let loading: Loading | undefined
  let wanted = { id: 0, at, plays: false }

  const post = (message: ToPlayer) => frame?.contentWindow?.postMessage(message, location.origin)

  const addEntries = (found: readonly LogEntry[]) => {
    if (found.length) entries.value = [...entries.value, ...found].sort((a, b) => a.at - b.at)
  }

  const open = (window: number, start: number) => {
    loading?.controller.abort()
    const { id: windowId, chunks, gaps } = windows[window]!
    const controller = new AbortController()
    const next: Loading = { window, start, until: chunks[start]!.from, controller }
    loading = next
    error.value = undefined
    post({ type: 'open', gaps })
    post({ type: 'options', ...options })
    loadChunks({
      chunks: chunks.slice(start),
      until: wanted.at,
      now: () => time.value,
      request: (from, to) => loadSnapshots(projectId, { sessionId, windowId, from, to }, controller.signal),
      onEvents(snapshots, last) {
        const isNew = ({ seq }: { readonly seq: number }) => !seen.has(`${windowId} ${seq}`)
        addEntries(entriesOf(windowId, snapshots.filter(isNew)))
        for (const { seq } of snapshots) seen.add(`${windowId} ${seq}`)
        next.until = last.to
        post({ type: 'events', events: snapshots.map(({ event }) => event), isEnd: last === chunks.at(-1) })
      },
    }).catch((reason: unknown) => {
      if (controller.signal.aborted || isAborted(reason)) return
      error.value = reason instanceof Failure ? reason : new Failure('The recording cannot be read.', 'unknown', 0)
    })
  }

  const show = () => {
    if (!isReady) return
    const { window } = segments[segmentAt(timeline, wanted.at)]!
    const { chunks } = windows[window]!
    const anchor = anchorAt(chunks, wanted.at)
    // Whether the moment is already loaded, or loads next. If it is further ahead, starting over there is faster.
    const isNear =
      loading?.window === window &&
      chunks[loading.start]!.from <= wanted.at &&
      (anchor === loading.start || chunks[anchor]!.from <= loading.until)
    if (!isNear || error.value) open(window, anchor)
    shownWindow.value = window
    post({ type: 'seek', ...wanted })
  }

  const seek = (to: number, plays = isPlaying.value) => {
    const segment = segments[segmentAt(timeline, to)]!
    const shown = Math.min(Math.max(to, segment.from), segment.to)
    wanted = { id: wanted.id + 1, at: shown, plays }
    time.value = shown
    show()
  }

  const on: { readonly [Type in FromPlayer['type']]: (message: Extract<FromPlayer, { type: Type }>) => void } = {
    ready() {
      isReady = true
      loading?.controller.abort()
      loading = undefined
      show()
    },
    time(message) {
      if (message.id !== wanted.id) return
      const index = segmentAt(timeline, wanted.at)
      const following = segments[index + 1]
      const isOver = message.at >= segments[index]!.to || !(message.isPlaying || message.isWaiting)
      if (following && wanted.plays && isOver) return seek(following.from, true)
      time.value = message.at
      isPlaying.value = message.isPlaying
      isWaiting.value = message.isWaiting
    },
    size({ width, height }) {
      size.value = { width, height }
    },
    failed() {
      error.value = new Failure('This recording, or a part of it, is malformed and cannot be played.', 'malformed', 0)
    },
  }

  const onMessage = ({ source, origin, data }: MessageEvent<FromPlayer>) => {
    // Tools that inspect pages send messages too.
    const isOwn = source === frame?.contentWindow && origin === location.origin && Object.hasOwn(on, data?.type)
    if (isOwn) on[data.type](data as never)
  }

  return {
    timeline,
    shownWindow,
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
        loading?.controller.abort()
        loading = undefined
        removeEventListener('message', onMessage)
        post({ type: 'open', gaps: [] })
        frame = undefined
        isReady = false
      }
    },
    seek,
    toggle() {
      seek(time.value >= timeline.to ? timeline.from : time.value, !isPlaying.value)
    },
    setOptions(next) {
      options = next
      post({ type: 'options', ...options })
    },
  }
}
