import type { Config } from '../types'

/** Returns the name under which consent is stored (docs/reference/protocol.md#9.4). */
export const consentName = (config: Config, token: string): string =>
  config.consent_persistence_name || (config.opt_out_capturing_cookie_prefix || '__ph_opt_in_out_') + token
