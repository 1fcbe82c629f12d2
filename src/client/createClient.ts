import { onOnline } from '../browser/online'
import { asksNotToBeTracked } from '../browser/page'
import { onPageLeft, onPageRestored } from '../browser/pageExit'
import { followScroll } from '../browser/scroll'
import { storageOf } from '../browser/storage'
import { onVisibilityChange } from '../browser/visibility'
import { changeConfig } from '../config/settings'
import { isCustomHost, apiHost } from '../delivery/hosts'
import { createQueue } from '../delivery/queue'
import { type Arrival, arrivalProperties, campaignOf, referrerOf, searchOf } from '../lib/campaign'
import type { Extensions, LoadExtension } from '../extensions/extensions'
import { guarded } from '../lib/guard'
import type { Log } from '../lib/log'
import { pick } from '../lib/objects'
import type { createNotices } from '../lib/notices'
import { isUuid, uuidv7 } from '../lib/uuid'
import { createPipeline } from '../pipeline/pipeline'
import { RATE_WARNING } from '../pipeline/stages/limitRate'
import { memoryBackend } from '../state/backends/memory'
import { openBackend } from '../state/backends/openBackend'
import { webStorageBackend } from '../state/backends/webStorage'
import { createConsent } from '../state/consent'
import { createIdentity } from '../state/identity'
import { KEYS, keyOf } from '../state/keys'
import { createSession } from '../state/session'
import { createStore } from '../state/store'
import type { CapturedEvent, CaptureOptions, Config, DroppedEvent, DropReason, Properties, RequestError } from '../types'
import { CHANNEL, VERSION } from '../version'
import { runFeatures } from './features'
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

// Other characters of a token would not survive in a cookie's name (protocol.md §8.1).
const escapedToken = (token: string) => token.replace(/\+/g, 'PL').replace(/\//g, 'SL').replace(/=/g, 'EQ')

const isNumberOutside = (value: number, least: number, most: number) => !(value >= least && value <= most)

/** One running SDK for one project: introduces the rooms to each other. */
export const createClient = ({ load, token, config, log, notices, onDrop, onEnd }: ClientInputs) => {
  const report = (error: unknown) => log.error('internal error; the page is not affected', error)

  // ── State ──────────────────────────────────────────────────────────────────────────────────────────────────────
  const prefix = `ph_${config.persistence_name || escapedToken(token)}`
  const storeName = config.persistence_name ? prefix : `${prefix}_posthog`
  const consent = createConsent(
    token,
    storageOf('localStorage'),
    () => config.opt_out_capturing_by_default,
    () => config.respect_dnt && asksNotToBeTracked(),
  )
  const mayStore = () => !config.disable_persistence && !(consent.isOptedOut() && config.opt_out_persistence_by_default)
  const openStore = () =>
    openBackend(mayStore() ? config.persistence : 'memory', storeName, {
      days: config.cookie_expiration,
      secure: config.secure_cookie,
      crossSubdomain: config.cross_subdomain_cookie,
    })
  const openTabStore = () => {
    const storage = mayStore() && config.persistence !== 'memory' ? storageOf('sessionStorage') : undefined
    // A name of its own where the main store is in session storage too.
    return storage ? webStorageBackend(storage, config.persistence === 'sessionStorage' ? `${storeName}_session` : storeName) : memoryBackend()
  }
  const kept = openStore()
  const store = createStore(kept)
  if (!mayStore()) openBackend(config.persistence, storeName, { days: 0, secure: false, crossSubdomain: config.cross_subdomain_cookie }).clear()
  const tabStore = createStore(openTabStore())
  const storageSettings = () => JSON.stringify([mayStore(), config.persistence, config.cookie_expiration, config.secure_cookie, config.cross_subdomain_cookie])
  let storedBy = storageSettings()

  const newId = () => config.get_device_id(uuidv7())
  const identity = createIdentity(store, newId, config.bootstrap)
  const session = createSession(store, mayStore() ? storageOf('sessionStorage') : undefined, prefix, () => {
    const seconds = config.session_idle_timeout_seconds
    return (isNumberOutside(seconds, 60, 36_000) ? Math.min(36_000, Math.max(60, seconds)) : seconds) * 1000
  })

  const processesPerson = (event?: string) =>
    config.person_profiles === 'always' ||
    (config.person_profiles === 'identified_only' &&
      (event === '$identify' || identity.isIdentified() || !!store.get('$epp') || !!store.get('__alias') || Object.keys(store.get('$groups') ?? {}).length > 0))

  // ── Where visitor and session came from (protocol.md §5.7) ─────────────────────────────────────────────────────
  const arrival = (): Arrival => ({ r: document.referrer.slice(0, 1000) || '$direct', u: location.href.slice(0, 1000) })
  const rememberArrival = () => {
    if (!config.save_campaign_params && !config.save_referrer) return
    if (!store.get('$initial_person_info')) store.set({ $initial_person_info: arrival() })
  }
  let seenUrl: string | undefined
  const sessionProperties = (): Properties => {
    if (location.href !== seenUrl) {
      seenUrl = location.href
      if (config.save_campaign_params) tabStore.set({ ...campaignOf(location.href, config.custom_campaign_params), ...searchOf(document.referrer) })
      // The first referrer of a tab: a page of the same site that comes later is not where the visitor came from.
      if (config.save_referrer && tabStore.get('$referrer') === undefined) tabStore.set(referrerOf(document.referrer))
    }
    const entry = store.get<{ props?: Arrival }>('$client_session_props')?.props
    return { ...(entry ? arrivalProperties(entry, '$session_entry_', config.custom_campaign_params) : {}), ...tabStore.all() }
  }
  const initialPerson = (): Properties => {
    const info = store.get<Arrival>('$initial_person_info')
    return info ? arrivalProperties(info, '$initial_', config.custom_campaign_params) : {}
  }

  // ── Delivery ───────────────────────────────────────────────────────────────────────────────────────────────────
  const drop = (event: Pick<CapturedEvent, 'event' | 'uuid'>, reason: DropReason) => onDrop({ event: event.event, uuid: event.uuid, reason })
  const tellError = (error: RequestError) => guarded(() => config.on_request_error(error), report)
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
    onDropped: drop,
    onRequestError: tellError,
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
      log.error('events are held back: more came than rate_limiting allows')
      capture(RATE_WARNING, {
        [`${RATE_WARNING}_message`]: `Client rate limit reached (${held} times on this page) at ${location.origin}${location.pathname}, session ${session.current()}; limits ${JSON.stringify(config.rate_limiting)}`,
      })
    },
    touchSession: session.touch,
    onNewSession: (sessionId) => {
      if (store.get<{ sessionId?: string }>('$client_session_props')?.sessionId === sessionId) return
      store.set({ $client_session_props: { sessionId, props: arrival() } })
    },
    isIdentified: identity.isIdentified,
    scroll: scrolling ?? { take: () => undefined },
    sessionProperties,
    storedProperties: () => pick(store.all(), (name) => keyOf(name).rides),
    constants: () => ({
      $lib: 'web',
      $lib_version: VERSION,
      $sdk_dist_channel: CHANNEL,
      $initialization_time: startedAt,
      $configured_session_timeout_ms: config.session_idle_timeout_seconds * 1000,
      $config_defaults: config.defaults,
      ...(isCustomHost(config) ? { $lib_custom_api_host: apiHost(config) } : {}),
    }),
    person: {
      processesPerson,
      remember: () => {
        if (!store.get('$epp')) store.set({ $epp: true })
      },
      initial: initialPerson,
    },
  })
  const run = createPipeline(stages, onDrop)

  const capture = (event: string, properties?: Properties | null, options: CaptureOptions = {}): CapturedEvent | undefined => {
    rememberArrival()
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
    forgetArrival: () => {
      seenUrl = undefined
    },
    log,
  })

  // ── What runs by itself ────────────────────────────────────────────────────────────────────────────────────────
  const features = runFeatures({ config, capture }, () => !consent.isOptedOut(), report)
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
    if (storageSettings() !== storedBy) {
      storedBy = storageSettings()
      store.moveTo(openStore())
      tabStore.moveTo(openTabStore())
    }
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
