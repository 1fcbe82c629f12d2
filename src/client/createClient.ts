import { onOnline } from '../browser/online'
import { asksNotToBeTracked } from '../browser/page'
import { onPageLeft, onPageRestored } from '../browser/pageExit'
import { followScroll } from '../browser/scroll'
import { storageOf } from '../browser/storage'
import { onVisibilityChange } from '../browser/visibility'
import { changeConfig } from '../config/settings'
import { isCustomHost, apiHost } from '../delivery/hosts'
import { createQueue } from '../delivery/queue'
import type { Extensions, LoadExtension } from '../extensions/extensions'
import { guarded } from '../lib/guard'
import type { Log } from '../lib/log'
import type { createNotices } from '../lib/notices'
import { pick } from '../lib/objects'
import { isUuid, uuidv7 } from '../lib/uuid'
import { createPipeline } from '../pipeline/pipeline'
import { RATE_WARNING } from '../pipeline/stages/limitRate'
import { createAttribution } from '../state/attribution'
import { createConsent } from '../state/consent'
import { createIdentity } from '../state/identity'
import { KEYS, keyOf } from '../state/keys'
import { createSession } from '../state/session'
import type { CapturedEvent, CaptureOptions, Config, DroppedEvent, Properties } from '../types'
import { CHANNEL, VERSION } from '../version'
import { runFeatures } from './features'
import { openStores } from './openStores'
import { createPeople } from './people'
import type { Api } from './publicApi'
import { stagesFor } from './stages'

export interface ClientInputs {
  load: LoadExtension
  token: string
  config: Config
  log: Log
  notices: ReturnType<typeof createNotices>
  /** Hears of every event that is not sent. */
  onDrop(dropped: DroppedEvent): void
  /** The client was shut down. */
  onEnd(): void
}

/** One running SDK for one project: introduces the rooms to each other. */
export const createClient = ({ load, token, config, log, notices, onDrop, onEnd }: ClientInputs) => {
  // ── State ──────────────────────────────────────────────────────────────────────────────────────────────────────
  const consent = createConsent(
    token,
    storageOf('localStorage'),
    () => config.opt_out_capturing_by_default,
    () => config.respect_dnt && asksNotToBeTracked(),
  )
  const mayStore = () => !config.disable_persistence && !(consent.isOptedOut() && config.opt_out_persistence_by_default)
  const { prefix, store, tabStore, align: alignStores } = openStores(token, config, mayStore)
  const newId = () => config.get_device_id(uuidv7())
  const identity = createIdentity(store, newId, config.bootstrap)
  const idleMs = () => Math.min(36_000, Math.max(60, config.session_idle_timeout_seconds)) * 1000
  const session = createSession(store, mayStore() ? storageOf('sessionStorage') : undefined, prefix, idleMs)
  const attribution = createAttribution(config, store, tabStore)

  const processesPerson = (event?: string) =>
    config.person_profiles === 'always' ||
    (config.person_profiles === 'identified_only' &&
      (event === '$identify' || identity.isIdentified() || !!store.get('$epp') || !!store.get('__alias') || Object.keys(store.get('$groups') ?? {}).length > 0))

  // ── Delivery ───────────────────────────────────────────────────────────────────────────────────────────────────
  // Needed at the end of the page, so it is fetched when the beginning is over. Without it beacons go uncompressed.
  let gzip: Extensions['gzip'] | undefined
  let loadGzip = () => {
    loadGzip = () => {}
    load('gzip').then(
      (loaded) => (gzip = loaded),
      (error) => log.info('gzip is not available; what is sent at the end of a page goes uncompressed', error),
    )
  }
  if (typeof CompressionStream === 'undefined') loadGzip()
  const queue = createQueue({
    config,
    token,
    path: () => '/e/',
    gzipNow: () => gzip?.gzipNow,
    onDelivered: (uuids) => {
      notices.tell('eventsDelivered', { uuids })
      loadGzip()
    },
    onDropped: ({ event, uuid }, reason) => onDrop({ event, uuid, reason }),
    onRequestError: (error) => guarded(() => config.on_request_error(error)),
  })

  // ── The pipeline ───────────────────────────────────────────────────────────────────────────────────────────────
  const scrolling = config.disable_scroll_properties ? undefined : followScroll(() => [config.scroll_root_selector ?? []].flat())
  const startedAt = new Date().toISOString()
  let held = 0
  const { stages, pageviewId } = stagesFor({
    config,
    token,
    log,
    isOptedOut: consent.isOptedOut,
    onRateLimit: () => {
      held += 1
      log.error('events are held back by rate_limiting')
      capture(RATE_WARNING, {
        [`${RATE_WARNING}_message`]: `Rate limit reached ${held} times at ${location.origin}${location.pathname}, session ${session.current()}, limits ${JSON.stringify(config.rate_limiting)}`,
      })
    },
    touchSession: session.touch,
    onNewSession: attribution.beginSession,
    isIdentified: identity.isIdentified,
    scroll: scrolling ?? { take: () => undefined },
    sessionProperties: attribution.properties,
    storedProperties: () => pick(store.all(), (name) => keyOf(name).rides),
    constants: () => ({
      $lib: 'web',
      $lib_version: VERSION,
      $sdk_dist_channel: CHANNEL,
      $initialization_time: startedAt,
      $configured_session_timeout_ms: idleMs(),
      $config_defaults: config.defaults,
      ...(isCustomHost(config) ? { $lib_custom_api_host: apiHost(config) } : {}),
    }),
    person: {
      processesPerson,
      remember: () => {
        if (!store.get('$epp')) store.set({ $epp: true })
      },
      initial: attribution.initialPerson,
    },
  })
  const run = createPipeline(stages, onDrop)

  const capture = (event: string, properties?: Properties | null, options: CaptureOptions = {}): CapturedEvent | undefined => {
    const now = new Date()
    const given = options.timestamp instanceof Date && !isNaN(+options.timestamp) ? options.timestamp : undefined
    const made = run(
      {
        uuid: isUuid(options.uuid) ? options.uuid : uuidv7(),
        event,
        properties: {
          ...properties,
          ...(given ? { $event_time_override_provided: true, $event_time_override_system_time: now.toISOString() } : {}),
        },
        ...(options.$set ? { $set: options.$set } : {}),
        ...(options.$set_once ? { $set_once: options.$set_once } : {}),
        ...(options.$unset ? { $unset: options.$unset } : {}),
        timestamp: given ?? now,
      },
      options ?? {},
    )
    if (!made) return undefined
    notices.tell('eventCaptured', made)
    log.info('captured', made.event, made)
    queue.add(made, { now: !!options.send_instantly })
    return made
  }

  const people = createPeople({
    config,
    store,
    tabStore,
    identity,
    session,
    isOptedOut: consent.isOptedOut,
    capture,
    onDrop,
    forgetArrival: attribution.forget,
    log,
  })

  // ── What runs by itself ────────────────────────────────────────────────────────────────────────────────────────
  const features = runFeatures({ config, capture }, () => !consent.isOptedOut())
  const stops = [
    onPageLeft(() => {
      session.release()
      queue.leave()
      store.flush()
      tabStore.flush()
    }),
    onPageRestored(() => {
      session.claim()
      queue.wake()
    }),
    onVisibilityChange(() => {
      if (document.visibilityState === 'hidden') queue.flush()
    }),
    onOnline(() => queue.wake()),
  ]
  /** Brings everything that follows the configuration in line with it. */
  const align = () => {
    alignStores()
    features.align()
  }

  const setConsent = (granted: boolean | undefined) => {
    if (granted === undefined) consent.clear()
    else consent.set(granted)
    align()
  }
  const api: Api = {
    capture,
    ...people,
    set_config: (changes) => {
      if (changeConfig(config, changes, log)) align()
    },
    register: (properties) => {
      const hidden = Object.keys(properties).filter((name) => Object.hasOwn(KEYS, name) && !keyOf(name).rides)
      if (hidden.length) log.error(`register takes properties of your own; ${hidden} is the SDK's and stays as it is`)
      store.set(pick(properties, (name) => !hidden.includes(name)))
    },
    // Compatibility: 'None' counts as no value (protocol.md §1.2).
    register_once: (properties, unless = 'None') =>
      store.set(pick(properties, (name) => store.get(name) === undefined || store.get(name) === unless)),
    unregister: (name) => {
      if (!Object.hasOwn(KEYS, name)) store.set({ [name]: undefined })
    },
    register_for_session: tabStore.set,
    unregister_for_session: (name) => tabStore.set({ [name]: undefined }),
    get_property: store.get,
    getSessionProperty: tabStore.get,
    get_distinct_id: identity.distinctId,
    get_session_id: () => session.current() ?? session.touch().sessionId,
    getPageViewId: pageviewId,

    opt_in_capturing: ({ captureEventName = '$opt_in', captureProperties } = {}) => {
      setConsent(true)
      if (captureEventName) capture(captureEventName, captureProperties, { send_instantly: true })
    },
    opt_out_capturing: () => {
      // What was captured before is the visitor's too: it is not sent after they refused.
      queue.clear('opted_out')
      setConsent(false)
    },
    clear_opt_in_out_capturing: () => setConsent(undefined),
    has_opted_in_capturing: () => consent.explicit() === 'granted',
    has_opted_out_capturing: consent.isOptedOut,
    get_explicit_consent_status: consent.explicit,
    is_capturing: () => !consent.isOptedOut(),

    debug: (on) => {
      config.debug = on !== false
    },
    flush: queue.flush,
    shutdown: async () => {
      features.stop()
      scrolling?.stop()
      stops.forEach((stop) => stop())
      queue.leave()
      queue.stop()
      store.stop()
      tabStore.stop()
      onEnd()
    },
  }
  return {
    api,
    /** Everything is in place: starts what runs by itself. */
    start: align,
  }
}

export type Client = ReturnType<typeof createClient>
