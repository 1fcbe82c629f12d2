import { BASE } from '../client/features/base'
import { METHODS } from '../client/features/methods'
import { missingParts } from '../client/missingParts'
import { STAND_INS } from '../client/standIns'
import { runScript } from './runScript'

// analytics.core.js: the core with complete events and durable delivery, without extensions.
runScript(BASE, () => () => (name) => Promise.reject(new Error(`${name} is not in analytics.core.js`)), {
  methods: METHODS,
  missing: missingParts(BASE),
  standIns: STAND_INS,
})
