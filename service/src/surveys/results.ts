import { type Static, Type } from '@sinclair/typebox'
import type { QueryRows } from '../persons/queryRows.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { ratingOf } from './checkQuestions.ts'
import { type Definition, type Question, QUESTION_TYPES } from './survey.ts'
import { eventsSource, type ResultsFilter, submissionsSource } from './submissions.ts'
import type { SurveyRecord } from './store.ts'

const COUNT = Type.Object({ events: Type.Integer(), people: Type.Integer() })
const SHARE = Type.Number({ description: 'Share of the answers, 0 to 1' })

const QUESTION_RESULTS = Type.Object({
  id: Type.String(),
  type: Type.Unsafe<Question['type']>({ type: 'string', enum: [...QUESTION_TYPES] }),
  question: Type.String(),
  answers: Type.Integer({ description: 'Completed submissions with an answer' }),
  skipped: Type.Integer({
    description: 'Completed submissions without an answer to this question, skipped or not reached',
  }),
  partial_answers: Type.Integer({ description: 'Answers in submissions that were not completed' }),
  left_after: Type.Integer({ description: 'Submissions that were not completed and whose last answer is this one' }),
  choices: Type.Optional(
    Type.Array(
      Type.Object({
        index: Type.Union([Type.Integer(), Type.Null()], {
          description: 'null: open choices, and choices that were removed',
        }),
        label: Type.String(),
        count: Type.Integer(),
        share: SHARE,
      }),
    ),
  ),
  ratings: Type.Optional(Type.Array(Type.Object({ value: Type.Integer(), count: Type.Integer(), share: SHARE }))),
  average: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  nps: Type.Optional(
    Type.Object({
      score: Type.Union([Type.Number(), Type.Null()], { description: 'From -100 to 100. null: no answers' }),
      promoters: Type.Integer(),
      passives: Type.Integer(),
      detractors: Type.Integer(),
    }),
  ),
  csat: Type.Optional(
    Type.Object({
      score: Type.Union([Type.Number(), Type.Null()], { description: 'Share of satisfied answers, 0 to 1' }),
      satisfied: Type.Integer(),
    }),
  ),
})

/** Results of a survey, as the API returns them. */
export const SURVEY_RESULTS = Type.Object({
  shown: COUNT,
  completed: COUNT,
  partial: COUNT,
  dismissed: Type.Object(COUNT.properties, { description: 'By people who did not answer' }),
  response_rate: Type.Object(
    { events: Type.Union([Type.Number(), Type.Null()]), people: Type.Union([Type.Number(), Type.Null()]) },
    { description: 'Completed submissions per showing, and people who completed one per person who saw it' },
  ),
  questions: Type.Array(QUESTION_RESULTS),
  days: Type.Array(Type.Object({ day: Type.String(), shown: Type.Integer(), completed: Type.Integer() }), {
    description: 'Showings and completed submissions by day of the project, at most the last 366 days',
  }),
  iterations: Type.Array(Type.Object({ iteration: Type.Integer(), events: Type.Integer() })),
  languages: Type.Array(Type.Object({ language: Type.String(), events: Type.Integer() })),
})
export type SurveyResults = Static<typeof SURVEY_RESULTS>
type QuestionResults = Static<typeof QUESTION_RESULTS>

/** Codes of an answer besides the index of a choice and the value of a rating. */
const OTHER = -1
const ANSWERED = -2
const LAST = -3
/** Question number of the rows about the submission as a whole. Questions count from 1. */
const SUBMISSION = 0
/** More than any choice or rating has. Anyone who has the token can send any number as a rating. */
const MAX_CODE = 10_000

const keyOf = (number: number, language: string, text: string) => `${number}\n${language}\n${text}`

/**
 * Returns the index of each text of a choice, in every language. An answer is compared with the texts of its own language
 * first, because two languages can have the same text at different places.
 */
const choiceIndexes = (questions: Definition['questions']): ReadonlyMap<string, number> => {
  const indexes = new Map<string, number>()
  const add = (key: string, index: number) => void (indexes.has(key) || indexes.set(key, index))
  questions.forEach(({ choices = [], translations = {} }, at) => {
    choices.forEach((text, index) => add(keyOf(at + 1, '', text), index))
    for (const [language, { choices: translated = [] }] of Object.entries(translations))
      translated.forEach((text, index) => {
        add(keyOf(at + 1, language.toLowerCase(), text), index)
        add(keyOf(at + 1, '', text), index)
      })
  })
  return indexes
}

const numbersOf = (questions: Definition['questions'], ...types: readonly Question['type'][]): number[] =>
  questions.flatMap(({ type }, index) => (types.includes(type) ? [index + 1] : []))

/** Rows: is_completed, number of a question from 1, code, submissions, people. */
const countsOf = (source: string) => `
  SELECT is_completed, number, code, count(), uniqExact(person) FROM (
    SELECT submission, person, is_completed, arrayJoin(arrayConcat(
        [(toUInt32(${SUBMISSION}), toInt64(${ANSWERED}))],
        arrayFlatten(arrayMap((answer, number) -> if(answer = '', [], arrayMap(code -> (number, code), arrayDistinct(arrayConcat(
          [toInt64(${ANSWERED})],
          if(number = arrayLastIndex(each -> each != '', answers), [toInt64(${LAST})], []),
          multiIf(
            has({ratings:Array(UInt32)}, number), [toInt64OrDefault(trim(BOTH '"' FROM answer), toInt64(${OTHER}))],
            has({choices:Array(UInt32)}, number), arrayMap(
              value -> transform(
                concat(toString(number), '\\n', lower(language), '\\n', value), {keys:Array(String)}, {indexes:Array(Int64)},
                transform(concat(toString(number), '\\n\\n', value), {keys:Array(String)}, {indexes:Array(Int64)}, toInt64(${OTHER}))),
              if(startsWith(answer, '['), JSONExtract(answer, 'Array(String)'), [JSONExtractString(answer)])),
            [])
        )))), answers, arrayMap(each -> toUInt32(each), arrayEnumerate(answers))))
      )) AS pair, pair.1 AS number, pair.2 AS code
    FROM (${source})
  ) WHERE code <= ${MAX_CODE} GROUP BY is_completed, number, code`

/** Rows: showings, people who saw it, dismissals and people who dismissed it without answering. */
const totalsOf = (source: string) => `
  SELECT sum(shown), countIf(shown > 0), sumIf(dismissed, sent = 0), countIf(dismissed > 0 AND sent = 0) FROM (
    SELECT person, countIf(event = 'survey shown') AS shown, countIf(event = 'survey sent') AS sent,
      countIf(event = 'survey dismissed' AND NOT is_partial) AS dismissed
    FROM (${source}) GROUP BY person
  )`

const DAY_MS = 86_400_000
const MAX_DAYS = 366

/** Rows: day, showings, completed submissions. Latest first, without days that have neither. */
const daysOf = (events: string, submissions: string) => `
  SELECT toString(toDate(at, {timezone:String})) AS day, countIf(kind = 'shown'), countIf(kind = 'completed') FROM (
    SELECT at, 'shown' AS kind FROM (${events}) WHERE event = 'survey shown'
    UNION ALL SELECT at, 'completed' AS kind FROM (${submissions}) WHERE is_completed
  ) GROUP BY day ORDER BY day DESC LIMIT ${MAX_DAYS}`

/** Returns the days from the first to the last, with those that have neither showings nor submissions. */
const allDays = (rows: readonly (readonly unknown[])[]): SurveyResults['days'] => {
  const known = new Map(rows.map(([day, shown, completed]) => [String(day), { shown, completed }]))
  const [first, last] = [String(rows.at(-1)?.[0]), String(rows[0]?.[0])].map((day) => Date.parse(day))
  const count = rows.length ? Math.min(MAX_DAYS, (last! - first!) / DAY_MS + 1) : 0
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(last! - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    const { shown = 0, completed = 0 } = known.get(day) ?? {}
    return { day, shown: Number(shown), completed: Number(completed) }
  })
}

const partsOf = (source: string) => `
  SELECT iteration, language, count() FROM (${source}) GROUP BY iteration, language ORDER BY iteration, language LIMIT 5000`

const shareOf = (count: number, total: number) => (total ? count / total : 0)
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** Lowest rating that counts as satisfied, by scale. */
const SATISFIED_FROM: Readonly<Record<number, number>> = { 3: 3, 5: 4, 7: 6 }

const ratingResults = (question: Question, counts: ReadonlyMap<number, number>): Partial<QuestionResults> => {
  const { scale, display } = ratingOf(question)
  const first = scale === 10 ? 0 : 1
  const values = Array.from({ length: scale - first + 1 }, (_, index) => first + index)
  const countOf = (value: number) => counts.get(value) ?? 0
  const total = sum(values.map(countOf))
  const within = (from: number, to: number) => sum(values.filter((value) => value >= from && value <= to).map(countOf))
  const [promoters, passives, detractors] = [within(9, 10), within(7, 8), within(0, 6)]
  const from = SATISFIED_FROM[scale]
  return {
    ratings: values.map((value) => ({ value, count: countOf(value), share: shareOf(countOf(value), total) })),
    average: total ? sum(values.map((value) => value * countOf(value))) / total : null,
    ...(display === 'number' && scale === 10 && question.isNpsQuestion !== false
      ? { nps: { score: total ? (100 * (promoters - detractors)) / total : null, promoters, passives, detractors } }
      : {}),
    ...(from === undefined
      ? {}
      : { csat: { score: total ? within(from, scale) / total : null, satisfied: within(from, scale) } }),
  }
}

const choiceResults = (
  { choices = [] }: Question,
  counts: ReadonlyMap<number, number>,
  answers: number,
): Partial<QuestionResults> => {
  const other = counts.get(OTHER) ?? 0
  const row = (index: number | null, label: string, count: number) => ({
    index,
    label,
    count,
    share: shareOf(count, answers),
  })
  return {
    choices: [
      ...choices.map((label, index) => row(index, label, counts.get(index) ?? 0)),
      ...(other ? [row(null, 'Other', other)] : []),
    ],
  }
}

/** Returns the function that computes the results of a survey from its events. */
export const createReadResults =
  (queryRows: QueryRows, projects: Pick<Metadata['projects'], 'byId'>) =>
  async (
    projectId: number,
    survey: SurveyRecord,
    filter: ResultsFilter,
    signal: AbortSignal,
  ): Promise<SurveyResults> => {
    const { questions } = survey.definition as Definition
    const submissions = submissionsSource(projectId, survey, filter)
    const events = eventsSource(projectId, survey, filter)
    const all = submissionsSource(projectId, survey, {})
    const indexes = [...choiceIndexes(questions)]
    const timezone = (await projects.byId(projectId))?.timezone ?? 'UTC'
    const read = (text: string, params: Readonly<Record<string, unknown>>) =>
      queryRows(projectId, { text, params }, signal)
    const [rows, [totals = []], parts, days] = await Promise.all([
      read(countsOf(submissions.text), {
        ...submissions.params,
        ratings: numbersOf(questions, 'rating'),
        choices: numbersOf(questions, 'single_choice', 'multiple_choice'),
        keys: indexes.map(([key]) => key),
        indexes: indexes.map(([, index]) => index),
      }),
      read(totalsOf(events.text), events.params),
      read(partsOf(all.text), all.params),
      read(daysOf(events.text, submissions.text), { ...events.params, ...submissions.params, timezone }),
    ])
    const counts = rows.map(([isCompleted, ...numbers]) => {
      const [number, code, count, people] = numbers.map(Number)
      return { isCompleted: Boolean(isCompleted), number: number!, code: code!, events: count!, people: people! }
    })
    const totalOf = (isCompleted: boolean) => {
      const row = counts.find((each) => each.isCompleted === isCompleted && each.number === SUBMISSION)
      return { events: row?.events ?? 0, people: row?.people ?? 0 }
    }
    const [shownEvents = 0, shownPeople = 0, dismissedEvents = 0, dismissedPeople = 0] = totals.map(Number)
    const completed = totalOf(true)
    const sumBy = (column: 0 | 1) => {
      const sums = new Map<string, number>()
      for (const row of parts) sums.set(String(row[column]), (sums.get(String(row[column])) ?? 0) + Number(row[2]))
      return [...sums].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    }
    return {
      shown: { events: shownEvents, people: shownPeople },
      completed,
      partial: totalOf(false),
      dismissed: { events: dismissedEvents, people: dismissedPeople },
      response_rate: {
        events: shownEvents ? completed.events / shownEvents : null,
        people: shownPeople ? completed.people / shownPeople : null,
      },
      questions: questions.map((question, index) => {
        const ofQuestion = (isCompleted: boolean) =>
          new Map(
            counts
              .filter((each) => each.isCompleted === isCompleted && each.number === index + 1)
              .map(({ code, events: count }) => [code, count]),
          )
        const [own, partial] = [ofQuestion(true), ofQuestion(false)]
        const answers = own.get(ANSWERED) ?? 0
        return {
          id: question.id,
          type: question.type,
          question: question.question,
          answers,
          skipped: completed.events - answers,
          partial_answers: partial.get(ANSWERED) ?? 0,
          left_after: partial.get(LAST) ?? 0,
          ...(question.type === 'rating' ? ratingResults(question, own) : {}),
          ...(question.choices ? choiceResults(question, own, answers) : {}),
        }
      }),
      days: allDays(days),
      iterations: sumBy(0).map(([iteration, count]) => ({ iteration: Number(iteration), events: count })),
      languages: sumBy(1).map(([language, count]) => ({ language, events: count })),
    }
  }
export type ReadResults = ReturnType<typeof createReadResults>
