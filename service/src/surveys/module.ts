import { FLAGS } from '../flags/module.ts'
import { ON } from '../flags/remoteSetting.ts'
import type { Module } from '../module.ts'
import { createListResponses } from './responses.ts'
import { createReadResults } from './results.ts'
import { SURVEY_ROUTES, type SurveyParts } from './routes.ts'
import { createSurveySink, SURVEY_REJECTIONS } from './sink.ts'
import { createSurveyStore } from './store.ts'
import { createSurveys } from './surveys.ts'

/** Surveys: definitions, what SDKs read of them, and results. */
export const SURVEYS: Module<SurveyParts> = {
  create: ({ queryRows, metadata, use }) => ({
    surveys: createSurveys({ store: metadata.store(createSurveyStore), flags: use(FLAGS).flags }),
    readSurveyResults: createReadResults(queryRows, metadata.projects),
    listSurveyResponses: createListResponses(queryRows),
    projectByToken: metadata.projects.byToken,
    projectById: metadata.projects.byId,
  }),
  routes: SURVEY_ROUTES,
  ingestSink: ({ surveys }) => createSurveySink(surveys),
  rejections: SURVEY_REJECTIONS,
  // `false` turns all surveys off.
  remoteSettings: { surveys: { schema: ON, byDefault: true } },
  flagSource: ({ surveys }) => ({ setting: 'surveys', flags: surveys.flags, isUsed: surveys.hasRunning }),
}
