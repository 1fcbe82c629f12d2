import fc from 'fast-check'
import type { ShowSurvey, SurveyProgress } from '../../../src/host'
import { hintOf, isValid, toAnswer, toDraft } from '../../../src/extensions/surveysView/answers'
import { bucketOf, nextQuestion } from '../../../src/extensions/surveysView/branching'
import { createRun } from '../../../src/extensions/surveysView/run'
import { shuffled } from '../../../src/extensions/surveysView/shuffle'
import type { Survey, SurveyAnswer, SurveyBranching, SurveyQuestion } from '../../../src/types'

const RATING: SurveyQuestion = { id: 'r', type: 'rating', question: '?', display: 'number', scale: 10 }
const SINGLE: SurveyQuestion = { id: 's', type: 'single_choice', question: '?', choices: ['a', 'b', 'Other'] }
const OPEN: SurveyQuestion = { id: 'o', type: 'open', question: '?' }

const begin = (survey: Partial<Survey>, options: Partial<ShowSurvey> = {}) => {
  const reported: [progress: SurveyProgress, isComplete: boolean][] = []
  const run = createRun({
    survey: { id: 'a', name: 'A', type: 'popover', questions: [OPEN], ...survey },
    progress: { surveySubmissionId: 'seed', lastQuestionIndex: 0, visitedIndices: [], responses: {} },
    isBegun: false,
    initial: {},
    passesAll: false,
    reports: { shown: () => {}, answered: (...each) => void reported.push(each), dismissed: () => {}, gone: () => {} },
    ...options,
  })
  const answer = (value: SurveyAnswer) => {
    run.change(toDraft(run.question(), value))
    run.next()
  }
  return { run, reported, answer }
}

test.each<[scale: number, ...groups: number[][]]>([
  [2, [1], [2]],
  [3, [1], [2], [3]],
  [5, [1, 2], [3], [4, 5]],
  [7, [1, 2, 3], [4], [5, 6, 7]],
  [10, [0, 1, 2, 3, 4, 5, 6], [7, 8], [9, 10]],
])('bucketOf groups the ratings of scale %p', (scale, ...groups) => {
  const names =
    scale === 2
      ? ['positive', 'negative']
      : scale === 10
        ? ['detractors', 'passives', 'promoters']
        : ['negative', 'neutral', 'positive']
  expect(groups.map((group) => [...new Set(group.map((rating) => bucketOf(scale, rating)))])).toEqual(
    names.map((name) => [name]),
  )
})

const branch = (question: SurveyQuestion, branching: SurveyBranching) => ({
  questions: [{ ...question, branching }, OPEN, OPEN],
})
const RATED: SurveyBranching = { type: 'response_based', responseValues: { detractors: 1, promoters: 'end' } }
const CHOSEN: SurveyBranching = { type: 'response_based', responseValues: { '0': 2, '2': 'end' } }

test.each<[string, { questions: SurveyQuestion[] }, SurveyAnswer, number | undefined, number?]>([
  ['the next question', branch(OPEN, { type: 'next_question' }), 'x', 1],
  ['the end', branch(OPEN, { type: 'end' }), 'x', undefined],
  ['a specific question', branch(OPEN, { type: 'specific_question', index: 2 }), 'x', 2],
  ['a question that does not exist', branch(OPEN, { type: 'specific_question', index: 9 }), 'x', undefined],
  ['detractors', branch(RATING, RATED), 3, 1],
  ['passives, which are not listed', branch(RATING, RATED), 7, 1],
  ['promoters', branch(RATING, RATED), 9, undefined],
  ['an optional rating without an answer', branch(RATING, RATED), null, 1],
  ['a choice', branch(SINGLE, CHOSEN), 'a', 2],
  ['a choice that is not listed', branch(SINGLE, CHOSEN), 'b', 1],
  ['a text of the open choice', branch({ ...SINGLE, hasOpenChoice: true }, CHOSEN), 'mine', undefined],
  ['a name of every object', branch(RATING, { type: 'response_based', responseValues: {} }), 3, 1],
  ['the last question', { questions: [OPEN, { ...OPEN, branching: { type: 'next_question' } }] }, 'x', undefined, 1],
])('nextQuestion returns the expected question for: %s', (_, survey, answer, next, from = 0) => {
  const order = survey.questions.map((_question, index) => index)
  expect(nextQuestion(survey, from, answer, order)).toBe(next)
})

test('every survey ends with any branches and any answers', () => {
  const target = fc.oneof(fc.integer({ min: -1, max: 9 }), fc.constantFrom('end', 'other', null))
  const branching = fc.oneof(
    fc.constant(undefined),
    fc.record({ type: fc.constantFrom('next_question', 'end') }),
    fc.record({ type: fc.constant('specific_question'), index: fc.integer({ min: -1, max: 9 }) }),
    fc.record({
      type: fc.constant('response_based'),
      responseValues: fc.dictionary(fc.constantFrom('0', '1', '2', 'detractors', 'passives', 'promoters'), target),
    }),
  )
  const question = fc.record({ base: fc.constantFrom(RATING, SINGLE, OPEN), branching, skip: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(question, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      fc.boolean(),
      (all, choose, isPartial) => {
        const questions = all.map(({ base, branching, skip }, index) => ({
          ...base,
          id: `q${index}`,
          branching: branching as SurveyBranching,
          skipSubmitButton: skip,
        }))
        const { run, reported, answer } = begin({
          questions,
          enable_partial_responses: isPartial,
          appearance: { shuffleQuestions: true },
        })
        for (let steps = 0; run.screen() === 'question'; steps += 1) {
          expect(steps).toBeLessThan(3 * questions.length)
          const number = choose.next().value!
          const { type, choices = [] } = run.question()
          answer(
            type === 'rating' ? number % 11 : type === 'open' ? `text ${number}` : choices[number % choices.length]!,
          )
        }
        expect(reported.filter(([, isComplete]) => isComplete)).toHaveLength(1)
      },
    ),
  )
})

test('a survey sends only answers of the path taken, and going back keeps the drafts', () => {
  const questions = [
    { ...RATING, branching: RATED },
    { ...OPEN, id: 'why' },
    { ...OPEN, id: 'last' },
  ]
  const { run, reported, answer } = begin({
    questions,
    appearance: { allowGoBack: true, displayThankYouMessage: true },
  })
  expect(run.canGoBack()).toBe(false)
  answer(3)
  answer('because')
  run.change(toDraft(run.question(), 'unfinished'))
  run.back()
  expect([run.index(), run.draft().text]).toEqual([1, 'because'])
  run.next()
  expect(run.draft().text).toBe('unfinished')
  run.back()
  run.back()
  answer(10)
  expect(run.screen()).toBe('thanks')
  const [progress, isComplete] = reported.at(-1)!
  expect([progress.responses, progress.visitedIndices, isComplete]).toEqual([{ $survey_response_r: 10 }, [0], true])
})

test('a survey continues where it was interrupted, in the same order', () => {
  const questions = ['a', 'b', 'c', 'd'].map((id) => ({ ...OPEN, id }))
  const appearance = { shuffleQuestions: true }
  const first = begin({ questions, appearance })
  first.answer('one')
  const [progress] = first.reported[0]!
  const second = begin(
    { questions, appearance },
    { progress: JSON.parse(JSON.stringify(progress)) as SurveyProgress, isBegun: true },
  )
  expect(second.run.index()).toBe(first.run.index())
  for (const { answer } of [first, second]) ['two', 'three', 'four'].forEach(answer)
  expect(second.reported.at(-1)).toEqual(first.reported.at(-1))
  const choices = begin({ questions: [{ ...SINGLE, hasOpenChoice: true, shuffleOptions: true }] }).run.choices()
  expect([choices.at(-1), [...choices].sort()]).toEqual([2, [0, 1, 2]])
  expect(shuffled([1, 2, 3, 4, 5], 'x')).toEqual(shuffled([1, 2, 3, 4, 5], 'x'))
})

test('prefilled leading questions are skipped: with passesAll all, otherwise those without a submit button', () => {
  const questions = [{ ...RATING, skipSubmitButton: true }, SINGLE, OPEN]
  const inline = begin({ questions }, { initial: { 0: 4, 1: 'b' } })
  expect([inline.run.index(), inline.run.draft().chosen, inline.reported.length]).toEqual([1, [1], 1])
  const popover = begin({ questions: questions.slice(0, 2) }, { initial: { 0: 4, 1: 'b' }, passesAll: true })
  expect([popover.run.screen(), popover.reported.at(-1)![0].responses]).toEqual([
    'end',
    { $survey_response_r: 4, $survey_response_s: 'b' },
  ])
})

test('survey answers are validated and hinted as their question configures', () => {
  const limited: SurveyQuestion = {
    ...OPEN,
    validation: [
      { type: 'min_length', value: 3 },
      { type: 'max_length', value: 5 },
    ],
  }
  const open = { ...SINGLE, hasOpenChoice: true }
  const valid = (question: SurveyQuestion, answer: SurveyAnswer) => isValid(question, toDraft(question, answer))
  expect([valid(limited, ' ab  '), valid(limited, 'abc'), valid(limited, 'abcdef')]).toEqual([false, true, false])
  expect([
    valid(OPEN, '   '),
    valid({ ...OPEN, optional: true }, ''),
    valid({ ...limited, optional: true }, 'a'),
  ]).toEqual([false, true, false])
  expect([hintOf(limited), hintOf({ ...OPEN, validation: [{ type: 'max_length', value: 5 }] }), hintOf(OPEN)]).toEqual([
    'Enter 3-5 characters',
    'Maximum 5 characters',
    undefined,
  ])
  expect(isValid(open, { text: ' ', chosen: [2], rating: null })).toBe(false)
  expect(toAnswer(open, toDraft(open, 'mine'))).toBe('mine')
  const multiple: SurveyQuestion = { ...open, type: 'multiple_choice' }
  expect(toAnswer(multiple, { text: ' mine ', chosen: [2, 1], rating: null })).toEqual(['b', 'mine'])
  expect((toAnswer(OPEN, toDraft(OPEN, 'x'.repeat(1_000_000))) as string).length).toBe(8000)
})

test('the intro of a survey shows only with a text and before the first answer, and blank answers are rejected', () => {
  const intro = { displayIntroScreen: true, introScreenHeader: 'Hello' }
  const { run, reported, answer } = begin({ appearance: intro })
  expect(run.screen()).toBe('intro')
  run.leaveIntro()
  expect(run.screen()).toBe('question')
  answer('   ')
  expect([run.screen(), reported]).toEqual(['question', []])
  expect(begin({ appearance: { displayIntroScreen: true } }).run.screen()).toBe('question')
  expect(begin({ appearance: intro }, { isBegun: true }).run.screen()).toBe('question')
})
