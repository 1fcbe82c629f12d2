import type { Properties } from 'trailmark'
import type { Flags } from './types'

/** What SDKs are answered. */
export interface Settings {
  flags: Flags
  config: Properties
  surveys: readonly object[]
}

/** Returns the remote configuration (docs/reference/protocol.md#4.7). */
export const configOf = ({ config, surveys, flags }: Settings): Properties => ({
  supportedCompression: ['gzip', 'gzip-js', 'base64'],
  autocapture_opt_out: false,
  autocaptureExceptions: false,
  capturePerformance: false,
  heatmaps: false,
  sessionRecording: false,
  surveys: surveys.length > 0,
  hasFeatureFlags: Object.keys(flags).length > 0,
  siteApps: [],
  ...config,
})

const detailOf = (key: string, given: Flags[string], id: number) => {
  const { value, payload } = typeof given === 'object' ? given : { value: given, payload: undefined }
  return {
    key,
    enabled: value !== false,
    variant: typeof value === 'string' ? value : null,
    reason: { code: 'condition_match', condition_index: 0, description: 'Set by the test' },
    metadata: { id, version: 1, ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }) },
  }
}

/** Returns the answer to a request of flags (docs/reference/protocol.md#4.6), also in its older form. */
export const flagsAnswer = (settings: Settings, areFlagsOff: boolean): Properties => {
  const entries = areFlagsOff ? [] : Object.entries(settings.flags)
  const details = entries.map(([key, given], index) => detailOf(key, given, index + 1))
  return {
    flags: Object.fromEntries(details.map((each) => [each.key, each])),
    featureFlags: Object.fromEntries(details.map(({ key, enabled, variant }) => [key, variant ?? enabled])),
    featureFlagPayloads: Object.fromEntries(
      details.flatMap(({ key, metadata }) => (metadata.payload === undefined ? [] : [[key, metadata.payload]])),
    ),
    errorsWhileComputingFlags: false,
    quotaLimited: [],
    ...configOf(settings),
  }
}
