import { tracesOf } from '../compatibility'
import { groupsApi } from './groups'
import { identityApi } from './identify'
import type { PeopleInputs } from './inputs'
import { createPersonProperties } from './personProperties'
import { createReset } from './reset'

/** The calls that change the person, its properties and its groups, and the events they capture. */
export const createPeople = (inputs: PeopleInputs) => {
  const { config, log, state } = inputs
  const { adoptReset, reset } = createReset(inputs)
  /** Whether person events are allowed. Logs one line when they are not. */
  const mayProcess = (method: string): boolean => {
    adoptReset()
    if (config.person_profiles !== 'never' && !state.isCookieless()) return true
    log.warn(`${method} does nothing with ${state.isCookieless() ? 'cookieless_mode' : "person_profiles: 'never'"}`)
    return false
  }
  const properties = createPersonProperties(inputs, mayProcess)
  return {
    adoptReset,
    api: {
      reset,
      ...properties.api,
      ...identityApi(inputs, mayProcess, properties),
      ...groupsApi(inputs, mayProcess),
      ...tracesOf(inputs.capture),
    },
  }
}
