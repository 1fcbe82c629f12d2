import type { Failure } from '../../api/failure.ts'
import type { StoredDraft } from '../../lib/useDraft.ts'
import { Failed } from '../../ui/states.tsx'

/** The end of a form whose draft stays in this browser until it is saved. */
export const SaveBar = ({
  draft,
  isRunning,
  error,
}: {
  readonly draft: Pick<StoredDraft<unknown>, 'isChanged' | 'discard'>
  readonly isRunning: boolean
  readonly error: Failure | undefined
}) => (
  <>
    {error && <Failed error={error} />}
    <div class="row">
      <button type="submit" class="button primary" disabled={isRunning || !draft.isChanged}>
        {isRunning ? 'Saving …' : 'Save'}
      </button>
      {draft.isChanged && (
        <>
          <button type="button" class="button" onClick={draft.discard}>
            Discard changes
          </button>
          <span class="small muted">Not saved yet. It stays in this browser.</span>
        </>
      )}
    </div>
  </>
)
