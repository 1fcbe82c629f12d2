import type { Bootstrap } from '../../types'
import type { Capture } from '../capture'
import { tracesOf } from '../compatibility'
import type { Context } from '../createContext'
import type { Ledger } from '../ledger'
import { type GroupFlags, groupsApi } from './groups'
import { identityApi } from './identify'
import { createPersonProperties } from './personProperties'
import { createReset } from './reset'

interface Flags extends GroupFlags {
  onIdChange(anonymousId?: string): void
  forget(bootstrap?: Bootstrap): void
}

/** The calls that change the person, its properties and its groups, and the events they capture. */
export const createPeople = (context: Context, ledger: Ledger, capture: Capture, flags: Flags) => {
  const { config, log, isCookieless } = context
  const { adoptReset, reset } = createReset(context, flags.forget)
  /** Whether person events are allowed. Logs one line when they are not. */
  const mayProcess = (method: string): boolean => {
    adoptReset()
    if (config.person_profiles !== 'never' && !isCookieless()) return true
    log.warn(`${method} does nothing with ${isCookieless() ? 'cookieless_mode' : "person_profiles: 'never'"}`)
    return false
  }
  const properties = createPersonProperties(context, capture, mayProcess)
  return {
    adoptReset,
    api: {
      reset,
      ...properties.api,
      ...identityApi(context, ledger, capture, mayProcess, properties, flags.onIdChange),
      ...groupsApi(context, capture, mayProcess, flags),
      ...tracesOf(capture),
    },
  }
}
