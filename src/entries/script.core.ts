import { missingParts } from '../client/missingParts'
import { runScript } from './runScript'

// analytics.core.js: the core alone, without extensions.
runScript([], () => () => (name) => Promise.reject(new Error(`${name} is not in analytics.core.js`)), missingParts([]))
