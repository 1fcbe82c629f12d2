import { gunzipSync } from 'node:zlib'
import { countValues } from '../lib/countValues.ts'
import { EVENT_TYPE, isFields, type RecordedEvent } from './rrweb.ts'
import { own } from '../lib/own.ts'

/** Marks an event whose fields posthog-js compressed one by one (docs/reference/session-recordings.md#requests-of-the-sdk). */
const VERSION = '2024-10'

/** Fields of incremental events that may be compressed. */
const FIELDS = ['texts', 'attributes', 'removes', 'adds']

/** Bytes that may still be decompressed of one body, and keys and values that may still be parsed. */
export interface InflateBudget {
  bytes: number
  values: number
}

const inflate = (text: string, budget: InflateBudget): unknown => {
  const bytes = gunzipSync(Buffer.from(text, 'latin1'), { maxOutputLength: Math.max(1, budget.bytes) })
  budget.bytes -= bytes.length
  budget.values -= countValues(bytes)
  if (budget.values < 0) throw new Error('The compressed fields of a body have too many values.')
  return JSON.parse(bytes.toString('utf8'))
}

/**
 * Returns an event with its compressed fields decompressed. Other events are returned unchanged.
 * Throws if a field cannot be decompressed, or if it exceeds the budget.
 */
export const openCompressedFields = (event: RecordedEvent, budget: InflateBudget): RecordedEvent => {
  if (event.cv !== VERSION) return event
  const { cv: _, ...plain } = event
  const { type, data } = event
  if (type === EVENT_TYPE.fullSnapshot && typeof data === 'string') return { ...plain, data: inflate(data, budget) }
  if (type !== EVENT_TYPE.incremental || !isFields(data)) return plain
  const opened = FIELDS.flatMap((name) => {
    const field = own(data, name)
    return typeof field === 'string' ? [[name, field === '' ? [] : inflate(field, budget)]] : []
  })
  return { ...plain, data: { ...data, ...Object.fromEntries(opened) } }
}
