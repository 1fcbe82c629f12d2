import { coarseCheck } from '../config/coarseCheck'
import { createMemoryQueue } from '../delivery/memoryQueue'
import { objectOf } from '../lib/objects'
import type { RemoteConfig } from '../state/remoteConfig'
import type { Provided } from './provided'
import { obeyRefusal } from './refusal'

const nothing = () => {}

/** The remote configuration where nothing requests it. */
export const noRemoteConfig = (): RemoteConfig => ({
  items: {},
  hasFailed: false,
  acceptsGzip: () => true,
  apply: () => false,
  onChange: () => nothing,
})

/** Stand-ins for absent parts: events wait in memory, and nothing is known about device and campaign. */
export const STAND_INS: Provided = {
  createOutbox: () => ({
    keep: nothing,
    write: nothing,
    forget: nothing,
    acquireLeadership: () => Promise.resolve(true),
    release: nothing,
    claimOrphans: () => Promise.resolve([]),
    watch: nothing,
    align: nothing,
    onPageHide: nothing,
    giveUp: () => undefined,
  }),
  createQueue: createMemoryQueue,
  cookies: undefined,
  check: coarseCheck,
  createPermissions: obeyRefusal,
  createAttribution: (_config, _store, tabStore) => ({
    // Properties that the site has registered for the session.
    properties: tabStore.all,
    beginSession: nothing,
    endSession: () => tabStore.set(objectOf(Object.keys(tabStore.all()), nothing)),
    initialPerson: () => ({}),
    forget: nothing,
  }),
  createRemoteConfig: noRemoteConfig,
  readDevice: () => ({}),
}
