import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId, type ResponseOf } from '../../api/inProject.ts'
import type { ConditionDraft } from '../../ui/flagConditions/conditionDraft.ts'

const SURVEYS = '/api/projects/{projectId}/surveys'
const SURVEY = `${SURVEYS}/{id}` as const

/** A survey as the API returns it. */
export type Survey = ResponseOf<typeof SURVEYS, 'get'>['results'][number]
export type SurveyState = Survey['state']
export type Question = Survey['questions'][number]
export type Branching = NonNullable<Question['branching']>
export type Appearance = NonNullable<Survey['appearance']>
export type Conditions = NonNullable<Survey['conditions']>
export type Results = ResponseOf<`${typeof SURVEY}/results`, 'get'>
export type QuestionResults = Results['questions'][number]
export type Submission = ResponseOf<`${typeof SURVEY}/responses`, 'get'>['results'][number]

/** The fields of a survey that its form changes, as the API stores them. */
export type SurveyInput = Pick<
  Survey,
  | 'name'
  | 'description'
  | 'type'
  | 'questions'
  | 'appearance'
  | 'conditions'
  | 'schedule'
  | 'iteration_count'
  | 'iteration_frequency_days'
  | 'enable_partial_responses'
  | 'enable_iframe_embedding'
  | 'responses_limit'
  | 'linked_flag_key'
  | 'feature_flag_keys'
  | 'targeting_flag_filters'
  | 'translations'
>

/** The form of a survey. */
export interface SurveyDraft extends SurveyInput {
  /** Conditions on people, of which one must match. Absent or empty: everyone. */
  readonly targeting?: readonly ConditionDraft[]
}

/** Which submissions count: of one iteration, in one language. */
export interface ResultsQuery {
  readonly iteration?: number
  readonly language?: string
}

export const TYPES: Readonly<Record<Survey['type'], string>> = {
  popover: 'Popover',
  widget: 'Feedback widget',
  api: 'By your own code',
  external_survey: 'Hosted page',
}

export const STATES: Readonly<Record<SurveyState, { readonly label: string; readonly style: string }>> = {
  draft: { label: 'Draft', style: 'badge' },
  scheduled: { label: 'Scheduled', style: 'badge warning' },
  running: { label: 'Running', style: 'badge good' },
  stopped: { label: 'Stopped', style: 'badge' },
}

export const listSurveys = (projectId: number, signal: AbortSignal) =>
  dataOf(api.GET(SURVEYS, { params: inProject(projectId), signal }))

export const getSurvey = (projectId: number, id: string, signal: AbortSignal) =>
  dataOf(api.GET(SURVEY, { params: inProjectWithId(projectId, id), signal }))

export const createSurvey = (projectId: number, body: SurveyInput) =>
  dataOf(api.POST(SURVEYS, { params: inProject(projectId), body }))

export const changeSurvey = (
  projectId: number,
  id: string,
  body: Partial<SurveyInput & Pick<Survey, 'start_date' | 'end_date'>>,
) => dataOf(api.PATCH(SURVEY, { params: inProjectWithId(projectId, id), body }))

export const removeSurvey = (projectId: number, id: string) =>
  dataOf(api.DELETE(SURVEY, { params: inProjectWithId(projectId, id) }))

export const getResults = (projectId: number, id: string, query: ResultsQuery, signal: AbortSignal) =>
  dataOf(api.GET(`${SURVEY}/results`, { params: { ...inProjectWithId(projectId, id), query }, signal }))

export const listSubmissions = (
  projectId: number,
  id: string,
  query: ResultsQuery & { readonly question?: string; readonly submission?: string; readonly cursor?: string },
  signal: AbortSignal,
) => dataOf(api.GET(`${SURVEY}/responses`, { params: { ...inProjectWithId(projectId, id), query }, signal }))
