import { trimHost } from '../lib/url'
import type { Config } from '../types'

// The public clouds of the protocol have several names for one region, and each region one name for events.
const REGION = /^https:\/\/(?:(?:app|us|us-assets|(eu|eu-assets))(?:\.i)?)\.posthog\.com$/

/** The address that events go to, without a slash at its end (protocol.md §3). */
export const apiHost = ({ api_host }: Pick<Config, 'api_host'>): string => {
  const host = trimHost(api_host)
  const cloud = REGION.exec(host)
  return cloud ? `https://${cloud[1] ? 'eu' : 'us'}.i.posthog.com` : host
}

/** Whether `api_host` is the site's own: then events say so. */
export const isCustomHost = (config: Pick<Config, 'api_host'>): boolean => !REGION.test(trimHost(config.api_host))
