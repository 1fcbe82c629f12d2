import type { ResponseOf } from '../../api/inProject.ts'
import {
  type ConditionDraft,
  EVERYONE,
  toConditions,
  toGroups,
  toText,
} from '../../ui/flagConditions/conditionDraft.ts'

/** A feature flag as the API returns it. */
export type Flag = ResponseOf<'/api/projects/{projectId}/feature_flags', 'get'>['results'][number]
export type Filters = Flag['filters']

export interface VariantDraft {
  readonly key: string
  readonly name: string
  readonly percent: string
  /** JSON text. Empty: no payload. */
  readonly payload: string
}

/** The state of a flag's form. Numbers and payloads are strings, so that invalid input is not lost. */
export interface FlagDraft {
  readonly key: string
  readonly name: string
  readonly conditions: readonly ConditionDraft[]
  /** Empty: the flag is on or off. */
  readonly variants: readonly VariantDraft[]
  readonly payload: string
  /** Group type that the flag is evaluated for. Empty: persons. */
  readonly groupType: string
  readonly groupTypeIndex?: number
  /** Contexts in which the flag is evaluated, separated by commas. */
  readonly contexts: string
}

/** Form state of a new flag: on for everyone. */
export const NEW_FLAG: FlagDraft = {
  key: '',
  name: '',
  conditions: [EVERYONE],
  variants: [],
  payload: '',
  groupType: '',
  contexts: '',
}

/** Returns the form state of a flag. */
export const toDraft = ({ key, name, filters, evaluation_contexts: contexts }: Flag): FlagDraft => {
  const payloadOf = (value: string) => {
    const payload = filters.payloads?.[value]
    return payload === undefined || payload === null ? '' : toText(payload)
  }
  return {
    key,
    name,
    conditions: toConditions(filters.groups),
    variants: (filters.multivariate?.variants ?? []).map((variant) => ({
      key: variant.key,
      name: variant.name ?? '',
      percent: String(variant.rollout_percentage),
      payload: payloadOf(variant.key),
    })),
    payload: payloadOf('true'),
    groupType: filters.aggregation_group_type ?? '',
    ...(typeof filters.aggregation_group_type_index === 'number'
      ? { groupTypeIndex: filters.aggregation_group_type_index }
      : {}),
    contexts: contexts.join(', '),
  }
}

const payloadsOf = ({ variants, payload }: FlagDraft): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (variants.length ? variants.map((each) => [each.key, each.payload] as const) : [['true', payload] as const]).filter(
      ([, text]) => text.trim(),
    ),
  )

const withoutEmpty = (texts: readonly string[]) => texts.map((text) => text.trim()).filter(Boolean)

/** Returns what the API stores for a form. */
export const toInput = (draft: FlagDraft) => {
  const filters: Filters = {
    groups: toGroups(draft.conditions),
    multivariate: draft.variants.length
      ? {
          variants: draft.variants.map(({ key, name, percent }) => ({
            key: key.trim(),
            name: name || null,
            rollout_percentage: Number(percent),
          })),
        }
      : null,
    payloads: payloadsOf(draft),
    ...(draft.groupType.trim()
      ? { aggregation_group_type: draft.groupType.trim() }
      : draft.groupTypeIndex === undefined
        ? {}
        : { aggregation_group_type_index: draft.groupTypeIndex }),
  }
  return {
    key: draft.key.trim(),
    name: draft.name,
    filters,
    evaluation_contexts: withoutEmpty(draft.contexts.split(',')),
  }
}

/** Returns variants with equal shares that add up to 100. */
export const withEqualShares = (variants: readonly VariantDraft[]): readonly VariantDraft[] => {
  const share = Math.floor(10_000 / variants.length) / 100
  const last = Math.round((100 - share * (variants.length - 1)) * 100) / 100
  return variants.map((each, index) => ({ ...each, percent: String(index === variants.length - 1 ? last : share) }))
}

/** Sum of the variants' shares, in percent. */
export const sumOfShares = (variants: readonly VariantDraft[]): number =>
  Math.round(variants.reduce((sum, { percent }) => sum + (Number(percent) || 0), 0) * 100) / 100

const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`

/** Describes briefly who gets a flag. */
export const describeRollout = ({ groups, aggregation_group_type: groupType }: Filters): string => {
  const [first] = groups
  if (!first) return 'Nobody'
  if (groups.length > 1) return many(groups.length, 'condition', 'conditions')
  const percent = first.rollout_percentage ?? 100
  const count = first.properties?.length ?? 0
  const who = groupType ? `groups of type ${groupType}` : count ? 'people' : percent === 100 ? 'Everyone' : 'everyone'
  const share = percent === 100 ? '' : `${percent}% of `
  return `${share}${count && !share ? who[0]!.toUpperCase() + who.slice(1) : who}${count ? ` with ${many(count, 'property', 'properties')}` : ''}`
}
