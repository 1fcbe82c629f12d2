import { api, ask } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Field, Select } from '../../ui/field.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { SaveBar } from './saveBar.tsx'

const PATH = '/api/projects/{projectId}/session_recording_settings'
type Settings = ResponseOf<typeof PATH, 'get'>

const DAYS = (['7', '30', '90', '365'] as const).map((value) => ({ value, label: `${value} days` }))
const MAX_MEGABYTES = 1_000_000

/** How long recordings are stored, and how many per day. */
export const RecordingStorage = () => {
  const { id } = useProject()
  const settings = useLoad(`recording storage ${id}`, ({ signal }) =>
    ask(api.GET(PATH, { params: inProject(id), signal })),
  )
  return (
    <Card title="Storage">
      <Load of={settings}>{(data) => <StorageForm settings={data} onSaved={() => settings.reload()} />}</Load>
    </Card>
  )
}

const StorageForm = ({ settings, onSaved }: { readonly settings: Settings; readonly onSaved: () => void }) => {
  const { id } = useProject()
  const draft = useDraft(`recording storage ${id}`, settings, undefined)
  const { run, isRunning, error } = useMutation(() =>
    ask(api.PATCH(PATH, { params: inProject(id), body: draft.value })),
  )
  const save = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    draft.discard()
    toast('Saved. It applies to new sessions.')
    onSaved()
  }
  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      <div class="row">
        Delete a recording
        <Select
          label="Time until a recording is deleted"
          value={String(draft.value.retention_days)}
          options={DAYS}
          onChange={(days) =>
            draft.change({ ...draft.value, retention_days: Number(days) as Settings['retention_days'] })
          }
        />
        after its session began
      </div>
      <Field label="Megabytes per day" hint="Maximum stored per day (UTC), before compression. 0: no recordings.">
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            type="number"
            required
            min={0}
            max={MAX_MEGABYTES}
            value={draft.value.day_megabytes}
            onInput={({ currentTarget: { value, valueAsNumber } }) =>
              value && draft.change({ ...draft.value, day_megabytes: valueAsNumber })
            }
          />
        )}
      </Field>
      <SaveBar draft={draft} isRunning={isRunning} error={error} />
    </form>
  )
}
