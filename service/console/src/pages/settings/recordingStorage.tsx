import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Field, Select } from '../../ui/field.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { SettingsForm } from './settingsForm.tsx'

const PATH = '/api/projects/{projectId}/session_recording_settings'
type Settings = ResponseOf<typeof PATH, 'get'>

const DAYS = (['7', '30', '90', '365'] as const).map((value) => ({ value, label: `${value} days` }))
const MAX_MEGABYTES = 1_000_000

/** How long recordings are stored, and how many per day. */
export const RecordingStorage = () => {
  const { id } = useProject()
  const settings = useLoad(`recording storage ${id}`, ({ signal }) =>
    dataOf(api.GET(PATH, { params: inProject(id), signal })),
  )
  return (
    <Card title="Storage">
      <Load of={settings}>
        {(data) => (
          <SettingsForm
            name={`recording storage ${id}`}
            saved={data}
            save={(draft) => dataOf(api.PATCH(PATH, { params: inProject(id), body: draft }))}
            done="Saved. It applies to new sessions."
            onSaved={() => settings.reload()}
          >
            {(draft, change) => <StorageFields draft={draft} onChange={change} />}
          </SettingsForm>
        )}
      </Load>
    </Card>
  )
}

const StorageFields = ({
  draft,
  onChange,
}: {
  readonly draft: Settings
  readonly onChange: (changes: Partial<Settings>) => void
}) => (
  <>
    <div class="row">
      Delete a recording
      <Select
        label="Time until a recording is deleted"
        value={String(draft.retention_days)}
        options={DAYS}
        onChange={(days) => onChange({ retention_days: Number(days) as Settings['retention_days'] })}
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
          value={draft.day_megabytes}
          onInput={({ currentTarget: { value, valueAsNumber } }) => value && onChange({ day_megabytes: valueAsNumber })}
        />
      )}
    </Field>
  </>
)
