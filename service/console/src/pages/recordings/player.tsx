import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RecordingDetails, RecordingWindow } from '../../api/recordings.ts'
import { readStored, writeStored } from '../../lib/stored.ts'
import { type Shortcut, useShortcuts } from '../../lib/shortcuts.ts'
import { useProject } from '../../project.ts'
import { Select } from '../../ui/field.tsx'
import { Failed } from '../../ui/states.tsx'
import { Controls } from './controls.tsx'
import { Log } from './log.tsx'
import { playableOf } from './playable.ts'
import { createPlayback, type PlaybackOptions } from './playback.ts'
import styles from './recordings.module.css'
import { Screen } from './screen.tsx'
import { useSessionEvents } from './useSessionEvents.ts'

const STORED = 'player'
const DEFAULTS: PlaybackOptions = { speed: 1, skipsIdle: true }
const STEP_MS = 10_000

/** Plays one window of a recording, with what happened beside it. */
export const Player = ({
  recording,
  window,
  start,
  onWindow,
}: {
  readonly recording: RecordingDetails
  readonly window: RecordingWindow
  /** The moment to begin with, in ms since the epoch. */
  readonly start: number
  readonly onWindow: (id: string) => void
}) => {
  const { id: projectId } = useProject()
  const [options, setOptions] = useState<PlaybackOptions>(() => ({
    ...DEFAULTS,
    ...readStored<PlaybackOptions>(STORED),
  }))
  const playback = useMemo(() => {
    const first = Date.parse(window.started_at)
    return createPlayback({ projectId, sessionId: recording.id, window, at: Math.max(start, first), options })
    // A recording that is loaded again has the same windows. What arrived meanwhile is shown when it is opened again.
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
    if (start > Date.parse(window.started_at)) playback.seek(start)
  }, [start])
  return (
    <div class={styles.player}>
      <div class="stack">
        <WindowSelect recording={recording} current={window.id} onChange={onWindow} />
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
        {window.dropped > 0 && (
          <p class="muted small">
            The recorder left out {window.dropped} changes of the page, because there were too many.
          </p>
        )}
      </div>
      <Log playback={playback} events={events} sessionStart={Date.parse(recording.started_at)} />
    </div>
  )
}

/** The choice of a window, if there are several that can be played. */
const WindowSelect = ({
  recording,
  current,
  onChange,
}: {
  readonly recording: RecordingDetails
  readonly current: string
  readonly onChange: (id: string) => void
}) => {
  const windows = recording.windows_list.filter((each) => playableOf(each).chunks.length)
  if (windows.length < 2) return null
  const options = windows.map(({ id }, index) => ({ value: id, label: `Window ${index + 1} of ${windows.length}` }))
  return <Select label="Window" value={current} options={options} onChange={onChange} />
}
