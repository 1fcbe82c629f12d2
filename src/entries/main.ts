import { createAnalytics } from '../client/instances'
import { withoutPage } from '../client/withoutPage'
import { loadByImport } from './loadByImport'

/** The primary instance. Importing it touches nothing; `analytics.init` starts it. */
export const analytics = createAnalytics(() => loadByImport, withoutPage)

export default analytics

export type { Analytics, Options } from '../client/publicApi'
export type * from '../types'
export type * from '../client/posthogTypes'
