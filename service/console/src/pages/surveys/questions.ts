import type { Branching, Conditions, Question, Survey, SurveyDraft, SurveyInput } from './surveyApi.ts'
import { toConditions as toTargeting, toGroups } from '../../ui/flagConditions/conditionDraft.ts'
import { filledTranslations } from './translations.ts'

export const QUESTION_TYPES: Readonly<Record<Question['type'], string>> = {
  open: 'Text',
  rating: 'Rating',
  single_choice: 'One of several',
  multiple_choice: 'Several of several',
  link: 'Link',
}

/** Scales of ratings: the value of their option, and what it stands for. */
export const SCALES: readonly {
  readonly display: 'number' | 'emoji'
  readonly scale: number
  readonly label: string
}[] = [
  { display: 'number', scale: 10, label: 'Numbers 0–10 (NPS)' },
  { display: 'number', scale: 7, label: 'Numbers 1–7' },
  { display: 'number', scale: 5, label: 'Numbers 1–5' },
  { display: 'number', scale: 3, label: 'Numbers 1–3' },
  { display: 'emoji', scale: 5, label: '5 faces' },
  { display: 'emoji', scale: 3, label: '3 faces' },
  { display: 'emoji', scale: 2, label: 'Thumbs up or down' },
]

const BUCKETS: Readonly<Record<number, readonly (readonly [bucket: string, label: string])[]>> = {
  2: [
    ['positive', 'Thumbs up'],
    ['negative', 'Thumbs down'],
  ],
  3: [
    ['negative', '1'],
    ['neutral', '2'],
    ['positive', '3'],
  ],
  5: [
    ['negative', '1–2'],
    ['neutral', '3'],
    ['positive', '4–5'],
  ],
  7: [
    ['negative', '1–3'],
    ['neutral', '4'],
    ['positive', '5–7'],
  ],
  10: [
    ['detractors', '0–6'],
    ['passives', '7–8'],
    ['promoters', '9–10'],
  ],
}

/**
 * Returns the answers that branching distinguishes, with their labels. Empty: this type of question has no branching.
 */
export const bucketsOf = ({
  type,
  scale,
  choices = [],
}: Question): readonly (readonly [bucket: string, label: string])[] =>
  type === 'rating'
    ? (BUCKETS[scale ?? 0] ?? [])
    : type === 'single_choice'
      ? choices.map((choice, index) => [String(index), choice] as const)
      : []

const FIRST: Question = { type: 'open', question: '' }

/** Returns a question of another type with the same texts. */
export const withType = ({ id, question, description, optional }: Question, type: Question['type']): Question => ({
  ...(id ? { id } : {}),
  type,
  question,
  ...(description ? { description } : {}),
  ...(optional ? { optional } : {}),
  ...(type === 'rating' ? { display: 'number', scale: 10, lowerBoundLabel: '', upperBoundLabel: '' } : {}),
  ...(type === 'single_choice' || type === 'multiple_choice' ? { choices: ['Yes', 'No'] } : {}),
  ...(type === 'link' ? { link: 'https://' } : {}),
})

/** Moves the targets of a question's branching to the new places of the questions. Removes targets that were deleted. */
const retarget = (question: Question, placeOf: (index: number) => number | undefined): Question => {
  const { branching, ...rest } = question
  if (!branching) return question
  if (branching.type === 'specific_question') {
    const index = placeOf(branching.index ?? -1)
    return index === undefined ? rest : { ...rest, branching: { ...branching, index } }
  }
  if (branching.type !== 'response_based') return question
  const responseValues = Object.fromEntries(
    Object.entries(branching.responseValues ?? {}).flatMap(([bucket, target]) => {
      const place = typeof target === 'number' ? placeOf(target) : target
      return place === undefined ? [] : [[bucket, place] as const]
    }),
  )
  return { ...rest, branching: { ...branching, responseValues } }
}

/** Moves a question. Branches lead to the same questions as before. */
export const moveQuestion = (questions: readonly Question[], from: number, to: number): Question[] => {
  const order = questions.map((_, index) => index)
  order.splice(to, 0, ...order.splice(from, 1))
  const placeOf = (index: number) => {
    const place = order.indexOf(index)
    return place < 0 ? undefined : place
  }
  return order.map((index) => retarget(questions[index]!, placeOf))
}

/** Removes a question, and the branches that lead to it. */
export const removeQuestion = (questions: readonly Question[], removed: number): Question[] =>
  questions
    .filter((_, index) => index !== removed)
    .map((question) =>
      retarget(question, (index) => (index === removed || index < 0 ? undefined : index > removed ? index - 1 : index)),
    )

/** Changes the branching of a question. `next_question`, the default, is not stored. */
export const withBranching = (question: Question, branching: Branching): Question => {
  const { branching: _, ...rest } = question
  return branching.type === 'next_question' ? rest : { ...rest, branching }
}

/** The form of a new survey. */
export const NEW_SURVEY: SurveyDraft = {
  name: '',
  type: 'popover',
  questions: [FIRST],
  appearance: { displayThankYouMessage: true, thankYouMessageHeader: 'Thank you for your feedback!' },
  conditions: {},
  schedule: 'once',
}

export const newQuestion = (): Question => FIRST

/** Returns the form of a survey. Fields of the survey that the form does not have stay unchanged. */
export const toDraft = (survey: Survey): SurveyDraft => ({
  name: survey.name,
  description: survey.description ?? '',
  type: survey.type,
  questions: survey.questions,
  appearance: survey.appearance ?? {},
  conditions: survey.conditions ?? {},
  schedule: survey.schedule ?? 'once',
  iteration_count: survey.iteration_count ?? null,
  iteration_frequency_days: survey.iteration_frequency_days ?? null,
  enable_partial_responses: survey.enable_partial_responses ?? false,
  enable_iframe_embedding: survey.enable_iframe_embedding ?? false,
  responses_limit: survey.responses_limit ?? null,
  linked_flag_key: survey.linked_flag_key ?? null,
  feature_flag_keys: survey.feature_flag_keys ?? [],
  targeting_flag_filters: survey.targeting_flag_filters ?? null,
  targeting: toTargeting(survey.targeting_flag_filters?.groups ?? []),
  translations: survey.translations ?? {},
})

const withoutEmpty = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== '' && value !== null && !(Array.isArray(value) && !value.length),
    ),
  ) as Fields

const linesOf = (lines: readonly string[]) => lines.map((line) => line.trim()).filter(Boolean)

/** Returns a question without empty fields and lines. */
const toQuestion = (question: Question): Question => {
  const { translations, choices, ...rest } = question
  const translated = Object.entries(filledTranslations(translations) ?? {}).map(
    ([language, { choices: lines, ...texts }]) =>
      [language, { ...texts, ...(lines ? { choices: linesOf(lines) } : {}) }] as const,
  )
  return {
    ...withoutEmpty(rest),
    question: rest.question.trim(),
    ...(choices ? { choices: linesOf(choices) } : {}),
    ...(translated.length ? { translations: Object.fromEntries(translated) } : {}),
  }
}

/** Returns conditions without empty fields and lists. */
const toConditions = ({ events, cancelEvents, actions, ...rest }: Conditions): Conditions => ({
  ...withoutEmpty(rest),
  ...(events?.values.length ? { events } : {}),
  ...(cancelEvents?.values.length ? { cancelEvents } : {}),
  ...(actions?.values.length
    ? { actions: { values: actions.values.map((each) => ({ ...each, steps: each.steps?.map(withoutEmpty) ?? [] })) } }
    : {}),
})

/** Returns what the API stores for a form: empty fields are left out. */
export const toInput = ({ targeting = [], ...draft }: SurveyDraft): SurveyInput => ({
  ...draft,
  questions: draft.questions.map(toQuestion),
  appearance: withoutEmpty(draft.appearance ?? {}),
  // Everyone with its URL can see a hosted survey.
  conditions: draft.type === 'external_survey' ? null : toConditions(draft.conditions ?? {}),
  linked_flag_key: draft.type === 'external_survey' ? null : draft.linked_flag_key || null,
  feature_flag_keys:
    draft.type === 'external_survey' ? null : (draft.feature_flag_keys ?? []).filter(({ value }) => value),
  targeting_flag_filters:
    draft.type === 'external_survey' || !targeting.length
      ? null
      : { ...draft.targeting_flag_filters, groups: toGroups(targeting) },
  translations: Object.fromEntries(
    Object.entries(draft.translations ?? {}).map(([language, texts]) => [language, withoutEmpty(texts)]),
  ),
  ...(draft.schedule === 'recurring' ? {} : { iteration_count: null, iteration_frequency_days: null }),
})
