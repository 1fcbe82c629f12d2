import type { SurveyRenderReason } from '../../../types'

const NOT_VISIBLE: SurveyRenderReason = { visible: false }

/** The methods of surveys by path, and what they return without surveys. */
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
