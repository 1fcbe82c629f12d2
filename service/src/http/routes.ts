import { apiDocument } from './apiDocument.ts'
import { type Route, route } from './route.ts'
import { CAPTURE_ROUTES } from './routes/capture.ts'
import { DASHBOARD_ROUTES } from './routes/dashboards.ts'
import { CONSOLE_ROUTES } from './routes/console.ts'
import { EARLY_ACCESS_ROUTES } from './routes/earlyAccess.ts'
import { ENDPOINT_RUN_ROUTES } from './routes/endpointRuns.ts'
import { ENDPOINT_ROUTES } from './routes/endpoints.ts'
import { ERROR_TRACKING_ROUTES } from './routes/errorTracking.ts'
import { EVENT_ROUTES } from './routes/events.ts'
import { FLAG_EVALUATION_ROUTES } from './routes/flagEvaluation.ts'
import { FLAG_ROUTES } from './routes/flags.ts'
import { HEATMAP_ROUTES } from './routes/heatmaps.ts'
import { KEY_ROUTES } from './routes/keys.ts'
import { PERSON_ROUTES } from './routes/persons.ts'
import { PROJECT_ROUTES } from './routes/projects.ts'
import { QUERY_ROUTES } from './routes/queries.ts'
import { RECORDING_ROUTES } from './routes/recordings.ts'
import { REJECTED_EVENT_ROUTES } from './routes/rejectedEvents.ts'
import { REMOTE_CONFIG_ROUTES } from './routes/remoteConfig.ts'
import { RUN_ROUTES } from './routes/runs.ts'
import { RUN_TOKEN_ROUTES } from './routes/runTokens.ts'
import { SETUP_ROUTES } from './routes/setup.ts'
import { STATIC_ROUTES } from './routes/static.ts'
import { STATUS_ROUTES } from './routes/status.ts'
import { SURVEY_ROUTES } from './routes/surveys.ts'
import { TOOLBAR_ROUTES } from './routes/toolbar.ts'
import { VARIABLE_ROUTES } from './routes/variables.ts'

/** All routes of the service. */
export const ROUTES: readonly Route[] = [
  ...STATUS_ROUTES,
  ...CAPTURE_ROUTES,
  ...FLAG_EVALUATION_ROUTES,
  ...REMOTE_CONFIG_ROUTES,
  ...SURVEY_ROUTES,
  ...STATIC_ROUTES,
  ...CONSOLE_ROUTES,
  ...FLAG_ROUTES,
  ...EARLY_ACCESS_ROUTES,
  ...EVENT_ROUTES,
  ...HEATMAP_ROUTES,
  ...ERROR_TRACKING_ROUTES,
  ...PERSON_ROUTES,
  ...RECORDING_ROUTES,
  ...PROJECT_ROUTES,
  ...SETUP_ROUTES,
  ...DASHBOARD_ROUTES,
  ...KEY_ROUTES,
  ...REJECTED_EVENT_ROUTES,
  ...VARIABLE_ROUTES,
  ...ENDPOINT_ROUTES,
  ...RUN_ROUTES,
  ...QUERY_ROUTES,
  ...ENDPOINT_RUN_ROUTES,
  ...RUN_TOKEN_ROUTES,
  ...TOOLBAR_ROUTES,
  route({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    summary: 'This document',
    handler: () => ({ body: apiDocument(ROUTES) }),
  }),
]
