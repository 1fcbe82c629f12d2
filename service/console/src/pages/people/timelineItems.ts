import type { TimelineEvent } from '../../api/events.ts'
import { cutText, toText } from '../../lib/propertyText.ts'

const MAX_TEXT = 200

/** The fields of an event that the timeline keeps. A person may have 100,000 events, so properties load when one is opened. */
export interface Entry {
  readonly uuid: string
  readonly event: string
  readonly timestamp: string
  readonly place: string
  readonly session: string | null
  readonly startsSession: boolean
}

export const toEntry = ({ uuid, event, timestamp, properties, ...each }: TimelineEvent): Entry => ({
  uuid,
  event: cutText(event, MAX_TEXT),
  timestamp,
  place: cutText(toText(properties.$pathname ?? properties.$screen_name ?? properties.$current_url), MAX_TEXT),
  session: each.$session_id,
  startsSession: each.starts_session,
})

/** The head of a session, above its events. `isWhole`: the session is loaded back to its start. */
export interface SessionItem {
  readonly kind: 'session'
  readonly key: string
  readonly session: string | null
  readonly from: string
  readonly until: string
  readonly count: number
  readonly isWhole: boolean
}

export interface EntryItem {
  readonly kind: 'event'
  readonly key: string
  readonly entry: Entry
}

export type Item = SessionItem | EntryItem

/** Returns the lines of a timeline: the events, newest first, below the heads of their sessions. */
export const itemsOf = (entries: readonly Entry[]): readonly Item[] => {
  const items: Item[] = []
  let start = 0
  while (start < entries.length) {
    const first = entries[start]!
    let end = start + 1
    while (end < entries.length && entries[end]!.session === first.session) end++
    const last = entries[end - 1]!
    items.push({
      kind: 'session',
      key: `session ${first.uuid}`,
      session: first.session,
      from: last.timestamp,
      until: first.timestamp,
      count: end - start,
      isWhole: last.startsSession,
    })
    for (const entry of entries.slice(start, end)) items.push({ kind: 'event', key: entry.uuid, entry })
    start = end
  }
  return items
}
