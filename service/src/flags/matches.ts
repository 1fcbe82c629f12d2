import { ApiError } from '../lib/apiError.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import { isUuid } from '../lib/uuid.ts'
import type { Persons } from '../persons/lookup.ts'
import type { PersonView } from '../persons/readPersons.ts'
import type { StoredProperties } from '../persons/storedProperties.ts'
import type { FlagDefinitions } from './definitions.ts'
import { explainFlag, type Flag, type FlagValue, type Subject } from './evaluate.ts'
import { createFlagOf, type WantedFlag } from './flagOf.ts'
import { familyOf, withStored } from './subject.ts'

/** Number of the newest persons that match a flag. */
export interface FlagMatches {
  /** Number of persons that the flag was evaluated for. */
  readonly evaluated: number
  /** Whether the checked persons are all persons of the project. */
  readonly is_complete: boolean
  /** Number of those persons for whom the flag is on. */
  readonly matching: number
  /** Persons whose properties match each condition, and those of them within the rollout. */
  readonly conditions: readonly {
    readonly index: number
    readonly properties_match: number
    readonly matching: number
  }[]
  /** Some of the persons for whom the flag is on. */
  readonly results: readonly { readonly id: string; readonly distinct_id: string; readonly value: FlagValue }[]
}

/** Evaluates a flag for the newest persons. Rejects with `ApiError`. */
export type FindFlagMatches = (projectId: number, flag: WantedFlag, signal: AbortSignal) => Promise<FlagMatches>

const MAX_PERSONS = 1_000
const MAX_RESULTS = 20
/** Evaluation costs the time of other requests, so it ends after this time, with fewer persons. */
const MAX_MS = 100
/** Persons with long values are looked up again, some at once, until this time is over. */
const LOOKED_UP_AT_ONCE = 50
const MAX_LOOKUP_MS = 3_000

/** Returns the id that rollouts depend on: one that the site chose, rather than one that the SDK generated. */
const rolloutId = ({ distinct_ids: ids }: PersonView): string => ids.find((id) => !isUuid(id)) ?? ids[0]!

/** Returns the person. Properties are left out if the list has truncated them. */
const subjectOf = (person: PersonView, now: number): Subject => {
  const distinctId = rolloutId(person)
  const personProperties = { distinct_id: distinctId, ...(person.is_truncated ? {} : person.properties) }
  return { distinctId, groups: {}, personProperties, groupProperties: {}, now }
}

const assertOfPersons = ({ filters }: Flag) => {
  if ((filters.aggregation_group_type ?? undefined) !== undefined)
    throw new ApiError('invalid_input', {
      attr: 'flag',
      detail: 'This flag is evaluated for groups, so it has no matching persons. Test it for a group.',
    })
}

export const createFindFlagMatches = ({
  definitions,
  persons,
  stored,
  slices,
  now = Date.now,
}: {
  readonly definitions: Pick<FlagDefinitions, 'byKey' | 'draft'>
  readonly persons: Pick<Persons, 'list'>
  readonly stored: StoredProperties
  readonly slices: TimeSlices
  readonly now?: () => number
}): FindFlagMatches => {
  const flagOf = createFlagOf(definitions)
  return async (projectId, wanted, signal) => {
    const flag = await flagOf(projectId, wanted)
    assertOfPersons(flag)
    const all = new Map(await definitions.byKey(projectId)).set(flag.key, flag)
    const found = await persons.list(projectId, { limit: MAX_PERSONS + 1, offset: 0 }, signal)
    const conditions = flag.filters.groups.map((_, index) => ({ index, properties_match: 0, matching: 0 }))
    const results: FlagMatches['results'][number][] = []
    let [evaluated, matching, spentMs] = [0, 0, 0]

    const evaluate = async ({ id }: PersonView, subject: Subject) => {
      evaluated += 1
      const { evaluation, conditions: traces } = await explainFlag(all, flag, subject, () =>
        slices.next(String(projectId)),
      )
      traces.forEach(({ properties, isInRollout }, index) => {
        if (!properties.every(({ isMet }) => isMet)) return
        conditions[index]!.properties_match += 1
        if (isInRollout) conditions[index]!.matching += 1
      })
      if (!evaluation.enabled) return
      matching += 1
      if (results.length < MAX_RESULTS)
        results.push({ id, distinct_id: subject.distinctId, value: evaluation.variant ?? true })
    }

    const family = familyOf([flag], all)
    const wholeSubjectOf = async (person: PersonView): Promise<Subject> => {
      const subject = subjectOf(person, now())
      return person.is_truncated ? withStored(subject, family, { projectId, stored, signal }) : subject
    }
    const lookUpUntil = performance.now() + MAX_LOOKUP_MS
    const looked = found.slice(0, MAX_PERSONS)
    for (let at = 0; at < looked.length && performance.now() < lookUpUntil; at += LOOKED_UP_AT_ONCE) {
      const part = looked.slice(at, at + LOOKED_UP_AT_ONCE)
      const subjects = await Promise.all(part.map(wholeSubjectOf))
      for (const [index, person] of part.entries()) {
        if (spentMs > MAX_MS) break
        const startedAt = performance.now()
        await evaluate(person, subjects[index]!)
        spentMs += performance.now() - startedAt
      }
    }
    return { evaluated, is_complete: evaluated === found.length, matching, conditions, results }
  }
}
