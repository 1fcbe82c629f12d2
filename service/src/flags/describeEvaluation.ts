import type { PropertyTrace } from './evaluate.ts'
import { enrollmentProperty, type Feature } from './enrollment.ts'

/** Tested person. `null`: no person with this distinct id is stored. */
export type PersonState = { readonly id: string; readonly is_identified: boolean } | null

const MAX_VALUE = 200

const quote = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

/** Converts a position between 0 and 1 to percent, with four decimals. */
export const toPercent = (share: number): number => Math.round(share * 1_000_000) / 10_000

interface PropertyContext {
  readonly flagKey: string
  readonly person: PersonState
  readonly groupType: string | undefined
}

const missingProperty = (key: string, { person, groupType }: PropertyContext, isOfGroup: boolean): string => {
  if (isOfGroup) return `The group has no property "${key}". It is set with group("${groupType}", key, { … }).`
  if (!person) return `There is no stored person with this distinct id, so the property "${key}" is missing.`
  if (!person.is_identified)
    return `The person has no property "${key}". The person has not been identified: properties are set by identify() and setPersonProperties().`
  return `The person has no property "${key}".`
}

const describeChoice = (found: unknown, isMet: boolean): string => {
  if (found === undefined || found === null)
    return `The person neither enrolled in the early access feature nor opted out, so this condition ${isMet ? 'applies' : 'does not apply'}.`
  return `The person ${found === true || found === 'true' ? 'enrolled in' : 'opted out of'} the early access feature, so this condition ${isMet ? 'applies' : 'does not apply'}.`
}

/** Returns a sentence that says why the condition on one property holds or not. */
export const describeProperty = ({ property, found, isMet }: PropertyTrace, context: PropertyContext): string => {
  const { key, type, value, operator = 'exact' } = property
  const outcome = isMet ? 'which matches' : 'which does not match'
  if (type === 'flag') return `The flag "${key}" is ${quote(found)}, ${outcome} ${quote(value)}.`
  if (key === enrollmentProperty(context.flagKey) && type === 'person') return describeChoice(found, isMet)
  const wanted = operator === 'is_set' || operator === 'is_not_set' ? operator : `${operator} ${quote(value)}`
  if (found === undefined || found === null)
    return `${missingProperty(key, context, type === 'group')} A missing property ${isMet ? 'matches' : 'does not match'} ${wanted}.`
  return `"${key}" is ${quote(found)}, ${outcome} ${wanted}.`
}

/** Returns a sentence that says what the person's choice about an early access feature means for its flag. */
export const describeEnrollment = (
  enrolled: boolean | null,
  decides: boolean,
  { name, stage }: Pick<Feature, 'name' | 'stage'>,
): string => {
  const choice =
    enrolled === null
      ? `The person neither enrolled in "${name}" nor opted out`
      : enrolled
        ? `The person enrolled in "${name}"`
        : `The person opted out of "${name}"`
  if (!decides) return `${choice}. Enrollment does not decide the flag in the stage ${stage}.`
  if (enrolled === null) return `${choice}, so the conditions of the flag decide.`
  return enrolled
    ? `${choice}, so the flag is on.`
    : `${choice}, so the flag is off, regardless of its other conditions.`
}

export interface ConditionSummary {
  /** Position between 0 and 1. `undefined`: there is no id to compute it from. */
  readonly bucket: number | undefined
  readonly isInRollout: boolean
  readonly rolloutPercentage: number
  readonly properties: readonly { readonly matched: boolean; readonly why: string }[]
}

/**
 * Returns a string that explains why a condition decides or does not. `decidedBy`: index of the condition that decides.
 */
export const describeCondition = (
  { bucket, isInRollout, rolloutPercentage, properties }: ConditionSummary,
  { index, decidedBy, groupType }: { index: number; decidedBy: number | null; groupType: string | undefined },
): string => {
  if (bucket === undefined)
    return groupType
      ? `The flag is evaluated for groups of the type "${groupType}", and "groups" does not name one.`
      : 'The flag is evaluated for a group type that has no events yet.'
  const misses = properties.filter(({ matched }) => !matched)
  if (misses.length)
    return `${misses.length} of ${properties.length} properties ${misses.length === 1 ? 'does' : 'do'} not match. ${misses[0]!.why}`
  const matches = properties.length ? 'All properties match' : 'The condition has no properties, so it matches everyone'
  const rollout = `the bucket ${toPercent(bucket)}% is ${isInRollout ? 'within' : 'above'} the rollout of ${rolloutPercentage}%`
  if (!isInRollout) return `${matches}, but ${rollout}.`
  const reached = rolloutPercentage >= 100 ? `${matches}.` : `${matches}, and ${rollout}.`
  return index === decidedBy || decidedBy === null
    ? reached
    : `${reached} But condition ${decidedBy + 1} comes first, and decides.`
}
