import { createAnalytics } from '../../dist/esm/parts/core.js'
import { optionsOf } from './options.js'

const analytics = createAnalytics({ features: [] })

export const start = (collector) => analytics.init('bench-token', optionsOf(collector))
export const capture = (name, properties) => analytics.capture(name, properties)
