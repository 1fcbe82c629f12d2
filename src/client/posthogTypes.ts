/** Names under which code that comes from posthog-js imports the same types (docs/reference/posthog-js.md). */
import type {
  AutocaptureConfig,
  BeforeSend,
  Bootstrap,
  CapturedEvent,
  CaptureOptions,
  Config,
  EarlyAccessFeature,
  FlagDetails,
  FlagListener,
  FlagResult,
  FlagValue,
  PersistenceKind,
  Properties,
  RequestError,
  SessionListener,
} from '../types'
import type { Analytics, Options } from './publicApi'

export type PostHog = Analytics
export type PostHogInterface = Analytics
export type PostHogConfig = Options
export type CaptureResult = CapturedEvent
export type BeforeSendFn = BeforeSend
export type BootstrapConfig = Bootstrap
export type Property = JsonType
export type JsonType = string | number | boolean | null | undefined | JsonRecord | JsonType[]
export type JsonRecord = { [key: string]: JsonType }
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
export type { AutocaptureConfig, CaptureOptions, Properties }

export type { Survey, SurveyCallback } from './notYet'
