/** The names that posthog-js exports the same types under (docs/reference/posthog-js.md). */
import type {
  AutocaptureConfig,
  BeforeSend,
  Bootstrap,
  CapturedEvent,
  CaptureOptions,
  Config,
  DisplaySurveyOptions,
  EarlyAccessFeature,
  ErrorTrackingConfig,
  FlagDetails,
  FlagListener,
  FlagResult,
  FlagValue,
  JsonType,
  PerformanceConfig,
  PersistenceKind,
  Properties,
  RecordedRequest,
  RequestError,
  SessionListener,
  SessionRecordingConfig,
  Survey,
  SurveyAnswer,
  SurveyMatch,
  SurveyQuestion,
  SurveysConfig,
} from '../types'
import type { ResetOptions } from './people/reset'
import type { Analytics, Options } from './publicApi'

export type PostHog = Analytics
export type PostHogInterface = Analytics
export type PostHogConfig = Options
export type CaptureResult = CapturedEvent
export type BeforeSendFn = BeforeSend
export type BootstrapConfig = Bootstrap
export type Property = JsonType
export type FeatureFlagsCallback = FlagListener
export type FeatureFlagResult = FlagResult
export type FeatureFlagValue = FlagValue
export type FeatureFlagDetail = FlagDetails
export type FeatureFlagOptions = Exclude<Parameters<Analytics['getFeatureFlag']>[1], undefined>
export type SessionIdChangedCallback = SessionListener
export type RequestResponse = RequestError
export type EarlyAccessFeatureCallback = (features: EarlyAccessFeature[]) => void
export type EventName = string
export type Persistence = PersistenceKind
export type PersonProfiles = Config['person_profiles']
export type ConfigDefaults = Config['defaults']
export type RequestQueueConfig = Config['request_queue_config']
export type RequestCallback = Config['on_request_error']
export type Headers = Config['xhr_headers']
export type DomAutocaptureEvents = NonNullable<AutocaptureConfig['dom_event_allowlist']>[number]
export type AutocaptureCompatibleElement = NonNullable<AutocaptureConfig['element_allowlist']>[number]
export type FeatureFlagMetadata = NonNullable<FlagDetails['metadata']>
export type EvaluationReason = NonNullable<FlagDetails['reason']>
export type IsFeatureEnabledOptions = Exclude<Parameters<Analytics['isFeatureEnabled']>[1], undefined>
export type FeatureFlagOverrides = Record<string, FlagValue>
export type FeatureFlagPayloadOverrides = Record<string, JsonType>
export type OverrideFeatureFlagsOptions = Exclude<
  Parameters<Analytics['featureFlags']['overrideFeatureFlags']>[0],
  undefined
>
export type RemoteConfigFeatureFlagCallback = Parameters<Analytics['featureFlags']['getRemoteConfigPayload']>[1]
export type EarlyAccessFeatureStage = EarlyAccessFeature['stage']
export type EarlyAccessFeatureResponse = { earlyAccessFeatures: EarlyAccessFeature[] }
export type SessionRecordingOptions = Config['session_recording']
export type ExceptionAutoCaptureConfig = Exclude<
  Parameters<Analytics['startExceptionAutocapture']>[0],
  boolean | undefined
>
export type ErrorTrackingOptions = ErrorTrackingConfig
export type PerformanceCaptureConfig = PerformanceConfig
export type SupportedWebVitalsMetrics = 'LCP' | 'CLS' | 'FCP' | 'INP'
export type CapturedNetworkRequest = RecordedRequest
export type SessionRecordingCanvasOptions = NonNullable<SessionRecordingConfig['captureCanvas']>
export type SurveyConfig = SurveysConfig
export type SurveyType = Survey['type']
export type SurveyQuestionType = SurveyQuestion['type']
export type SurveyResponseValue = SurveyAnswer
export type BasicSurveyQuestion = SurveyQuestion
export type LinkSurveyQuestion = SurveyQuestion
export type RatingSurveyQuestion = SurveyQuestion
export type MultipleSurveyQuestion = SurveyQuestion
export type DisplaySurveyType = NonNullable<DisplaySurveyOptions['displayType']>
export type PropertyMatchType = SurveyMatch
export type ToolbarParams = Parameters<Analytics['loadToolbar']>[0]
export type { AutocaptureConfig, CaptureOptions, Properties, ResetOptions }
