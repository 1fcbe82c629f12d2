/** `trailmark/openfeature-server`: a provider of flags for `@openfeature/server-sdk`. */
export { createTrailmarkProvider } from './provider'
export type { ProviderOptions } from './provider'
