import type { readDevice } from '../browser/device'
import type { LoadDatabase, Outbox, OutboxInputs } from '../delivery/outbox'
import type { Queue, QueueInputs } from '../delivery/queue'
import type { Check } from '../config/settings'
import type { Config } from '../types'
import type { Permissions } from './permissions'
import type { mergeSets } from '../delivery/mergeSets'
import type { createAttribution } from '../state/attribution'
import type { createRemoteConfig, RemoteRows } from '../state/remoteConfig'
import type { refusalCookie } from '../state/backends/refusalCookie'
import type { Cookies } from '../state/backends/cookie'

/** Implementations that parts provide to the core. */
export interface Provided {
  /** Stores waiting events in the browser. */
  createOutbox(inputs: OutboxInputs, loadDatabase: LoadDatabase): Outbox
  /** Sends events. */
  createQueue(inputs: QueueInputs): Queue
  /** Stores ids and consent in cookies; undefined: local storage has them. */
  cookies: Cookies | undefined
  /** Checks the options of the site. */
  check: Check
  /** Decides what consent and options allow. */
  createPermissions(
    config: Config,
    token: string,
    cookies: Cookies | undefined,
    refusalCookie: Provided['refusalCookie'],
  ): Permissions
  /** Reads consent in cookies where `cookies` is undefined. */
  refusalCookie?: typeof refusalCookie
  /** Merges two events that set person properties into one. */
  mergeSets?: typeof mergeSets
  /** Reads and stores where the visitor came from. */
  createAttribution: typeof createAttribution
  /** Keeps the configuration that the service sends. */
  createRemoteConfig: typeof createRemoteConfig
  /** Describes browser, system and device. */
  readDevice: typeof readDevice
}

/** Returns what these features bring, and the stand-ins for the rest. */
export const providedBy = (
  features: readonly { provides?: Partial<Provided> }[],
  standIns: Partial<Provided> | undefined,
): Provided => Object.assign({}, standIns, ...features.map(({ provides }) => provides)) as Provided

/** Returns the items of the remote configuration that these features use. */
export const remoteRowsOf = (features: readonly { remote?: RemoteRows }[]): RemoteRows =>
  Object.assign({}, ...features.map(({ remote }) => remote)) as RemoteRows
