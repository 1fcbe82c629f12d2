import { storableJson, wellFormed } from './properties.ts'

type Fields = Readonly<Record<string, unknown>>

/** Name and value of a property as JSON text; an empty text takes the property away. */
export type PropertyChange = readonly [name: string, json: string]

/** What an event says of its person. */
export interface PersonSaying {
  readonly set: readonly PropertyChange[]
  readonly setOnce: readonly PropertyChange[]
  /** Who is who. `from` is empty where only `into` is said to be known. */
  readonly merge?: { readonly kind: 'identify' | 'alias' | 'merge'; readonly from: string; readonly into: string }
}

export interface Group {
  /** Such as company. */
  readonly type: string
  readonly key: string
}

/** What an event says of whom it is about. */
export interface Profile {
  /** Absent: the event must not touch persons. */
  readonly person?: PersonSaying
  /** The groups that it belongs to. */
  readonly groups: readonly Group[]
  /** What it says of a group. */
  readonly told?: Group & { readonly set: readonly PropertyChange[] }
}

/** Most properties of persons and groups, and groups, that one event may name. */
export const MAX_CHANGES = 1_000
/** Longest name of a property that is kept for a person or group. */
const MAX_NAME = 400
const MAX_ID = 1_000

// What a program writes where it means nobody. Whoever shared such an id would become one person.
const NOBODY = new Set([
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
  '[object object]',
  '$posthog_cookieless',
])

/** Whether a text can be somebody's id. */
export const isSomebody = (id: string): boolean => !NOBODY.has(id.trim().toLowerCase()) && id.length <= MAX_ID

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const idOf = (value: unknown): string =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)) ? String(value) : ''

const changesOf = (value: unknown): PropertyChange[] =>
  isFields(value)
    ? Object.entries(value).flatMap(([name, each]) =>
        name && name.length <= MAX_NAME ? [[wellFormed(name), storableJson(each)] as const] : [],
      )
    : []

const removalsOf = (value: unknown): string[] => {
  const names = Array.isArray(value) ? value : isFields(value) ? Object.keys(value) : [value]
  return names
    .filter((each): each is string => typeof each === 'string' && each !== '' && each.length <= MAX_NAME)
    .map(wellFormed)
}

/** Events that say who is who: where the other id stands. */
const MERGES: Readonly<
  Record<string, { readonly kind: NonNullable<PersonSaying['merge']>['kind']; readonly from: string }>
> = {
  $identify: { kind: 'identify', from: '$anon_distinct_id' },
  $create_alias: { kind: 'alias', from: 'alias' },
  $merge_dangerously: { kind: 'merge', from: 'alias' },
}

const mergeOf = (event: string, into: string, properties: Fields): PersonSaying['merge'] => {
  const row = Object.hasOwn(MERGES, event) ? MERGES[event] : undefined
  if (!row || !isSomebody(into)) return undefined
  const from = wellFormed(idOf(properties[row.from]))
  const isOther = isSomebody(from) && from !== into
  // An alias that names nobody says nothing; to identify without an anonymous id still says that `into` is known.
  return isOther || row.kind === 'identify' ? { kind: row.kind, from: isOther ? from : '', into } : undefined
}

const personOf = (event: string, distinctId: string, properties: Fields): PersonSaying => {
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
  const group = { type: wellFormed(idOf(type)), key: wellFormed(idOf(key)) }
  return group.type && group.type.length <= MAX_NAME && group.key && group.key.length <= MAX_ID ? [group] : []
}

const CHANGES = ['$set', '$set_once', '$unset', '$groups', '$group_set']

/** How many properties of persons and groups, and groups, an event names. */
export const countChanges = (properties: Fields): number => {
  let count = 0
  for (const name of CHANGES) {
    const value = properties[name]
    if (typeof value === 'object' && value !== null)
      count += Array.isArray(value) ? value.length : Object.keys(value).length
  }
  return count
}

// Names of what an event says of persons and groups; of most events none is there.
const SAYINGS = ['$set', '$set_once', '$unset', '$groups', '$process_person_profile']
const ABOUT_GROUP = '$groupidentify'
const COOKIELESS = '$posthog_cookieless'

/** Of an event that says no more than that its person was there. */
const SEEN: Profile = { person: { set: [], setOnce: [] }, groups: [] }

/** What an event says of its person and groups. With `$process_person_profile: false` it belongs to groups and changes nobody. */
export const profileOf = (event: string, distinctId: string, properties: Fields): Profile => {
  if (
    SAYINGS.every((name) => properties[name] === undefined) &&
    !Object.hasOwn(MERGES, event) &&
    event !== ABOUT_GROUP &&
    distinctId !== COOKIELESS
  )
    return SEEN
  const groups = isFields(properties.$groups)
    ? Object.entries(properties.$groups).flatMap(([type, key]) => groupOf(type, key))
    : []
  if (properties.$process_person_profile === false || distinctId === COOKIELESS) return { groups }
  const [told] = event === ABOUT_GROUP ? groupOf(properties.$group_type, properties.$group_key) : []
  return {
    person: personOf(event, wellFormed(distinctId), properties),
    groups,
    ...(told ? { told: { ...told, set: changesOf(properties.$group_set) } } : {}),
  }
}
