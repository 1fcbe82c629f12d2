import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { formatShare, formatWhole } from '../../lib/format.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useLink, useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Failed } from '../../ui/states.tsx'
import { type FlagDraft, toInput } from './draft.ts'
import styles from './flagsPage.module.css'
import { Rows } from '../../ui/rows.tsx'

type FlagMatches = ResponseOf<'/api/projects/{projectId}/feature_flags/matches', 'post'>

/** Counts the people who get the flag in the form, saved or not, and lists some of them. */
export const Matches = ({ draft, flagId }: { readonly draft: FlagDraft; readonly flagId: number | undefined }) => {
  const { id } = useProject()
  const [result, setResult] = useState<{ readonly matches: FlagMatches; readonly of: string }>()
  const text = JSON.stringify(draft)
  const { run, isRunning, error } = useMutation(() => {
    const flag = { ...toInput(draft), active: true, ...(flagId === undefined ? {} : { id: flagId }) }
    return dataOf(
      api.POST('/api/projects/{projectId}/feature_flags/matches', { params: inProject(id), body: { flag } }),
    )
  })
  const count = async () => {
    const matches = await run()
    if (matches) setResult({ matches, of: text })
  }
  if (draft.groupType) return null
  return (
    <Card title="Who matches?">
      <div class="stack">
        <div class="row">
          <button type="button" class="button" disabled={isRunning || !draft.key.trim()} onClick={() => void count()}>
            {isRunning ? 'Counting …' : 'Count people'}
          </button>
          <span class="small muted">Among the 1,000 newest people, for the flag as it is written here.</span>
        </div>
        {error && <Failed error={error} />}
        {result && (
          <div class={result.of === text ? styles.result : `${styles.result} is-stale`} aria-live="polite">
            {result.of !== text && <p class="small muted">The flag has changed since. Count again.</p>}
            <Counts matches={result.matches} />
          </div>
        )}
      </div>
    </Card>
  )
}

const Counts = ({ matches }: { readonly matches: FlagMatches }) => {
  const { evaluated, is_complete: isComplete, matching, conditions, results } = matches
  const link = useLink()
  return (
    <div class="stack">
      <p>
        <strong>{formatWhole(matching)}</strong> of{' '}
        {isComplete ? `${formatWhole(evaluated)} people` : `the ${formatWhole(evaluated)} newest people`}
        {evaluated > 0 && ` (${formatShare(matching / evaluated)})`} get the flag.
      </p>
      {conditions.length > 1 && (
        <ul class="small">
          {conditions.map(({ index, properties_match: matched, matching: within }) => (
            <li key={index}>
              Condition {index + 1}: properties match {formatWhole(matched)}, {formatWhole(within)} within the rollout
            </li>
          ))}
        </ul>
      )}
      {results.length > 0 && (
        <ul>
          <Rows of={results} keyOf={({ id }) => id}>
            {({ id, distinct_id: distinctId, value }) => (
              <li>
                <a href={link(`people/${id}`)}>{distinctId}</a>
                {typeof value === 'string' && <span class="muted"> gets {value}</span>}
              </li>
            )}
          </Rows>
        </ul>
      )}
    </div>
  )
}
