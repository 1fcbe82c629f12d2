import type { ComponentChildren } from 'preact'
import type { Failure } from '../api/failure.ts'
import type { Loaded } from '../lib/useLoad.ts'
import { useEffect, useState } from 'preact/hooks'
import { Part } from './boundary.tsx'

/** A placeholder while data loads: `lines` as high as table rows, or a block of `height` rem. */
export const Skeleton = ({ lines, height }: { readonly lines?: number; readonly height?: number }) => (
  <div class="stack" aria-hidden="true" style={{ gap: '0.5rem' }}>
    {Array.from({ length: lines ?? 1 }, (_, index) => (
      <div
        key={index}
        class="skeleton"
        style={{ height: `${height ?? 1.75}rem`, width: `${100 - ((index * 7) % 30)}%` }}
      />
    ))}
  </div>
)

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

/** Shows why something failed and which fields are at fault, and offers a retry. */
export const Failed = ({ error, onRetry }: { readonly error: Failure; readonly onRetry?: () => void }) => (
  <div class="notice bad" role="alert">
    <p>{error.message}</p>
    {error.errors.length > 1 && (
      <ul class="small">
        {error.errors.map(({ path, message }) => (
          <li key={path}>{message}</li>
        ))}
      </ul>
    )}
    {(onRetry || error.requestId) && (
      <div class="row">
        {onRetry && (
          <button type="button" class="button" onClick={onRetry}>
            Try again
          </button>
        )}
        {error.requestId && <span class="small muted">Request {error.requestId}</span>}
      </div>
    )}
  </div>
)

const SHOW_AFTER_MS = 1_000

/** A bar that appears when loading takes longer than a second. `share` from 0 to 1, absent while unknown. */
export const Progress = ({ isActive, share }: { readonly isActive: boolean; readonly share?: number }) => {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    setShown(false)
    if (!isActive) return
    const timer = setTimeout(() => setShown(true), SHOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isActive])
  if (!isShown || !isActive) return null
  const percent = share === undefined ? undefined : Math.round(share * 100)
  return (
    <div
      class={percent === undefined ? 'progress is-unknown' : 'progress'}
      role="progressbar"
      aria-label="Loading"
      {...(percent === undefined ? {} : { 'aria-valuenow': percent })}
    >
      <div style={percent === undefined ? {} : { width: `${percent}%` }} />
    </div>
  )
}

/**
 * Shows loaded data in its states: a skeleton at first, the error, and old data dimmed while newer data is loading.
 * An error is shown above old data.
 */
export const Load = <Data,>({
  of,
  skeleton = <Skeleton lines={5} />,
  children,
}: {
  readonly of: Loaded<Data>
  readonly skeleton?: ComponentChildren
  readonly children: (data: Data) => ComponentChildren
}) => (
  <>
    {of.error && <Failed error={of.error} onRetry={() => of.reload()} />}
    {of.data !== undefined ? (
      <div class={of.isLoading ? 'is-reloading' : ''} aria-busy={of.isLoading}>
        <Part>{() => of.data !== undefined && children(of.data)}</Part>
      </div>
    ) : (
      !of.error && (
        <div aria-busy="true">
          <span class="visually-hidden">Loading</span>
          {skeleton}
        </div>
      )
    )}
  </>
)
