import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { Person } from '../../api/events.ts'
import { formatWhole } from '../../lib/format.ts'
import { forgetLoaded } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Failed } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { personName } from '../../lib/personName.ts'

/** Asks for confirmation before erasing a person: lists what is deleted and requires the person's name. */
export const EraseDialog = ({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  const [typed, setTyped] = useState('')
  const [withEvents, setWithEvents] = useState(true)
  const name = personName(person)
  const { run, isRunning, error } = useMutation(async () => {
    await dataOf(
      api.DELETE('/api/projects/{projectId}/persons/{id}', {
        params: { path: { projectId: String(id), id: person.id }, query: { delete_events: withEvents } },
      }),
    )
    return true
  })
  const submit = async (event: Event) => {
    event.preventDefault()
    if (typed.trim() !== name || !(await run())) return
    // Going back must not show the person from memory.
    forgetLoaded()
    toast('The person was erased.')
    navigate(link('people'), { replace: true })
  }
  return (
    <Dialog title="Erase this person" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <p>This cannot be undone. It deletes:</p>
        <ul style={{ listStyle: 'disc', paddingLeft: '1.25rem' }}>
          <li>the person, all their properties and session recordings</li>
          <li>
            {person.distinct_ids.length === 1
              ? 'their distinct ID'
              : `their ${formatWhole(person.distinct_ids.length)} distinct IDs and how these were merged`}
          </li>
          {withEvents ? (
            <li>all their events, which also changes past numbers of reports</li>
          ) : (
            <li>not their events: these stay, under ids that belong to nobody known</li>
          )}
        </ul>
        <label class="row">
          <input
            type="checkbox"
            checked={withEvents}
            onChange={(event) => setWithEvents(event.currentTarget.checked)}
          />
          Delete the events too
        </label>
        <TextInput
          label="Type the name to confirm"
          hint={
            <>
              <bdi>{name}</bdi>
            </>
          }
          value={typed}
          onChange={setTyped}
        />
        {error && <Failed error={error} />}
        <div class="row">
          <button type="submit" class="button danger" disabled={isRunning || typed.trim() !== name}>
            {isRunning ? 'Erasing …' : 'Erase'}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
