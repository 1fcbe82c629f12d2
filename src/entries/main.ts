import { openWorkerStorage } from '../browser/workerStorage'
import { FEATURES } from '../client/features/features'
import { createAnalytics } from '../client/instances'
import { serverFlags } from '../client/serverFlags'
import { createWithoutPage } from '../client/withoutPage'
import { importExtension } from '../extensions/imports'

/** The primary instance. Importing it has no side effects; `analytics.init` starts it. */
export const analytics = createAnalytics({
  features: FEATURES,
  makeLoad: () => importExtension,
  withoutPage: createWithoutPage(openWorkerStorage, serverFlags),
})

export default analytics

/** The name that posthog-js exports it under. */
export { analytics as posthog }

export type { Analytics, Options } from '../client/publicApi'
export type * from '../types'
export type * from '../client/posthogTypes'
