import type { SurveyAnswer, SurveyQuestion } from '../../types'

// The service cuts longer answers.
const MAX_TEXT = 8000

/** Answers that are typed and chosen in the form of a question. */
export interface Draft {
  /** Text of an open question, or of the open choice. */
  text: string
  /** Indexes of choices. */
  chosen: readonly number[]
  rating: number | null
}

export const EMPTY: Draft = { text: '', chosen: [], rating: null }

const openIndex = ({ choices = [], hasOpenChoice }: SurveyQuestion) => (hasOpenChoice ? choices.length - 1 : -1)

/** Returns the draft that would give this answer. */
export const toDraft = (question: SurveyQuestion, answer: SurveyAnswer | undefined): Draft => {
  if (typeof answer === 'number') return { ...EMPTY, rating: answer }
  if (!answer?.length) return EMPTY
  if (question.type === 'open') return { ...EMPTY, text: String(answer) }
  const given = [answer].flat()
  const { choices = [] } = question
  const listed = given.flatMap((each) => (choices.includes(each) ? choices.indexOf(each) : []))
  const own = given.find((each) => !choices.includes(each))
  return own === undefined
    ? { ...EMPTY, chosen: listed }
    : { ...EMPTY, text: own, chosen: [...listed, openIndex(question)] }
}

/** Returns the answer of a draft, trimmed; null if it is empty. */
export const toAnswer = (question: SurveyQuestion, { text, chosen, rating }: Draft): SurveyAnswer => {
  const written = text.trim().slice(0, MAX_TEXT)
  const { type, choices = [] } = question
  if (type === 'rating') return rating
  if (type === 'link') return 'link clicked'
  if (type === 'open') return written || null
  const open = openIndex(question)
  const listed = choices.filter((_, index) => index !== open && chosen.includes(index))
  const all = chosen.includes(open) && written ? [...listed, written] : listed
  return type === 'single_choice' ? (all[0] ?? null) : all.length ? all : null
}

const ruleOf = ({ validation }: SurveyQuestion, type: string) =>
  validation?.find((rule) => rule.type === type)?.value ?? 0

/** Returns the lengths that the text of an open question must have; 0: no limit. */
export const limitsOf = (question: SurveyQuestion) =>
  question.type === 'open'
    ? { min: ruleOf(question, 'min_length'), max: ruleOf(question, 'max_length') }
    : { min: 0, max: 0 }

/** Returns the hint about the length of the text; undefined if there is no limit. */
export const hintOf = (question: SurveyQuestion): string | undefined => {
  const { min, max } = limitsOf(question)
  if (min && max) return `Enter ${min}-${max} characters`
  if (min) return `Enter at least ${min} characters`
  return max ? `Maximum ${max} characters` : undefined
}

/** Whether a draft can be submitted. */
export const isValid = (question: SurveyQuestion, draft: Draft): boolean => {
  // An open choice without its text.
  if (draft.chosen.includes(openIndex(question)) && !draft.text.trim()) return false
  const answer = toAnswer(question, draft)
  if (answer === null) return !!question.optional
  const { min, max } = limitsOf(question)
  return !(min || max) || (String(answer).length >= min && (!max || String(answer).length <= max))
}
