export { TrailmarkProvider, type TrailmarkProviderProps } from './provider'
export { useCapture, useConsent, useSession, useTrailmark, type Consent, type Session } from './hooks'
export {
  useActiveFeatureFlags,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagResult,
  useFeatureFlagVariantKey,
} from './flags'
export { CaptureOnView, type CaptureOnViewProps } from './captureOnView'
export { TrailmarkFeature, type TrailmarkFeatureProps } from './feature'
export { TrailmarkErrorBoundary, type TrailmarkErrorBoundaryProps, setupReactErrorHandler } from './errors'
