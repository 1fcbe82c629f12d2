import { useId, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { formatDateTime } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { projectChanges, useProject } from '../../project.ts'
import { Code } from '../../ui/copy.tsx'
import { Field } from '../../ui/field.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { ConfirmDialog } from './confirmDialog.tsx'
import { GraceField } from './graceField.tsx'

/** Name, time zone and token of the project. */
export const ProjectTab = () => (
  <div class="grid-2">
    <ProjectForm />
    <TokenCard />
  </div>
)

const ProjectForm = () => {
  const project = useProject()
  const [name, setName] = useState(project.name)
  const [timezone, setTimezone] = useState(project.timezone)
  const zones = useId()
  const { run, isRunning, error } = useMutation(() =>
    dataOf(api.PATCH('/api/projects/{projectId}', { params: inProject(project.id), body: { name, timezone } })),
  )
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    projectChanges.value++
    toast('The project is saved.')
  }
  const errorOf = (path: string) => error?.errors.find((each) => each.path === path)?.message
  const isChanged = name !== project.name || timezone !== project.timezone
  return (
    <Card title="Project">
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextInput label="Name" error={errorOf('name')} isRequired value={name} onChange={setName} />
        <Field
          label="Time zone"
          hint="Days of reports begin at midnight here. Materialized insights are built again after a change."
          error={errorOf('timezone')}
        >
          {(attributes) => (
            <>
              <input
                {...attributes}
                class="input"
                required
                autocomplete="off"
                list={zones}
                value={timezone}
                onInput={(event) => setTimezone(event.currentTarget.value)}
              />
              <datalist id={zones}>
                {Intl.supportedValuesOf('timeZone').map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        {error && !error.errors.length && <Failed error={error} />}
        <div class="row">
          <button type="submit" class="button primary" disabled={isRunning || !isChanged}>
            {isRunning ? 'Saving …' : 'Save'}
          </button>
        </div>
      </form>
    </Card>
  )
}

const TokenCard = () => {
  const { id, token, timezone } = useProject()
  const [isRotating, setRotating] = useState(false)
  const [seconds, setSeconds] = useState(86_400)
  const project = useLoad(`project ${id} ${token}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}', { params: inProject(id), signal })),
  )
  const rotate = () =>
    dataOf(
      api.POST('/api/projects/{projectId}/rotate_token', { params: inProject(id), body: { grace_seconds: seconds } }),
    )
  const until = project.data?.previous_api_token_until
  return (
    <Card
      title="Project token"
      actions={
        <button type="button" class="button" onClick={() => setRotating(true)}>
          Rotate
        </button>
      }
    >
      <div class="stack">
        <p class="muted">Sites send events with this token. It is public: it can send events, but read nothing.</p>
        <Code label="Project token" text={token} wraps />
        {until && <p class="notice">The previous token is accepted until {formatDateTime(until, timezone)}.</p>}
      </div>
      {isRotating && (
        <ConfirmDialog
          title="Rotate the project token?"
          action="Rotate the token"
          act={rotate}
          onDone={() => {
            setRotating(false)
            projectChanges.value++
            toast('The project has a new token. Put it into your sites.')
          }}
          onClose={() => setRotating(false)}
        >
          <p>The project gets a new token. Sites with the old one lose their events once it is no longer accepted.</p>
          <GraceField label="The old token is accepted" value={seconds} onChange={setSeconds} />
        </ConfirmDialog>
      )}
    </Card>
  )
}
