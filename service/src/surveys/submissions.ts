import type { Definition } from './survey.ts'
import type { SurveyRecord } from './store.ts'

/** Which events of a survey count. */
export interface ResultsFilter {
  /** Only this iteration. */
  readonly iteration?: number | undefined
  /** Only submissions in this language. '': those without translation. */
  readonly language?: string | undefined
}

const MAX_TEXT = 300
/** Returns the SQL of a property's beginning. Anyone who has the token can send a text of any length. */
const textOf = (name: string) => `leftUTF8(ifNull(properties.\`${name}\`.:String, ''), ${MAX_TEXT})`
const LANGUAGE = textOf('$survey_language')
const ITERATION = 'ifNull(properties.`$survey_iteration`.:Int64, 0)'

/** The person of each row of `rows`: `person_distinct_ids` has a row for each merged id. */
const WITH_PERSONS = `LEFT JOIN (
    SELECT distinct_id, argMax(person, version) AS owner FROM db.person_distinct_ids
    WHERE project_id = {projectId:UInt32} GROUP BY distinct_id
  ) AS ids ON rows.distinct_id = ids.distinct_id`
const PERSON = "if(ids.owner = '', rows.distinct_id, ids.owner)"

/** A query that other statements embed, with its parameters. */
export interface Source {
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
}

const whereOf = (projectId: number, id: string, { iteration, language }: ResultsFilter): Source => ({
  text: [
    'project_id = {projectId:UInt32}',
    "event IN ('survey shown', 'survey sent', 'survey dismissed')",
    `${textOf('$survey_id')} = {survey:String}`,
    ...(iteration === undefined ? [] : [`${ITERATION} = {iteration:Int64}`]),
    ...(language === undefined ? [] : [`${LANGUAGE} = {language:String}`]),
  ].join(' AND '),
  params: {
    projectId,
    survey: id,
    ...(iteration === undefined ? {} : { iteration }),
    ...(language === undefined ? {} : { language }),
  },
})

/** Returns a query of the events of a survey: `person`, `event`, `at`, `language`, `iteration`, `is_partial` (of a dismissal). */
export const eventsSource = (projectId: number, { id }: SurveyRecord, filter: ResultsFilter): Source => {
  const { text, params } = whereOf(projectId, id, filter)
  return {
    text: `SELECT ${PERSON} AS person, event, at, language, iteration, is_partial FROM (
        SELECT distinct_id, event, timestamp AS at, ${LANGUAGE} AS language, ${ITERATION} AS iteration,
          ifNull(properties.\`$survey_partially_completed\`.:Bool, false) AS is_partial
        FROM db.events WHERE ${text}) AS rows
      ${WITH_PERSONS}`,
    params,
  }
}

// The id of a question is part of the name. Old SDKs, and servers, send the index instead.
const answerOf = (id: string, index: number): string => {
  const byId = `ifNull(toJSONString(properties.\`$survey_response_${id}\`), 'null')`
  const byIndex = `ifNull(toJSONString(properties.\`$survey_response${index ? `_${index}` : ''}\`), 'null')`
  return `if(${byId} = 'null', ${byIndex}, ${byId})`
}

/**
 * Returns a query of the submissions of a survey, of which the latest event counts: `submission`, `person`, `distinct_id`,
 * `at`, `language`, `iteration`, `is_completed`, `is_unverified`, and `answers`, the JSON texts in the order of the
 * questions. Missing and empty answers are ''.
 */
export const submissionsSource = (
  projectId: number,
  { id, definition }: SurveyRecord,
  filter: ResultsFilter,
): Source => {
  const { text, params } = whereOf(projectId, id, filter)
  const answers = (definition as Definition).questions.map((question, index) => answerOf(question.id, index))
  return {
    text: `SELECT submission, ${PERSON} AS person, rows.distinct_id AS distinct_id, at, language, iteration, is_completed,
        is_unverified, arrayMap(each -> if(each IN ('null', '""', '[]'), '', each), answers) AS answers
      FROM (
        SELECT submission, latest.1 AS distinct_id, latest.2 AS at, latest.3 AS language, latest.4 AS iteration,
          latest.5 AS is_completed, latest.6 AS is_unverified, latest.7 AS answers
        FROM (
          SELECT if(sent = '', toString(id), sent) AS submission, argMax(
            (distinct_id, timestamp, event_language, event_iteration, completed, unverified, all_answers), (timestamp, id)) AS latest
        FROM (
          SELECT uuid AS id, distinct_id, timestamp, ${textOf('$survey_submission_id')} AS sent, ${LANGUAGE} AS event_language,
            ${ITERATION} AS event_iteration, ifNull(properties.\`$survey_completed\`.:Bool, true) AS completed,
            ifNull(properties.\`$survey_person_unverified\`.:Bool, false) AS unverified, [${answers.join(', ')}] AS all_answers
          FROM db.events WHERE ${text} AND event = 'survey sent'
          ) GROUP BY submission
        )
      ) AS rows
      ${WITH_PERSONS}`,
    params,
  }
}
