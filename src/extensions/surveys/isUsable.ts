import type { Survey, SurveyQuestion } from '../../types'

type Json = Record<string, unknown>
type Reader = (value: unknown) => unknown

const TYPES = ['popover', 'widget', 'api', 'external_survey']
const QUESTION_TYPES = ['open', 'link', 'rating', 'single_choice', 'multiple_choice']
const BRANCHES = ['next_question', 'end', 'specific_question', 'response_based']
const DEFAULT_SCALE = 5
/** The scales of each display. A scale of 2 is always drawn as thumbs. */
const SCALES: Record<string, readonly number[]> = { emoji: [2, 3, 5], number: [3, 5, 7, 10] }

const isObject = (value: unknown): value is Json => typeof value === 'object' && !!value && !Array.isArray(value)
const isMissing = (value: unknown) => value === undefined || value === null

const text: Reader = (value) => (/string|number/.test(typeof value) ? String(value) : undefined)
const number = (value: unknown): number | undefined =>
  // An object may throw when it is converted.
  isMissing(value) || typeof value === 'object' || isNaN(Number(value)) ? undefined : Number(value)
const list = (value: unknown): unknown[] => (isMissing(value) ? [] : [value].flat())
const texts: Reader = (value) => list(value).flatMap((each) => text(each) ?? [])

const isNothing = (value: unknown) => isMissing(value) || (Array.isArray(value) && !value.length)

/** Returns a reader of objects that keeps their members, and reads those that the table has. Undefined for anything else. */
const object =
  (members: Record<string, Reader> = {}) =>
  (value: unknown): Json | undefined => {
    if (!isObject(value)) return undefined
    const known = Object.entries(members).map(([name, read]) => [name, read(value[name])] as const)
    // `getSurveys` shows pages what the service sent, and defaults.
    return { ...value, ...Object.fromEntries(known.filter(([name, each]) => name in value || !isNothing(each))) }
  }
/** Like `object`, but undefined if a member is malformed: what decides who sees a survey must not be left out. */
const strictObject =
  (members: Record<string, Reader>) =>
  (value: unknown): Json | undefined => {
    const known = object(members)(value)
    return known && Object.keys(members).every((name) => known[name] !== undefined || isMissing((value as Json)[name]))
      ? known
      : undefined
  }
/** Returns a reader of lists of objects. It leaves out other values. */
const objects =
  (members?: Record<string, Reader>): Reader =>
  (value) =>
    list(value).flatMap((each) => object(members)(each) ?? [])
/** Returns a reader of objects whose members are all read by `read`. It leaves out malformed members. */
const mapOf =
  (read: Reader): Reader =>
  (value) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, each]) => {
            const known = read(each)
            return known === undefined ? [] : [[name, known]]
          }),
        )
      : undefined

/** Reads an appearance: text and booleans, and a number of seconds. */
const appearance: Reader = (value) => {
  const all = mapOf((each) => (typeof each === 'boolean' ? each : text(each)))(value) as Json | undefined
  return all && { ...all, surveyPopupDelaySeconds: number(all.surveyPopupDelaySeconds) }
}
const eventsOf = strictObject({
  values: objects({ propertyFilters: mapOf(object({ values: list, operator: (value) => text(value) ?? 'exact' })) }),
})
const conditions = strictObject({
  url: text,
  urlMatchType: text,
  selector: text,
  seenSurveyWaitPeriodInDays: number,
  events: eventsOf,
  cancelEvents: eventsOf,
  actions: strictObject({ values: objects({ steps: objects() }) }),
  deviceTypes: texts,
  deviceTypesMatchType: text,
  linkedFlagVariant: text,
})

/** How the optional members of a question are read. */
const QUESTION: { [K in keyof SurveyQuestion]?: Reader } = {
  id: text,
  question: (value) => text(value) ?? '',
  description: text,
  buttonText: text,
  validation: objects({ value: number }),
  lowerBoundLabel: text,
  upperBoundLabel: text,
  choices: texts,
  link: text,
  branching: object({ type: (value) => value ?? 'next_question' }),
  translations: mapOf(object({ choices: texts })),
}

const ratingOf = ({ display, scale }: Json) => ({
  display: display === 'emoji' || number(scale) === 2 ? 'emoji' : 'number',
  scale: number(scale) ?? DEFAULT_SCALE,
})

/** Returns a question with its defaults; undefined if this release cannot show it. */
const readQuestion = (value: unknown): SurveyQuestion | undefined => {
  const question = object(QUESTION)(value) as unknown as SurveyQuestion | undefined
  if (!question || !QUESTION_TYPES.includes(question.type)) return undefined
  const { type, choices = [], branching } = question
  if (!isMissing((value as Json).branching) && !BRANCHES.includes(branching?.type ?? '')) return undefined
  if (type.endsWith('choice') && !choices.length) return undefined
  if (type !== 'rating') return question
  const rating = ratingOf(value as Json)
  return SCALES[rating.display]!.includes(rating.scale) ? ({ ...question, ...rating } as SurveyQuestion) : undefined
}

/** How the members of a survey are read. */
const readAll = strictObject({
  id: (value) => (typeof value === 'string' ? value : undefined),
  name: (value) => text(value) ?? '',
  appearance,
  conditions,
  linked_flag_key: text,
  targeting_flag_key: text,
  internal_targeting_flag_key: text,
  feature_flag_keys: objects(),
  current_iteration: number,
  translations: (value) => mapOf(mapOf(text))(value) ?? null,
})

/**
 * Returns a survey with the defaults of what its definition lacks or has malformed. Undefined if this release cannot
 * show it: it has no id, malformed conditions, no choices, or a type, a scale or a branch that is not known.
 */
export const readSurvey = (value: unknown): Survey | undefined => {
  const survey = readAll(value)
  const all = list(survey?.questions)
  const questions = all.flatMap((each) => readQuestion(each) ?? [])
  return survey?.id && TYPES.includes(survey.type as string) && all.length && questions.length === all.length
    ? ({ ...survey, questions } as unknown as Survey)
    : undefined
}

/** Whether this release can show a survey. */
export const isUsable = (survey: unknown): survey is Survey => !!readSurvey(survey)
