import { Fragment, h } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { LiveEvent } from './eventLog'
import type { PanelProps } from './tools'
import { Values } from './values'

/** Lists the events of this page as the SDK captures or drops them. */
export const EventsPanel = ({ tools }: PanelProps) => {
  const { events, host } = tools
  const [, redraw] = useState({})
  const [search, setSearch] = useState('')
  useLayoutEffect(() => events.onChange(() => redraw({})), [])
  const shown = events.all().filter(({ event }) => event.includes(search))
  const drops = Object.entries(host.ledger.drops())
  return (
    <>
      <label class="field">
        Search
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      {drops.length > 0 && <p>Dropped: {drops.map(([reason, count]) => `${reason} ${count}`).join(', ')}</p>}
      {!shown.length && <p>No events yet. Use the page.</p>}
      <ul class="list">
        {shown.map((each, index) => (
          <li key={each.uuid ?? `${each.event} ${index}`}>
            <Event event={each} />
          </li>
        ))}
      </ul>
    </>
  )
}

const Event = ({ event: { event, at, state, reason, stages, properties } }: { event: LiveEvent }) => (
  <details>
    <summary>
      <strong>{event}</strong> <span class={state}>{reason ? `dropped: ${reason}` : state}</span>{' '}
      <time dateTime={at.toISOString()}>{at.toLocaleTimeString()}</time>
    </summary>
    <p>Stages: {stages.join(', ') || 'none'}</p>
    {properties ? (
      <Values values={properties} />
    ) : (
      <p>Captured before the toolbar opened: its properties are not kept.</p>
    )}
  </details>
)
