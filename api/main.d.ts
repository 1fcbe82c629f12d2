import * as __types from '../types.cjs'
export * from '../types.cjs'
declare const analytics: __types.Analytics
export { analytics, analytics as default, analytics as posthog }
