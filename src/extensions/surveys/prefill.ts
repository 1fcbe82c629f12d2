import type { Config, Survey, SurveyAnswer, SurveyQuestion } from '../../types'

/** Returns the answer to a question that the values of its URL parameter stand for; undefined: none. */
const answerOf = (
  { type, choices = [], scale = 0 }: SurveyQuestion,
  values: readonly string[],
): SurveyAnswer | undefined => {
  const numbers = values.filter((each) => /^\d{1,3}$/.test(each)).map(Number)
  if (type === 'rating') return numbers.find((each) => each >= (scale === 10 ? 0 : 1) && each <= scale)
  const chosen = numbers.flatMap((each) => choices[each] ?? [])
  if (!chosen.length) return undefined
  return type === 'single_choice' ? chosen[0] : type === 'multiple_choice' ? chosen : undefined
}

/**
 * Returns the answers in the parameters of a URL, by index of the question: `q0=2` is the third choice, or the rating 2.
 * Several choices have a parameter each.
 */
export const prefillFrom = (
  { surveys }: Pick<Config, 'surveys'>,
  survey: Survey,
  search: string,
): Record<number, SurveyAnswer> => {
  const answers: Record<number, SurveyAnswer> = {}
  if (!surveys.prefillFromUrl) return answers
  // Does not throw for a malformed escape.
  const parameters = new URLSearchParams(search)
  survey.questions.forEach((question, index) => {
    const answer = answerOf(question, parameters.getAll(`q${index}`))
    if (answer !== undefined) answers[index] = answer
  })
  return answers
}
