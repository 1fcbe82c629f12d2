import { ApiError } from '../lib/apiError.ts'
import { uuidv7 } from '../lib/uuid.ts'
import type { FlagDefinitions } from './definitions.ts'
import type { StoredProperties } from '../persons/storedProperties.ts'
import { StorageError } from '../storage/storage.ts'
import { evaluateFlags, type Flag, type Subject } from './evaluate.ts'
import type { FlagQuota } from './quota.ts'
import type { RemoteConfigs } from './remoteConfig.ts'

/** The body of a `/flags` request (docs/reference/protocol.md#4.6), before anything of it is checked. */
export type FlagsQuestion = Readonly<Record<string, unknown>>

export interface FlagsCall {
  readonly project: { readonly id: number; readonly token: string }
  readonly question: FlagsQuestion
  /** Whether the answer also says what the service has turned on. */
  readonly withConfig: boolean
  /** The answer's form: 2 is `flags`; anything earlier also gets the older fields. */
  readonly version: number
  /** ms since the epoch. */
  readonly askedAt: number
}

type Values = Readonly<Record<string, unknown>>

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const valuesOf = (value: unknown): Values => (isValues(value) ? value : {})
const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string' && each.trim() !== '')
    : undefined

const idOf = ({ distinct_id: id }: FlagsQuestion): string => {
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text !== 'string' || !text.trim())
    throw new ApiError('invalid_input', {
      attr: 'distinct_id',
      detail: 'Flags are evaluated for somebody: pass "distinct_id", or "disable_flags": true.',
    })
  return text
}

/** The flags that a question asks for: active, of its contexts, and of its keys where it names some. */
const wantedOf = (all: ReadonlyMap<string, Flag>, question: FlagsQuestion): Flag[] => {
  const contexts = textsOf(question.evaluation_contexts ?? question.evaluation_environments) ?? []
  const keys = textsOf(question.flag_keys_to_evaluate ?? question.flag_keys)
  return [...all.values()].filter(
    (flag) =>
      flag.isActive &&
      (!flag.contexts.length || !contexts.length || flag.contexts.some((context) => contexts.includes(context))) &&
      (!keys || keys.includes(flag.key)),
  )
}

const subjectOf = (question: FlagsQuestion, askedAt: number): Subject => ({
  distinctId: idOf(question),
  groups: Object.fromEntries(Object.entries(valuesOf(question.groups)).map(([type, key]) => [type, String(key)])),
  personProperties: { distinct_id: question.distinct_id, ...valuesOf(question.person_properties) },
  groupProperties: Object.fromEntries(
    Object.entries(valuesOf(question.group_properties)).map(([type, properties]) => [type, valuesOf(properties)]),
  ),
  now: askedAt,
})

export interface AnswerFlagsRooms {
  readonly definitions: Pick<FlagDefinitions, 'byKey'>
  readonly remoteConfigs: RemoteConfigs
  readonly stored: StoredProperties
  readonly hasQuota: FlagQuota
}

/** A subject with what the service knows of its person and groups, where the question says nothing of it and a flag depends on it. */
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
    // Flags that need nothing of it are answered also while the engine is away.
    if (error instanceof StorageError) return { ...subject, isIncomplete: true }
    throw error
  }
}

/** Flags and all that they depend on. */
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
 * Answers `/flags`: each flag with its value and the reason for it, on the properties that the question brings and those that are stored.
 * Where the project's quota is used up no flag is named, and clients keep what they know.
 */
export const createAnswerFlags =
  ({ definitions, remoteConfigs, stored, hasQuota }: AnswerFlagsRooms) =>
  async ({ project, question, withConfig, version, askedAt }: FlagsCall) => {
    const asksForFlags = question.disable_flags !== true
    const isOverQuota = asksForFlags && !hasQuota(project.id)
    const all = await definitions.byKey(project.id)
    const wanted = asksForFlags && !isOverQuota ? wantedOf(all, question) : []
    const evaluations = wanted.length
      ? evaluateFlags(
          all,
          wanted,
          await withStored(subjectOf(question, askedAt), familyOf(wanted, all), { projectId: project.id, stored }),
        )
      : []
    const told = evaluations.filter(({ failed }) => !failed)
    return {
      flags: Object.fromEntries(evaluations.map((each) => [each.key, each])),
      ...(version < 2
        ? {
            featureFlags: Object.fromEntries(told.map(({ key, enabled, variant }) => [key, variant ?? enabled])),
            featureFlagPayloads: Object.fromEntries(
              told.flatMap(({ key, metadata }) => (metadata.payload === null ? [] : [[key, metadata.payload]])),
            ),
          }
        : {}),
      errorsWhileComputingFlags: told.length < evaluations.length,
      quotaLimited: isOverQuota ? ['feature_flags'] : [],
      requestId: uuidv7(askedAt),
      evaluatedAt: askedAt,
      ...(withConfig ? await remoteConfigs.of(project) : {}),
    }
  }

export type AnswerFlags = ReturnType<typeof createAnswerFlags>

/**
 * The answer of `/decide`, which `/flags` took the place of: version 1 lists the flags that are on, later ones have their
 * values, from version 3 on with payloads.
 */
export const toDecideAnswer = (
  { flags, featureFlags = {}, featureFlagPayloads = {}, ...rest }: Awaited<ReturnType<AnswerFlags>>,
  version: number,
) => ({
  ...rest,
  ...(version >= 4 ? { flags } : {}),
  featureFlags: version >= 2 ? featureFlags : Object.keys(featureFlags).filter((key) => featureFlags[key] !== false),
  ...(version >= 3 ? { featureFlagPayloads } : {}),
})
