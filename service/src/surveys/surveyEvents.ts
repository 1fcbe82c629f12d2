import { isUuid } from '../lib/uuid.ts'
import { reactionProperty } from './surveyFlags.ts'
import type { SurveyResponse } from './surveys.ts'
import { own } from '../lib/own.ts'

type Fields = Readonly<Record<string, unknown>>

/** Events after which a person is not asked again, with the name of the reaction. */
const REACTIONS: Readonly<Record<string, 'responded' | 'dismissed'>> = {
  'survey sent': 'responded',
  'survey dismissed': 'dismissed',
}

/** Names of these events. */
export const REACTION_EVENTS = Object.keys(REACTIONS)

const MAX_ANSWER_BYTES = 8_000
const MAX_ANSWERS_BYTES = 64_000

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Cuts strings to `MAX_ANSWER_BYTES` each and `MAX_ANSWERS_BYTES` in total. */
const createCutter = () => {
  let left = MAX_ANSWERS_BYTES
  let hasCut = false
  const cutText = (text: string): string => {
    const most = Math.min(left, MAX_ANSWER_BYTES)
    const bytes = Buffer.byteLength(text)
    left -= Math.min(bytes, most)
    if (bytes <= most) return text
    hasCut = true
    // The last character may be cut in its middle.
    return Buffer.from(text)
      .toString('utf8', 0, most)
      .replace(/\uFFFD$/, '')
  }
  const cut = (value: unknown): unknown => {
    if (typeof value === 'string') return cutText(value)
    if (Array.isArray(value)) return value.map(cut)
    return isFields(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each)])) : value
  }
  return { cut, hasCut: () => hasCut }
}

const iterationOf = ({ $survey_iteration: iteration }: Fields): number =>
  Number.isInteger(iteration) && Number(iteration) > 0 ? Number(iteration) : 0

/**
 * Returns the properties that replace those of a survey's event: answers that are too long are cut and marked, and `$set`
 * says that the person reacted, which SDKs on servers leave out. Other events get none.
 */
export const surveyProperties = (event: string, properties: Fields): Fields => {
  const reaction = own(REACTIONS, event)
  const { $survey_id: id, $set: set, $survey_questions: questions } = properties
  if (!reaction || !isUuid(id)) return {}
  const answers = createCutter()
  const listed = createCutter()
  const cutAnswers = Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) =>
      name.startsWith('$survey_response') ? [[name, answers.cut(value)]] : [],
    ),
  )
  const cutQuestions = questions === undefined ? {} : { $survey_questions: listed.cut(questions) }
  return {
    ...cutAnswers,
    ...cutQuestions,
    ...(answers.hasCut() || listed.hasCut() ? { $survey_response_truncated: true } : {}),
    $set: {
      ...(isFields(set) ? set : {}),
      [reactionProperty(reaction, id.toLowerCase(), iterationOf(properties))]: true,
    },
  }
}

/** Returns the submission that an event belongs to. `undefined`: none. */
export const responseOf = (event: string, properties: Fields, uuid: string): SurveyResponse | undefined => {
  const { $survey_id: id, $survey_submission_id: submission, $survey_completed: completed } = properties
  if (event !== 'survey sent' || !isUuid(id)) return undefined
  return {
    surveyId: id.toLowerCase(),
    submissionId: typeof submission === 'string' && submission ? submission.slice(0, 200) : uuid,
    isCompleted: completed !== false,
  }
}
