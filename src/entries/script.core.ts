import { BASE } from '../client/features/base'
import { checks } from '../client/features/checks/checksAlone'
import { people } from '../client/features/people/people'
import { METHODS } from '../client/features/methods'
import { missingParts } from '../client/missingParts'
import { STAND_INS } from '../client/standIns'
import type { LoadExtension } from '../extensions/contract'
import * as database from '../extensions/database/database'
import { runScript } from './runScript'

// analytics.core.js: the core with complete events and durable delivery, without extensions.
const FEATURES = [...BASE, checks, people]

const load: LoadExtension = (name) =>
  name === 'database' ? Promise.resolve(database) : Promise.reject(new Error(`${name} is not in analytics.core.js`))

runScript(FEATURES, () => () => load, {
  methods: METHODS,
  missing: missingParts(FEATURES),
  standIns: STAND_INS,
})
