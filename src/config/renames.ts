import type { Config } from '../types'

/** Older and alternative names of options. If a site passes both, the name on the right wins. */
export const RENAMES = {
  advanced_disable_decide: 'advanced_disable_flags',
  evaluation_environments: 'evaluation_contexts',
  request_headers: 'xhr_headers',
  process_person: 'person_profiles',
  cookie_name: 'persistence_name',
  disable_cookie: 'disable_persistence',
  store_google: 'save_campaign_params',
  verbose: 'debug',
} as const satisfies Record<string, keyof Config>
