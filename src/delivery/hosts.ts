import { trimHost } from '../lib/url'
import type { Config } from '../types'

type Hosts = Pick<Config, 'api_host' | 'ui_host' | 'flags_api_host'>

// The protocol's public clouds have several host names for each region, one for each purpose.
const REGION = /^https:\/\/(?:(?:app|us|us-assets|(eu|eu-assets))(?:\.i)?)\.posthog\.com$/

const hostFor = ({ api_host }: Pick<Hosts, 'api_host'>, purpose: string): string => {
  const host = trimHost(api_host)
  const cloud = REGION.exec(host)
  return cloud ? `https://${cloud[1] ? 'eu' : 'us'}${purpose}.posthog.com` : host
}

/** Returns the URL that events are sent to, without a trailing slash (docs/reference/protocol.md#3). */
export const apiHost = (config: Pick<Hosts, 'api_host'>): string => hostFor(config, '.i')

/** Returns the host of the remote configuration. */
export const assetsHost = (config: Hosts): string => hostFor(config, '-assets.i')

/** Returns the host of the user interface. */
export const uiHost = (config: Hosts): string => trimHost(config.ui_host || hostFor(config, ''))

/** Returns the host of flag requests. */
export const flagsHost = (config: Hosts): string => trimHost(config.flags_api_host || apiHost(config))

/** Whether `api_host` is not one of the public clouds. Events then carry it. */
export const isCustomHost = (config: Pick<Hosts, 'api_host'>): boolean => !REGION.test(trimHost(config.api_host))
