import { errorAt } from '../../lib/errorAt.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { Field } from '../../ui/field.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { AppearanceFields } from './appearanceFields.tsx'
import { ConditionFields } from './conditionFields.tsx'
import { Preview } from './preview.tsx'
import { QuestionList } from './questionList.tsx'
import { NEW_SURVEY, toDraft, toInput } from './questions.ts'
import { changeSurvey, createSurvey, type Survey, type SurveyDraft, TYPES } from './surveyApi.ts'
import styles from './surveys.module.css'
import { TranslationFields } from './translationFields.tsx'
import type { DraftProps } from './draftProps.ts'

/** The form of a survey. What is written stays in this browser until it is saved. */
export const SurveyEditor = ({
  survey,
  onSaved,
}: {
  /** Absent: a new survey. */
  readonly survey: Survey | undefined
  readonly onSaved: () => void
}) => {
  const { id } = useProject()
  const link = useLink()
  const version = survey && Date.parse(survey.updated_at)
  const draft = useDraft(`survey ${id} ${survey?.id ?? 'new'}`, survey ? toDraft(survey) : NEW_SURVEY, version)
  const { run, isRunning, error } = useMutation(() => {
    const body = toInput(draft.value)
    return survey ? changeSurvey(id, survey.id, body) : createSurvey(id, body)
  })
  const save = async (event: Event) => {
    event.preventDefault()
    const saved = await run()
    if (!saved) return
    draft.discard()
    toast(survey ? 'The survey is saved.' : 'The survey is saved as a draft. Launch it when it is ready.')
    if (survey) onSaved()
    else navigate(link(`surveys/${saved.id}`), { replace: true })
  }
  const props: DraftProps = {
    draft: draft.value,
    errorOf: (path, options) => errorAt(error, path, options),
    onChange: (changes) => draft.change({ ...draft.value, ...changes }),
  }
  return (
    <div class={styles.editor}>
      <form class={`stack ${styles.form}`} noValidate onSubmit={(event) => void save(event)}>
        {survey?.state === 'running' && (
          <p class="notice warning">
            This survey is running. Results match answers by question and by the position of a choice, so do not reorder
            choices or give a question another meaning.
          </p>
        )}
        <BasicFields {...props} />
        <QuestionList {...props} />
        <ConditionFields {...props} />
        <AppearanceFields {...props} />
        <TranslationFields {...props} />
        <div class={styles.actions}>
          {error && <Failed error={error} />}
          {survey && draft.isChanged && draft.basedOn !== version && (
            <p class="notice warning">
              Someone else has changed this survey since you began to edit. Saving replaces their change; discard yours
              to see it.
            </p>
          )}
          <div class="row">
            <button type="submit" class="button primary" disabled={isRunning || (survey && !draft.isChanged)}>
              {isRunning ? 'Saving …' : survey ? 'Save' : 'Save as a draft'}
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
      <Preview draft={draft.value} />
    </div>
  )
}

const BasicFields = ({ draft, errorOf, onChange }: DraftProps) => (
  <Card>
    <div class={styles.pair}>
      <TextInput
        label="Name"
        hint="Visitors do not see it, except on a hosted page."
        error={errorOf('name')}
        maxLength={400}
        value={draft.name}
        onChange={(name) => onChange({ name })}
      />
      <Field label="Shown as" error={errorOf('type')}>
        {(attributes) => (
          <select
            {...attributes}
            class="input"
            value={draft.type}
            onChange={(event) => onChange({ type: event.currentTarget.value as SurveyDraft['type'] })}
          >
            {Object.entries(TYPES).map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  </Card>
)
