import type { Capture } from '../capture'
import { tracesOf } from '../compatibility'
import type { Context } from '../createContext'
import type { Emit } from '../feature'
import type { Ledger } from '../ledger'
import { identityApi } from './identify'
import { createPersonProperties } from './personProperties'
import { createReset } from './reset'

/** Methods that change the person and its properties, and the events they capture. */
export const createPeople = (context: Context, ledger: Ledger, capture: Capture, emit: Emit) => {
  const { config, log, isCookieless } = context
  const { adoptReset, forgetVisit, reset } = createReset(context, (bootstrap) => emit('onReset', bootstrap))
  /** Whether person events are allowed. Logs one line when they are not. */
  const mayProcess = (method: string): boolean => {
    adoptReset()
    if (config.person_profiles !== 'never' && !isCookieless()) return true
    log.warn(`${method} does nothing with ${isCookieless() ? 'cookieless_mode' : "person_profiles: 'never'"}`)
    return false
  }
  const properties = createPersonProperties(context, capture, mayProcess)
  const identity = identityApi(context, ledger, capture, mayProcess, properties, {
    onIdChange: (id) => emit('onIdChange', id),
    onSwitch: forgetVisit,
  })
  return {
    adoptReset,
    mayProcess,
    api: {
      reset,
      ...properties.api,
      ...identity.api,
      ...tracesOf(capture),
    },
    hooks: { ...properties.hooks, ...identity.hooks },
  }
}
