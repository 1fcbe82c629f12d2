import type { ShowSurvey, SurveyProgress } from '../../host'
import type { Survey, SurveyAnswer, SurveyQuestion } from '../../types'
import { type Draft, isValid, toAnswer, toDraft } from './answers'
import { nextQuestion } from './branching'
import { shuffled } from './shuffle'

export type Screen = 'intro' | 'question' | 'thanks' | 'end'

// A survey whose branches form a circle ends after this many answers per question.
const MAX_ROUNDS = 3

/** The way of one visitor through a survey. */
export interface Run {
  readonly survey: Survey
  screen(): Screen
  /** Index of the current question in the stored order. */
  index(): number
  question(): SurveyQuestion
  /** Position of the question, from 1, and the number of questions; undefined if it depends on branches. */
  position(): { at: number; of: number } | undefined
  draft(): Draft
  change(draft: Draft): void
  /** Indexes of the question's choices in the order in which they are shown. */
  choices(): readonly number[]
  /** Whether choosing an answer submits it. */
  submitsItself(): boolean
  canGoBack(): boolean
  progress(): SurveyProgress
  leaveIntro(): void
  /** Submits the draft, if it is valid. */
  next(): void
  back(): void
}

type Inputs = Pick<ShowSurvey, 'survey' | 'progress' | 'isBegun' | 'initial' | 'passesAll' | 'reports'>

const skipsSubmit = ({ type, skipSubmitButton, hasOpenChoice }: SurveyQuestion): boolean =>
  !!skipSubmitButton && (type === 'rating' || (type === 'single_choice' && !hasOpenChoice))

const hasIntro = ({ appearance }: Survey): boolean =>
  !!appearance?.displayIntroScreen && !!(appearance.introScreenHeader || appearance.introScreenDescription)

/** Begins a survey, or continues it. Skips leading questions with known answers. */
export const createRun = ({ survey, progress: stored, isBegun, initial, passesAll, reports }: Inputs): Run => {
  const { questions, appearance } = survey
  const seed = stored.surveySubmissionId
  const indexes = questions.map((_, index) => index)
  // With partial responses, answers are sent after each question, so questions keep their stored order.
  const order = appearance?.shuffleQuestions && !survey.enable_partial_responses ? shuffled(indexes, seed) : indexes
  const keyOf = (index: number) => `$survey_response_${questions[index]!.id ?? index}`

  let progress = { ...stored, responses: { ...stored.responses } }
  if (!isBegun || !questions[progress.lastQuestionIndex]) progress.lastQuestionIndex = order[0]!
  let screen: Screen = hasIntro(survey) && !isBegun ? 'intro' : 'question'
  let draft: Draft
  let hasGoneBack = false
  /** Answers to questions that the visitor left by going back. */
  const drafts = new Map<number, Draft>()

  const current = () => questions[progress.lastQuestionIndex]!
  const enter = (index: number) => {
    progress = { ...progress, lastQuestionIndex: index }
    const answer = progress.responses[keyOf(index)]
    draft = drafts.get(index) ?? toDraft(current(), answer === undefined ? initial[index] : answer)
  }
  /** Records an answer and moves on. Returns whether there is a next question. */
  const advance = (answer: SurveyAnswer): boolean => {
    const index = progress.lastQuestionIndex
    const visitedIndices = [...progress.visitedIndices, index]
    const answered = { ...progress.responses, [keyOf(index)]: answer }
    // Answers to questions that the visitor left by going back do not count.
    const responses: SurveyProgress['responses'] = {}
    for (const each of visitedIndices) responses[keyOf(each)] = answered[keyOf(each)]!
    progress = { ...progress, visitedIndices, responses }
    const next = nextQuestion(survey, index, answer, order)
    if (next === undefined || visitedIndices.length >= MAX_ROUNDS * questions.length) return false
    enter(next)
    return true
  }
  const finish = () => {
    screen = appearance?.displayThankYouMessage ? 'thanks' : 'end'
  }
  const report = (hasNext: boolean) => {
    if (!hasNext) finish()
    reports.answered(progress, !hasNext)
  }

  enter(progress.lastQuestionIndex)
  const start = () => {
    let passed = 0
    let hasNext = true
    while (hasNext && passed <= questions.length && (passesAll || skipsSubmit(current()))) {
      if (initial[progress.lastQuestionIndex] === undefined || !isValid(current(), draft)) break
      hasNext = advance(toAnswer(current(), draft))
      passed += 1
    }
    if (passed) report(hasNext)
  }
  reports.shown()
  if (!isBegun) start()

  return {
    survey,
    screen: () => screen,
    index: () => progress.lastQuestionIndex,
    question: current,
    position: () =>
      questions.length > 1 && !questions.some(({ branching }) => branching && branching.type !== 'next_question')
        ? { at: order.indexOf(progress.lastQuestionIndex) + 1, of: questions.length }
        : undefined,
    draft: () => draft,
    change: (next) => {
      draft = next
    },
    choices: () => {
      const { choices = [], hasOpenChoice, shuffleOptions } = current()
      const all = choices.map((_, index) => index)
      if (!shuffleOptions) return all
      const open = hasOpenChoice ? all.splice(-1) : []
      return [...shuffled(all, seed + progress.lastQuestionIndex), ...open]
    },
    submitsItself: () => skipsSubmit(current()) && !hasGoneBack,
    canGoBack: () => !!appearance?.allowGoBack && progress.visitedIndices.length > 0,
    progress: () => progress,
    leaveIntro: () => {
      screen = 'question'
    },
    next: () => {
      if (!isValid(current(), draft)) return
      hasGoneBack = false
      report(advance(toAnswer(current(), draft)))
    },
    back: () => {
      const visitedIndices = progress.visitedIndices.slice(0, -1)
      const previous = progress.visitedIndices[visitedIndices.length]
      if (previous === undefined) return
      drafts.set(progress.lastQuestionIndex, draft)
      progress = { ...progress, visitedIndices }
      hasGoneBack = true
      enter(previous)
    },
  }
}
