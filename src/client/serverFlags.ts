import { createFlags } from '../flags/flags'
import type { Config } from '../types'

/** Returns the flag methods of a server: flags come from `bootstrap`, and nothing is requested, captured or stored. */
export const serverFlags = (config: Config): object => {
  const flags = createFlags({
    config,
    store: { get: () => undefined, set: () => {}, sync: () => {} },
    capture: () => {},
    sessionId: () => '',
    reload: () => {},
    onMalformed: () => {},
    onMissing: () => {},
  })
  return { ...flags.api, featureFlags: flags.featureFlags }
}
