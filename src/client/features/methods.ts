/**
 * The methods of features by path, and what they return without the feature. Here and not beside the features, because
 * builds that lack a feature have its methods too, so that no call of a page throws.
 */
import type { SurveyRenderReason } from '../../types'
import type { MethodPath } from '../notYet'
import { type Api, METHODS as CORE, type Methods } from '../publicApi'

export const CONSENT_METHODS = {
  opt_in_capturing: undefined,
  opt_out_capturing: undefined,
  clear_opt_in_out_capturing: undefined,
}

export const EXCEPTION_METHODS = {
  captureException: undefined,
  addExceptionStep: undefined,
  startExceptionAutocapture: undefined,
  stopExceptionAutocapture: undefined,
}

export const FLAG_METHODS = {
  getFeatureFlag: undefined,
  isFeatureEnabled: undefined,
  getFeatureFlagPayload: undefined,
  getFeatureFlagResult: undefined,
  getAllFeatureFlags: [],
  reloadFeatureFlags: undefined,
  onFeatureFlags: () => {},
  updateFlags: undefined,
  setPersonPropertiesForFlags: undefined,
  resetPersonPropertiesForFlags: undefined,
  setGroupPropertiesForFlags: undefined,
  resetGroupPropertiesForFlags: undefined,
  updateEarlyAccessFeatureEnrollment: undefined,
  getEarlyAccessFeatures: undefined,
  'featureFlags.overrideFeatureFlags': undefined,
  'featureFlags.override': undefined,
  'featureFlags.getFlags': [],
  'featureFlags.getFlagsWithDetails': {},
  'featureFlags.getFlagVariants': {},
  'featureFlags.getFlagPayloads': {},
  'featureFlags.getFeatureFlagDetails': undefined,
  'featureFlags.getRemoteConfigPayload': undefined,
  'featureFlags.reloadFeatureFlagsAsync': Promise.resolve({ status: 'skipped' }),
  'featureFlags.setReloadingPaused': undefined,
  'featureFlags.setAnonymousDistinctId': undefined,
  'featureFlags.ensureFlagsLoaded': undefined,
}

export const GROUP_METHODS = {
  group: undefined,
  getGroups: {},
  resetGroups: undefined,
}

export const PAGEVIEW_METHODS = {
  getPageViewId: undefined,
}

export const PEOPLE_METHODS = {
  identify: undefined,
  alias: undefined,
  setPersonProperties: undefined,
  unsetPersonProperties: undefined,
  createPersonProfile: undefined,
  setInternalOrTestUser: undefined,
  captureTraceFeedback: undefined,
  captureTraceMetric: undefined,
  'people.set': undefined,
  'people.set_once': undefined,
}

export const RECORDING_METHODS = {
  startSessionRecording: undefined,
  stopSessionRecording: undefined,
  sessionRecordingStarted: false,
  'sessionRecording.log': undefined,
  'sessionRecording.tryAddCustomEvent': false,
}

const NOT_VISIBLE: SurveyRenderReason = { visible: false }

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

export const TOOLBAR_METHODS = {
  loadToolbar: false,
}

/** All methods that need a running client. One of `Api` without a row is a compile error. */
export const METHODS: Methods = {
  ...CORE,
  ...CONSENT_METHODS,
  ...EXCEPTION_METHODS,
  ...FLAG_METHODS,
  ...GROUP_METHODS,
  ...PAGEVIEW_METHODS,
  ...PEOPLE_METHODS,
  ...RECORDING_METHODS,
  ...SURVEY_METHODS,
  ...TOOLBAR_METHODS,
} satisfies Record<MethodPath<Omit<Api, 'surveys'>>, unknown>
