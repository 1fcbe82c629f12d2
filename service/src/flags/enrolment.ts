import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Filters } from './filters.ts'

/** Stages of a feature: whether visitors are offered it, and whether people who enroll get its flag. */
export const STAGES = {
  draft: { isOffered: false, decides: false },
  // People who register interest get it once it leaves the concept stage.
  concept: { isOffered: true, decides: false },
  alpha: { isOffered: true, decides: true },
  beta: { isOffered: true, decides: true },
  'general-availability': { isOffered: false, decides: true },
  archived: { isOffered: false, decides: false },
} as const
export type Stage = keyof typeof STAGES

/** A feature that visitors may ask for before everybody has it, as it is kept. */
export interface Feature {
  readonly id: string
  readonly flagId: number
  readonly name: string
  readonly description: string
  readonly stage: Stage
  readonly documentationUrl: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: string
}

/** What a project's features are kept under. */
export const FEATURES_SETTING = 'early_access_features'

export const featuresOf = async (
  { settings }: Pick<Metadata, 'settings'>,
  projectId: number,
): Promise<readonly Feature[]> => ((await settings.get(projectId, FEATURES_SETTING)) as Feature[] | undefined) ?? []

/** Flags that their features' takers get. */
export const flagsTaken = (features: readonly Feature[]): ReadonlySet<number> =>
  new Set(features.filter(({ stage }) => STAGES[stage].decides).map(({ flagId }) => flagId))

/**
 * A flag's conditions, with what visitors said about its feature: who took it has the flag, who refused has not, and for the others
 * the conditions hold. As conditions like any others, so that every SDK that evaluates flags understands them.
 */
export const withEnrolment = (filters: Filters, flagKey: string): Filters => {
  const said = (operator: 'exact' | 'is_not', value: 'true' | 'false') => ({
    key: `$feature_enrollment/${flagKey}`,
    type: 'person' as const,
    operator,
    value: [value],
  })
  // The last, so that the others keep their numbers in the reasons.
  return {
    ...filters,
    groups: [
      ...filters.groups.map((group) => ({
        ...group,
        properties: [...(group.properties ?? []), said('is_not', 'false')],
      })),
      { properties: [said('exact', 'true')], rollout_percentage: 100 },
    ],
  }
}
