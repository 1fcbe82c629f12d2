import { useMemo, useRef, useState } from 'preact/hooks'
import { Empty, Failed } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { clock } from './controls.tsx'
import type { LogEntry } from './logEntries.ts'
import type { Playback } from './playback.ts'
import styles from './recordings.module.css'
import type { SessionEvents } from './useSessionEvents.ts'
import { Rows } from '../../ui/rows.tsx'

const TABS = [
  { name: 'event', label: 'Events' },
  { name: 'console', label: 'Console' },
  { name: 'network', label: 'Network' },
] as const
type Kind = (typeof TABS)[number]['name']

const NOTHING: Readonly<Record<Kind, string>> = {
  event: 'No events were captured in this session.',
  console: 'Nothing was written to the console, or it was not recorded.',
  network: 'There were no requests, or they were not recorded.',
}

const MAX_SHOWN = 500

/** What happened in a session: its events, the console and the network. Each line leads to its moment. */
export const Log = ({
  playback,
  events,
  sessionStart,
}: {
  readonly playback: Playback
  readonly events: SessionEvents
  /** ms since the epoch. */
  readonly sessionStart: number
}) => {
  const [kind, setKind] = useState<Kind>('event')
  const recorded = playback.entries.value
  const entries = useMemo(
    () => (kind === 'event' ? events.entries : recorded.filter((each) => each.kind === kind)),
    [kind, events.entries, recorded],
  )
  return (
    <Tabs label="What happened" tabs={TABS} current={kind} onChange={setKind}>
      {kind === 'event' && events.loaded.error && (
        <Failed error={events.loaded.error} onRetry={() => events.loaded.reload()} />
      )}
      {entries.length === 0 ? (
        <Empty title={kind === 'event' && events.loaded.isLoading ? 'Loading …' : NOTHING[kind]} />
      ) : (
        <Entries entries={entries} playback={playback} sessionStart={sessionStart} />
      )}
    </Tabs>
  )
}

/** Returns the index of the last entry at or before a moment. -1: all are later. */
const lastBefore = (entries: readonly LogEntry[], time: number): number => {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (entries[middle]!.at <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

const Entries = ({
  entries,
  playback,
  sessionStart,
}: {
  readonly entries: readonly LogEntry[]
  readonly playback: Playback
  readonly sessionStart: number
}) => {
  const list = useRef<HTMLOListElement>(null)
  const current = lastBefore(entries, playback.time.value)
  // Renders only the part of a long list around the current moment.
  const from = Math.max(0, Math.min(current - MAX_SHOWN / 2, entries.length - MAX_SHOWN))
  return (
    <ol ref={list} class={styles.log} tabIndex={0} aria-label="Entries in order of time">
      <Rows of={entries.slice(from, from + MAX_SHOWN)} keyOf={({ key }) => key}>
        {(entry, index) => (
          <li class={from + index === current ? styles.current : ''}>
            <button type="button" class={styles.entry} onClick={() => playback.seek(entry.at)}>
              <span class="muted number">{clock(entry.at - sessionStart)}</span>
              <span class={styles.text}>
                <bdi class={entry.isError ? styles.error : ''}>{entry.text || '(empty)'}</bdi>
                {entry.detail && <bdi class="muted small">{entry.detail}</bdi>}
              </span>
            </button>
          </li>
        )}
      </Rows>
    </ol>
  )
}
