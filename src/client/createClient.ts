import { onForeignWrite } from '../browser/foreignWrite'
import { onOnline } from '../browser/online'
import { hasPage } from '../browser/page'
import { onPageLeft, onPageRestored } from '../browser/pageExit'
import { followScroll } from '../browser/scroll'
import { isHidden, onVisibilityChange } from '../browser/visibility'
import { changeConfig, type Given } from '../config/settings'
import { understandsGzip } from '../config/remote'
import { compress } from '../delivery/encode'
import { apiHost, isCustomHost, uiHost } from '../delivery/hosts'
import { createOutbox } from '../delivery/outbox'
import { createQueue } from '../delivery/queue'
import type { Extensions, LoadExtension } from '../extensions/extensions'
import { COOKIELESS_ID } from '../lib/cookieless'
import { expected } from '../lib/expected'
import { attempt, guarded } from '../lib/guard'
import { isPlainObject, toJson } from '../lib/json'
import { type Log, reportCaught } from '../lib/log'
import { has, pick } from '../lib/objects'
import { propertyText, serialize, toDate } from '../lib/serialize'
import { isUuid, uuidv7 } from '../lib/uuid'
import { createPipeline } from '../pipeline/pipeline'
import { RATE_WARNING } from '../pipeline/stages/limitRate'
import { createAttribution } from '../state/attribution'
import { createIdentity, isIdentifier } from '../state/identity'
import { isKey, KEYS } from '../state/keys'
import { createSession } from '../state/session'
import type {
  CapturedEvent,
  CaptureOptions,
  Config,
  DroppedEvent,
  DropReason,
  Properties,
  RequestError,
} from '../types'
import { CHANNEL, VERSION } from '../version'
import { NO_VALUE } from './compatibility'
import { connectFlags } from './connectFlags'
import { type FeatureHost, runFeatures } from './features'
import type { Ledger } from './ledger'
import { openStores } from './openStores'
import { createPeople } from './people'
import { createPermissions } from './permissions'
import type { Api } from './publicApi'
import { stagesFor } from './stages'

export interface ClientInputs {
  load: LoadExtension
  token: string
  config: Config
  /** The part of it that the site gave itself. */
  said: Given
  log: Log
  /** Records every event that goes into the queue, is delivered, or is not sent. */
  ledger: Ledger
  /** The client was shut down. */
  onEnd(): void
}

const FILLING = ['session', 'identity', 'sessionProperties', 'stored', 'flags', 'page', 'cookieless', 'denylist']

/** One running SDK for one project: introduces the rooms to each other. */
export const createClient = ({ load, token, config, said, log, ledger, onEnd }: ClientInputs) => {
  // ── State ──────────────────────────────────────────────────────────────────────────────────────────────────────
  const { consent, isCookieless, isOptedOut, mayStore } = createPermissions(config, token)
  const { windowKeys, tab, store, tabStore, align: alignStores } = openStores(token, config, mayStore)
  const rewrite = propertyText(() => config.properties_string_max_length)
  /** A copy of properties that the site passed, safe to store and to send; {} and one readable line if they are no object. */
  const toProperties = (value: unknown): Properties => {
    const copy = serialize(value ?? {}, rewrite)
    if (isPlainObject(copy)) return copy
    log.error(expected('properties', 'object', value, 'They are ignored'))
    return {}
  }
  const newId = () => {
    const uuid = uuidv7()
    const id: unknown = guarded(() => config.get_device_id(uuid))
    if (typeof id === 'string' && isIdentifier(id)) return id
    log.error(expected('get_device_id', 'to return an id (string)', id, `Using ${uuid}`))
    return uuid
  }
  const identity = createIdentity(store, newId, config.bootstrap)
  const distinctId = () => (isCookieless() ? COOKIELESS_ID : identity.distinctId())
  const idleMs = () => Math.max(1, config.session_idle_timeout_seconds) * 1000
  const session = createSession(store, tab, windowKeys, idleMs)
  const attribution = createAttribution(config, store, tabStore)

  const processesPerson = (event?: string) =>
    !isCookieless() &&
    (config.person_profiles === 'always' ||
      (config.person_profiles === 'identified_only' &&
        (event === '$identify' ||
          identity.isIdentified() ||
          !!store.get('$epp') ||
          !!store.get('__alias') ||
          Object.keys(store.get('$groups') ?? {}).length > 0)))

  // ── Delivery ───────────────────────────────────────────────────────────────────────────────────────────────────
  const fetchExtension: FeatureHost['fetchExtension'] = (name) =>
    load(name).catch((error) => void log.info(`extension ${name} is not available; its features are off`, error))
  let gzip: Extensions['gzip'] | undefined
  let loadingGzip: Promise<void> | undefined
  /** Returns what compresses where the browser cannot, once it has loaded. */
  const gzipNow = () => {
    loadingGzip ??= fetchExtension('gzip').then((loaded) => void (gzip = loaded))
    return gzip?.gzipNow
  }
  const encode = async (text: string) =>
    !config.disable_compression && !config.advanced_disable_flags && understandsGzip(flags.remote)
      ? compress(text, gzipNow)
      : text
  const onRequestError = (error: RequestError) => guarded(() => config.on_request_error(error))
  const mayKeep = () => !isOptedOut() && mayStore() && config.persistence !== 'memory'
  const onLost = ({ event, uuid }: { event: string; uuid: string }, reason: DropReason) => drop({ event, uuid, reason })
  // Events for one address never go to another.
  const outboxName = `trailmark ${token} ${apiHost(config)}`
  const outbox = createOutbox({
    name: outboxName,
    config,
    mayKeep,
    // What stands in for local storage in workers is no quicker than the outbox itself.
    journals: () => attempt(() => (hasPage() ? localStorage : undefined)),
    onOrphaned: () => queue.takeOver(),
    onDropped: onLost,
  })
  const queue = createQueue({
    config,
    token,
    outbox,
    path: () => flags.remote.analytics?.endpoint ?? '/e/',
    encode,
    onDelivered: ledger.delivered,
    onDropped: onLost,
    onRequestError,
  })

  // ── The service's say ──────────────────────────────────────────────────────────────────────────────────────────
  const flags = connectFlags({
    config,
    token,
    log,
    store,
    distinctId,
    deviceId: () => (isCookieless() ? undefined : identity.deviceId()),
    initialPerson: attribution.initialPerson,
    sessionId: () => sessionId(),
    capture: (...given) => capture(...given),
    toProperties,
    encode,
    onRemote: () => {
      features.align()
      if (!mayAutocapture())
        queue.clear('turned_off_by_service', ({ event }) => event === '$autocapture' || event === '$copy_autocapture')
    },
    onReloading: () => ledger.tell('featureFlagsReloading', true),
    onRequestError,
  })
  const mayAutocapture = () => !config.advanced_disable_flags && !flags.remote.autocapture_opt_out

  // ── The pipeline ───────────────────────────────────────────────────────────────────────────────────────────────
  const scrolling =
    config.disable_scroll_properties || !hasPage()
      ? undefined
      : followScroll(() => [config.scroll_root_selector ?? []].flat())
  const startedAt = new Date().toISOString()
  let held = 0
  const { stages, pageview } = stagesFor({
    config,
    token,
    rewrite,
    log,
    isOptedOut,
    onRateLimit: () => {
      held += 1
      log.error('events are held back by rate_limiting')
      capture(RATE_WARNING, {
        // Where and in which session it happened are properties of their own, which the site may withhold.
        [`${RATE_WARNING}_message`]: `Rate limit reached ${held} times, limits ${toJson(config.rate_limiting)}`,
      })
    },
    touchSession: session.touch,
    isIdentified: identity.isIdentified,
    scroll: scrolling ?? { take: () => undefined },
    sessionProperties: attribution.properties,
    storedProperties: () => pick(store.all(), (name) => isKey(name, 'rides')),
    flagProperties: flags.flags.properties,
    isCookieless,
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
  const stageNames = Object.keys(stages)
  const drop = (dropped: DroppedEvent) => ledger.dropped(dropped, stageNames)
  const run = createPipeline(stages, drop)
  session.onChange((id, _, reason) => {
    pageview.forget()
    if (!reason?.noSessionId) attribution.endSession()
    attribution.beginSession(id)
  })
  // What fills an event, without what judges it, and without the pageview it might begin.
  const fill = createPipeline(
    pick(stages, (name) => FILLING.includes(name)),
    () => {},
  )
  const sessionId = () => session.current() ?? session.touch().sessionId

  /** Takes what the site passed through the pipeline and into the queue. */
  const captureNow = (uuid: string, event: string, properties: unknown, options: CaptureOptions) => {
    adopt()
    const now = new Date()
    const { $set, $set_once, $unset } = options
    const timestamp = toDate(options.timestamp)
    const made = run(
      {
        uuid,
        event,
        properties: {
          ...toProperties(properties),
          ...(timestamp
            ? { $event_time_override_provided: true, $event_time_override_system_time: now.toISOString() }
            : {}),
        },
        $set,
        $set_once,
        $unset,
        timestamp: timestamp ?? now,
      },
      options,
    )
    if (!made) return undefined
    ledger.captured(made, stageNames)
    const set = { ...(made.properties.$set as Properties | undefined), ...made.$set }
    const setOnce = {
      ...(made.properties.$set_once as Properties | undefined),
      ...$set_once,
    }
    if (Object.keys({ ...set, ...setOnce }).length)
      flags.api.setPersonPropertiesForFlags({ $set: set, $set_once: setOnce })
    queue.add(made, { now: !!options.send_instantly })
    return made
  }
  const capture = (event: string, properties?: unknown, options?: CaptureOptions | null): CapturedEvent | undefined => {
    let uuid: string | undefined
    try {
      const given = toProperties(options) as CaptureOptions
      uuid = isUuid(given.uuid) ? given.uuid : uuidv7()
      return captureNow(uuid, event, properties, given)
    } catch (error) {
      // Whatever threw, the page's code or ours: the event is counted.
      drop({ event, uuid, reason: 'internal_error' })
      reportCaught(error)
      return undefined
    }
  }

  const { adoptReset, ...people } = createPeople({
    processesPerson,
    config,
    store,
    tabStore,
    identity,
    session,
    isOptedOut,
    isCookieless,
    capture,
    toProperties,
    onDrop: drop,
    flags,
    forgetArrival: attribution.forget,
    log,
  })

  // ── What runs by itself ────────────────────────────────────────────────────────────────────────────────────────
  // It watches the page, so that without one there is nothing to run.
  const features = runFeatures(
    { config, capture, fetchExtension, mayAutocapture, hasViewed: pageview.hasViewed },
    () => hasPage() && !isOptedOut(),
  )
  let decision = consent.explicit()
  /** Takes over what another tab, or the page, has changed in the browser: consent, a reset, ids, the session. */
  const adopt = () => {
    consent.keep()
    if (consent.explicit() !== decision) {
      // Refused in another tab: that holds for what waits in this one.
      if (consent.explicit() === 'denied') queue.clear('opted_out')
      align()
    }
    adoptReset()
  }
  const stops = [
    onPageLeft(() => {
      session.release()
      queue.leave()
      store.flush()
      tabStore.flush()
    }),
    onPageRestored(() => {
      adopt()
      session.claim()
      outbox.align()
      queue.wake()
    }),
    onVisibilityChange(() => {
      if (isHidden()) queue.flush()
      else adopt()
    }),
    onForeignWrite(({ key, newValue }) => {
      adopt()
      // A page that is left may end after the next one has begun.
      if (newValue && key?.startsWith(`${outboxName}/`)) queue.takeOver()
    }),
    onOnline(() => {
      queue.wake()
      flags.wake()
    }),
  ]
  /** Brings everything that follows the configuration in line with it. */
  const align = () => {
    decision = consent.explicit()
    alignStores()
    session.claim()
    outbox.align()
    features.align()
    flags.refreshLater()
  }

  const setConsent = (granted: boolean | undefined) => {
    if (config.cookieless_mode === 'always') log.warn("consent changes nothing with cookieless_mode: 'always'")
    else consent.decide(granted)
    // Other tabs hear of a consent when the ids that they are to take over are stored, and of a refusal before they go.
    if (granted) align()
    consent.keep()
    align()
  }
  const api: Api = {
    capture,
    calculateEventProperties: (event, properties = {}, timestamp = new Date(), uuid = uuidv7()) =>
      fill({ uuid, event, properties: toProperties(properties), timestamp }, {})!.properties,
    ...people,
    ...flags.api,
    set_config: (changes) => {
      if (changeConfig(config, changes, log, said)) align()
    },
    register: (properties) => {
      const values = toProperties(properties)
      const hidden = Object.keys(values).filter((name) => has(KEYS, name) && !isKey(name, 'rides'))
      if (hidden.length) log.error(`register() ignores ${hidden}: reserved by the SDK`)
      store.set(pick(values, (name) => !hidden.includes(name)))
    },
    register_once: (properties, unless = NO_VALUE) =>
      store.set(pick(toProperties(properties), (name) => store.get(name) === undefined || store.get(name) === unless)),
    unregister: (name) => {
      if (!has(KEYS, name)) store.set({ [name]: undefined })
    },
    register_for_session: (properties) => tabStore.set(toProperties(properties)),
    unregister_for_session: (name) => tabStore.set({ [name]: undefined }),
    get_property: store.get,
    getSessionProperty: tabStore.get,
    get_distinct_id: distinctId,
    get_session_id: sessionId,
    onSessionId: (listener) => {
      const id = session.current()
      if (id) guarded(() => listener(id, session.windowId()))
      return session.onChange(listener)
    },
    sessionManager: { resetSessionId: session.end },
    get_session_replay_url: ({ withTimestamp, timestampLookBack = 10 } = {}) => {
      const id = sessionId()
      const seconds = (Date.now() - session.startedAt()!) / 1000
      return `${uiHost(config)}/project/${token}/replay/${id}${withTimestamp ? `?t=${Math.max(0, Math.floor(seconds - timestampLookBack))}` : ''}`
    },
    getPageViewId: pageview.current,

    opt_in_capturing: ({ captureEventName = '$opt_in', captureProperties } = {}) => {
      const isNews = consent.explicit() !== 'granted'
      // Whoever was nobody until now begins as a new visitor.
      if (isCookieless() && config.cookieless_mode === 'on_reject') people.reset(true)
      setConsent(true)
      if (captureEventName && isNews) capture(captureEventName, captureProperties, { send_instantly: true })
    },
    opt_out_capturing: () => {
      // What was captured before is the visitor's too: it is not sent after they refused.
      queue.clear('opted_out')
      setConsent(false)
    },
    clear_opt_in_out_capturing: () => setConsent(undefined),
    has_opted_in_capturing: () => !consent.isOptedOut(),
    has_opted_out_capturing: consent.isOptedOut,
    get_explicit_consent_status: consent.explicit,
    is_capturing: () => !isOptedOut(),

    debug: (on) => {
      config.debug = on !== false
    },
    flush: queue.flush,
    shutdown: async () => {
      features.stop()
      flags.stop()
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
    hasFlags: flags.flags.hasLoaded,
    /** Everything is in place: starts what runs by itself. */
    start: () => {
      const { distinctID, isIdentifiedID } = config.bootstrap
      if (distinctID && isIdentifiedID && !identity.isIdentified()) people.identify(distinctID)
      align()
      queue.takeOver()
      flags.ask()
    },
  }
}

export type Client = ReturnType<typeof createClient>
