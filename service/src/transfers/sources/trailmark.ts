import { isUuid } from '../../lib/uuid.ts'
import { dayOf, objectOf, type Source, textOf, timeOf } from './source.ts'

// An export as CSV has an apostrophe before what a spreadsheet would run.
const withoutApostrophe = (text: string) => text.replace(/^'(?='*[=+@\-\t\r])/, '')

const readWith =
  (toText: (text: string) => string): Source['read'] =>
  (row) => {
    const event = textOf(row.event)
    const distinctId = textOf(row.distinct_id)
    const timestamp = timeOf(row.timestamp)
    const properties = objectOf(row.properties)
    if (event === undefined) return 'no_event'
    if (distinctId === undefined) return 'no_person'
    if (timestamp === undefined) return 'no_time'
    if (!properties) return 'invalid_properties'
    const chain = textOf(row.elements_chain)
    return {
      event: toText(event),
      distinctId: toText(distinctId),
      timestamp,
      properties: chain ? { ...properties, $elements_chain: toText(chain) } : properties,
      ...dayOf(row.timestamp),
      ...(isUuid(row.uuid) ? { uuid: row.uuid } : {}),
    }
  }

/** Events that Trailmark exported. */
export const TRAILMARK: Source = {
  name: 'trailmark',
  what: 'files of "trailmark export" with events: JSON lines, CSV or Parquet',
  read: readWith(withoutApostrophe),
}

/** Batch exports of PostHog have the same columns. */
export const POSTHOG: Source = {
  name: 'posthog',
  what: 'batch exports of events: JSON lines or Parquet',
  read: readWith((text) => text),
}
