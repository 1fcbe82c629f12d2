import { idOf, nameOf, visibleText } from '../lib/names.ts'
import { storableJson } from '../lib/storableJson.ts'
import { MAX_CHANGE_BYTES, MAX_VALUE_BYTES } from './bounds.ts'
import type { MergeKind } from './merge.ts'
import { own } from '../lib/own.ts'

type Fields = Readonly<Record<string, unknown>>

/** Name of a property, and its value as JSON text. An empty text removes the property. */
export type PropertyChange = readonly [name: string, json: string]

/** Changes that an event makes to its person. */
export interface PersonUpdate {
  readonly set: readonly PropertyChange[]
  readonly setOnce: readonly PropertyChange[]
  /** A fact that two ids belong to one person. An empty `from` only states that `into` is identified. */
  readonly merge?: { readonly kind: MergeKind; readonly from: string; readonly into: string }
}

export interface Group {
  /** Group type, such as `company`. */
  readonly type: string
  readonly key: string
}

/** Statements of an event about its person and groups. */
export interface IdentityUpdate {
  /** Absent: the event does not touch persons. */
  readonly person?: PersonUpdate
  /** The groups that the event belongs to. */
  readonly groups: readonly Group[]
  /** Properties of one group, set by `$groupidentify`. */
  readonly groupUpdate?: Group & { readonly set: readonly PropertyChange[] }
}

/** Maximum number of groups, and of properties of persons and groups, that one event may name. */
export const MAX_CHANGES = 1_000
/** Maximum characters in the name of a person or group property. */
const MAX_NAME = 400
const MAX_ID = 1_000

// Placeholders that programs send instead of an id, without blanks. Everyone with such an id would become one person.
const PLACEHOLDER_IDS = new Set([
  '',
  'anonymous',
  'guest',
  'distinctid',
  'distinct_id',
  'id',
  'not_authenticated',
  'email',
  'undefined',
  'true',
  'false',
  'null',
  'none',
  'nan',
  '0',
  '[objectobject]',
  '$posthog_cookieless',
])

/** Whether a string can be a person's id. */
export const isPersonId = (id: string): boolean =>
  id.length <= MAX_ID && !PLACEHOLDER_IDS.has(visibleText(id).toLowerCase())

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const propertyName = (value: unknown): string | undefined => {
  const name = nameOf(value)
  return name && name.length <= MAX_NAME ? name : undefined
}

const changesOf = (value: unknown): PropertyChange[] =>
  isFields(value)
    ? Object.entries(value).flatMap(([given, each]) => {
        const name = propertyName(given)
        return name ? [[name, storableJson(each)] as const] : []
      })
    : []

const removalsOf = (value: unknown): string[] => {
  const names = Array.isArray(value) ? value : isFields(value) ? Object.keys(value) : [value]
  return names.flatMap((each) => propertyName(each) ?? [])
}

/** Events that merge persons, with the property that contains the other id. */
const MERGES: Readonly<Record<string, { readonly kind: MergeKind; readonly from: string }>> = {
  $identify: { kind: 'identify', from: '$anon_distinct_id' },
  $create_alias: { kind: 'alias', from: 'alias' },
  $merge_dangerously: { kind: 'merge', from: 'alias' },
}

const mergeOf = (event: string, into: string, properties: Fields): PersonUpdate['merge'] => {
  const row = own(MERGES, event)
  if (!row || !isPersonId(into)) return undefined
  const from = idOf(own(properties, row.from)) ?? ''
  const isOther = isPersonId(from) && from !== into
  // An alias without a valid id has no effect. `$identify` without an anonymous id still states that `into` is
  // identified.
  return isOther || row.kind === 'identify' ? { kind: row.kind, from: isOther ? from : '', into } : undefined
}

const personOf = (event: string, distinctId: string, properties: Fields): PersonUpdate => {
  const removed = new Set(removalsOf(properties.$unset))
  const kept = (changes: readonly PropertyChange[]) => changes.filter(([name]) => !removed.has(name))
  const merge = mergeOf(event, distinctId, properties)
  return {
    set: [...kept(changesOf(properties.$set)), ...[...removed].map((name) => [name, ''] as const)],
    setOnce: kept(changesOf(properties.$set_once)),
    ...(merge ? { merge } : {}),
  }
}

const groupOf = (type: unknown, key: unknown): Group[] => {
  const [name, id] = [propertyName(type), idOf(key)]
  return name && id && id.length <= MAX_ID ? [{ type: name, key: id }] : []
}

const CHANGES = ['$set', '$set_once', '$unset', '$groups', '$group_set']

/** Counts the properties of persons and groups, and the groups, that an event names. */
export const countChanges = (properties: Fields): number => {
  let count = 0
  for (const name of CHANGES) {
    const value = own(properties, name)
    if (typeof value === 'object' && value !== null)
      count += Array.isArray(value) ? value.length : Object.keys(value).length
  }
  return count
}

const changedBytes = (changes: readonly PropertyChange[]) =>
  changes.reduce((sum, [name, json]) => sum + Buffer.byteLength(name) + Buffer.byteLength(json), 0)

/** Whether an update has a value that is too long to be stored, or too many bytes of values. */
export const isTooLarge = ({ person, groupUpdate }: IdentityUpdate): boolean => {
  const changes = [...(person?.set ?? []), ...(person?.setOnce ?? []), ...(groupUpdate?.set ?? [])]
  return (
    changes.some(([, json]) => json.length > MAX_VALUE_BYTES / 4 && Buffer.byteLength(json) > MAX_VALUE_BYTES) ||
    changedBytes(changes) > MAX_CHANGE_BYTES
  )
}

// Properties that change persons and groups. Most events have no such property.
const UPDATE_PROPERTIES = ['$set', '$set_once', '$unset', '$groups', '$process_person_profile']
const GROUP_IDENTIFY = '$groupidentify'
const COOKIELESS = '$posthog_cookieless'

/** The update of an event that only shows that its person was seen. */
export const SEEN: IdentityUpdate = { person: { set: [], setOnce: [] }, groups: [] }

/**
 * Returns the update of an event's person and groups. With `$process_person_profile: false`, the event belongs to
 * groups but does not change the person.
 */
export const identityUpdateOf = (event: string, distinctId: string, properties: Fields): IdentityUpdate => {
  if (
    UPDATE_PROPERTIES.every((name) => own(properties, name) === undefined) &&
    !Object.hasOwn(MERGES, event) &&
    event !== GROUP_IDENTIFY &&
    distinctId !== COOKIELESS
  )
    return SEEN
  const groups = isFields(properties.$groups)
    ? Object.entries(properties.$groups).flatMap(([type, key]) => groupOf(type, key))
    : []
  if (properties.$process_person_profile === false || distinctId === COOKIELESS) return { groups }
  const [group] = event === GROUP_IDENTIFY ? groupOf(properties.$group_type, properties.$group_key) : []
  return {
    person: personOf(event, distinctId, properties),
    groups,
    ...(group ? { groupUpdate: { ...group, set: changesOf(properties.$group_set) } } : {}),
  }
}
