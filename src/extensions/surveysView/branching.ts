import type { Survey, SurveyAnswer, SurveyQuestion } from '../../types'

/** The largest rating of the lowest and of the middle group, by scale. */
const LIMITS: Record<number, readonly [low: number, middle: number]> = { 3: [1, 2], 5: [2, 3], 7: [3, 4], 10: [6, 8] }
const MOODS = ['negative', 'neutral', 'positive']
const SUPPORT = ['detractors', 'passives', 'promoters']

/**
 * Returns the group of a rating: negative, neutral, positive; detractors, passives, promoters for the scale 10. Undefined
 * for a scale without groups.
 */
export const bucketOf = (scale: number | undefined, rating: number): string | undefined => {
  // 1 is the thumb up.
  if (scale === 2) return MOODS[rating === 1 ? 2 : 0]!
  const limits = LIMITS[scale!]
  if (!limits) return undefined
  const [low, middle] = limits
  return (scale === 10 ? SUPPORT : MOODS)[+(rating > low) + +(rating > middle)]!
}

/** Returns the key of an answer in `responseValues`: the group of a rating, or the index of a choice. */
const keyOf = (
  { type, scale, choices = [], hasOpenChoice }: SurveyQuestion,
  answer: SurveyAnswer,
): string | undefined => {
  if (type === 'rating') return typeof answer === 'number' ? bucketOf(scale, answer) : undefined
  if (type !== 'single_choice' || typeof answer !== 'string') return undefined
  const index = choices.indexOf(answer)
  // Any other text was written for the open choice, which is the last.
  return index >= 0 ? String(index) : hasOpenChoice ? String(choices.length - 1) : undefined
}

/**
 * Returns the index of the question that follows an answer; undefined: the survey ends. `order`: the indexes in the order in
 * which they are shown. Targets that do not exist, and the last question, end the survey.
 */
export const nextQuestion = (
  { questions }: Pick<Survey, 'questions'>,
  index: number,
  answer: SurveyAnswer,
  order: readonly number[],
): number | undefined => {
  const { branching } = questions[index]!
  const following = order[order.indexOf(index) + 1]
  if (!branching || branching.type === 'next_question') return following
  if (branching.type === 'end') return undefined
  const key = branching.type === 'response_based' ? keyOf(questions[index]!, answer) : undefined
  const target =
    branching.type === 'specific_question'
      ? branching.index
      : key === undefined
        ? undefined
        : branching.responseValues?.[key]
  if (target === 'end') return undefined
  if (typeof target !== 'number') return following
  return questions[target] ? target : undefined
}
