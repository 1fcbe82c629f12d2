import { OPTIONS } from '../config/options'
import { apiHost, isCustomHost } from '../delivery/hosts'
import { memo } from '../lib/memo'
import { pick } from '../lib/objects'
import { addFrom } from '../pipeline/stages/addFrom'
import { addIdentity } from '../pipeline/stages/addIdentity'
import { addPage } from '../pipeline/stages/addPage'
import { addPerson } from '../pipeline/stages/addPerson'
import { addSession } from '../pipeline/stages/addSession'
import { denyProperties } from '../pipeline/stages/denyProperties'
import { anonymize } from '../pipeline/stages/anonymize'
import { limitRate } from '../pipeline/stages/limitRate'
import { requireConsent } from '../pipeline/stages/requireConsent'
import { requireName } from '../pipeline/stages/requireName'
import { runBeforeSend } from '../pipeline/stages/runBeforeSend'
import type { Stage } from '../pipeline/stage'
import { isKey } from '../state/keys'
import type { Properties } from '../types'
import { CHANNEL, VERSION } from '../version'
import type { Context } from './createContext'
import type { CoreStage, FeatureStage } from './feature'

/** Stages that decide about an event, or change something for later ones. All others only fill it. */
const DECIDING = ['name', 'consent', 'rate', 'person', 'beforeSend']

/**
 * What happens to an event between `capture` and the queue, in this order. Properties fill up from the strongest to
 * the weakest: what the SDK alone knows, what the caller passed, the session's, the stored ones, the page's. `added`:
 * what features do to events. `onRateLimit` is called when events begin to be dropped.
 */
export const createStages = (context: Context, added: readonly FeatureStage[], onRateLimit: () => void) => {
  const { config, token, log, store, session, identity, attribution, rewrite } = context
  const startedAt = new Date().toISOString()
  /** Properties that are the same for every event of this client. */
  const constants = () => ({
    $lib: 'web',
    $lib_version: VERSION,
    $sdk_dist_channel: CHANNEL,
    $initialization_time: startedAt,
    $configured_session_timeout_ms: context.idleMs(),
    $config_defaults: config.defaults,
    ...(isCustomHost(config) ? { $lib_custom_api_host: apiHost(config) } : {}),
  })
  const riding = memo((values: Properties) => pick(values, (name) => isKey(name, 'rides')))
  const core: Record<CoreStage, Stage> = {
    name: requireName,
    consent: requireConsent(context.isOptedOut),
    rate: limitRate(() => config.rate_limiting, onRateLimit),
    session: addSession(session.touch),
    identity: addIdentity(token, identity.isIdentified),
    sessionProperties: addFrom(attribution.properties),
    stored: addFrom(() => riding(store.all())),
    page: addPage(config, constants),
    cookieless: anonymize(context.isCookieless),
    person: addPerson({
      processesPerson: context.processesPerson,
      remember: () => {
        if (!store.get('$epp')) store.set({ $epp: true })
      },
      initial: attribution.initialPerson,
    }),
    denylist: denyProperties(() => [...config.property_blacklist, ...config.property_denylist]),
    beforeSend: runBeforeSend(config, OPTIONS.before_send[0], rewrite, log),
  }
  const stages: Record<string, Stage> = {}
  const fillers: Record<string, Stage> = {}
  for (const [name, stage] of Object.entries(core)) {
    for (const each of added.filter(({ before }) => before === name)) {
      stages[each.name] = each.run
      if (each.fillsOnly) fillers[each.name] = each.run
    }
    stages[name] = stage
    if (!DECIDING.includes(name)) fillers[name] = stage
  }
  return { stages, fillers }
}
