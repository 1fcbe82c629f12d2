import { useState } from 'preact/hooks'
import { api, ask } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Failed, Load } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './settings.module.css'

type Config = ResponseOf<'/api/projects/{projectId}/remote_config', 'get'>

interface Switch {
  readonly name: 'autocapture_opt_out' | 'captureDeadClicks' | 'defaultIdentifiedOnly'
  readonly label: string
  readonly about: string
  /** Whether the switch is on while the setting is false. */
  readonly isInverted?: boolean
}

const SWITCHES: readonly Switch[] = [
  {
    name: 'autocapture_opt_out',
    label: 'Capture clicks, changes and submits by themselves',
    about: 'Pages can still turn it off in their own configuration.',
    isInverted: true,
  },
  {
    name: 'captureDeadClicks',
    label: 'Capture clicks that have no effect',
    about: 'Loads an additional script in the pages of visitors.',
  },
  {
    name: 'defaultIdentifiedOnly',
    label: 'Store people only once they are identified',
    about: 'Visitors without identify() have events, but no person with properties.',
  },
]

/** What the SDK captures, for all sites of the project, without a release of theirs. */
export const SdkTab = () => {
  const { id } = useProject()
  const config = useLoad(`remote config ${id}`, ({ signal }) =>
    ask(api.GET('/api/projects/{projectId}/remote_config', { params: inProject(id), signal })),
  )
  return (
    <Card title="What sites capture">
      <p class="muted" style={{ marginBottom: '0.75rem' }}>
        Applies to all sites of the project from their next page load, without a release.
      </p>
      <Load of={config}>
        {(data) => (
          <div class="stack">
            {SWITCHES.map((each) => (
              <Toggle key={each.name} each={each} config={data} onChanged={() => config.reload()} />
            ))}
          </div>
        )}
      </Load>
    </Card>
  )
}

const Toggle = ({
  each: { name, label, about, isInverted = false },
  config,
  onChanged,
}: {
  readonly each: Switch
  readonly config: Config
  readonly onChanged: () => void
}) => {
  const { id } = useProject()
  const { run, error } = useMutation((isOn: boolean) =>
    ask(
      api.PATCH('/api/projects/{projectId}/remote_config', {
        params: inProject(id),
        body: { [name]: isOn !== isInverted },
      }),
    ),
  )
  // What was chosen, until it is saved and loaded again.
  const [chosen, setChosen] = useState<boolean>()
  const change = async (isOn: boolean) => {
    setChosen(isOn)
    if (await run(isOn)) toast('Saved. Sites follow at their next page load.')
    else setChosen(undefined)
    onChanged()
  }
  return (
    <div>
      <label class={styles.switch}>
        <input
          type="checkbox"
          checked={chosen ?? config[name] !== isInverted}
          onChange={(event) => void change(event.currentTarget.checked)}
        />
        {label}
        <span class="small muted">{about}</span>
      </label>
      {error && <Failed error={error} />}
    </div>
  )
}
