import { api, dataOf } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { inProject, inProjectWithId } from '../../api/inProject.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { EVERYONE } from '../../ui/flagConditions/conditionDraft.ts'
import { Conditions } from '../../ui/flagConditions/conditions.tsx'
import { type Flag, type FlagDraft, NEW_FLAG, toDraft, toInput } from './draft.ts'
import { EarlyAccess } from './earlyAccess.tsx'
import { errorAt } from '../../lib/errorAt.ts'
import styles from './flagsPage.module.css'
import { Matches } from './matches.tsx'
import { Tester } from './tester.tsx'
import { Values } from './values.tsx'

/** The form of a flag, beside its tester. What is written stays in this browser until it is saved. */
export const FlagEditor = ({
  flag,
  otherKeys,
  onSaved,
}: {
  /** Absent: a new flag. */
  readonly flag: Flag | undefined
  readonly otherKeys: readonly string[]
  readonly onSaved: () => void
}) => {
  const { id } = useProject()
  const link = useLink()
  const draft = useDraft(`flag ${id} ${flag?.id ?? 'new'}`, flag ? toDraft(flag) : NEW_FLAG, flag?.version)
  const { run, isRunning, error } = useMutation(() => {
    const body = toInput(draft.value)
    return dataOf(
      flag
        ? api.PATCH('/api/projects/{projectId}/feature_flags/{id}', { params: inProjectWithId(id, flag.id), body })
        : api.POST('/api/projects/{projectId}/feature_flags', { params: inProject(id), body }),
    )
  })
  const save = async (event: Event) => {
    event.preventDefault()
    const saved = await run()
    if (!saved) return
    draft.discard()
    toast(`The flag ${saved.key} is saved.`)
    if (flag) onSaved()
    else navigate(link(`flags/${saved.id}`), { replace: true })
  }
  const isOutdated = flag !== undefined && draft.isChanged && draft.basedOn !== flag.version
  return (
    <div class={styles.columns}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <Fields
          draft={draft.value}
          failure={error}
          otherKeys={otherKeys}
          onChange={(changes) => draft.change({ ...draft.value, ...changes })}
        />
        <div class={styles.actions}>
          {error && <Failed error={error} />}
          {isOutdated && (
            <p class="notice warning">
              Someone else has changed this flag since you began to edit. Saving replaces their change; discard yours to
              see it.
            </p>
          )}
          <div class="row">
            <button type="submit" class="button primary" disabled={isRunning || (flag && !draft.isChanged)}>
              {isRunning ? 'Saving …' : flag ? 'Save' : 'Create the flag'}
            </button>
            {draft.isChanged && (
              <button type="button" class="button" onClick={draft.discard}>
                Discard changes
              </button>
            )}
            {draft.isChanged && <span class="small muted">Not saved yet. It stays in this browser.</span>}
          </div>
        </div>
      </form>
      <div class={`stack ${styles.side}`}>
        <Tester draft={draft.value} flagId={flag?.id} isActive={flag?.active ?? true} />
        <Matches draft={draft.value} flagId={flag?.id} />
        {flag && <EarlyAccess flagId={flag.id} flagKey={flag.key} />}
      </div>
    </div>
  )
}

const Fields = ({
  draft,
  failure,
  otherKeys,
  onChange,
}: {
  readonly draft: FlagDraft
  readonly failure: Failure | undefined
  readonly otherKeys: readonly string[]
  readonly onChange: (changes: Partial<FlagDraft>) => void
}) => (
  <>
    <Card>
      <div class="stack">
        <TextInput
          label="Key"
          hint="The name by which code reads the flag."
          error={errorAt(failure, 'key')}
          isCode
          isRequired
          placeholder="new-checkout"
          value={draft.key}
          onChange={(key) => onChange({ key })}
        />
        <TextInput
          label="Description"
          error={errorAt(failure, 'name')}
          value={draft.name}
          onChange={(name) => onChange({ name })}
        />
        <More draft={draft} failure={failure} onChange={onChange} />
      </div>
    </Card>
    <Card title="Values">
      <Values draft={draft} failure={failure} onChange={onChange} />
    </Card>
    <Card title="Who gets it">
      <div class="stack">
        <p class="muted small">The first condition that matches decides.</p>
        <Conditions
          conditions={draft.conditions}
          variants={draft.variants.map(({ key }) => key)}
          flagKeys={otherKeys}
          none="Without a condition, nobody gets the flag."
          added={EVERYONE}
          errorOf={(path, options) => errorAt(failure, `filters.groups.${path}`, options)}
          onChange={(conditions) => onChange({ conditions })}
        />
      </div>
    </Card>
  </>
)

const More = ({
  draft,
  failure,
  onChange,
}: {
  readonly draft: FlagDraft
  readonly failure: Failure | undefined
  readonly onChange: (changes: Partial<FlagDraft>) => void
}) => (
  <details open={Boolean(draft.groupType || draft.contexts)}>
    <summary>Groups and contexts</summary>
    <div class="stack" style={{ marginTop: '0.75rem' }}>
      <TextInput
        label="Group type"
        hint="Evaluates the flag for groups, such as companies. Empty: for persons."
        error={errorAt(failure, 'filters.aggregation_group_type')}
        isCode
        value={draft.groupType}
        onChange={(groupType) => onChange({ groupType })}
      />
      <TextInput
        label="Contexts"
        hint="The flag is evaluated only in these, separated by commas. Empty: in all."
        error={errorAt(failure, 'evaluation_contexts', { isWithin: true })}
        isCode
        value={draft.contexts}
        onChange={(contexts) => onChange({ contexts })}
      />
    </div>
  </details>
)
