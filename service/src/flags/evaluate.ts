import { type NextStep, runInSlices, type Steps, WITHOUT_PAUSE } from '../lib/timeSlices.ts'
import type { Condition, Filters, Property } from './filters.ts'
import { shareOf, VARIANT_SALT } from './hash.ts'
import { OPERATORS, type ValueTest } from './operators.ts'
import { own } from '../lib/own.ts'

/** A flag definition, ready for evaluation. */
export interface Flag {
  readonly id: number
  readonly key: string
  readonly version: number
  readonly name: string
  readonly isActive: boolean
  readonly filters: Filters
  /** The flag is evaluated only in these contexts. Empty: in all. */
  readonly contexts: readonly string[]
}

type Values = Readonly<Record<string, unknown>>

/** The person that flags are evaluated for, with groups and properties. */
export interface Subject {
  readonly distinctId: string
  /** Group keys by group type. */
  readonly groups: Readonly<Record<string, string>>
  readonly personProperties: Values
  /** Group properties by group type. */
  readonly groupProperties: Readonly<Record<string, Values>>
  /** Stored properties could not be looked up. Flags that depend on a missing property fail. */
  readonly isIncomplete?: boolean
  /** ms since the epoch. */
  readonly now: number
}

export type FlagValue = boolean | string

/** One flag in the response of `/flags` (docs/reference/protocol.md#4.6). */
export interface Evaluation {
  readonly key: string
  readonly enabled: boolean
  readonly variant: string | null
  readonly reason: { readonly code: string; readonly condition_index: number | null; readonly description: string }
  readonly metadata: {
    readonly id: number
    readonly version: number
    readonly description: string | null
    readonly payload: string | null
  }
  readonly failed?: true
}

const DESCRIPTIONS = {
  condition_match: (index: number | null) => `Matched condition set ${index! + 1}`,
  out_of_rollout_bound: () => 'Out of rollout bound',
  no_condition_match: () => 'No matching condition set',
  no_group_type: () => 'No group of the type that the flag is evaluated for',
  evaluation_error: () => 'The flag could not be evaluated',
}
type ReasonCode = keyof typeof DESCRIPTIONS

const tests = new WeakMap<Property, ValueTest>()
const testOf = (property: Property): ValueTest => {
  const known = tests.get(property)
  if (known) return known
  const made = own(OPERATORS, property.operator ?? 'exact')?.make(property.value)
  // Definitions are checked when they are saved. This one was not saved by the API.
  if (!made) throw new Error(`The condition on ${property.key} is invalid.`)
  tests.set(property, made)
  return made
}

/** Whether a condition holds for the value it is about. `undefined`: the person or group does not have the property. */
const isMet = function* (property: Property, actual: unknown, { now, isIncomplete }: Subject): Steps<boolean> {
  if (property.type === 'flag') return property.value === true ? actual !== false : actual === property.value
  if (actual === undefined && isIncomplete) throw new Error(`The property ${property.key} could not be looked up.`)
  if (actual === undefined || actual === null) return own(OPERATORS, property.operator ?? 'exact')!.whenMissing
  const test = testOf(property)
  // Compiling a pattern takes milliseconds, and so does matching it.
  yield
  return test.inSteps ? yield* test.inSteps(actual) : test(actual, now)
}

// The bucket is computed only if it matters.
const isInRollout = ({ rollout_percentage: percentage }: Condition, bucket: () => number): boolean =>
  (percentage ?? 100) >= 100 || bucket() <= percentage! / 100

/** Returns the key of the variant for an identifier. Variants divide the range from 0 to 1 in their order. */
const variantFor = (
  key: string,
  identifier: string,
  variants: NonNullable<Filters['multivariate']>['variants'],
): string | null => {
  const share = shareOf(key, identifier, VARIANT_SALT)
  let upTo = 0
  for (const variant of variants) {
    upTo += variant.rollout_percentage / 100
    if (share < upTo) return variant.key
  }
  return null
}

const asString = (payload: unknown): string | null =>
  payload === undefined || payload === null ? null : typeof payload === 'string' ? payload : JSON.stringify(payload)

/** Comparison of one property of a condition with the subject's property. */
export interface PropertyTrace {
  readonly property: Property
  /** Compared value. `undefined`: the subject has no value. */
  readonly found: unknown
  readonly isMet: boolean
}

/** Result of one condition of a flag for the subject, whether or not an earlier condition decides. */
export interface ConditionTrace {
  readonly condition: Condition
  readonly properties: readonly PropertyTrace[]
  /** Position of the subject between 0 and 1. `undefined`: the subject has no group of the flag's type. */
  readonly bucket: number | undefined
  readonly isInRollout: boolean
}

export interface Explanation {
  readonly evaluation: Evaluation
  readonly conditions: readonly ConditionTrace[]
}

interface Evaluator {
  readonly evaluate: (flag: Flag) => Steps<Evaluation>
  /** Evaluates a flag and traces all its conditions, through the same functions. */
  readonly explain: (flag: Flag) => Steps<Explanation>
}

/**
 * Creates the evaluation of flags for one subject, with dependencies from `all`. A step compares one property, because a flag
 * may have 10,000 conditions on a long text.
 */
export const createEvaluator = (all: ReadonlyMap<string, Flag>, subject: Subject): Evaluator => {
  const values = new Map<string, FlagValue>()
  const valueOf = function* (key: string): Steps<FlagValue> {
    const flag = all.get(key)
    if (!flag?.isActive) return false
    if (!values.has(key)) {
      const { enabled, variant } = yield* evaluateOnce(flag)
      values.set(key, variant ?? enabled)
    }
    return values.get(key)!
  }

  const actualOf = function* ({ type, key }: Property, groupType: string | null | undefined): Steps<unknown> {
    if (type === 'flag') return yield* valueOf(key)
    const known =
      type === 'group' ? (groupType && own(subject.groupProperties, groupType)) || {} : subject.personProperties
    return own(known, key)
  }

  /** Returns the id that decides the rollout: of the person or, for a flag of groups, of the group. */
  const identifierOf = ({ filters: { aggregation_group_type: groupType } }: Flag): string | undefined =>
    // The name of a group type without events is '', and no subject has such a group.
    groupType !== undefined && groupType !== null ? own(subject.groups, groupType) : subject.distinctId

  const isEachMet = function* ({ properties = [] }: Condition, groupType: string | null | undefined): Steps<boolean> {
    for (const property of properties) {
      yield
      if (!(yield* isMet(property, yield* actualOf(property, groupType), subject))) return false
    }
    return true
  }

  const decide = function* (
    flag: Flag,
  ): Steps<{ code: ReasonCode; index: number | null; condition?: Condition; identifier?: string }> {
    const { groups: conditions, aggregation_group_type: groupType } = flag.filters
    const identifier = identifierOf(flag)
    if (!identifier) return { code: 'no_group_type', index: null }
    let code: ReasonCode = 'no_condition_match'
    for (const [index, condition] of conditions.entries()) {
      if (!(yield* isEachMet(condition, groupType))) continue
      if (isInRollout(condition, () => shareOf(flag.key, identifier)))
        return { code: 'condition_match', index, condition, identifier }
      code = 'out_of_rollout_bound'
    }
    return { code, index: null }
  }

  const evaluateOnce = function* (flag: Flag): Steps<Evaluation> {
    const { multivariate, payloads = {} } = flag.filters
    const evaluationOf = (
      code: ReasonCode,
      index: number | null,
      enabled: boolean,
      variant: string | null,
    ): Evaluation => ({
      key: flag.key,
      enabled,
      variant,
      reason: { code, condition_index: index, description: DESCRIPTIONS[code](index) },
      metadata: {
        id: flag.id,
        version: flag.version,
        description: flag.name || null,
        payload: enabled ? asString(own(payloads, variant ?? 'true')) : null,
      },
    })
    try {
      const { code, index, condition, identifier } = yield* decide(flag)
      if (!condition) return evaluationOf(code, index, false, null)
      const variants = multivariate?.variants ?? []
      const overridden = variants.find(({ key }) => key === condition.variant)?.key
      return evaluationOf(code, index, true, overridden ?? variantFor(flag.key, identifier!, variants))
    } catch {
      return { ...evaluationOf('evaluation_error', null, false, null), failed: true }
    }
  }

  const evaluate = function* (flag: Flag): Steps<Evaluation> {
    yield
    const evaluation = yield* evaluateOnce(flag)
    if (!evaluation.failed) values.set(flag.key, evaluation.variant ?? evaluation.enabled)
    return evaluation
  }

  return {
    evaluate,
    *explain(flag) {
      const { groups: conditions, aggregation_group_type: groupType } = flag.filters
      const identifier = identifierOf(flag)
      const bucket = identifier ? shareOf(flag.key, identifier) : undefined
      const evaluation = yield* evaluate(flag)
      const traces: ConditionTrace[] = []
      for (const condition of conditions) {
        const properties: PropertyTrace[] = []
        for (const property of condition.properties ?? []) {
          yield
          const found = yield* actualOf(property, groupType)
          properties.push({ property, found, isMet: yield* isMet(property, found, subject) })
        }
        const isIn = bucket !== undefined && isInRollout(condition, () => bucket)
        traces.push({ condition, properties, bucket, isInRollout: isIn })
      }
      return { evaluation, conditions: traces }
    },
  }
}

/**
 * Evaluates the `wanted` flags for a subject, with dependencies from `all`. The same subject always gets the same
 * result, and raising a rollout percentage never removes anyone. `next` is called between short steps.
 */
export const evaluateFlags = (
  all: ReadonlyMap<string, Flag>,
  wanted: readonly Flag[],
  subject: Subject,
  next: NextStep = WITHOUT_PAUSE,
): Promise<Evaluation[]> => {
  const { evaluate } = createEvaluator(all, subject)
  const evaluateAll = function* (): Steps<Evaluation[]> {
    const evaluations: Evaluation[] = []
    for (const flag of wanted) evaluations.push(yield* evaluate(flag))
    return evaluations
  }
  return runInSlices(evaluateAll(), next)
}

/**
 * Evaluates one flag, and explains the result of each condition. Rejects if the flag cannot be evaluated. `next` is called between short
 * steps.
 */
export const explainFlag = (
  all: ReadonlyMap<string, Flag>,
  flag: Flag,
  subject: Subject,
  next: NextStep,
): Promise<Explanation> => runInSlices(createEvaluator(all, subject).explain(flag), next)
