import { readPage } from '../browser/page'
import { OPTIONS } from '../config/options'
import { apiHost, isCustomHost } from '../delivery/hosts'
import { isoTime } from '../lib/isoTime'
import { memo } from '../lib/memo'
import { pick } from '../lib/objects'
import { addIdentity } from '../pipeline/stages/addIdentity'
import { addPerson } from '../pipeline/stages/addPerson'
import { addProperties } from '../pipeline/stages/addProperties'
import { addSession } from '../pipeline/stages/addSession'
import { denyProperties } from '../pipeline/stages/denyProperties'
import { limitRate } from '../pipeline/stages/limitRate'
import { requireConsent } from '../pipeline/stages/requireConsent'
import { requireName } from '../pipeline/stages/requireName'
import { runBeforeSend } from '../pipeline/stages/runBeforeSend'
import type { Stage, Then } from '../pipeline/stage'
import { isKey } from '../state/keys'
import type { Properties } from '../types'
import { CHANNEL, VERSION } from '../version'
import type { Context } from './createContext'
import type { Connection, CoreStage } from './feature'

/** The core's stages that only add and remove properties, which `calculateEventProperties` runs. */
const FILLERS: readonly CoreStage[] = ['session', 'identity', 'properties', 'cookieless', 'denylist']

/**
 * Creates the stages that an event passes between `capture` and the queue, in order. If several sources set a property,
 * the first of these wins: the SDK's own ids, the caller, the session, stored properties, features, the client's
 * constants, the page, the device. `onRateLimit` is called when events begin to be dropped.
 */
export const createStages = (
  context: Context,
  features: readonly Pick<Connection, 'stage' | 'properties'>[],
  onRateLimit: () => void,
) => {
  const { config, token, log, store, session, identity, attribution, rewrite } = context
  const startedAt = isoTime(new Date())
  /** Properties that are the same for every event of this client. */
  const constants = memo(
    ($configured_session_timeout_ms: number, $config_defaults: string, api_host: string): Properties => ({
      $lib: 'web',
      $lib_version: VERSION,
      $sdk_dist_channel: CHANNEL,
      $initialization_time: startedAt,
      $configured_session_timeout_ms,
      $config_defaults,
      ...(isCustomHost({ api_host }) ? { $lib_custom_api_host: apiHost({ api_host }) } : {}),
    }),
  )
  const device = memo(context.readDevice)
  const riding = memo((values: Properties) => pick(values, (name) => isKey(name, 'rides')))
  const fromFeatures = features.flatMap(({ properties = [] }) => properties)
  /** Returns the properties that a delayed event takes from the moment it happened. */
  const layersNow = () => [attribution.properties(), riding(store.all())]
  const layers = (then?: Then) => [
    ...(then?.layers ?? layersNow()),
    ...(then?.isPast ? [] : fromFeatures.map((read) => read())),
    constants(context.idleMs(), config.defaults, config.api_host),
    readPage(config, then?.url),
    device(config.detect_google_search_app),
  ]
  const core: Record<CoreStage, Stage> = {
    name: requireName,
    consent: requireConsent(context.isOptedOut),
    rate: limitRate(() => config.rate_limiting, onRateLimit),
    session: addSession(session.touch),
    identity: addIdentity(token, identity.isIdentified),
    // The protocol's second deduplication key: the random end of the UUID, which costs almost nothing compressed,
    // because the UUID contains it.
    properties: addProperties(layers, ({ uuid, timestamp }) => ({
      $insert_id: uuid.slice(19),
      $time: timestamp.getTime() / 1000,
    })),
    cookieless: context.anonymize,
    person: addPerson({
      processesPerson: context.processesPerson,
      enableProfiles: () => {
        if (!store.get('$epp')) store.set({ $epp: true })
      },
      initial: attribution.initialPerson,
    }),
    denylist: denyProperties(config),
    beforeSend: runBeforeSend(config, OPTIONS.before_send[0], rewrite, log),
  }
  const added = features.flatMap(({ stage = [] }) => stage)
  const stages: Record<string, Stage> = {}
  for (const [name, stage] of Object.entries(core)) {
    for (const each of added) if (each.before === name) stages[each.name] = each.run
    stages[name] = stage
  }
  const fillers: Record<string, Stage> = pick({ ...core }, (name) => FILLERS.includes(name as CoreStage))
  return { stages, fillers, layersNow }
}
