import type { Survey, SurveyQuestion } from '../../types'

type Json = Record<string, unknown>

const TYPES = ['popover', 'widget', 'api', 'external_survey']
const SCALES: Record<string, readonly unknown[]> = { emoji: [2, 3, 5], number: [5, 7, 10] }
const BRANCHES = ['next_question', 'end', 'specific_question', 'response_based']
const isObject = (value: unknown): value is Json => typeof value === 'object' && !!value
const isMissing = (value: unknown) => value === undefined || value === null
const isObjectOrMissing = (value: unknown) => isMissing(value) || isObject(value)

const areChoices = ({ choices }: Partial<SurveyQuestion>) =>
  Array.isArray(choices) && choices.length > 0 && choices.every((each) => typeof each === 'string')

/** Whether the members that a question of this type needs are well-formed. */
const QUESTIONS: Record<string, (question: Partial<SurveyQuestion>) => unknown> = {
  open: () => true,
  link: () => true,
  single_choice: areChoices,
  multiple_choice: areChoices,
  rating: ({ display, scale }) => SCALES[display!]?.includes(scale),
}

const isQuestion = (question: unknown): boolean =>
  isObject(question) &&
  typeof question.question === 'string' &&
  !!QUESTIONS[question.type as string]?.(question) &&
  (isMissing(question.branching) ||
    (isObject(question.branching) && BRANCHES.includes(question.branching.type as string))) &&
  (isMissing(question.validation) || Array.isArray(question.validation))

/** Whether this release can show a survey: it is well-formed, and all its types are known. */
export const isUsable = (survey: unknown): survey is Survey =>
  isObject(survey) &&
  typeof survey.id === 'string' &&
  typeof survey.name === 'string' &&
  TYPES.includes(survey.type as string) &&
  isObjectOrMissing(survey.appearance) &&
  isObjectOrMissing(survey.conditions) &&
  Array.isArray(survey.questions) &&
  survey.questions.length > 0 &&
  survey.questions.every(isQuestion)
