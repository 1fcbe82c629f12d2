import { type Static, Type } from '@sinclair/typebox'
import { ApiError } from '../lib/apiError.ts'
import { MAX_VALUE_BYTES } from '../persons/bounds.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { cutJson } from '../lib/cutJson.ts'
import type { Definition } from './survey.ts'
import { type ResultsFilter, submissionsSource } from './submissions.ts'
import type { SurveyRecord } from './store.ts'

/** A submission with its person, as the API returns it. */
export const SURVEY_RESPONSE = Type.Object({
  submission_id: Type.String(),
  person_id: Type.String(),
  distinct_id: Type.String(),
  is_verified: Type.Boolean({ description: 'false: the distinct ID is from the URL of a hosted survey' }),
  timestamp: Type.String({ format: 'date-time' }),
  is_completed: Type.Boolean(),
  iteration: Type.Union([Type.Integer(), Type.Null()]),
  language: Type.Union([Type.String(), Type.Null()]),
  answers: Type.Array(Type.Object({ question_id: Type.String(), answer: Type.Unknown() }), {
    description: 'In the order of the questions, as they were sent. Questions without an answer are missing',
  }),
  is_truncated: Type.Boolean({
    description: 'Whether answers are shortened. "?submission=" returns them whole',
  }),
})
export type SurveyResponseView = Static<typeof SURVEY_RESPONSE>

export interface ResponsesFilter extends ResultsFilter {
  /** Only submissions that answer the question with this id. */
  readonly question?: string | undefined
  /** Only the submission with this id, with longer answers. */
  readonly submission?: string | undefined
  readonly limit: number
  /** Value of `next` of the previous page. */
  readonly cursor?: string | undefined
  readonly signal: AbortSignal
}

export interface SurveyResponses {
  readonly results: readonly SurveyResponseView[]
  readonly next: string | null
}

/** Maximum bytes of an answer in a list, and of the answers of a page. Longer answers are cut. */
const MAX_ANSWER_BYTES = 2_000
const MAX_PAGE_BYTES = 4_000_000

const CURSOR = /^(\d{1,15})\.(.{1,300})$/s

/** Returns the function that lists the submissions of a survey, latest first. */
export const createListResponses =
  (queryRows: QueryRows) =>
  async (
    projectId: number,
    survey: SurveyRecord,
    { question, submission, limit, cursor, signal, ...filter }: ResponsesFilter,
  ): Promise<SurveyResponses> => {
    const { questions } = survey.definition as Definition
    const number = questions.findIndex(({ id }) => id === question) + 1
    if (question !== undefined && !number)
      throw new ApiError('invalid_input', {
        attr: 'question',
        detail: '"question" must be the id of a question of the survey.',
      })
    const position = cursor === undefined ? undefined : CURSOR.exec(cursor)
    if (position === null)
      throw new ApiError('invalid_input', { attr: 'cursor', detail: '"cursor" must be a value of "next".' })
    const source = submissionsSource(projectId, survey, filter)
    const conditions = [
      ...(number ? [`answers[${number}] != ''`] : []),
      ...(submission === undefined ? [] : ['submission = {wanted:String}']),
      ...(position ? ['(toUnixTimestamp64Milli(at), submission) < ({at:Int64}, {submission:String})'] : []),
    ]
    const maxAnswer = submission === undefined ? MAX_ANSWER_BYTES : MAX_VALUE_BYTES
    const maxBytes = Math.min(maxAnswer, Math.floor(MAX_PAGE_BYTES / (limit * questions.length)))
    const text = `SELECT submission, person, distinct_id, toUnixTimestamp64Milli(at) AS ms, language, iteration, is_completed,
        is_unverified, arrayMap(answer -> ${cutJson('answer', maxBytes)}, answers), arrayExists(answer -> length(answer) > ${maxBytes}, answers)
      FROM (${source.text}) ${conditions.length ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY ms DESC, submission DESC LIMIT ${limit + 1}`
    const params = {
      ...source.params,
      ...(submission === undefined ? {} : { wanted: submission }),
      ...(position ? { at: Number(position[1]), submission: position[2] } : {}),
    }
    const rows = await queryRows(projectId, { text, params }, signal)
    const last = rows.length > limit ? rows[limit - 1]! : undefined
    return {
      results: rows
        .slice(0, limit)
        .map(
          ([submission, person, distinctId, at, language, iteration, isCompleted, isUnverified, answers, isCut]) => ({
            submission_id: String(submission),
            person_id: String(person),
            distinct_id: String(distinctId),
            is_verified: !isUnverified,
            timestamp: new Date(Number(at)).toISOString(),
            is_completed: Boolean(isCompleted),
            iteration: Number(iteration) || null,
            language: String(language) || null,
            answers: (answers as string[]).flatMap((json, index) =>
              json ? [{ question_id: questions[index]!.id, answer: JSON.parse(json) as unknown }] : [],
            ),
            is_truncated: Boolean(isCut),
          }),
        ),
      next: last ? `${Number(last[3])}.${String(last[0])}` : null,
    }
  }
export type ListResponses = ReturnType<typeof createListResponses>
