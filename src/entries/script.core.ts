import { BASE } from '../client/features/base'
import { checks } from '../client/features/checks/checksAlone'
import { people } from '../client/features/people/people'
import { METHODS } from '../client/features/methods'
import { missingParts } from '../client/missingParts'
import { noRemoteConfig } from '../client/standIns'
import type { Extension, ExtensionName, LoadExtension } from '../extensions/contract'
import * as database from '../extensions/database/database'
import * as requests from '../extensions/requests/requests'
import { runScript } from './runScript'

// analytics.core.js: the core with complete events and durable delivery, without extensions.
const FEATURES = [...BASE, checks, people]

const CONTAINED: Partial<Record<ExtensionName, Extension>> = { database, requests }

const load: LoadExtension = async (name) => {
  const extension = CONTAINED[name]
  if (!extension) throw new Error(`${name} is not in analytics.core.js`)
  return extension
}

runScript(FEATURES, () => () => load, {
  methods: METHODS,
  missing: missingParts(FEATURES),
  standIns: { createRemoteConfig: noRemoteConfig },
})
