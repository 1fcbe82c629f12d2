import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RecordingDetails } from '../../api/recordings.ts'
import { formatWhole } from '../../lib/format.ts'
import { readStored, writeStored } from '../../lib/stored.ts'
import { type Shortcut, useShortcuts } from '../../lib/shortcuts.ts'
import { useProject } from '../../project.ts'
import { Failed } from '../../ui/states.tsx'
import { Controls } from './controls.tsx'
import { Log } from './log.tsx'
import { createPlayback, type Playback, type PlaybackOptions } from './playback.ts'
import styles from './recordings.module.css'
import { whyOf } from '../../lib/recordingReasons.ts'
import { Screen } from './screen.tsx'
import type { Timeline } from './timeline.ts'
import { type SessionEvents, useSessionEvents } from './useSessionEvents.ts'

const STORED = 'player'
const DEFAULTS: PlaybackOptions = { speed: 1, skipsIdle: true }
const STEP_MS = 10_000

/** Plays a recording, with what happened beside it. */
export const Player = ({
  recording,
  timeline,
  start,
  windows,
}: {
  readonly recording: RecordingDetails
  readonly timeline: Timeline
  /** The moment to begin with, in ms since the epoch. */
  readonly start: number
  /** The choice of windows. */
  readonly windows: ComponentChildren
}) => {
  const { id: projectId } = useProject()
  const [options, setOptions] = useState<PlaybackOptions>(() => ({
    ...DEFAULTS,
    ...readStored<PlaybackOptions>(STORED),
  }))
  const playback = useMemo(() => {
    const at = Math.max(start, timeline.from)
    return createPlayback({ projectId, sessionId: recording.id, timeline, at, options })
    // A recording that is loaded again has the same windows. Events that arrived in the meantime are shown when it is
    // opened again.
  }, [])
  const events = useSessionEvents(recording)
  const change = (changes: Partial<PlaybackOptions>) => {
    const next = { ...options, ...changes }
    setOptions(next)
    writeStored(STORED, next)
    playback.setOptions(next)
  }
  useShortcuts(
    useMemo(
      (): readonly Shortcut[] => [
        { key: ' ', about: 'Play or pause', run: () => playback.toggle() },
        { key: 'ArrowLeft', about: '10 seconds back', run: () => playback.seek(playback.time.value - STEP_MS) },
        { key: 'ArrowRight', about: '10 seconds forward', run: () => playback.seek(playback.time.value + STEP_MS) },
      ],
      [playback],
    ),
  )
  // Another moment of the same recording, by Back or a link.
  useEffect(() => {
    if (start > timeline.from) playback.seek(start)
  }, [start])
  return (
    <div class={styles.player}>
      <div class="stack">
        <div class="row">
          {windows}
          <ShownWindow playback={playback} />
        </div>
        <Screen playback={playback} />
        {playback.error.value && (
          <Failed error={playback.error.value} onRetry={() => playback.seek(playback.time.value)} />
        )}
        <Controls
          playback={playback}
          sessionStart={Date.parse(recording.started_at)}
          marks={events.entries}
          options={options}
          onOptions={change}
        />
        <Notes recording={recording} events={events} />
      </div>
      <Log playback={playback} events={events} sessionStart={Date.parse(recording.started_at)} />
    </div>
  )
}

/** Names the shown window if there are several. */
const ShownWindow = ({ playback: { timeline, shownWindow } }: { readonly playback: Playback }) =>
  timeline.windows.length > 1 ? (
    <span class="muted" role="status">
      Window {shownWindow.value + 1} of {timeline.windows.length}
    </span>
  ) : null

/** Says how much of the pages was left out of a recording, if anything was. */
export const LeftOut = ({ recording: { windows_list } }: { readonly recording: RecordingDetails }) => {
  const dropped = windows_list.reduce((sum, window) => sum + window.dropped, 0)
  return dropped > 0 ? (
    <p class="muted small">
      {formatWhole(dropped)}{' '}
      {dropped === 1 ? 'snapshot or change of the page was' : 'snapshots and changes of the page were'} left out,
      because there were too many, or they were nested too deeply or could not be read.
    </p>
  ) : null
}

/** Lists what a recording does not show. */
const Notes = ({
  recording,
  events: { loaded },
}: {
  readonly recording: RecordingDetails
  readonly events: SessionEvents
}) => {
  const why = whyOf(
    (loaded.data ?? []).map(({ properties }) => properties),
    true,
  )
  return (
    <>
      {why && <p class="muted small">Why it ends there: {why}</p>}
      <p class="muted small">
        Images, fonts and media that the page loaded are not shown: their servers would learn who watches.
      </p>
      <LeftOut recording={recording} />
    </>
  )
}
