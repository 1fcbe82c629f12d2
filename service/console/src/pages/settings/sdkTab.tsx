import { useState } from 'preact/hooks'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Checkbox } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Failed, Load } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './settings.module.css'
import { type RemoteConfig, saveConfig, useRemoteConfig } from './useRemoteConfig.ts'

interface Switch {
  readonly name: string
  readonly label: string
  readonly about: string
  readonly isOn: (config: RemoteConfig) => boolean
  /** Returns the change that turns it on or off. */
  readonly toChange: (isOn: boolean, config: RemoteConfig) => Partial<RemoteConfig>
}

type OnOrOff = 'captureDeadClicks' | 'defaultIdentifiedOnly' | 'heatmaps'

const setting = (name: OnOrOff): Pick<Switch, 'name' | 'isOn' | 'toChange'> => ({
  name,
  isOn: (config) => config[name],
  toChange: (isOn) => ({ [name]: isOn }),
})

type Performance = Exclude<RemoteConfig['capturePerformance'], boolean>

/** The setting is a boolean or an object. */
const performanceOf = ({ capturePerformance: value }: RemoteConfig): Performance =>
  typeof value === 'object' ? value : { web_vitals: value, network_timing: value }

const performance = (member: string): Pick<Switch, 'name' | 'isOn' | 'toChange'> => ({
  name: member,
  isOn: (config) => performanceOf(config)[member] === true,
  toChange: (isOn, config) => {
    const next = { ...performanceOf(config), [member]: isOn }
    return { capturePerformance: Object.values(next).some((each) => each !== false) && next }
  },
})

const SWITCHES: readonly Switch[] = [
  {
    name: 'autocapture_opt_out',
    label: 'Capture clicks, changes and submits automatically',
    about: 'Pages can still turn it off in their own configuration.',
    isOn: (config) => !config.autocapture_opt_out,
    toChange: (isOn) => ({ autocapture_opt_out: !isOn }),
  },
  {
    ...setting('captureDeadClicks'),
    label: 'Capture clicks that have no effect',
    about: 'Loads an additional script in the pages of visitors.',
  },
  {
    ...setting('heatmaps'),
    label: 'Capture heatmaps',
    about:
      'Clicks, mouse moves and scroll depth. Loads an additional script. Pages can set it in their own configuration.',
  },
  {
    ...performance('web_vitals'),
    label: 'Capture web vitals',
    about: 'Loads an additional script. Pages can set it in their own configuration.',
  },
  {
    ...performance('web_vitals_attribution'),
    label: 'Capture the causes of web vitals',
    about: 'Adds selectors, URLs and durations that explain the values. The script is 3 kB larger.',
  },
  {
    ...performance('network_timing'),
    label: 'Add the timing of requests to recordings',
    about: 'Only in sessions that are recorded.',
  },
  {
    ...setting('defaultIdentifiedOnly'),
    label: 'Store people only once they are identified',
    about: 'Visitors without identify() have events, but no person with properties.',
  },
]

/** What the SDK captures, for all sites of the project. Changes need no new release of a site. */
export const SdkTab = () => {
  const config = useRemoteConfig()
  return (
    <Card title="What sites capture">
      <p class={`muted ${styles.about}`}>
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
  each: { label, about, isOn: readIsOn, toChange },
  config,
  onChanged,
}: {
  readonly each: Switch
  readonly config: RemoteConfig
  readonly onChanged: () => void
}) => {
  const { id } = useProject()
  const { run, error } = useMutation((isOn: boolean) => saveConfig(id, config, toChange(isOn, config)))
  // Chosen value, until it is saved and loaded again.
  const [chosen, setChosen] = useState<boolean>()
  const change = async (isOn: boolean) => {
    setChosen(isOn)
    if (await run(isOn)) toast('Saved. Sites follow at their next page load.')
    else setChosen(undefined)
    onChanged()
  }
  return (
    <div>
      <Checkbox label={label} about={about} value={chosen ?? readIsOn(config)} onChange={(isOn) => void change(isOn)} />
      {error && <Failed error={error} />}
    </div>
  )
}
