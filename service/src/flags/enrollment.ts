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

/** An early access feature as stored: visitors can enroll in it before it is released. */
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

/** Name of the setting that stores a project's features. */
export const FEATURES_SETTING = 'early_access_features'

export const featuresOf = async (
  { settings }: Pick<Metadata, 'settings'>,
  projectId: number,
): Promise<readonly Feature[]> => ((await settings.get(projectId, FEATURES_SETTING)) as Feature[] | undefined) ?? []

/** Returns the flags that people get by enrolling in a feature. */
export const flagsTaken = (features: readonly Feature[]): ReadonlySet<number> =>
  new Set(features.filter(({ stage }) => STAGES[stage].decides).map(({ flagId }) => flagId))

/** Returns the name of the person property that records whether a person enrolled in the feature of a flag. */
export const enrollmentProperty = (flagKey: string): string => `$feature_enrollment/${flagKey}`

/**
 * Adds enrollment in a feature to its flag's conditions. People who enrolled get the flag, people who opted out do
 * not, and the flag's own conditions apply to everyone else. These are ordinary conditions, so every SDK that
 * evaluates flags supports them.
 */
export const withEnrollment = (filters: Filters, flagKey: string): Filters => {
  const condition = (operator: 'exact' | 'is_not', value: 'true' | 'false') => ({
    key: enrollmentProperty(flagKey),
    type: 'person' as const,
    operator,
    value: [value],
  })
  // Last, so that the flag's own conditions keep their index in evaluation reasons.
  return {
    ...filters,
    groups: [
      ...filters.groups.map((group) => ({
        ...group,
        properties: [...(group.properties ?? []), condition('is_not', 'false')],
      })),
      { properties: [condition('exact', 'true')], rollout_percentage: 100 },
    ],
  }
}
