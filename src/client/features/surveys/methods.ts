import type { SurveyRenderReason } from '../../../types'

const NOT_VISIBLE: SurveyRenderReason = { visible: false }

/** Methods of surveys by path, with their return values when the feature is absent. */
export const SURVEY_METHODS = {
  getSurveys: undefined,
  getActiveMatchingSurveys: undefined,
  onSurveysLoaded: () => {},
  displaySurvey: undefined,
  renderSurvey: undefined,
  canRenderSurvey: NOT_VISIBLE,
  canRenderSurveyAsync: Promise.resolve(NOT_VISIBLE),
  cancelPendingSurvey: undefined,
}
