import { attempt } from './guard'

/** Parses a URL. Returns undefined for an invalid one; for '' without the cost of an exception, which the start would pay. */
export const urlOf = (url: string): URL | undefined => (url ? attempt(() => new URL(url)) : undefined)

/** Returns `host[:port]` of a URL, '' for an invalid one. */
export const hostOf = (url: string): string => urlOf(url)?.host ?? ''

/** Returns a configured host, trimmed and without a trailing slash. */
export const trimHost = (host: string): string => host.trim().replace(/\/$/, '')
