import { attempt } from './guard'

/** Returns the parts of a URL, or undefined if the string is none. */
export const urlOf = (url: string): URL | undefined => attempt(() => new URL(url))

/** `host[:port]` of a URL; '' when it is none. */
export const hostOf = (url: string): string => urlOf(url)?.host ?? ''

/** A host as configured, ready to have a path appended: trimmed, without a slash at its end. */
export const trimHost = (host: string): string => host.trim().replace(/\/$/, '')
