import type { Bootstrap } from '../../types'
import { tracesOf } from '../compatibility'
import type { Context } from '../createContext'
import type { Client, Connection, Emit } from '../feature'
import { identityApi } from './identify'
import { createPersonProperties } from './personProperties'
import { createReset } from './reset'

/** Creates the core functions that reset the person and check whether person events are allowed. */
export const createPerson = (context: Context, emit: Emit) => {
  const { config, log, isCookieless } = context
  const reset = createReset(context, (bootstrap?: Bootstrap) => emit((each) => each.onReset?.(bootstrap)))
  return {
    ...reset,
    /** Whether person events are allowed. Logs one line when they are not. */
    mayProcess: (method: string): boolean => {
      reset.applyReset()
      if (config.person_profiles !== 'never' && !isCookieless()) return true
      log.warn(`${method} does nothing with ${isCookieless() ? 'cookieless_mode' : "person_profiles: 'never'"}`)
      return false
    },
  }
}

/** Methods that identify the person and change its properties, and the events they capture. */
export const connectPeople = ({ context, ledger, capture, mayProcess, forgetVisit, emit }: Client): Connection => {
  const properties = createPersonProperties(context, capture, mayProcess)
  const identity = identityApi(context, ledger, capture, mayProcess, properties, {
    onIdChange: (id) => emit((each) => each.onIdChange?.(id)),
    onSwitch: forgetVisit,
  })
  return {
    api: { ...properties.api, ...identity.api, ...tracesOf(capture) },
    ...properties.hooks,
    ...identity.hooks,
  }
}
