import { ApiError } from '../lib/apiError.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import type { Persons } from '../persons/lookup.ts'
import type { StoredProperties } from '../persons/storedProperties.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { FlagDefinitions } from './definitions.ts'
import { enrollmentProperty, type Feature, featuresOf, STAGES } from './enrollment.ts'
import { type ConditionTrace, explainFlag, type Flag, type FlagValue, type Subject } from './evaluate.ts'
import {
  describeCondition,
  describeEnrollment,
  describeProperty,
  type PersonState,
  toPercent,
} from './describeEvaluation.ts'
import { createFlagOf, type WantedFlag } from './flagOf.ts'
import { familyOf, withStored } from './subject.ts'
import { own } from '../lib/own.ts'

type Values = Readonly<Record<string, unknown>>

/** A flag and the person or group to evaluate it for. */
export interface FlagTestInput {
  /** Id or key of a flag, or an unsaved definition. */
  readonly flag: WantedFlag
  readonly distinct_id?: string
  /** Person properties, which replace stored ones with the same names. */
  readonly person_properties?: Values
  /** Group keys by group type. */
  readonly groups?: Readonly<Record<string, string>>
  readonly group_properties?: Readonly<Record<string, Values>>
}

export interface FlagTestResult {
  readonly key: string
  readonly active: boolean
  readonly value: FlagValue
  /** JSON text. */
  readonly payload: string | null
  readonly reason: { readonly code: string; readonly condition_index: number | null; readonly description: string }
  readonly person: PersonState
  readonly enrollment: Readonly<Record<string, unknown>> | null
  readonly conditions: readonly Readonly<Record<string, unknown>>[]
}

export interface FlagTesterDependencies {
  readonly definitions: Pick<FlagDefinitions, 'byKey' | 'draft'>
  readonly settings: Metadata['settings']
  readonly stored: StoredProperties
  readonly persons: Pick<Persons, 'list'>
  readonly slices: TimeSlices
  readonly now?: () => number
}

/** Evaluates a flag like `/flags`, and explains how each condition applies. Rejects with `ApiError`. */
export type FlagTester = (projectId: number, input: FlagTestInput, signal: AbortSignal) => Promise<FlagTestResult>

const subjectOf = (input: FlagTestInput, { filters }: Flag, now: number): Subject => {
  const { distinct_id: distinctId = '', groups = {}, person_properties: properties, group_properties } = input
  const isOfGroups = (filters.aggregation_group_type ?? undefined) !== undefined
  if (!isOfGroups && !distinctId.trim())
    throw new ApiError('invalid_input', {
      attr: 'distinct_id',
      detail: 'Pass "distinct_id": this flag is evaluated for persons, and the rollout depends on the id.',
    })
  return {
    distinctId,
    groups,
    personProperties: { ...(distinctId ? { distinct_id: distinctId } : {}), ...properties },
    groupProperties: group_properties ?? {},
    now,
  }
}

/** Returns whether the person enrolled. `null`: the person neither enrolled nor opted out. */
const enrolledIn = (flag: Flag, { personProperties }: Subject): boolean | null => {
  const value = own(personProperties, enrollmentProperty(flag.key))
  return value === undefined || value === null ? null : value === true || value === 'true'
}

export const createFlagTester = ({
  definitions,
  settings,
  stored,
  persons,
  slices,
  now = Date.now,
}: FlagTesterDependencies): FlagTester => {
  const flagOf = createFlagOf(definitions)

  const personOf = async (projectId: number, distinctId: string, signal: AbortSignal): Promise<PersonState> => {
    const [person] = distinctId ? await persons.list(projectId, { distinctId, limit: 1, offset: 0 }, signal) : []
    return person ? { id: person.id, is_identified: person.is_identified } : null
  }

  const enrollmentIn = (flag: Flag, feature: Feature | undefined, subject: Subject) => {
    if (!feature) return null
    const { id, name, stage } = feature
    const enrolled = enrolledIn(flag, subject)
    return { feature_id: id, name, stage, enrolled, why: describeEnrollment(enrolled, STAGES[stage].decides, feature) }
  }

  return async (projectId, input, signal) => {
    const flag = await flagOf(projectId, input.flag)
    const all = new Map(await definitions.byKey(projectId)).set(flag.key, flag)
    const given = subjectOf(input, flag, now())
    const [subject, person, features] = await Promise.all([
      withStored(given, familyOf([flag], all), { projectId, stored, signal }),
      personOf(projectId, given.distinctId, signal),
      featuresOf({ settings }, projectId),
    ])
    if (subject.isIncomplete)
      throw new ApiError('engine_unavailable', {
        detail: 'The stored properties could not be looked up. Retry the request.',
        retryAfterSeconds: 2,
      })
    const { evaluation, conditions } = await explainFlag(all, flag, subject, () => slices.next(String(projectId)))
    const { enabled, variant, reason, metadata } = evaluation
    const feature = features.find(({ flagId }) => flagId === flag.id)
    // `withEnrollment` appends one condition.
    const enrollmentIndex = feature && STAGES[feature.stage].decides ? conditions.length - 1 : -1
    const decidedBy = reason.condition_index
    const groupType = flag.filters.aggregation_group_type ?? undefined

    const toView = ({ condition, properties, bucket, isInRollout }: ConditionTrace, index: number) => {
      const views = properties.map((trace) => ({
        key: trace.property.key,
        type: trace.property.type,
        operator: trace.property.operator ?? (trace.property.type === 'flag' ? 'flag_evaluates_to' : 'exact'),
        wanted: trace.property.value ?? null,
        found: trace.found ?? null,
        missing: trace.found === undefined || trace.found === null,
        matched: trace.isMet,
        why: describeProperty(trace, { flagKey: flag.key, person, groupType }),
      }))
      return {
        index,
        is_enrollment: index === enrollmentIndex,
        matched: isInRollout && properties.every(({ isMet }) => isMet),
        decides: index === decidedBy,
        rollout_percentage: condition.rollout_percentage ?? 100,
        bucket: bucket === undefined ? null : toPercent(bucket),
        variant: condition.variant ?? null,
        properties: views,
        why: describeCondition(
          { bucket, isInRollout, rolloutPercentage: condition.rollout_percentage ?? 100, properties: views },
          { index, decidedBy, groupType },
        ),
      }
    }
    const views = conditions.map(toView)
    return {
      key: flag.key,
      active: flag.isActive,
      value: flag.isActive && (variant ?? enabled),
      payload: flag.isActive ? metadata.payload : null,
      reason: flag.isActive
        ? reason
        : {
            code: 'flag_inactive',
            condition_index: null,
            description: 'The flag is not active, so /flags omits it. The conditions show what it would return.',
          },
      person,
      enrollment: enrollmentIn(flag, feature, subject),
      conditions: [...views.filter((view) => view.is_enrollment), ...views.filter((view) => !view.is_enrollment)],
    }
  }
}
