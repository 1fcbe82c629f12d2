import { Fragment, h } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { FlagValue } from '../../types'
import type { PanelProps, Tools } from './tools'
import { useService } from './useService'
import { valueText } from './values'

/** A flag of the project, as the service lists it. */
interface ProjectFlag {
  key: string
  name: string
  active: boolean
  variants: { key: string; name: string | null }[]
  payloads: Record<string, unknown>
}

const OVERRIDES = '$override_feature_flags'
// Flags that the service creates for surveys, to remember who answered. The panel does not list them.
const INTERNAL = /^survey-targeting-/

/** Shows the visitor's flags, and overrides them in this browser. */
export const FlagsPanel = ({ tools }: PanelProps) => {
  const { host } = tools
  const api = host.api()
  const [, redraw] = useState({})
  const [search, setSearch] = useState('')
  const { data, error } = useService<{ results: ProjectFlag[] }>(tools, 'flags', {})
  useLayoutEffect(() => api.onFeatureFlags?.(() => redraw({})), [])
  if (!api.featureFlags || !api.getAllFeatureFlags) return <p>This site leaves the part trailmark/flags out.</p>

  const overrides = host.store.get<Record<string, FlagValue>>(OVERRIDES) ?? {}
  const override = (next: Record<string, FlagValue>) => {
    api.featureFlags!.overrideFeatureFlags(Object.keys(next).length ? next : false)
    redraw({})
  }
  const known = new Map((data?.results ?? []).map((each) => [each.key, each]))
  const keys = [
    ...new Set([...known.keys(), ...api.getAllFeatureFlags().map(({ key }) => key), ...Object.keys(overrides)]),
  ].filter((key) => !INTERNAL.test(key))
  const shown = keys.filter((key) => key.includes(search)).sort()
  return (
    <>
      <label class="field">
        Search
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      {Object.keys(overrides).length > 0 && (
        <button type="button" class="button" onClick={() => override({})}>
          Clear all overrides
        </button>
      )}
      {error && <p class="warning">{error}</p>}
      {!keys.length && <p>There are no flags.</p>}
      <ul class="list">
        {shown.map((key) => (
          <Flag
            key={key}
            tools={tools}
            flagKey={key}
            flag={known.get(key)}
            override={overrides[key]}
            change={(value) => {
              const others = Object.entries(overrides).filter(([other]) => other !== key)
              override(Object.fromEntries(value === undefined ? others : [...others, [key, value]]))
            }}
          />
        ))}
      </ul>
    </>
  )
}

interface FlagProps {
  tools: Tools
  flagKey: string
  flag?: ProjectFlag
  override?: FlagValue
  change(value: FlagValue | undefined): void
}

const Flag = ({ tools, flagKey, flag, override, change }: FlagProps) => {
  const api = tools.host.api()
  const result = api.getAllFeatureFlags!().find(({ key }) => key === flagKey)
  const details = api.featureFlags!.getFeatureFlagDetails(flagKey)
  const choices: FlagValue[] = [true, false, ...(flag?.variants ?? []).map(({ key }) => key)]
  if (override !== undefined && !choices.includes(override)) choices.push(override)
  return (
    <li>
      <div class="row">
        <strong>{flagKey}</strong>
        <code>{result ? String(result.variant ?? result.enabled) : 'no value'}</code>
      </div>
      {flag && !flag.active && <p>The flag is turned off in the project.</p>}
      {details?.reason?.description && <p>{details.reason.description}</p>}
      {result?.payload !== undefined && result.payload !== null && <pre>{valueText(result.payload)}</pre>}
      <label class="field">
        Override
        <select
          aria-label={`Override ${flagKey}`}
          value={String(choices.indexOf(override!))}
          onChange={(event) => change(choices[Number(event.currentTarget.value)])}
        >
          <option value="-1">None</option>
          {choices.map((choice, index) => (
            <option key={String(choice)} value={String(index)}>
              {String(choice)}
            </option>
          ))}
        </select>
      </label>
    </li>
  )
}
