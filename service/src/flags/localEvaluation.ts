import type { Metadata } from '../storage/metadata/metadata.ts'
import type { FlagDefinitions } from './definitions.ts'
import type { Flag } from './evaluate.ts'
import type { Property } from './filters.ts'

/** Data that a server SDK needs to evaluate flags without a request per visitor. */
export type LocalEvaluation = (projectId: number) => Promise<{
  readonly flags: readonly Readonly<Record<string, unknown>>[]
  readonly group_type_mapping: Readonly<Record<string, string>>
  readonly cohorts: Readonly<Record<string, never>>
}>

/** Returns the keys of a flag's dependencies and its own key, in topological order. */
const chainOf = (key: string, all: ReadonlyMap<string, Flag>): string[] => {
  const chain = new Set<string>()
  const walk = (each: string): void => {
    if (chain.has(each)) return
    const properties = all.get(each)?.filters.groups.flatMap(({ properties = [] }) => properties) ?? []
    for (const { type, key: needed } of properties) if (type === 'flag') walk(needed)
    chain.add(each)
  }
  walk(key)
  return [...chain]
}

const jsonOf = (payload: unknown): string => (typeof payload === 'string' ? payload : JSON.stringify(payload))

export const createLocalEvaluation =
  ({
    definitions,
    metadata: { groupTypes },
  }: {
    definitions: Pick<FlagDefinitions, 'byKey'>
    metadata: Pick<Metadata, 'groupTypes'>
  }): LocalEvaluation =>
  async (projectId) => {
    const [all, types] = await Promise.all([definitions.byKey(projectId), groupTypes.list(projectId)])

    const toProperty = (property: Property, groupIndex: number | null) => ({
      ...property,
      ...(property.type === 'group' ? { group_type_index: groupIndex } : {}),
      ...(property.type === 'flag'
        ? { operator: 'flag_evaluates_to', dependency_chain: chainOf(property.key, all) }
        : {}),
    })

    const toView = ({ id, key, name, version, isActive, filters }: Flag) => {
      const { aggregation_group_type: type, groups, multivariate = null, payloads = {} } = filters
      const groupIndex = type === undefined || type === null ? null : types.indexOf(type)
      return {
        id,
        team_id: projectId,
        key,
        name,
        version,
        active: isActive,
        deleted: false,
        ensure_experience_continuity: false,
        filters: {
          groups: groups.map(({ properties = [], rollout_percentage = 100, variant = null }) => ({
            properties: properties.map((each) => toProperty(each, groupIndex)),
            rollout_percentage,
            variant,
          })),
          multivariate,
          payloads: Object.fromEntries(Object.entries(payloads).map(([value, payload]) => [value, jsonOf(payload)])),
          aggregation_group_type_index: groupIndex,
        },
      }
    }

    return {
      // SDKs would evaluate a flag whose group type has no index for persons. They request flags that are left out from
      // the service.
      flags: [...all.values()].map(toView).filter(({ filters }) => filters.aggregation_group_type_index !== -1),
      group_type_mapping: Object.fromEntries(types.map((type, index) => [String(index), type])),
      cohorts: {},
    }
  }
