import type { Survey, SurveyAnswer, SurveyQuestion } from '../../types'

/** The largest value of each group of a rating, by scale, in ascending order. */
const BUCKETS: Record<number, readonly (readonly [upTo: number, bucket: string])[]> = {
  // 1 is the thumb up.
  2: [
    [1, 'positive'],
    [2, 'negative'],
  ],
  3: [
    [1, 'negative'],
    [2, 'neutral'],
    [3, 'positive'],
  ],
  5: [
    [2, 'negative'],
    [3, 'neutral'],
    [5, 'positive'],
  ],
  7: [
    [3, 'negative'],
    [4, 'neutral'],
    [7, 'positive'],
  ],
  10: [
    [6, 'detractors'],
    [8, 'passives'],
    [10, 'promoters'],
  ],
}

/** Returns the group of a rating: negative, neutral, positive; detractors, passives, promoters for the scale 10. */
export const bucketOf = (scale: number | undefined, rating: number): string | undefined =>
  BUCKETS[scale!]?.find(([upTo]) => rating <= upTo)?.[1]

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
