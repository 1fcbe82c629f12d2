import type { ResponseOf } from '../../api/inProject.ts'
import { FLAG_OPERATOR, takesOf } from './operators.ts'

type Group = ResponseOf<
  '/api/projects/{projectId}/feature_flags',
  'get'
>['results'][number]['filters']['groups'][number]
type ApiProperty = NonNullable<Group['properties']>[number]

export interface PropertyDraft {
  readonly type: ApiProperty['type']
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
  readonly groupTypeIndex?: number
}

export interface ConditionDraft {
  readonly properties: readonly PropertyDraft[]
  /** Text of the number, as it is typed. */
  readonly percent: string
  /** Variant for those who meet the condition. Empty: by the variants' shares. */
  readonly variant: string
}

export const EVERYONE: ConditionDraft = { properties: [], percent: '100', variant: '' }
export const NEW_PROPERTY: PropertyDraft = { type: 'person', key: '', operator: 'exact', values: [''] }

/** Returns a value of the API as text. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const toProperty = (property: ApiProperty): PropertyDraft => ({
  type: property.type,
  key: property.key,
  operator: property.operator ?? (property.type === 'flag' ? FLAG_OPERATOR : 'exact'),
  values: property.value === undefined || property.value === null ? [''] : [property.value].flat().map(toText),
  ...(typeof property.group_type_index === 'number' ? { groupTypeIndex: property.group_type_index } : {}),
})

/** Returns the form of conditions. */
export const toConditions = (groups: readonly Group[]): readonly ConditionDraft[] =>
  groups.map(({ properties = [], rollout_percentage: percent, variant }) => ({
    properties: properties.map(toProperty),
    percent: String(percent ?? 100),
    variant: variant ?? '',
  }))

const valueOf = ({ type, operator, values }: PropertyDraft): { value?: unknown } => {
  const [first = ''] = values
  if (type === 'flag') return { value: first === 'true' || first === 'false' ? first === 'true' : first }
  const takes = takesOf(operator)
  return takes === 'nothing' ? {} : { value: takes === 'values' ? values : first }
}

const toApiProperty = (property: PropertyDraft): ApiProperty => ({
  type: property.type,
  key: property.key.trim(),
  operator: property.operator,
  ...valueOf(property),
  ...(property.groupTypeIndex === undefined ? {} : { group_type_index: property.groupTypeIndex }),
})

/** Returns what the API stores for the form of conditions. */
export const toGroups = (conditions: readonly ConditionDraft[]): Group[] =>
  conditions.map(({ properties, percent, variant }) => ({
    properties: properties.map(toApiProperty),
    rollout_percentage: Number(percent),
    variant: variant || null,
  }))
