import { Fragment, h } from 'preact'
import type { Config } from '../../types'
import { consoleUrl } from './hosts'
import { forgetSession } from './storage'
import type { PanelProps, Tools } from './tools'
import { valueText } from './values'

interface Option {
  name: string
  value: unknown
  /** Where the value comes from. */
  source: 'site' | 'default' | `defaults of ${string}`
}

/** Returns all options with their effective values. */
const optionsOf = ({ config, OPTIONS, DATED_DEFAULTS }: Tools['host']): Option[] => {
  const dated = DATED_DEFAULTS.filter(([since]) => config.defaults !== 'unset' && since <= config.defaults)
  return Object.entries(OPTIONS)
    .map(([name, [fallback]]): Option => {
      const value = config[name as keyof Config]
      const [since, changes] = dated.filter(([, each]) => name in each).pop() ?? []
      const isFallback = valueText(value) === valueText(changes ? changes[name as keyof Config] : fallback)
      return {
        name,
        value,
        source: isFallback && !isOwnFunction(value, fallback) ? (since ? `defaults of ${since}` : 'default') : 'site',
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

// Compared by identity, because `valueText` is the same for all functions.
const isOwnFunction = (value: unknown, fallback: unknown) => typeof value === 'function' && value !== fallback

const Options = ({ options }: { options: Option[] }) => (
  <dl class="values">
    {options.map(({ name, value, source }) => (
      <div key={name}>
        <dt>
          {name} <span class="source">{source}</span>
        </dt>
        <dd>{valueText(value)}</dd>
      </div>
    ))}
  </dl>
)

/** Shows the project, the visitor's ids and the effective options, and ends the session of the toolbar. */
export const ConfigurationPanel = ({ tools }: PanelProps) => {
  const { host, service, session } = tools
  const api = host.api()
  const options = optionsOf(host)
  const changed = options.filter(({ source }) => source !== 'default')
  const signOut = () => {
    forgetSession()
    void service.close().then(host.end)
  }
  return (
    <>
      <dl class="values">
        <div>
          <dt>Project</dt>
          <dd>
            {session.project.name} ({session.project.id})
          </dd>
        </div>
        <div>
          <dt>Distinct ID</dt>
          <dd>{api.get_distinct_id?.()}</dd>
        </div>
        <div>
          <dt>Session ID</dt>
          <dd>{api.get_session_id?.()}</dd>
        </div>
        <div>
          <dt>Signed in until</dt>
          <dd>{new Date(session.max_expires_at).toLocaleTimeString()}, or 15 minutes without use</dd>
        </div>
      </dl>
      <p>
        <a class="button" href={session.console_url ?? consoleUrl(host.config)} target="_blank" rel="noopener">
          Console<span class="sr-only"> (new tab)</span>
        </a>{' '}
        <button type="button" class="button" onClick={signOut}>
          Sign out
        </button>
      </p>
      <h3>Options that differ from the plain defaults</h3>
      <Options options={changed} />
      <details>
        <summary>All options</summary>
        <Options options={options} />
      </details>
    </>
  )
}
