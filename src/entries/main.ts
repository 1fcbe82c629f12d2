import { createAnalytics } from '../client/instances'

/** The primary instance. Importing it touches nothing; `analytics.init` starts it. */
export const analytics = createAnalytics()

export default analytics

export type { Analytics } from '../client/publicApi'
export type * from '../types'
