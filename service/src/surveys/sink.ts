import type { IngestSink, Rejections } from '../ingest/sink.ts'
import { REACTION_EVENTS, responseOf, surveyProperties } from './surveyEvents.ts'
import type { SurveyResponse, Surveys } from './surveys.ts'

export const SURVEY_REJECTIONS: Rejections = {
  too_many_answers: {
    message: 'This IP has sent 30 submissions of this hosted survey within a minute.',
    remedy: 'Wait a minute. Check whether a script sends answers to the survey.',
  },
}

/** Creates the sink of the events that end a survey: it completes them, limits and counts submissions. */
export const createSurveySink = ({
  acceptsResponse,
  countResponses,
}: Pick<Surveys, 'acceptsResponse' | 'countResponses'>): IngestSink => ({
  events: REACTION_EVENTS,
  open(client) {
    const completed = new Map<number, SurveyResponse[]>()
    return {
      read({ name, properties, uuid }) {
        const response = responseOf(name, properties, uuid)
        return {
          properties: surveyProperties(name, properties),
          ...(response
            ? {
                refusal: async (projectId) =>
                  (await acceptsResponse(projectId, response, client)) ? undefined : 'too_many_answers',
                take(projectId) {
                  if (!response.isCompleted) return undefined
                  const ofProject = completed.get(projectId)
                  if (ofProject) ofProject.push(response)
                  else completed.set(projectId, [response])
                  return undefined
                },
              }
            : {}),
        }
      },
      async flush() {
        for (const [projectId, responses] of completed) await countResponses(projectId, responses)
      },
    }
  },
})
