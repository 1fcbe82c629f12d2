import { ApiError } from '../lib/apiError.ts'
import { uuidv7 } from '../lib/uuid.ts'
import type { FlagDefinitions } from './definitions.ts'
import type { StoredProperties } from '../persons/storedProperties.ts'
import { StorageError } from '../storage/storage.ts'
import { evaluateFlags, type Flag, type Subject } from './evaluate.ts'
import type { FlagQuota } from './quota.ts'
import type { RemoteConfigs } from './remoteConfig.ts'

/** The unvalidated body of a `/flags` request (docs/reference/protocol.md#4.6). */
export type FlagsRequest = Readonly<Record<string, unknown>>

export interface FlagsCall {
  readonly project: { readonly id: number; readonly token: string }
  readonly request: FlagsRequest
  /** Whether the response includes remote config. */
  readonly withConfig: boolean
  /** Version of the response. 2 has `flags`, earlier ones also have the older fields. */
  readonly version: number
  /** ms since the epoch. */
  readonly receivedAt: number
}

type Values = Readonly<Record<string, unknown>>

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const valuesOf = (value: unknown): Values => (isValues(value) ? value : {})
const stringsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string' && each.trim() !== '')
    : undefined

const idOf = ({ distinct_id: id }: FlagsRequest): string => {
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text !== 'string' || !text.trim())
    throw new ApiError('invalid_input', {
      attr: 'distinct_id',
      detail: 'Pass "distinct_id", the person to evaluate flags for, or "disable_flags": true.',
    })
  return text
}

/** Returns the active flags in the requested contexts and, if the request names keys, with these keys. */
const wantedOf = (all: ReadonlyMap<string, Flag>, request: FlagsRequest): Flag[] => {
  const contexts = stringsOf(request.evaluation_contexts ?? request.evaluation_environments) ?? []
  const keys = stringsOf(request.flag_keys_to_evaluate ?? request.flag_keys)
  return [...all.values()].filter(
    (flag) =>
      flag.isActive &&
      (!flag.contexts.length || !contexts.length || flag.contexts.some((context) => contexts.includes(context))) &&
      (!keys || keys.includes(flag.key)),
  )
}

const subjectOf = (request: FlagsRequest, receivedAt: number): Subject => ({
  distinctId: idOf(request),
  groups: Object.fromEntries(Object.entries(valuesOf(request.groups)).map(([type, key]) => [type, String(key)])),
  personProperties: { distinct_id: request.distinct_id, ...valuesOf(request.person_properties) },
  groupProperties: Object.fromEntries(
    Object.entries(valuesOf(request.group_properties)).map(([type, properties]) => [type, valuesOf(properties)]),
  ),
  now: receivedAt,
})

export interface FlagsDependencies {
  readonly definitions: Pick<FlagDefinitions, 'byKey'>
  readonly remoteConfigs: RemoteConfigs
  readonly stored: StoredProperties
  readonly hasQuota: FlagQuota
}

/** Adds stored properties to a subject, where a flag depends on them and the request does not send them. */
const withStored = async (
  subject: Subject,
  flags: readonly Flag[],
  { projectId, stored }: { projectId: number; stored: StoredProperties },
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
        subject.groupProperties[type] ?? {},
        conditions.filter((each) => each.type === 'group' && each.groupType === type).map((each) => each.key),
      )
      return wanted.length ? [[type, { key, names: wanted }]] : []
    }),
  )
  if (!names.length && !Object.keys(groups).length) return subject
  try {
    const found = await stored({ projectId, distinctId: subject.distinctId, names, groups })
    const groupProperties = Object.fromEntries(
      Object.entries(found.groups).map(([type, values]) => [type, { ...values, ...subject.groupProperties[type] }]),
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
const familyOf = (flags: readonly Flag[], all: ReadonlyMap<string, Flag>): Flag[] => {
  const family = new Set(flags)
  for (const { filters } of family) {
    for (const { type, key } of filters.groups.flatMap(({ properties = [] }) => properties)) {
      const other = type === 'flag' ? all.get(key) : undefined
      if (other) family.add(other)
    }
  }
  return [...family]
}

/**
 * Handles `/flags`: returns each flag with its value and reason, evaluated on the request's and stored properties.
 * Returns no flags if the project has exceeded its quota. Clients then keep the values they have.
 */
export const createFlagsHandler =
  ({ definitions, remoteConfigs, stored, hasQuota }: FlagsDependencies) =>
  async ({ project, request, withConfig, version, receivedAt }: FlagsCall) => {
    const wantsFlags = request.disable_flags !== true
    const isOverQuota = wantsFlags && !hasQuota(project.id)
    const all = await definitions.byKey(project.id)
    const wanted = wantsFlags && !isOverQuota ? wantedOf(all, request) : []
    const evaluations = wanted.length
      ? evaluateFlags(
          all,
          wanted,
          await withStored(subjectOf(request, receivedAt), familyOf(wanted, all), { projectId: project.id, stored }),
        )
      : []
    const evaluated = evaluations.filter(({ failed }) => !failed)
    return {
      flags: Object.fromEntries(evaluations.map((each) => [each.key, each])),
      ...(version < 2
        ? {
            featureFlags: Object.fromEntries(evaluated.map(({ key, enabled, variant }) => [key, variant ?? enabled])),
            featureFlagPayloads: Object.fromEntries(
              evaluated.flatMap(({ key, metadata }) => (metadata.payload === null ? [] : [[key, metadata.payload]])),
            ),
          }
        : {}),
      errorsWhileComputingFlags: evaluated.length < evaluations.length,
      quotaLimited: isOverQuota ? ['feature_flags'] : [],
      requestId: uuidv7(receivedAt),
      evaluatedAt: receivedAt,
      ...(withConfig ? await remoteConfigs.of(project) : {}),
    }
  }

export type FlagsHandler = ReturnType<typeof createFlagsHandler>

/**
 * Converts to the response of `/decide`, the predecessor of `/flags`. Version 1 lists the enabled flags, version 2
 * adds values, version 3 adds payloads.
 */
export const toDecideResponse = (
  { flags, featureFlags = {}, featureFlagPayloads = {}, ...rest }: Awaited<ReturnType<FlagsHandler>>,
  version: number,
) => ({
  ...rest,
  ...(version >= 4 ? { flags } : {}),
  featureFlags: version >= 2 ? featureFlags : Object.keys(featureFlags).filter((key) => featureFlags[key] !== false),
  ...(version >= 3 ? { featureFlagPayloads } : {}),
})
