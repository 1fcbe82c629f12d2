/** Replaced at build time by TRAILMARK_DEFAULT_API_HOST, if that is set. */
declare const __DEFAULT_API_HOST__: string | undefined

/** `{default_api_host}` of the specification: the public US ingestion address of the protocol. */
export const DEFAULT_API_HOST =
  typeof __DEFAULT_API_HOST__ === 'string' ? __DEFAULT_API_HOST__ : 'https://us.i.posthog.com'
