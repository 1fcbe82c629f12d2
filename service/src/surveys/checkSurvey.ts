import type { Flag } from '../flags/evaluate.ts'
import { checkLanguages, checkQuestions, wrong } from './checkQuestions.ts'
import { patternProblem } from './pattern.ts'
import { type Appearance, COLOR_FIELDS, type Conditions, CSS_FIELDS, type SurveyInput } from './survey.ts'

const MAX_BYTES = 64_000

const COLOR = /^(?:#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/]{1,60}\))$/i
const CSS_VALUE = /^[\w\s.,%#'"()-]{1,200}$/
const CSS_FUNCTION = /(?:url|image|image-set|element|expression|attr|env|var|src)\s*\(/i

// Rejects characters that surveys do not support, a combinator at either end, unclosed quotes and brackets, and :has(),
// which is too slow. Browsers check the rest.
const isSelector = (selector: string): boolean => {
  const open = (signs: RegExp) => (selector.match(signs) ?? []).length
  return (
    selector.trim() !== '' &&
    !/[{};<@\\]|:has\(/.test(selector) &&
    !/^[\s>+~,]|[\s>+~,]$/.test(selector.trim()) &&
    open(/\(/g) === open(/\)/g) &&
    open(/\[/g) === open(/\]/g) &&
    open(/"/g) % 2 === 0 &&
    open(/'/g) % 2 === 0
  )
}

const checkSelector = (selector: string | null | undefined, at: string): void => {
  if (selector && !isSelector(selector)) throw wrong(at, 'is not a CSS selector that surveys support')
}

const checkAppearance = (appearance: Appearance): void => {
  for (const field of COLOR_FIELDS) {
    const color = appearance[field]
    if (color && !COLOR.test(color.trim()))
      throw wrong(`appearance.${field}`, `must be a color such as #1d4ed8, navy or rgb(29, 78, 216), got "${color}"`)
  }
  for (const field of CSS_FIELDS) {
    const value = appearance[field]
    if (value && (!CSS_VALUE.test(value) || CSS_FUNCTION.test(value)))
      throw wrong(`appearance.${field}`, 'must be one CSS value without functions that load files, such as url()')
  }
  if (appearance.zIndex && !/^\d{1,10}$/.test(appearance.zIndex))
    throw wrong('appearance.zIndex', 'must be a whole number')
  checkSelector(appearance.widgetSelector, 'appearance.widgetSelector')
}

const checkRegex = (pattern: string, at: string): void => {
  const problem = patternProblem(pattern)
  if (problem) throw wrong(at, problem)
}

const isRegex = (type: string | null | undefined) => type === 'regex' || type === 'not_regex'

const checkConditions = (conditions: Conditions): void => {
  const { url, urlMatchType, selector, events, cancelEvents, actions } = conditions
  if (url && isRegex(urlMatchType)) checkRegex(url, 'conditions.url')
  checkSelector(selector, 'conditions.selector')
  for (const [field, list] of [
    ['events', events],
    ['cancelEvents', cancelEvents],
  ] as const)
    for (const [index, { propertyFilters = {} }] of (list?.values ?? []).entries())
      for (const [name, { values, operator }] of Object.entries(propertyFilters)) {
        const at = `conditions.${field}.values.${index}.propertyFilters.${name}.values`
        if (isRegex(operator)) values.forEach((value, place) => checkRegex(value, `${at}.${place}`))
        if ((operator === 'gt' || operator === 'lt') && values.some((value) => !Number.isFinite(Number(value || NaN))))
          throw wrong(at, `must be numbers for the operator ${operator}`)
      }
  for (const [index, { steps = [] }] of (actions?.values ?? []).entries())
    for (const [place, step] of steps.entries()) {
      const at = `conditions.actions.values.${index}.steps.${place}`
      if (step.url && step.url_matching === 'regex') checkRegex(step.url, `${at}.url`)
      if (step.selector_regex) checkRegex(step.selector_regex, `${at}.selector_regex`)
      if (!step.event && !step.url && !step.selector_regex)
        throw wrong(`${at}.event`, 'must name an event, unless the step has "url" or "selector_regex"')
    }
}

const checkWidget = ({ type, appearance }: SurveyInput): void => {
  if (type !== 'widget') return
  if (appearance?.widgetType === 'selector' && !appearance.widgetSelector)
    throw wrong('appearance.widgetSelector', 'must name the element that opens the survey')
}

/** Throws `ApiError` if a hosted survey has display conditions. It has its own page, which has none. */
const checkHosted = (survey: SurveyInput): void => {
  if (survey.type !== 'external_survey') return
  const no = (attr: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== 0 && !(Array.isArray(value) && !value.length))
      throw wrong(attr, 'must be absent for a hosted survey, which everyone with its URL can see')
  }
  no('linked_flag_key', survey.linked_flag_key)
  no('feature_flag_keys', survey.feature_flag_keys)
  no('targeting_flag_filters', survey.targeting_flag_filters)
  for (const [field, value] of Object.entries(survey.conditions ?? {})) no(`conditions.${field}`, value)
  no('appearance.surveyPopupDelaySeconds', survey.appearance?.surveyPopupDelaySeconds)
}

const checkFlags = (
  { linked_flag_key: linked, feature_flag_keys: others, conditions }: SurveyInput,
  flags: ReadonlyMap<string, Flag>,
): void => {
  const find = (key: string, at: string) => {
    const flag = flags.get(key)
    if (!flag) throw wrong(at, `must be the key of a feature flag of this project, got "${key}"`)
    return flag
  }
  const variants = linked ? (find(linked, 'linked_flag_key').filters.multivariate?.variants ?? []) : []
  const variant = conditions?.linkedFlagVariant
  if (variant && !linked) throw wrong('conditions.linkedFlagVariant', 'needs "linked_flag_key"')
  if (variant && variant !== 'any' && !variants.some(({ key }) => key === variant))
    throw wrong(
      'conditions.linkedFlagVariant',
      `must be "any" or a variant of ${linked}: ${variants.map(({ key }) => key).join(', ') || 'it has none'}`,
    )
  others?.forEach(({ value }, index) => value && find(value, `feature_flag_keys.${index}.value`))
}

const checkSchedule = (survey: SurveyInput, currentIteration: number): void => {
  const { schedule = 'once', iteration_count: count, iteration_frequency_days: days } = survey
  if (schedule === 'recurring') {
    if (!count) throw wrong('iteration_count', 'must be the number of iterations of a recurring survey')
    if (!days) throw wrong('iteration_frequency_days', 'must be the number of days from one iteration to the next')
    if (count < currentIteration)
      throw wrong('iteration_count', `must be at least ${currentIteration}, the iteration that is running`)
  } else if (count || days) {
    throw wrong(count ? 'iteration_count' : 'iteration_frequency_days', 'needs "schedule": "recurring"')
  }
}

const checkDates = ({ start_date: start, end_date: end }: SurveyInput): void => {
  if (end && !start) throw wrong('end_date', 'needs "start_date": the survey was never launched')
  if (start && end && Date.parse(end) < Date.parse(start)) throw wrong('end_date', 'must not be before "start_date"')
}

const checkTargeting = ({ targeting_flag_filters: filters }: SurveyInput): void => {
  if (
    filters?.groups.some(
      ({ properties = [], rollout_percentage: share }) => !properties.length && (share ?? 100) >= 100,
    )
  )
    throw wrong('targeting_flag_filters.groups', 'must not match everyone. Leave the field out to ask everyone')
}

export interface CheckContext {
  /** The feature flags of the project. */
  readonly flags: ReadonlyMap<string, Flag>
  /** 0: the survey has no iterations, or has not begun. */
  readonly currentIteration: number
}

/**
 * Throws `ApiError` for the first mistake in a survey, with the field, what is wrong and what is valid. The schema has
 * checked the types of the fields. Names and conditions on people are checked where they are stored.
 */
export const checkSurvey = (survey: SurveyInput, { flags, currentIteration }: CheckContext): void => {
  if (!survey.name.trim()) throw wrong('name', 'must not be empty')
  if (Buffer.byteLength(JSON.stringify(survey)) > MAX_BYTES)
    throw wrong('questions', `makes the survey too large. A survey may have at most ${MAX_BYTES / 1_000} kB as JSON`)
  checkQuestions(survey.questions)
  if (survey.appearance) checkAppearance(survey.appearance)
  if (survey.conditions) checkConditions(survey.conditions)
  checkLanguages(survey.translations, 'translations')
  checkWidget(survey)
  checkHosted(survey)
  checkFlags(survey, flags)
  checkTargeting(survey)
  checkSchedule(survey, currentIteration)
  checkDates(survey)
}
