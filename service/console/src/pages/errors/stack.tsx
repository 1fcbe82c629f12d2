import { useState } from 'preact/hooks'
import styles from './errors.module.css'
import type { Frame } from './issueApi.ts'
import { Rows } from '../../ui/rows.tsx'

/** The frames of an exception, the one that threw first. Frames of libraries are hidden by default. */
export const Stack = ({ frames }: { readonly frames: readonly Frame[] }) => {
  const [isWhole, setWhole] = useState(false)
  const own = frames.filter((frame) => frame.in_app)
  const shown = isWhole || !own.length ? frames : own
  if (!frames.length) return <p class="muted small">This exception has no stack.</p>
  return (
    <div class="stack">
      <ol class={styles.frames} aria-label="Frames">
        <Rows of={shown} keyOf={(_, at) => `${at} ${isWhole}`}>
          {(frame) => <FrameLine frame={frame} isOpen={frame === (own[0] ?? frames[0])} />}
        </Rows>
      </ol>
      {own.length > 0 && own.length < frames.length && (
        <div class="row">
          <button type="button" class="button" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Only frames of your code' : `All ${frames.length} frames`}
          </button>
        </div>
      )}
    </div>
  )
}

const FrameLine = ({ frame, isOpen }: { readonly frame: Frame; readonly isOpen: boolean }) => {
  const head = (
    <>
      <b>
        <bdi>{frame.function || '?'}</bdi>
      </b>
      <span class="mono">
        <bdi>{frame.filename || 'unknown file'}</bdi>
        {frame.line !== null && `:${frame.line}${frame.column === null ? '' : `:${frame.column}`}`}
      </span>
      {!frame.is_mapped && frame.map_id && <span class="badge warning">No source map</span>}
    </>
  )
  return (
    <li>
      {frame.source ? (
        <details open={isOpen}>
          <summary>{head}</summary>
          <SourceLines frame={frame} source={frame.source} />
        </details>
      ) : (
        <div class={styles.head}>{head}</div>
      )}
    </li>
  )
}

const SourceLines = ({ frame, source }: { readonly frame: Frame; readonly source: NonNullable<Frame['source']> }) => {
  const first = (frame.line ?? 1) - source.before.length
  return (
    <pre class={styles.source} tabIndex={0} aria-label={`Source of ${frame.filename}`}>
      {[...source.before, source.line, ...source.after].map((line, at) => (
        <div key={at} class={at === source.before.length ? styles.throwing : ''}>
          <span class={styles.number}>{first + at}</span>
          {line || ' '}
        </div>
      ))}
    </pre>
  )
}
