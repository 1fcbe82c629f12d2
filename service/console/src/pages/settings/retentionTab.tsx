import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { formatDateTime } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { NumberInput, TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { DeletionsCard } from './deletionsCard.tsx'
import { SettingsForm } from './settingsForm.tsx'

const PATH = '/api/projects/{projectId}/retention'
type Retention = ResponseOf<typeof PATH, 'get'>
type Policy = Pick<Retention, 'days' | 'events' | 'heatmap_days' | 'recording_days'>

const policyOf = ({ days, events, heatmap_days, recording_days }: Retention): Policy => ({
  days,
  events,
  heatmap_days,
  recording_days,
})

/** How long data is kept, and deletions of events. */
export const RetentionTab = () => {
  const { id } = useProject()
  const retention = useLoad(`retention ${id}`, ({ signal }) => dataOf(api.GET(PATH, { params: inProject(id), signal })))
  return (
    <div class="stack">
      <Card title="How long data is kept">
        <Load of={retention}>
          {(data) => (
            <SettingsForm
              name={`retention ${id}`}
              saved={policyOf(data)}
              save={(draft) => dataOf(api.PUT(PATH, { params: inProject(id), body: draft }))}
              done="Saved. Older data is hidden, and is deleted in a day."
              onSaved={() => retention.reload()}
            >
              {(draft, change) => <PolicyFields saved={data} draft={draft} onChange={change} />}
            </SettingsForm>
          )}
        </Load>
      </Card>
      <DeletionsCard />
    </div>
  )
}

interface FieldsProps {
  readonly draft: Policy
  readonly onChange: (changes: Partial<Policy>) => void
}

const PolicyFields = ({ saved, draft, onChange }: FieldsProps & { readonly saved: Retention }) => {
  const { timezone } = useProject()
  return (
    <>
      <p class="muted">
        Data that is too old is hidden at once. It is deleted a day after a change, and then once a month. Until then, a
        longer time shows it again.
        {saved.deletes_at && ` Hidden data is deleted after ${formatDateTime(saved.deletes_at, timezone)}.`}
      </p>
      <NumberInput
        label="Days of events"
        hint="Empty: for ever."
        min={1}
        value={draft.days}
        onChange={(days) => onChange({ days })}
      />
      <NamedEvents draft={draft} onChange={onChange} />
      <NumberInput
        label="Days of heatmaps"
        hint="At most 90. Empty: 90."
        min={1}
        value={draft.heatmap_days}
        onChange={(heatmap_days) => onChange({ heatmap_days })}
      />
      <NumberInput
        label="Days of recordings"
        hint="From the start of a session, also for recordings that are stored. Empty: as long as the setting of recordings says."
        min={1}
        value={draft.recording_days}
        onChange={(recording_days) => onChange({ recording_days })}
      />
    </>
  )
}

const NamedEvents = ({ draft: { events }, onChange }: FieldsProps) => {
  const changeAt = (place: number, changes: Partial<Policy['events'][number]>) =>
    onChange({ events: events.map((each, at) => (at === place ? { ...each, ...changes } : each)) })
  return (
    <fieldset class="stack">
      <legend>Events that are kept for another time</legend>
      {events.map(({ event, days }, place) => (
        <div key={place} class="row">
          <TextInput
            label="Event"
            isCode
            isRequired
            maxLength={200}
            value={event}
            onChange={(name) => changeAt(place, { event: name })}
          />
          <NumberInput
            label={`Days of ${event || 'this event'}`}
            min={1}
            value={days}
            onChange={(next) => changeAt(place, { days: next })}
          />
          <button
            type="button"
            class="button"
            onClick={() => onChange({ events: events.filter((_, at) => at !== place) })}
          >
            Remove
          </button>
        </div>
      ))}
      <div class="row">
        <button
          type="button"
          class="button"
          onClick={() => onChange({ events: [...events, { event: events.length ? '' : '$exception', days: 90 }] })}
        >
          Add an event
        </button>
      </div>
    </fieldset>
  )
}
