import type { SurveyViewParts } from '../../host'
import type { Extension } from '../contract'
import { showSurvey } from './show'
import { addWidget } from './widget'

export const start: Extension<SurveyViewParts>['start'] = (host) => {
  host.use({ show: (options) => showSurvey(host, options), addWidget })
  return () => {}
}
