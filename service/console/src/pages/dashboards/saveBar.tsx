import type { Failure } from '../../api/failure.ts'
import { formatAgo } from '../../lib/format.ts'
import { Failed } from '../../ui/states.tsx'
import type { Dashboard } from '../../api/dashboards.ts'
import styles from './dashboards.module.css'

/** Saves or discards the edit of a dashboard. If someone else has saved in between, says so and keeps the edit. */
export const SaveBar = ({
  dashboard,
  isConflict,
  error,
  isSaving,
  onSave,
  onReplace,
  onDiscard,
}: {
  readonly dashboard: Dashboard
  readonly isConflict: boolean
  readonly error: Failure | undefined
  readonly isSaving: boolean
  readonly onSave: () => void
  /** Overwrites the version that the other person saved. */
  readonly onReplace: () => void
  readonly onDiscard: () => void
}) => (
  <div class={styles.savebar} role="region" aria-label="Unsaved changes">
    {error && <Failed error={error} />}
    {isConflict ? (
      <>
        <p class="notice warning" role="alert" style={{ flexBasis: '100%' }}>
          Someone else saved this dashboard {formatAgo(dashboard.updated_at)}. Their version {dashboard.version} is the
          one that everyone sees. Your changes are still here.
        </p>
        <button type="button" class="button" onClick={onDiscard}>
          Discard mine and show theirs
        </button>
        <button type="button" class="button danger" disabled={isSaving} onClick={onReplace}>
          Replace theirs with mine
        </button>
      </>
    ) : (
      <>
        <button type="button" class="button primary" disabled={isSaving} onClick={onSave}>
          {isSaving ? 'Saving …' : 'Save the dashboard'}
        </button>
        <button type="button" class="button" onClick={onDiscard}>
          Discard changes
        </button>
        <span class="small muted">Not saved yet. It stays in this browser.</span>
      </>
    )}
  </div>
)
