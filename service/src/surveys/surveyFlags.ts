import { createHash } from 'node:crypto'
import type { Flag } from '../flags/evaluate.ts'
import type { Filters } from '../flags/filters.ts'
import { iterationAt, stateAt } from './iterations.ts'
import type { Definition } from './survey.ts'
import type { SurveyRecord } from './store.ts'

/** Beginning of the keys of surveys' flags. SDKs do not report their use. */
export const SURVEY_FLAG_PREFIX = 'survey-targeting-'

/** Keys of the flags of a survey. `null`: it has no such flag. */
export interface SurveyFlagKeys {
  /** On for people who have neither answered nor dismissed the current iteration. */
  readonly internal: string | null
  /** On for the people that the survey's conditions match. */
  readonly targeting: string | null
}

export const flagKeysOf = ({ id, definition }: Pick<SurveyRecord, 'id' | 'definition'>): SurveyFlagKeys => {
  const { type, targeting_flag_filters: filters } = definition as Definition
  const key = `${SURVEY_FLAG_PREFIX}${createHash('sha256').update(id).digest('hex').slice(0, 10)}`
  return { internal: type === 'external_survey' ? null : `${key}-custom`, targeting: filters ? key : null }
}

/** Returns the person property that says that a person answered or dismissed an iteration of a survey. */
export const reactionProperty = (reaction: 'responded' | 'dismissed', id: string, iteration: number): string =>
  `$survey_${reaction}/${id}${iteration ? `/${iteration}` : ''}`

/**
 * Returns the flags of a survey. They are computed and not stored, so they change with the survey and its iterations.
 * Their id is 0, which no flag of the project has.
 */
export const flagsOf = (survey: SurveyRecord, now: number): Flag[] => {
  const { internal, targeting } = flagKeysOf(survey)
  const { number } = iterationAt(survey, now)
  const isActive = stateAt(survey, now) === 'running'
  const flag = (key: string, filters: Filters): Flag => ({
    id: 0,
    key,
    version: 1,
    name: `Targeting of the survey ${survey.name}`,
    isActive,
    filters,
    contexts: [],
  })
  const properties = (['dismissed', 'responded'] as const).map((reaction) => ({
    key: reactionProperty(reaction, survey.id, number),
    type: 'person' as const,
    operator: 'is_not_set',
    value: 'is_not_set',
  }))
  const { targeting_flag_filters: filters } = survey.definition as Definition
  return [
    ...(internal ? [flag(internal, { groups: [{ properties, rollout_percentage: 100 }] })] : []),
    ...(targeting && filters ? [flag(targeting, filters)] : []),
  ]
}
