import type { FlagValue, Survey } from '../../types'
import { matches, matchesUrl } from './match'
import type { Memory } from './memory'

const DAY_MS = 86_400_000

/** Facts that the conditions of a survey are compared with. */
export interface Facts {
  /** ms since the epoch. */
  now(): number
  url(): string
  device(): string
  /** Whether the page contains an element that matches. */
  hasElement(selector: string): boolean
  /** The value of a flag; undefined: none. */
  flag(key: string): FlagValue | undefined
  /** Whether flags were loaded on this page. */
  hasFlags(): boolean
  /** Whether an event or action has armed the survey in this session. */
  isArmed(survey: Survey): boolean
  memory: Pick<Memory, 'isSeen' | 'progress' | 'lastShownAt'>
}

type Check = (survey: Survey, facts: Facts) => unknown

/** Whether the survey has an event or action that must happen first. */
export const hasTrigger = ({ conditions }: Survey): boolean =>
  !!(conditions?.events?.values?.length || conditions?.actions?.values?.length)

/** Whether the survey may be shown to a visitor who has seen it. */
export const isRepeatable = (survey: Survey): boolean =>
  survey.schedule === 'always' || !!(survey.conditions?.events?.repeatedActivation && hasTrigger(survey))

const skipsSeen: Check = (survey, { memory }) => isRepeatable(survey) || memory.progress(survey)
const isRecurring = ({ schedule, current_iteration }: Survey) => schedule === 'recurring' || !!current_iteration

const variantIs: Check = ({ linked_flag_key, conditions }, { flag }) => {
  const [value, wanted] = [flag(linked_flag_key!), conditions?.linkedFlagVariant]
  return wanted && wanted !== 'any' ? value === wanted : value
}

/** All conditions, in the order in which they are checked (docs/reference/protocol.md#15). */
const CHECKS = {
  running: ({ start_date, end_date }, { now }) => start_date && !(end_date && Date.parse(end_date) <= now()),
  type: ({ type }) => type !== 'external_survey',
  'linked flag': (survey, facts) => !survey.linked_flag_key || variantIs(survey, facts),
  'targeting flag': ({ targeting_flag_key }, { flag }) => !targeting_flag_key || flag(targeting_flag_key),
  'internal targeting flag': (survey, facts) =>
    !survey.internal_targeting_flag_key ||
    skipsSeen(survey, facts) ||
    ((facts.hasFlags() || !isRecurring(survey)) && facts.flag(survey.internal_targeting_flag_key)),
  'wait period': ({ conditions }, { now, memory }) => {
    const [days, shownAt] = [conditions?.seenSurveyWaitPeriodInDays, memory.lastShownAt()]
    return !days || !shownAt || Math.ceil(Math.abs(now() - shownAt) / DAY_MS) > days
  },
  'not seen before': (survey, facts) => skipsSeen(survey, facts) || !facts.memory.isSeen(survey),
  URL: ({ conditions }, { url }) =>
    !conditions?.url || matchesUrl(conditions.urlMatchType ?? 'icontains', conditions.url, url()),
  device: ({ conditions }, { device }) =>
    !conditions?.deviceTypes?.length ||
    matches(conditions.deviceTypesMatchType ?? 'icontains', conditions.deviceTypes, device()),
  selector: ({ conditions }, { hasElement }) => !conditions?.selector || hasElement(conditions.selector),
  event: (survey, { isArmed }) => !hasTrigger(survey) || isArmed(survey),
  flags: ({ feature_flag_keys }, { flag }) =>
    (feature_flag_keys ?? []).every(({ key, value }) => !key || !value || flag(value)),
} satisfies Record<string, Check>

export type FailedCondition = keyof typeof CHECKS

/** Whether the page's URL meets the survey's condition. */
export const isOnUrl = (survey: Survey, facts: Facts): boolean => CHECKS['URL'](survey, facts)

/** Conditions on the page, which `displaySurvey` and `canRenderSurvey` ignore. */
export const PLACE: readonly FailedCondition[] = ['URL', 'device', 'selector']
export const TRIGGER: FailedCondition = 'event'

/** Returns the first condition that is not met; undefined if all are. `without`: conditions that do not apply. */
export const failedCondition = (
  survey: Survey,
  facts: Facts,
  without: readonly FailedCondition[] = [],
): FailedCondition | undefined =>
  (Object.keys(CHECKS) as FailedCondition[]).find((name) => !without.includes(name) && !CHECKS[name](survey, facts))
