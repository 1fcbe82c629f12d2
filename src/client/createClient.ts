import { onForeignWrite } from '../browser/foreignWrite'
import { onOnline } from '../browser/online'
import { hasPage } from '../browser/page'
import { onPageLeft, onPageRestored } from '../browser/pageExit'
import { followScroll } from '../browser/scroll'
import { storageOf } from '../browser/storage'
import { isHidden, onVisibilityChange } from '../browser/visibility'
import { changeConfig, type Given } from '../config/settings'
import { understandsGzip } from '../config/remote'
import { encode, encodeNow, needsGzipNow } from '../delivery/encode'
import { apiHost, isCustomHost, uiHost } from '../delivery/hosts'
import { createOutbox } from '../delivery/outbox'
import { createQueue } from '../delivery/queue'
import type { Extensions, LoadExtension } from '../extensions/extensions'
import { COOKIELESS_ID } from '../lib/cookieless'
import { guarded } from '../lib/guard'
import type { Log } from '../lib/log'
import type { createNotices } from '../lib/notices'
import { pick } from '../lib/objects'
import { isUuid, uuidv7 } from '../lib/uuid'
import { createPipeline } from '../pipeline/pipeline'
import { RATE_WARNING } from '../pipeline/stages/limitRate'
import { createAttribution } from '../state/attribution'
import { createIdentity } from '../state/identity'
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
  notices: ReturnType<typeof createNotices>
  /** Hears of every event that goes into the queue, and of every one that is not sent; `stages`: the names of all. */
  onCaptured(event: CapturedEvent, stages: readonly string[]): void
  onDrop(dropped: DroppedEvent, stages: readonly string[]): void
  onDelivered(uuids: string[]): void
  /** The client was shut down. */
  onEnd(): void
}

const FILLING = [
  'session',
  'identity',
  'sessionProperties',
  'stored',
  'flags',
  'page',
  'cookieless',
  'plain',
  'denylist',
]

/** One running SDK for one project: introduces the rooms to each other. */
export const createClient = ({
  load,
  token,
  config,
  said,
  log,
  notices,
  onCaptured,
  onDrop,
  onDelivered,
  onEnd,
}: ClientInputs) => {
  // ── State ──────────────────────────────────────────────────────────────────────────────────────────────────────
  const { consent, consentName, isCookieless, isOptedOut, mayStore } = createPermissions(config, token)
  const { prefix, store, tabStore, align: alignStores } = openStores(token, config, mayStore)
  const newId = () => config.get_device_id(uuidv7())
  const identity = createIdentity(store, newId, config.bootstrap)
  const distinctId = () => (isCookieless() ? COOKIELESS_ID : identity.distinctId())
  const idleMs = () => Math.max(1, config.session_idle_timeout_seconds) * 1000
  const session = createSession(store, mayStore() ? storageOf('sessionStorage') : undefined, prefix, idleMs)
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
  const fetchExtension: FeatureHost['fetchExtension'] = (name, without) =>
    load(name).catch((error) => void log.info(`${name} is not available; ${without}`, error))
  let gzip: Extensions['gzip'] | undefined
  let loadGzip = () => {
    loadGzip = () => {}
    void fetchExtension('gzip', 'what is sent at the end of a page goes uncompressed').then((loaded) => (gzip = loaded))
  }
  const mayCompress = () =>
    !config.disable_compression && !config.advanced_disable_flags && understandsGzip(flags.remote)
  const gzipNow = () => (mayCompress() ? gzip?.gzipNow : undefined)
  const encodeText = async (text: string) => {
    if (!mayCompress()) return encodeNow(text, undefined)
    if (needsGzipNow(text)) loadGzip()
    return encode(text, gzipNow())
  }
  const onRequestError = (error: RequestError) => guarded(() => config.on_request_error(error))
  const mayKeep = () => !isOptedOut() && mayStore() && config.persistence !== 'memory'
  const onLost = ({ event, uuid }: { event: string; uuid: string }, reason: DropReason) => drop({ event, uuid, reason })
  const outbox = createOutbox({
    // Events for one address never go to another.
    name: `trailmark ${token} ${apiHost(config)}`,
    config,
    mayKeep,
    onOrphaned: () => queue.takeOver(),
    onDropped: onLost,
  })
  const queue = createQueue({
    config,
    token,
    outbox,
    path: () => flags.remote.analytics?.endpoint ?? '/e/',
    encode: encodeText,
    gzipNow,
    onDelivered,
    onDropped: onLost,
    onRequestError,
  })

  // ── The service's say ──────────────────────────────────────────────────────────────────────────────────────────
  const flags = connectFlags({
    config,
    token,
    store,
    distinctId,
    deviceId: () => (isCookieless() ? undefined : identity.deviceId()),
    initialPerson: attribution.initialPerson,
    sessionId: () => sessionId(),
    capture: (...given) => capture(...given),
    encode: encodeText,
    onRemote: () => {
      features.align()
      if (!mayAutocapture())
        queue.clear('turned_off_by_service', ({ event }) => event === '$autocapture' || event === '$copy_autocapture')
    },
    onReloading: () => notices.tell('featureFlagsReloading', true),
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
  const { stages, pageviewId, forgetPageview } = stagesFor({
    config,
    token,
    log,
    isOptedOut,
    onRateLimit: () => {
      held += 1
      log.error('events are held back by rate_limiting')
      capture(RATE_WARNING, {
        [`${RATE_WARNING}_message`]: `Rate limit reached ${held} times at ${location.origin}${location.pathname}, session ${session.current()}, limits ${JSON.stringify(config.rate_limiting)}`,
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
  const drop = (dropped: DroppedEvent) => onDrop(dropped, stageNames)
  const run = createPipeline(stages, drop)
  session.onChange((id) => {
    forgetPageview()
    attribution.beginSession(id)
  })
  // What fills an event, without what judges it, and without the pageview it might begin.
  const fill = createPipeline(
    pick(stages, (name) => FILLING.includes(name)),
    () => {},
  )
  const sessionId = () => session.current() ?? session.touch().sessionId

  const capture = (
    event: string,
    properties?: Properties | null,
    options: CaptureOptions = {},
  ): CapturedEvent | undefined => {
    const now = new Date()
    const given = options.timestamp instanceof Date && !isNaN(+options.timestamp) ? options.timestamp : undefined
    const made = run(
      {
        uuid: isUuid(options.uuid) ? options.uuid : uuidv7(),
        event,
        properties: {
          ...properties,
          ...(given
            ? { $event_time_override_provided: true, $event_time_override_system_time: now.toISOString() }
            : {}),
        },
        ...(options.$set ? { $set: options.$set } : {}),
        ...(options.$set_once ? { $set_once: options.$set_once } : {}),
        ...(options.$unset ? { $unset: options.$unset } : {}),
        timestamp: given ?? now,
      },
      options ?? {},
    )
    if (!made) return undefined
    onCaptured(made, stageNames)
    const set = { ...(made.properties.$set as Properties | undefined), ...made.$set }
    const setOnce = { ...(made.properties.$set_once as Properties | undefined), ...options.$set_once }
    if (Object.keys({ ...set, ...setOnce }).length)
      flags.api.setPersonPropertiesForFlags({ $set: set, $set_once: setOnce })
    queue.add(made, { now: !!options.send_instantly })
    return made
  }

  const people = createPeople({
    config,
    store,
    tabStore,
    identity,
    session,
    isOptedOut,
    isCookieless,
    capture,
    onDrop: drop,
    flags,
    forgetArrival: attribution.forget,
    log,
  })

  // ── What runs by itself ────────────────────────────────────────────────────────────────────────────────────────
  // It watches the page, so that without one there is nothing to run.
  const features = runFeatures({ config, capture, fetchExtension, mayAutocapture }, () => hasPage() && !isOptedOut())
  const stops = [
    onPageLeft(() => {
      session.release()
      queue.leave()
      store.flush()
      tabStore.flush()
    }),
    onPageRestored(() => {
      session.claim()
      outbox.align()
      queue.wake()
    }),
    onVisibilityChange(() => {
      if (isHidden()) queue.flush()
    }),
    onForeignWrite(({ key }) => {
      // Refused in another tab: that holds for what waits in this one.
      if (key === consentName && !mayKeep()) queue.clear('opted_out')
    }),
    onOnline(() => {
      queue.wake()
      flags.wake()
    }),
  ]
  /** Brings everything that follows the configuration in line with it. */
  const align = () => {
    alignStores()
    outbox.align()
    features.align()
    flags.refreshLater()
  }

  const setConsent = (granted: boolean | undefined) => {
    if (config.cookieless_mode === 'always') log.warn("consent changes nothing with cookieless_mode: 'always'")
    else if (granted === undefined) consent.clear()
    else consent.set(granted)
    align()
  }
  const api: Api = {
    capture,
    calculateEventProperties: (event, properties = {}, timestamp = new Date(), uuid = uuidv7()) =>
      fill({ uuid, event, properties, timestamp }, {})!.properties,
    ...people,
    ...flags.api,
    set_config: (changes) => {
      if (changeConfig(config, changes, log, said)) align()
    },
    register: (properties) => {
      const hidden = Object.keys(properties).filter((name) => Object.hasOwn(KEYS, name) && !isKey(name, 'rides'))
      if (hidden.length) log.error(`register takes properties of your own; ${hidden} is the SDK's and stays as it is`)
      store.set(pick(properties, (name) => !hidden.includes(name)))
    },
    register_once: (properties, unless = NO_VALUE) =>
      store.set(pick(properties, (name) => store.get(name) === undefined || store.get(name) === unless)),
    unregister: (name) => {
      if (!Object.hasOwn(KEYS, name)) store.set({ [name]: undefined })
    },
    register_for_session: tabStore.set,
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
    getPageViewId: pageviewId,

    opt_in_capturing: ({ captureEventName = '$opt_in', captureProperties } = {}) => {
      const isNews = consent.explicit() !== 'granted'
      // Whoever was nobody until now begins as a new visitor.
      const wasNobody = isCookieless()
      setConsent(true)
      if (wasNobody) people.reset(true)
      if (captureEventName && isNews) capture(captureEventName, captureProperties, { send_instantly: true })
    },
    opt_out_capturing: () => {
      // What was captured before is the visitor's too: it is not sent after they refused.
      queue.clear('opted_out')
      setConsent(false)
    },
    clear_opt_in_out_capturing: () => setConsent(undefined),
    has_opted_in_capturing: () => consent.explicit() === 'granted',
    has_opted_out_capturing: isOptedOut,
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
