import { createHash } from 'node:crypto'
import type { Fields } from '../../lib/fields.ts'

/** An event of another product, as it is delivered. */
export interface SourceEvent {
  readonly event: string
  readonly distinctId: string
  /** ms since the epoch. */
  readonly timestamp: number
  readonly properties: Fields
  /** Absent: the id is derived from `key`. */
  readonly uuid?: string
  /** Day of the event in its file, if its time has a zone there. */
  readonly day?: string
  /** Key of the event in its product. Absent: all of its fields. */
  readonly key?: string
}

/** A product whose files can be imported. One file of this folder each. */
export interface Source {
  readonly name: string
  readonly what: string
  /** Returns the parts of a row that has several events, or why it is not imported. Absent: a row has one event. */
  readonly parts?: (row: Fields) => readonly Fields[] | string
  /** Returns the event of a row or a part, or why it is not imported. */
  readonly read: (row: Fields) => SourceEvent | string
}

const DAY_MS = 24 * 3_600_000
const EARLIEST = Date.UTC(1971, 0, 1)

/** Reasons for which rows are not imported. */
export const REFUSALS = {
  not_an_object: 'The row is not an object.',
  no_event: 'The row has no name of an event.',
  no_person: 'The row has no id of a person or a device.',
  no_time: 'The row has no time that can be read.',
  impossible_time: 'The time of the row is before 1971 or in the future.',
  invalid_properties: 'The properties of the row are not a JSON object.',
  too_many_actions: 'The visit has more than 5,000 actions.',
  left_out: 'Such rows are not events, and are left out.',
} as const
export type Refusal = keyof typeof REFUSALS

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** Returns a text or a number as text. `undefined`: it is neither, or empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value || undefined : typeof value === 'number' ? String(value) : undefined

/** Returns an object, given as it is or as JSON. `undefined`: the value is not an object. */
export const objectOf = (value: unknown): Fields | undefined => {
  if (value === undefined || value === null || value === '') return {}
  if (typeof value !== 'string') return isFields(value) ? value : undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return isFields(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

// Postgres writes whole hours as "+02".
const ZONE = /:\d\d(?:\.\d+)?([+-]\d\d)(:?\d\d)?$/

/** Returns a time in ms. A text without a zone is UTC. */
export const timeOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined
  const hasZone = /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(value.slice(10))
  const isShort = ZONE.exec(value)?.[2] === undefined && ZONE.test(value)
  const whole = isShort ? `${value}:00` : value
  const at = Date.parse(hasZone || isShort ? whole : `${value.replace(' ', 'T')}${value.length > 10 ? 'Z' : ''}`)
  return Number.isNaN(at) ? undefined : at
}

/** Returns the day of a time that is written with its zone. */
export const dayOf = (value: unknown): { readonly day?: string } =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && ZONE.test(value) ? { day: value.slice(0, 10) } : {}

export const isPossible = (timestamp: number): boolean => timestamp >= EARLIEST && timestamp <= Date.now() + DAY_MS

/** Returns properties without those that are empty. */
export const given = (properties: Fields): Fields =>
  Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )

/** Returns the properties of a page's URL. */
export const pageOf = (address: unknown): Fields => {
  if (typeof address !== 'string' || !URL.canParse(address)) return {}
  const { host, pathname } = new URL(address)
  return { $current_url: address, $host: host, $pathname: pathname }
}

/**
 * Returns the id of an event that its product does not identify by a UUID: the time and a hash, in the form of version 7. The same row
 * always gets the same id, and ids of one time are adjacent where they are looked up.
 */
export const derivedId = (source: string, key: string, timestamp: number): string => {
  const time = Math.max(0, Math.floor(timestamp)).toString(16).padStart(12, '0')
  const hash = createHash('sha256').update(`${source}\n${key}`).digest('hex')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${hash.slice(0, 3)}-a${hash.slice(3, 6)}-${hash.slice(6, 18)}`
}
