import { readDevice, readPage } from '../browser/page'
import type { ScrollDepth } from '../browser/scroll'
import { OPTIONS } from '../config/options'
import { apiHost, isCustomHost } from '../delivery/hosts'
import { memo } from '../lib/memo'
import { pick } from '../lib/objects'
import { addIdentity } from '../pipeline/stages/addIdentity'
import { addPageview } from '../pipeline/stages/addPageview'
import { addPerson } from '../pipeline/stages/addPerson'
import { addSession } from '../pipeline/stages/addSession'
import { denyProperties } from '../pipeline/stages/denyProperties'
import { anonymize } from '../pipeline/stages/anonymize'
import { filterBots } from '../pipeline/stages/filterBots'
import { limitRate } from '../pipeline/stages/limitRate'
import { requireConsent } from '../pipeline/stages/requireConsent'
import { requireName } from '../pipeline/stages/requireName'
import { runBeforeSend } from '../pipeline/stages/runBeforeSend'
import { createFill } from '../pipeline/fill'
import type { Stage } from '../pipeline/stage'
import { isKey } from '../state/keys'
import type { CapturedEvent, Properties } from '../types'
import { CHANNEL, VERSION } from '../version'
import type { Context } from './createContext'

/**
 * What happens to an event between `capture` and the queue, in this order. Properties fill up from the strongest to
 * the weakest: what the SDK alone knows, what the caller passed, the session's, the stored ones, the page's.
 * `onRateLimit` is called when events begin to be dropped. `scroll` is absent where scrolling is not followed.
 */
export const createStages = (
  context: Context,
  flagProperties: () => Properties,
  onRateLimit: () => void,
  scroll: { take(): ScrollDepth | undefined } = { take: () => undefined },
) => {
  const { config, token, log, store, session, identity, attribution, rewrite } = context
  const pageview = addPageview(scroll)
  const startedAt = new Date().toISOString()
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
  let device: Properties | undefined
  /** What the event under way gets below its own properties, strongest first. */
  let layers: Readonly<Properties>[] = []
  const fill = createFill()
  const under =
    (read: () => Readonly<Properties>): Stage =>
    (event) => {
      layers.push(read())
      return event
    }
  const riding = memo((values: Properties) => pick(values, (name) => isKey(name, 'rides')))
  const stages = {
    name: requireName,
    consent: requireConsent(context.isOptedOut),
    bots: filterBots(config, undefined, undefined, log.warn),
    rate: limitRate(() => config.rate_limiting, onRateLimit),
    session: addSession(session.touch),
    identity: addIdentity(token, identity.isIdentified),
    pageview: pageview.stage,
    sessionProperties: (event: CapturedEvent) => {
      layers = [attribution.properties()]
      return event
    },
    stored: under(() => riding(store.all())),
    flags: under(flagProperties),
    page: (event: CapturedEvent) =>
      fill(
        event,
        [
          ...layers,
          constants(context.idleMs(), config.defaults, config.api_host),
          readPage(config),
          (device ??= readDevice()),
        ],
        {
          // The protocol's second deduplication key: the random end of the uuid, which compresses to nothing beside it.
          $insert_id: event.uuid.slice(19),
          $time: event.timestamp.getTime() / 1000,
        },
      ),
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
  // What fills an event, without what judges it, and without the pageview it might begin. A new stage fills.
  const { name, consent, bots, rate, pageview: _, person, beforeSend, ...fillers } = stages
  return { stages, fillers, pageview }
}
