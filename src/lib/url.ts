import { attempt } from './guard'

/** Parses a URL. Returns undefined for an invalid one. */
export const urlOf = (url: string): URL | undefined => attempt(() => new URL(url))

/** Returns `host[:port]` of a URL, '' for an invalid one. */
export const hostOf = (url: string): string => urlOf(url)?.host ?? ''

/** Returns a configured host, trimmed and without a trailing slash. */
export const trimHost = (host: string): string => host.trim().replace(/\/$/, '')
