import { openWorkerStorage } from '../browser/workerStorage'
import { FEATURES } from '../client/features/features'
import { createAnalytics } from '../client/instances'
import { serverFlags } from '../client/serverFlags'
import { createWithoutPage } from '../client/withoutPage'
import * as database from '../extensions/database/database'
import { importExtension } from '../extensions/imports'

/** The primary instance. Importing it has no side effects; `analytics.init` starts it. */
export const analytics = createAnalytics({
  features: FEATURES,
  // Service workers cannot import, so this build contains what they need.
  makeLoad: () => (name) => (name === 'database' ? Promise.resolve(database) : importExtension(name)),
  withoutPage: createWithoutPage(openWorkerStorage, serverFlags),
})

export default analytics

/** The name that posthog-js exports it under. */
export { analytics as posthog }

export type * from './types'
