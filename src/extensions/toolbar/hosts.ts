import type { Config } from '../../types'

const trimmed = (url: string) => url.trim().replace(/\/$/, '')

/** Returns the URL of the service, without a trailing slash. */
export const serviceUrl = ({ api_host }: Config): string => trimmed(api_host)

/** Returns the URL of the console for people, without a trailing slash. */
export const consoleUrl = (config: Config): string => trimmed(config.ui_host || config.api_host)
