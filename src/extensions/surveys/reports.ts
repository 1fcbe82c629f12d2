import { isoTime } from '../../lib/isoTime'
import type { ShowSurvey, SurveyParts, SurveyProgress, SurveyReports } from '../../host'
import type { CapturedEvent, Properties, Survey } from '../../types'
import type { ExtensionHost } from '../contract'
import { type Memory, withIteration } from './memory'

/** Events of surveys, and the person property that each sets (docs/reference/protocol.md#15). */
const OUTCOMES: Record<string, string> = {
  'survey sent': '$survey_responded/',
  'survey dismissed': '$survey_dismissed/',
}

/**
 * Adds the person property for the outcome to an event of a survey, also to one that the site captured itself. Marks
 * the survey as seen, unless the submission is partial.
 */
export const amendEvent = (event: CapturedEvent, memory: Memory): CapturedEvent => {
  const outcome = OUTCOMES[event.event]
  const { $survey_id: id, $survey_iteration, $survey_completed } = event.properties
  if (!outcome || typeof id !== 'string') return event
  const survey = { id, current_iteration: $survey_iteration as number | null }
  event.properties.$set = {
    ...(event.properties.$set as Properties),
    [outcome + withIteration(survey, '/')]: true,
  }
  if ($survey_completed !== false) memory.markSeen(survey)
  return event
}

/** Dispatches an event on the window, for pages that listen to survey events. */
const dispatch = (type: string, detail?: object) => dispatchEvent(new CustomEvent(type, { detail }))

/** Whether an answer has content. */
const isAnswer = (value: unknown) => value !== null && value !== undefined

/** Returns the properties of `survey sent`, `dismissed` and `abandoned` about the answers. */
const answersOf = (survey: Survey, { responses, surveySubmissionId }: SurveyProgress): Properties => {
  const keyOf = (index: number) => `$survey_response_${survey.questions[index]!.id ?? index}`
  const properties: Properties = {
    $survey_submission_id: surveySubmissionId,
    $survey_questions: survey.questions.map(({ id, question }, index) => ({
      id,
      question,
      response: responses[keyOf(index)] ?? null,
    })),
    ...responses,
  }
  // The older names, by index.
  survey.questions.forEach((_, index) => {
    const answer = responses[keyOf(index)]
    if (isAnswer(answer)) properties[index ? `$survey_response_${index}` : '$survey_response'] = answer
  })
  return properties
}

/** Reports of one survey that is shown. */
export interface Reporter extends Pick<SurveyReports, 'shown' | 'answered' | 'dismissed'> {
  /** Called when the page is left. Captures `survey abandoned` once, if the survey is in progress. */
  left(): void
}

/** Captures the events of one showing of a survey, and stores its progress. `properties`: those of the site. */
export const createReporter = (
  { capture, moment, api }: ExtensionHost & SurveyParts,
  memory: Memory,
  { survey, progress: initial }: Pick<ShowSurvey, 'survey' | 'progress'>,
  properties: Properties | undefined,
  skipsShown: boolean | undefined,
): Reporter => {
  let progress = initial
  let isOver = false
  const report = (event: string, more: Properties, $set?: Properties) =>
    capture(
      event,
      {
        $survey_name: survey.name,
        $survey_id: survey.id,
        $survey_iteration: survey.current_iteration,
        $survey_iteration_start_date: survey.current_iteration_start_date,
        ...(initial.surveyLanguage ? { $survey_language: initial.surveyLanguage } : {}),
        sessionRecordingUrl: api().get_session_replay_url?.(),
        ...more,
        ...properties,
      },
      $set && { $set },
      moment(),
    )
  const unfinished = () => ({
    $survey_partially_completed: Object.values(progress.responses).some(isAnswer),
    ...answersOf(survey, progress),
  })
  return {
    shown: () => {
      memory.markShown()
      if (!skipsShown) report('survey shown', {}, { $survey_last_seen_date: isoTime(new Date()) })
      dispatch('PHSurveyShown')
    },
    answered: (next, isComplete) => {
      progress = next
      if (isComplete) {
        isOver = true
        memory.endProgress(survey)
      } else memory.saveProgress(survey, next)
      if (!isComplete && !survey.enable_partial_responses) return
      report('survey sent', { $survey_completed: isComplete, ...answersOf(survey, next) })
      if (!isComplete) return
      dispatch('PHSurveySent', { surveyId: survey.id })
      api().reloadFeatureFlags?.()
    },
    dismissed: (next) => {
      progress = next
      isOver = true
      report('survey dismissed', unfinished())
      memory.endProgress(survey)
      dispatch('PHSurveyClosed', { surveyId: survey.id })
    },
    left: () => {
      if (!isOver && memory.progress(survey) && memory.markAbandoned(survey)) report('survey abandoned', unfinished())
    },
  }
}
