import type { Log } from '../../lib/log'
import type { Bootstrap, Config, Properties } from '../../types'
import type { Capture } from '../capture'
import type { Ledger } from '../ledger'
import type { State } from '../openState'

/** What the calls about persons and groups work with. */
export interface PeopleInputs {
  config: Config
  log: Log
  ledger: Pick<Ledger, 'dropped'>
  state: State
  capture: Capture
  flags: {
    reload(): void
    onIdChange(anonymousId?: string): void
    forget(bootstrap?: Bootstrap): void
    api: {
      resetGroupPropertiesForFlags(type?: string): void
      setGroupPropertiesForFlags(properties: Record<string, Properties>): void
    }
  }
}
