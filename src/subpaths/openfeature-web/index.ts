/** `trailmark/openfeature-web`: a provider of flags for `@openfeature/web-sdk`. */
export { createTrailmarkProvider } from './provider'
export type { FlagClient } from './provider'
