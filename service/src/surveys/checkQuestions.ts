import { ApiError } from '../lib/apiError.ts'
import type { Question } from './survey.ts'

export const MAX_QUESTIONS = 50
const MAX_CHOICES = 100

/** Valid scales of each display of a rating, and the buckets of answers that branching can use. */
const SCALES = { number: [3, 5, 7, 10], emoji: [2, 3, 5] } as const
const BUCKETS: Readonly<Record<number, readonly string[]>> = {
  2: ['positive', 'negative'],
  3: ['negative', 'neutral', 'positive'],
  5: ['negative', 'neutral', 'positive'],
  7: ['negative', 'neutral', 'positive'],
  10: ['detractors', 'passives', 'promoters'],
}

const DEFAULT_SCALE = 5

/** Returns how a rating is drawn: by numbers and from 1 to 5 unless it says otherwise, and a scale of 2 always as thumbs. */
export const ratingOf = ({ display, scale }: Question): { display: keyof typeof SCALES; scale: number } => ({
  display: scale === 2 ? 'emoji' : (display ?? 'number'),
  scale: scale ?? DEFAULT_SCALE,
})

/** Fields that only some types of questions have. */
const ONLY: Readonly<Partial<Record<keyof Question, readonly Question['type'][]>>> = {
  display: ['rating'],
  scale: ['rating'],
  lowerBoundLabel: ['rating'],
  upperBoundLabel: ['rating'],
  isNpsQuestion: ['rating'],
  skipSubmitButton: ['rating', 'single_choice'],
  choices: ['single_choice', 'multiple_choice'],
  hasOpenChoice: ['single_choice', 'multiple_choice'],
  shuffleOptions: ['single_choice', 'multiple_choice'],
  link: ['link'],
  validation: ['open'],
}

export const wrong = (attr: string, detail: string) =>
  new ApiError('invalid_input', { attr, detail: `"${attr}" ${detail}.` })

const checkChoices = (question: Question, at: string): void => {
  const { choices = [] } = question
  if (!choices.length) throw wrong(`${at}.choices`, 'must have at least one choice')
  if (choices.length > MAX_CHOICES) throw wrong(`${at}.choices`, `may have at most ${MAX_CHOICES} choices`)
  const empty = choices.findIndex((choice) => !choice.trim())
  if (empty >= 0) throw wrong(`${at}.choices.${empty}`, 'must not be empty')
  if (new Set(choices).size < choices.length) throw wrong(`${at}.choices`, 'must not contain a choice twice')
}

/** Whether a link may be opened by a survey. */
const isLink = (link: string): boolean => {
  try {
    return ['https:', 'mailto:'].includes(new URL(link).protocol)
  } catch {
    return false
  }
}

const checkByType: Readonly<Record<Question['type'], (question: Question, at: string) => void>> = {
  open: ({ validation = [] }, at) => {
    const bound = (type: string) => validation.find((rule) => rule.type === type)?.value
    const [min, max] = [bound('min_length'), bound('max_length')]
    if (min !== undefined && max !== undefined && min > max)
      throw wrong(`${at}.validation`, `must have a minimum length of at most the maximum length, got ${min} and ${max}`)
  },
  single_choice: (question, at) => {
    checkChoices(question, at)
    if (question.skipSubmitButton && question.hasOpenChoice)
      throw wrong(`${at}.skipSubmitButton`, 'cannot be combined with an open choice, which needs the button')
  },
  multiple_choice: checkChoices,
  rating: (question, at) => {
    const { display, scale } = ratingOf(question)
    const scales: readonly number[] = SCALES[display]
    if (!scales.includes(scale))
      throw wrong(`${at}.scale`, `must be ${scales.join(', ')} for a rating by ${display}, got ${scale}`)
  },
  link: ({ link }, at) => {
    if (!link || !isLink(link)) throw wrong(`${at}.link`, 'must be an https: or mailto: URL')
  },
}

const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/

/** Throws `ApiError` unless the keys of translations are language tags. */
export const checkLanguages = (translations: object | null | undefined, at: string): void => {
  for (const language of Object.keys(translations ?? {}))
    if (!LANGUAGE.test(language)) throw wrong(`${at}.${language}`, 'is not a language tag, such as fr or pt-BR')
}

const checkTranslations = ({ translations = {}, choices, link }: Question, at: string): void => {
  checkLanguages(translations, at)
  for (const [language, translated] of Object.entries(translations)) {
    if (translated.choices && translated.choices.length !== (choices?.length ?? 0))
      throw wrong(
        `${at}.${language}.choices`,
        `must have as many choices as the question, ${choices?.length ?? 0}, got ${translated.choices.length}`,
      )
    if (translated.choices && new Set(translated.choices).size < translated.choices.length)
      throw wrong(`${at}.${language}.choices`, 'must not contain a choice twice')
    if (translated.link && (!link || !isLink(translated.link)))
      throw wrong(`${at}.${language}.link`, 'must be an https: or mailto: URL of a link question')
  }
}

const bucketsOf = (question: Question): readonly string[] => {
  if (question.type === 'rating') return BUCKETS[ratingOf(question).scale] ?? []
  return question.type === 'single_choice' ? (question.choices ?? []).map((_, index) => String(index)) : []
}

const checkBranching = (question: Question, at: string, count: number): void => {
  const { branching } = question
  if (!branching) return
  const { type, index, responseValues = {} } = branching
  const isQuestion = (target: unknown) => Number.isInteger(target) && Number(target) >= 0 && Number(target) < count
  if (type === 'specific_question' && !isQuestion(index))
    throw wrong(`${at}.index`, `must be the index of a question, from 0 to ${count - 1}, got ${index ?? 'none'}`)
  if (type !== 'response_based') return
  const buckets = bucketsOf(question)
  if (!buckets.length) throw wrong(`${at}.type`, 'can be response_based for ratings and single choices only')
  for (const [bucket, target] of Object.entries(responseValues)) {
    if (!buckets.includes(bucket))
      throw wrong(`${at}.responseValues.${bucket}`, `is not an answer to branch on. Valid: ${buckets.join(', ')}`)
    if (target !== 'end' && target !== 'next_question' && !isQuestion(target))
      throw wrong(
        `${at}.responseValues.${bucket}`,
        `must be "end", "next_question" or the index of a question, from 0 to ${count - 1}`,
      )
  }
}

/** Returns the questions that may follow the question at `index`. The number of questions stands for the end. */
const nextOf = ({ branching, ...question }: Question, index: number, count: number): number[] => {
  const toIndex = (target: unknown) => (target === 'end' ? count : typeof target === 'number' ? target : index + 1)
  if (branching?.type === 'end') return [count]
  if (branching?.type === 'specific_question') return [branching.index!]
  if (branching?.type !== 'response_based') return [index + 1]
  const { responseValues = {} } = branching
  const buckets = bucketsOf(question)
  return [
    ...Object.values(responseValues).map(toIndex),
    // Other answers, and a missing one, lead to the next question.
    ...(question.optional || buckets.some((bucket) => !Object.hasOwn(responseValues, bucket)) ? [index + 1] : []),
  ]
}

/** Throws `ApiError` if a visitor can reach a question from which no answers lead to the end. */
const checkEnds = (questions: readonly Question[]): void => {
  const count = questions.length
  const next = questions.map((question, index) => nextOf(question, index, count))
  const ends = new Set([count])
  for (let before = 0; before < ends.size;) {
    before = ends.size
    next.forEach((targets, index) => targets.some((target) => ends.has(target)) && ends.add(index))
  }
  const reached = new Set([0])
  for (const index of reached) next[index]?.forEach((target) => reached.add(target))
  const stuck = [...reached].find((index) => !ends.has(index))
  if (stuck !== undefined)
    throw wrong(`questions.${stuck}.branching`, 'leads in a circle: no answer reaches the end of the survey')
}

// Digits alone would be the index of a question in the names of old SDKs' properties.
const ID = /^(?!\d+$)[A-Za-z0-9_-]{1,64}$/

/** Throws `ApiError` for the first mistake in the questions of a survey. Their types are checked before, by the schema. */
export const checkQuestions = (questions: readonly Question[]): void => {
  if (!questions.length) throw wrong('questions', 'must have at least one question')
  if (questions.length > MAX_QUESTIONS) throw wrong('questions', `may have at most ${MAX_QUESTIONS} questions`)
  const ids = new Set<string>()
  for (const [index, question] of questions.entries()) {
    const at = `questions.${index}`
    if (!question.question.trim()) throw wrong(`${at}.question`, 'must not be empty')
    if (question.id !== undefined && !ID.test(question.id))
      throw wrong(`${at}.id`, 'must be 1 to 64 letters, digits, underscores and hyphens, and not a number')
    if (question.id !== undefined && ids.has(question.id)) throw wrong(`${at}.id`, 'is the id of another question')
    if (question.id !== undefined) ids.add(question.id)
    for (const [field, types] of Object.entries(ONLY))
      if (
        question[field as keyof Question] !== undefined &&
        question[field as keyof Question] !== null &&
        !types.includes(question.type)
      )
        throw wrong(`${at}.${field}`, `is not a field of a question of type ${question.type}`)
    checkByType[question.type](question, at)
    checkTranslations(question, `${at}.translations`)
    checkBranching(question, `${at}.branching`, questions.length)
  }
  checkEnds(questions)
}
