import { trimHost } from '../lib/url'
import type { Config } from '../types'

type Hosts = Pick<Config, 'api_host' | 'ui_host' | 'flags_api_host'>

// The public clouds of the protocol have several names for one region, and each region one name for each purpose.
const REGION = /^https:\/\/(?:(?:app|us|us-assets|(eu|eu-assets))(?:\.i)?)\.posthog\.com$/

const hostFor = ({ api_host }: Pick<Hosts, 'api_host'>, purpose: string): string => {
  const host = trimHost(api_host)
  const cloud = REGION.exec(host)
  return cloud ? `https://${cloud[1] ? 'eu' : 'us'}${purpose}.posthog.com` : host
}

/** The address that events go to, without a slash at its end (docs/reference/protocol.md#3). */
export const apiHost = (config: Pick<Hosts, 'api_host'>): string => hostFor(config, '.i')

/** Where the remote configuration lies. */
export const assetsHost = (config: Hosts): string => hostFor(config, '-assets.i')

/** Where a person looks at the data. */
export const uiHost = (config: Hosts): string => trimHost(config.ui_host || hostFor(config, ''))

/** Where flags are asked for. */
export const flagsHost = (config: Hosts): string => trimHost(config.flags_api_host || apiHost(config))

/** Whether `api_host` is the site's own: then events say so. */
export const isCustomHost = (config: Pick<Hosts, 'api_host'>): boolean => !REGION.test(trimHost(config.api_host))
