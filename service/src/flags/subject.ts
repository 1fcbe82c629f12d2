import { ApiError } from '../lib/apiError.ts'
import { idOf } from '../lib/names.ts'
import type { StoredProperties } from '../persons/storedProperties.ts'
import { StorageError } from '../storage/storage.ts'
import type { Flag, Subject } from './evaluate.ts'
import { own } from '../lib/own.ts'

/** The unvalidated body of a `/flags` request (docs/reference/protocol.md#4.6). */
export type FlagsRequest = Readonly<Record<string, unknown>>

type Values = Readonly<Record<string, unknown>>

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const valuesOf = (value: unknown): Values => (isValues(value) ? value : {})
const personOf = ({ distinct_id: given }: FlagsRequest): string => {
  const id = idOf(given)
  if (!id)
    throw new ApiError('invalid_input', {
      attr: 'distinct_id',
      detail: 'Pass "distinct_id", the person to evaluate flags for, or "disable_flags": true.',
    })
  return id
}

/** Returns the person of a `/flags` request. Throws `ApiError` if the request does not name a person. */
export const subjectOf = (request: FlagsRequest, receivedAt: number): Subject => ({
  distinctId: personOf(request),
  groups: Object.fromEntries(
    Object.entries(valuesOf(request.groups)).flatMap(([type, given]) => {
      const key = idOf(given)
      return key ? [[type, key]] : []
    }),
  ),
  personProperties: { distinct_id: request.distinct_id, ...valuesOf(request.person_properties) },
  groupProperties: Object.fromEntries(
    Object.entries(valuesOf(request.group_properties)).map(([type, properties]) => [type, valuesOf(properties)]),
  ),
  now: receivedAt,
})

/** Adds stored properties to a subject, where a flag depends on them and the request does not send them. */
export const withStored = async (
  subject: Subject,
  flags: readonly Flag[],
  { projectId, stored, signal }: { projectId: number; stored: StoredProperties; signal: AbortSignal },
): Promise<Subject> => {
  const conditions = flags.flatMap(({ filters }) =>
    filters.groups.flatMap(({ properties = [] }) =>
      properties.map(({ type, key }) => ({ type, key, groupType: filters.aggregation_group_type })),
    ),
  )
  const missing = (values: Values, keys: readonly string[]) =>
    [...new Set(keys)].filter((key) => !Object.hasOwn(values, key))
  const names = missing(
    subject.personProperties,
    conditions.filter(({ type }) => type === 'person').map(({ key }) => key),
  )
  const groups = Object.fromEntries(
    Object.entries(subject.groups).flatMap(([type, key]) => {
      const wanted = missing(
        own(subject.groupProperties, type) ?? {},
        conditions.filter((each) => each.type === 'group' && each.groupType === type).map((each) => each.key),
      )
      return wanted.length ? [[type, { key, names: wanted }]] : []
    }),
  )
  if (!names.length && !Object.keys(groups).length) return subject
  try {
    const found = await stored({ projectId, distinctId: subject.distinctId, names, groups, signal })
    const groupProperties = Object.fromEntries(
      Object.entries(found.groups).map(([type, values]) => [
        type,
        { ...values, ...own(subject.groupProperties, type) },
      ]),
    )
    return {
      ...subject,
      personProperties: { ...found.person, ...subject.personProperties },
      groupProperties: { ...subject.groupProperties, ...groupProperties },
    }
  } catch (error) {
    // Flags that need no stored properties still work while the engine is unavailable.
    if (error instanceof StorageError) return { ...subject, isIncomplete: true }
    throw error
  }
}

/** Returns the flags and all their dependencies. */
export const familyOf = (flags: readonly Flag[], all: ReadonlyMap<string, Flag>): Flag[] => {
  const family = new Set(flags)
  for (const { filters } of family) {
    for (const { type, key } of filters.groups.flatMap(({ properties = [] }) => properties)) {
      const other = type === 'flag' ? all.get(key) : undefined
      if (other) family.add(other)
    }
  }
  return [...family]
}
