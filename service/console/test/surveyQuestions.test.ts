import { moveQuestion, removeQuestion, withType } from '../src/pages/surveys/questions.ts'
import type { Question } from '../src/pages/surveys/surveyApi.ts'

const open = (question: string): Question => ({ type: 'open', question })
const questions: Question[] = [
  { ...open('a'), branching: { type: 'specific_question', index: 2 } },
  {
    type: 'rating',
    question: 'b',
    display: 'number',
    scale: 10,
    branching: { type: 'response_based', responseValues: { detractors: 3, passives: 2, promoters: 'end' } },
  },
  open('c'),
  open('d'),
]
/** Returns each question with the questions that it leads to. */
const targets = (list: readonly Question[]) =>
  list.map(({ question, branching }) => {
    const name = (target: unknown) => (typeof target === 'number' ? list[target]!.question : target)
    return [
      question,
      branching?.type === 'specific_question' ? name(branching.index) : undefined,
      ...Object.entries(branching?.responseValues ?? {}).map(([bucket, target]) => `${bucket} ${String(name(target))}`),
    ].filter(Boolean)
  })

test('moving a question keeps the targets of all branches', () => {
  const before = targets(questions)
  for (const from of questions.keys())
    for (const to of questions.keys()) {
      const moved = moveQuestion(questions, from, to)
      expect(moved[to]!.question).toBe(questions[from]!.question)
      expect(targets(moved).sort()).toEqual([...before].sort())
    }
})

test('removing a question removes the branches that lead to it', () => {
  expect(targets(removeQuestion(questions, 2))).toEqual([['a'], ['b', 'detractors d', 'promoters end'], ['d']])
  expect(targets(removeQuestion(questions, 0))).toEqual([
    ['b', 'detractors d', 'passives c', 'promoters end'],
    ['c'],
    ['d'],
  ])
})

test('changing the type of a question keeps only its texts and its id', () => {
  expect(withType({ ...questions[1]!, id: 'x', optional: true }, 'link')).toEqual({
    id: 'x',
    type: 'link',
    question: 'b',
    optional: true,
    link: 'https://',
  })
})
