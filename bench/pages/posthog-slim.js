import posthog from 'posthog-js/dist/module.slim.js'
import { optionsOf } from './options.js'

export const start = (collector) => posthog.init('bench-token', optionsOf(collector))
export const capture = (name, properties) => posthog.capture(name, properties)
