import { OFF } from '../../config/options'
import { connectFlags } from '../connectFlags'
import { createRemoteConfig } from '../../state/remoteConfig'
import type { Feature } from '../feature'

/** Its methods, and what they return without it. */
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

/** Feature flags, early access features, and what the service turns on and off. */
export const flags = {
  name: 'flags',
  methods: FLAG_METHODS,
  options: {
    evaluation_contexts: [undefined, 'array'],
    flags_api_host: [null, 'string | null'],
    advanced_only_evaluate_survey_feature_flags: OFF,
    advanced_feature_flags_dedup_per_session: OFF,
    feature_flag_request_timeout_ms: [3000, 'integer'],
    feature_flag_cache_ttl_ms: [0, 'integer'],
    remote_config_refresh_interval_ms: [300_000, 'integer'],
  },
  provides: { createRemoteConfig },
  connect: connectFlags,
} satisfies Feature
