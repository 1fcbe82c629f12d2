import type { Options } from '../../../src/client/publicApi'
import type { FlagDetails } from '../../../src/types'
import { NO_FLAGS, startAnalytics } from '../../support/startAnalytics'

/** A flag in the response of the service. */
export const flag = (key: string, value: boolean | string, payload?: unknown): FlagDetails => ({
  key,
  enabled: value !== false,
  variant: typeof value === 'string' ? value : null,
  reason: { code: 'condition_match', description: 'Matched condition 1' },
  metadata: { id: 7, version: 3, payload, has_experiment: false },
})

/** The response of the service with these flags. */
export const flagsResponse = (...flags: FlagDetails[]) => ({
  ...NO_FLAGS,
  flags: Object.fromEntries(flags.map((each) => [each.key, each])),
  requestId: 'r-1',
  evaluatedAt: 1795255200000,
})

/** A client whose flags have been loaded from the service. */
export const withFlags = async (flags: FlagDetails[], options: Options = {}) => {
  const started = startAnalytics(options)
  started.setApiResponse(200, flagsResponse(...flags))
  await started.settle(100)
  return started
}

/** The properties of each `$feature_flag_called`. */
export const called = (sent: { event: string; properties: Record<string, unknown> }[]) =>
  sent.filter(({ event }) => event === '$feature_flag_called').map(({ properties }) => properties)
