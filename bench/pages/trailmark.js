import { analytics } from '../../dist/esm/main.js'
import { optionsOf } from './options.js'

export const start = (collector) => analytics.init('bench-token', optionsOf(collector))
export const capture = (name, properties) => analytics.capture(name, properties)
