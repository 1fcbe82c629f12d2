import { formatDuration } from '../../lib/format.ts'
import { linkTo, path } from '../../router.ts'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import type { LogEntry } from './logEntries.ts'
import type { Playback, PlaybackOptions } from './playback.ts'
import styles from './recordings.module.css'

const SPEEDS = ['0.5', '1', '2', '4', '8'].map((value) => ({ value, label: `${value}×` }))
const MAX_MARKS = 300

/** A time as `1:05` or `1:00:05`. */
export const clock = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

interface ControlsProps {
  readonly playback: Playback
  /** ms since the epoch. */
  readonly sessionStart: number
  readonly marks: readonly LogEntry[]
  readonly options: PlaybackOptions
  readonly onOptions: (changes: Partial<PlaybackOptions>) => void
}

/** The timeline of a recording and its buttons. */
export const Controls = ({ playback, sessionStart, marks, options, onOptions }: ControlsProps) => (
  <div class="stack" style={{ gap: '0.5rem' }}>
    <Timeline playback={playback} marks={marks} />
    <div class="row">
      <PlayButton playback={playback} />
      <Clock playback={playback} />
      <Select
        label="Speed"
        value={String(options.speed)}
        options={SPEEDS}
        onChange={(speed) => onOptions({ speed: Number(speed) })}
      />
      <label class="row">
        <input
          type="checkbox"
          checked={options.skipsIdle}
          onChange={(event) => onOptions({ skipsIdle: event.currentTarget.checked })}
        />
        Skip idle time
      </label>
      <ShareButton playback={playback} sessionStart={sessionStart} />
    </div>
  </div>
)

const boundsOf = ({ timeline: { from, to } }: Playback) => ({ from, length: Math.max(1, to - from) })

const PlayButton = ({ playback }: { readonly playback: Playback }) => {
  const isPlaying = playback.isPlaying.value
  return (
    <button type="button" class="button primary" onClick={() => playback.toggle()}>
      <Icon name={isPlaying ? 'pause' : 'play'} size={16} /> {isPlaying ? 'Pause' : 'Play'}
    </button>
  )
}

const Clock = ({ playback }: { readonly playback: Playback }) => {
  const { from, length } = boundsOf(playback)
  return (
    <span class="number">
      {clock(playback.time.value - from)} <span class="muted">/ {clock(length)}</span>
    </span>
  )
}

const ShareButton = ({ playback, sessionStart }: Pick<ControlsProps, 'playback' | 'sessionStart'>) => {
  const t = Math.max(0, Math.round(playback.time.value - sessionStart))
  return <CopyButton label="Copy link" text={location.origin + linkTo(path.value, { t: String(t) })} />
}

/** A slider over the time of the recording, with its gaps and what happened. */
const Timeline = ({ playback, marks }: Pick<ControlsProps, 'playback' | 'marks'>) => {
  const { from, length } = boundsOf(playback)
  const share = (time: number) => `${(100 * Math.min(Math.max(time - from, 0), length)) / length}%`
  const { gaps } = playback.timeline
  const time = playback.time.value
  const errors = playback.entries.value.filter(({ isError }) => isError)
  const shown = [...marks, ...errors].filter(({ at }) => at >= from && at <= from + length).slice(0, MAX_MARKS)
  return (
    <div class={styles.timeline}>
      <div class={styles.track} aria-hidden="true">
        {gaps.map((gap) => (
          <span
            key={gap.from}
            class={styles.gap}
            style={{ left: share(gap.from), width: `${(100 * (gap.to - gap.from)) / length}%` }}
          />
        ))}
        {shown.map(({ key, at, isError }) => (
          <span key={key} class={isError ? styles.errorMark : styles.mark} style={{ left: share(at) }} />
        ))}
      </div>
      <input
        type="range"
        class={styles.slider}
        aria-label="Moment"
        aria-valuetext={`${formatDuration((time - from) / 1_000)} of ${formatDuration(length / 1_000)}`}
        min={0}
        max={length}
        step={1_000}
        value={time - from}
        onInput={(event) => playback.seek(from + Number(event.currentTarget.value))}
      />
      {gaps.length > 0 && (
        <p class="muted small">
          {gaps.length === 1 ? 'A part' : `${gaps.length} parts`} of this recording did not arrive. Playing continues
          with the next full snapshot.
        </p>
      )}
    </div>
  )
}
