import { ApiError } from '../lib/apiError.ts'
import type { FlagRecord, Metadata } from '../storage/metadata/metadata.ts'
import { featuresOf, flagsTaken, withEnrollment } from './enrollment.ts'
import type { Flag } from './evaluate.ts'
import { EVERYBODY, type Filters, type Property } from './filters.ts'
import { OPERATORS } from './operators.ts'
import { own } from '../lib/own.ts'

/** A flag as the API accepts it, or the fields of an update. */
export interface FlagInput {
  readonly key?: string
  readonly name?: string
  readonly active?: boolean
  readonly filters?: Filters
  readonly evaluation_contexts?: readonly string[]
}

/** An unsaved definition. `id`: the flag that it would change. Absent: the existing flag with this key, if any. */
export type FlagDraft = FlagInput & { readonly key: string; readonly id?: number }

export type FlagView = Readonly<Record<string, unknown>>

export interface FlagDefinitions {
  list(projectId: number): Promise<FlagView[]>
  get(projectId: number, id: number): Promise<FlagView>
  create(projectId: number, input: FlagInput & { key: string }): Promise<FlagView>
  update(projectId: number, id: number, changes: FlagInput): Promise<FlagView>
  remove(projectId: number, id: number): Promise<void>
  /** Payload of a flag without variants, as a value. `null`: no payload. */
  payload(projectId: number, key: string): Promise<unknown>
  /** Checks an unsaved definition of an existing or a new flag. Returns it as `/flags` would evaluate it. */
  draft(projectId: number, input: FlagDraft): Promise<Flag>
  /** All flags of a project by key, as `/flags` evaluates them. Cached briefly. */
  byKey(projectId: number): Promise<ReadonlyMap<string, Flag>>
  /** Drops the cached definitions of a project. */
  forget(projectId: number): void
}

// Changes by another process take effect after this time at the latest.
const KEPT_MS = 5_000
const KEY = /^[A-Za-z0-9_-]{1,400}$/

const wrong = (attr: string, detail: string) => new ApiError('invalid_input', { attr, detail })

// Resolves the index of a group type to its name: '' if the type does not exist yet.
const withGroupType = (filters: Filters, types: readonly string[]): Filters => {
  const { aggregation_group_type: type, aggregation_group_type_index: index } = filters
  return typeof index === 'number' && !type ? { ...filters, aggregation_group_type: types[index] ?? '' } : filters
}

const toFlag = (
  { id, key, name, version, isActive, filters, contexts }: Omit<FlagRecord, 'createdAt' | 'updatedAt'>,
  types: readonly string[],
  taken: ReadonlySet<number>,
): Flag => {
  const typed = withGroupType(filters as Filters, types)
  return { id, key, name, version, isActive, filters: taken.has(id) ? withEnrollment(typed, key) : typed, contexts }
}

const toView = (record: FlagRecord): FlagView => ({
  id: record.id,
  key: record.key,
  name: record.name,
  active: record.isActive,
  filters: record.filters,
  evaluation_contexts: record.contexts,
  version: record.version,
  deleted: false,
  created_at: record.createdAt,
  updated_at: record.updatedAt,
})

const checkProperty = (
  property: Property,
  at: string,
  { aggregation_group_type: type, aggregation_group_type_index: index }: Filters,
): void => {
  const groupType = type ?? index
  if (property.type === 'flag') {
    if ((property.operator ?? 'flag_evaluates_to') !== 'flag_evaluates_to')
      throw wrong(`${at}.operator`, 'A condition on a flag must have the operator flag_evaluates_to.')
    if (typeof property.value !== 'boolean' && typeof property.value !== 'string')
      throw wrong(`${at}.value`, 'The value of a condition on a flag must be true, false or the key of a variant.')
    return
  }
  if (property.type === 'group' && (groupType === undefined || groupType === null))
    throw wrong(
      `${at}.type`,
      'A condition on a group needs "aggregation_group_type": the group type that the flag is evaluated for.',
    )
  const name = property.operator ?? 'exact'
  const operator = own(OPERATORS, name)
  if (!operator)
    throw wrong(`${at}.operator`, `Unknown operator ${name}. Valid operators: ${Object.keys(OPERATORS).join(', ')}.`)
  if (!operator.make(property.value)) throw wrong(`${at}.value`, `The operator ${name} takes ${operator.takes}.`)
}

const checkPayload = (name: string, payload: unknown, keys: readonly string[]): void => {
  if (!keys.includes(name))
    throw wrong(
      `filters.payloads.${name}`,
      `A payload must belong to ${keys.map((key) => `"${key}"`).join(' or ')}, got "${name}".`,
    )
  if (typeof payload !== 'string') return
  try {
    JSON.parse(payload)
  } catch {
    throw wrong(
      `filters.payloads.${name}`,
      'A payload must be JSON. A string needs its own quotation marks, such as "\\"string\\"".',
    )
  }
}

/** Throws `ApiError` if filters cannot be evaluated. It names the field, the mistake and the fix. */
const checkFilters = (filters: Filters): void => {
  const variants = filters.multivariate?.variants ?? []
  const keys = variants.map(({ key }) => key)
  if (new Set(keys).size < keys.length) throw wrong('filters.multivariate.variants', 'Two variants have the same key.')
  const sum = variants.reduce((total, { rollout_percentage: share }) => total + share, 0)
  if (variants.length && Math.abs(sum - 100) > 0.01)
    throw wrong(
      'filters.multivariate.variants',
      `The rollout percentages of the variants must add up to 100, got ${sum}.`,
    )
  for (const [index, { properties = [], variant }] of filters.groups.entries()) {
    const at = `filters.groups.${index}`
    if (variant && !keys.includes(variant))
      throw wrong(`${at}.variant`, `The flag has no variant "${variant}". Its variants: ${keys.join(', ') || 'none'}.`)
    for (const [place, property] of properties.entries()) checkProperty(property, `${at}.properties.${place}`, filters)
  }
  for (const [name, payload] of Object.entries(filters.payloads ?? {}))
    checkPayload(name, payload, keys.length ? keys : ['true'])
}

const dependenciesOf = ({ groups }: Filters): string[] =>
  groups.flatMap(({ properties = [] }) => properties.filter(({ type }) => type === 'flag').map(({ key }) => key))

/** Throws `ApiError` if `key` would depend on a flag that does not exist, or on itself. */
const checkDependencies = (key: string, filters: Filters, others: readonly FlagRecord[]): void => {
  const known = new Map(others.map((other) => [other.key, dependenciesOf(other.filters as Filters)]))
  known.set(key, dependenciesOf(filters))
  const walk = (at: string, way: readonly string[]): void => {
    const needs = known.get(at)
    if (!needs) throw wrong('filters.groups', `The condition names a flag "${at}", which does not exist.`)
    if (way.includes(at))
      throw wrong(
        'filters.groups',
        `The flags form a dependency cycle: ${[...way.slice(way.indexOf(at)), at].join(' → ')}.`,
      )
    needs.forEach((next) => walk(next, [...way, at]))
  }
  walk(key, [])
}

export const createFlagDefinitions = (
  { flags, groupTypes, settings }: Pick<Metadata, 'flags' | 'groupTypes' | 'settings'>,
  now = () => Date.now(),
): FlagDefinitions => {
  const kept = new Map<number, { until: number; flags: Promise<ReadonlyMap<string, Flag>> }>()

  const findBy = async (field: 'id' | 'key', projectId: number, value: number | string): Promise<FlagRecord> => {
    const found = (await flags.list(projectId)).find((each) => each[field] === value)
    if (!found) throw new ApiError('not_found', { detail: `This project has no feature flag with this ${field}.` })
    return found
  }
  const find = (projectId: number, id: number) => findBy('id', projectId, id)
  /** Returns the group types, and the flags that early access features decide. `toFlag` needs both. */
  const contextOf = (projectId: number) =>
    Promise.all([groupTypes.list(projectId), featuresOf({ settings }, projectId).then(flagsTaken)])
  const keyTaken = (key: string) =>
    new ApiError('name_taken', { detail: `This project already has a feature flag "${key}".`, attr: 'key' })
  const checked = async (projectId: number, key: string, filters: Filters, id?: number) => {
    if (!KEY.test(key)) throw wrong('key', 'A key must be 1 to 400 letters, digits, underscores and hyphens.')
    checkFilters(filters)
    checkDependencies(
      key,
      filters,
      (await flags.list(projectId)).filter((each) => each.id !== id),
    )
  }

  return {
    list: async (projectId) => (await flags.list(projectId)).map(toView),
    get: async (projectId, id) => toView(await find(projectId, id)),
    create: async (
      projectId,
      { key, name = '', active = true, filters = EVERYBODY, evaluation_contexts: contexts = [] },
    ) => {
      await checked(projectId, key, filters)
      const record = await flags.create(projectId, { key, name, isActive: active, filters, contexts })
      if (!record) throw keyTaken(key)
      kept.delete(projectId)
      return toView(record)
    },
    update: async (projectId, id, { key, name, active, filters, evaluation_contexts: contexts }) => {
      const found = await find(projectId, id)
      await checked(projectId, key ?? found.key, filters ?? (found.filters as Filters), id)
      const record = await flags.update(projectId, id, { key, name, isActive: active, filters, contexts })
      if (!record) throw keyTaken(key!)
      kept.delete(projectId)
      return toView(record)
    },
    remove: async (projectId, id) => {
      const { key } = await find(projectId, id)
      const users = (await flags.list(projectId)).filter((each) =>
        dependenciesOf(each.filters as Filters).includes(key),
      )
      if (users.length)
        throw wrong(
          'id',
          `Other flags depend on this one: ${users.map((each) => each.key).join(', ')}. Change them first.`,
        )
      const feature = (await featuresOf({ settings }, projectId)).find(({ flagId }) => flagId === id)
      if (feature)
        throw wrong('id', `The early access feature "${feature.name}" uses this flag. Delete the feature first.`)
      await flags.remove(projectId, id)
      kept.delete(projectId)
    },
    payload: async (projectId, key) => {
      const { filters } = await findBy('key', projectId, key)
      const payload = (filters as Filters).payloads?.true ?? null
      return typeof payload === 'string' ? (JSON.parse(payload) as unknown) : payload
    },
    draft: async (
      projectId,
      { id, key, name = '', active = true, filters = EVERYBODY, evaluation_contexts: contexts = [] },
    ) => {
      const saved =
        id === undefined ? (await flags.list(projectId)).find((flag) => flag.key === key) : await find(projectId, id)
      await checked(projectId, key, filters, saved?.id)
      // No flag has the id 0.
      const record = {
        id: saved?.id ?? 0,
        version: saved?.version ?? 0,
        key,
        name,
        isActive: active,
        filters,
        contexts,
      }
      return toFlag(record, ...(await contextOf(projectId)))
    },
    byKey: (projectId) => {
      const known = kept.get(projectId)
      if (known && known.until > now()) return known.flags
      const read = Promise.all([flags.list(projectId), contextOf(projectId)]).then(
        ([rows, context]) => new Map(rows.map((row) => [row.key, toFlag(row, ...context)])),
      )
      kept.set(projectId, { until: now() + KEPT_MS, flags: read })
      // Failures are not cached.
      read.catch(() => kept.delete(projectId))
      return read
    },
    forget: (projectId) => void kept.delete(projectId),
  }
}
