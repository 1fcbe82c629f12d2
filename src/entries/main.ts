import { createAnalytics } from '../client/instances'
import { withoutPage } from '../client/withoutPage'
import { importExtension } from '../extensions/imports'

/** The primary instance. Importing it touches nothing; `analytics.init` starts it. */
export const analytics = createAnalytics(() => importExtension, withoutPage)

export default analytics

export type { Analytics, Options } from '../client/publicApi'
export type * from '../types'
export type * from '../client/posthogTypes'
