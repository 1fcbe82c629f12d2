import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId, type ResponseOf } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Field } from '../../ui/field.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed, Load, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

type Feature = ResponseOf<'/api/projects/{projectId}/early_access_feature', 'get'>['results'][number]
type Stage = Feature['stage']

const STAGES: Readonly<Record<Stage, string>> = {
  draft: 'Draft: not offered',
  concept: 'Concept: visitors can register interest',
  alpha: 'Alpha: visitors can enroll',
  beta: 'Beta: visitors can enroll',
  'general-availability': 'Released: not offered, enrollments count',
  archived: 'Archived: enrollments do not count',
}

/** The early access feature of a flag: visitors enroll in it themselves, which comes before the conditions. */
export const EarlyAccess = ({ flagId, flagKey }: { readonly flagId: number; readonly flagKey: string }) => {
  const { id } = useProject()
  const features = useLoad(`early access ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/early_access_feature', { params: inProject(id), signal })),
  )
  return (
    <Card title="Early access">
      <Load of={features} skeleton={<Skeleton lines={2} />}>
        {({ results }) => {
          const feature = results.find((each) => each.feature_flag.id === flagId)
          return feature ? (
            <FeatureForm key={feature.id} feature={feature} onChanged={() => features.reload()} />
          ) : (
            <Offer flagId={flagId} flagKey={flagKey} onCreated={() => features.reload()} />
          )
        }}
      </Load>
    </Card>
  )
}

const Offer = ({
  flagId,
  flagKey,
  onCreated,
}: {
  readonly flagId: number
  readonly flagKey: string
  readonly onCreated: () => void
}) => {
  const { id } = useProject()
  const { run, isRunning, error } = useMutation(() =>
    dataOf(
      api.POST('/api/projects/{projectId}/early_access_feature', {
        params: inProject(id),
        body: { name: flagKey, feature_flag_id: flagId, stage: 'draft' },
      }),
    ),
  )
  return (
    <div class="stack">
      <p class="muted">Let visitors turn this feature on or off for themselves, before it is released to all.</p>
      {error && <Failed error={error} />}
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={isRunning}
          onClick={() => void run().then((created) => created && onCreated())}
        >
          Offer early access
        </button>
      </div>
    </div>
  )
}

const FeatureForm = ({ feature, onChanged }: { readonly feature: Feature; readonly onChanged: () => void }) => {
  const { id } = useProject()
  const [draft, setDraft] = useState({ name: feature.name, description: feature.description, stage: feature.stage })
  const params = inProjectWithId(id, feature.id)
  const save = useMutation(() =>
    dataOf(api.PATCH('/api/projects/{projectId}/early_access_feature/{id}', { params, body: draft })),
  )
  const remove = useMutation(() =>
    dataOf(api.DELETE('/api/projects/{projectId}/early_access_feature/{id}', { params })),
  )
  // Not a form: this card stands beside the flag's own.
  const submit = async () => {
    if (!(await save.run())) return
    toast('Early access is saved.')
    onChanged()
  }
  const error = save.error ?? remove.error
  return (
    <div class="stack">
      <TextInput label="Name for visitors" value={draft.name} onChange={(name) => setDraft({ ...draft, name })} />
      <TextInput
        label="Description for visitors"
        value={draft.description}
        onChange={(description) => setDraft({ ...draft, description })}
      />
      <Field
        label="Stage"
        hint="An enrolled visitor gets the flag, one who opted out does not, regardless of the conditions."
      >
        {(attributes) => (
          <select
            {...attributes}
            class="input"
            value={draft.stage}
            onChange={(event) => setDraft({ ...draft, stage: event.currentTarget.value as Stage })}
          >
            {Object.entries(STAGES).map(([stage, label]) => (
              <option key={stage} value={stage}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {error && <Failed error={error} />}
      <div class="row">
        <button type="button" class="button" disabled={save.isRunning} onClick={() => void submit()}>
          Save early access
        </button>
        <button
          type="button"
          class="button plain"
          disabled={remove.isRunning}
          onClick={() => void remove.run().then(onChanged)}
        >
          End early access
        </button>
      </div>
    </div>
  )
}
