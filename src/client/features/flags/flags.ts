import { OFF } from '../../../config/options'
import { connectFlags } from './connectFlags'
import { createRemoteConfig } from '../../../state/remoteConfig'
import type { Feature } from '../../feature'
import { FLAG_METHODS } from './methods'

/** Feature flags, early access features, and features that the service turns on and off. */
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
