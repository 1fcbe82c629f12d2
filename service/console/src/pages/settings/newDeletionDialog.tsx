import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Failed } from '../../ui/states.tsx'

interface Draft {
  readonly event: string
  readonly key: string
  readonly value: string
  readonly from: string
  readonly to: string
}

const startOf = (day: string) => `${day}T00:00:00Z`

/** Returns the body of a request. Empty fields are no condition. */
const bodyOf = ({ event, key, value, from, to }: Draft) => ({
  ...(event ? { events: [event] } : {}),
  ...(key ? { properties: [{ key, value }] } : {}),
  ...(from ? { date_from: startOf(from) } : {}),
  ...(to ? { date_to: startOf(to) } : {}),
})

/** Asks which events to delete, and begins the dry run. */
export const NewDeletionDialog = ({
  onRequested,
  onClose,
}: {
  readonly onRequested: () => void
  readonly onClose: () => void
}) => {
  const { id } = useProject()
  const [draft, setDraft] = useState<Draft>({ event: '', key: '', value: '', from: '', to: '' })
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  const { run, isRunning, error } = useMutation(() =>
    dataOf(api.POST('/api/projects/{projectId}/deletions', { params: inProject(id), body: bodyOf(draft) })),
  )
  const submit = async () => {
    if (await run()) onRequested()
  }
  const day = (label: string, name: 'from' | 'to') => (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          type="date"
          value={draft[name]}
          onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  )
  return (
    <Dialog
      title="Delete events"
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button primary" disabled={isRunning} onClick={() => void submit()}>
            Count them
          </button>
        </>
      }
    >
      <div class="stack">
        <p class="muted">
          Events are deleted that meet all conditions. They are counted first, and nothing is deleted yet. With dates
          alone, points of heatmaps and recordings are deleted too.
        </p>
        <TextInput label="Event" isCode maxLength={200} value={draft.event} onChange={(event) => change({ event })} />
        <TextInput label="Property" isCode maxLength={200} value={draft.key} onChange={(key) => change({ key })} />
        <TextInput
          label="Value of the property"
          hint="A text, or another value as JSON."
          isCode
          maxLength={1_000}
          value={draft.value}
          onChange={(value) => change({ value })}
        />
        {day('From this day on (UTC)', 'from')}
        {day('Before this day (UTC)', 'to')}
        {error && <Failed error={error} />}
      </div>
    </Dialog>
  )
}
