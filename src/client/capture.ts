import { hasPage } from '../browser/page'
import { followScroll } from '../browser/scroll'
import { apiHost, isCustomHost } from '../delivery/hosts'
import type { Queue } from '../delivery/queue'
import { toJson } from '../lib/json'
import { type Log, reportCaught } from '../lib/log'
import { pick } from '../lib/objects'
import { toDate } from '../lib/serialize'
import { isUuid, uuidv7 } from '../lib/uuid'
import { createPipeline } from '../pipeline/pipeline'
import { RATE_WARNING } from '../pipeline/stages/limitRate'
import { isKey } from '../state/keys'
import type { CapturedEvent, CaptureOptions, Config, DroppedEvent, Properties } from '../types'
import { CHANNEL, VERSION } from '../version'
import type { Ledger } from './ledger'
import type { State } from './openState'
import { stagesFor } from './stages'

interface Inputs {
  config: Config
  token: string
  log: Log
  ledger: Ledger
  state: State
  queue: Queue
}

/** What parts that capture events themselves, and therefore exist later, add to the way of each event. */
export interface CaptureHooks {
  /** Runs before each event. */
  before(): void
  /** Properties of the flags that are known. */
  flagProperties(): Properties
  /** Receives the person properties that an event has set. */
  onPersonProperties(changes: { $set: Properties; $set_once: Properties }): void
}

/** An event's way: from a call, through the pipeline, into the ledger and the queue. */
export const createCapture = ({ config, token, log, ledger, state, queue }: Inputs) => {
  const { store, session, attribution, identity, rewrite, toProperties } = state
  const hooks: CaptureHooks = { before: () => {}, flagProperties: () => ({}), onPersonProperties: () => {} }
  const scrolling =
    config.disable_scroll_properties || !hasPage()
      ? undefined
      : followScroll(() => [config.scroll_root_selector ?? []].flat())
  const startedAt = new Date().toISOString()
  let limited = 0

  const { stages, fillers, pageview } = stagesFor({
    config,
    token,
    rewrite,
    log,
    isOptedOut: state.isOptedOut,
    onRateLimit: () => {
      limited += 1
      log.error('events are held back by rate_limiting')
      capture(RATE_WARNING, {
        // Where and in which session it happened are properties of their own, which the site may withhold.
        [`${RATE_WARNING}_message`]: `Rate limit reached ${limited} times, limits ${toJson(config.rate_limiting)}`,
      })
    },
    touchSession: session.touch,
    isIdentified: identity.isIdentified,
    scroll: scrolling ?? { take: () => undefined },
    sessionProperties: attribution.properties,
    storedProperties: () => pick(store.all(), (name) => isKey(name, 'rides')),
    flagProperties: () => hooks.flagProperties(),
    isCookieless: state.isCookieless,
    constants: () => ({
      $lib: 'web',
      $lib_version: VERSION,
      $sdk_dist_channel: CHANNEL,
      $initialization_time: startedAt,
      $configured_session_timeout_ms: state.idleMs(),
      $config_defaults: config.defaults,
      ...(isCustomHost(config) ? { $lib_custom_api_host: apiHost(config) } : {}),
    }),
    person: {
      processesPerson: state.processesPerson,
      remember: () => {
        if (!store.get('$epp')) store.set({ $epp: true })
      },
      initial: attribution.initialPerson,
    },
  })
  const stageNames = Object.keys(stages)
  const drop = (dropped: DroppedEvent) => ledger.dropped(dropped, stageNames)
  const run = createPipeline(stages, drop)
  const fill = createPipeline(fillers, () => {})
  session.onChange((id) => {
    pageview.forget()
    attribution.beginSession(id)
  })

  const captureNow = (uuid: string, event: string, properties: unknown, options: CaptureOptions) => {
    hooks.before()
    const now = new Date()
    const { $set, $set_once, $unset } = options
    const timestamp = toDate(options.timestamp)
    const captured = run(
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
    if (!captured) return undefined
    ledger.captured(captured, stageNames)
    const set = { ...(captured.properties.$set as Properties | undefined), ...captured.$set }
    const setOnce = { ...(captured.properties.$set_once as Properties | undefined), ...$set_once }
    if (Object.keys({ ...set, ...setOnce }).length) hooks.onPersonProperties({ $set: set, $set_once: setOnce })
    queue.add(captured, { now: !!options.send_instantly })
    return captured
  }
  /** Captures an event. Returns it as it will be sent, or undefined when it was dropped. Never throws. */
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

  return {
    capture,
    pageview,
    calculateEventProperties: (
      event: string,
      properties: Properties = {},
      timestamp = new Date(),
      uuid = uuidv7(),
    ): Properties => fill({ uuid, event, properties: toProperties(properties), timestamp }, {})!.properties,
    /** Connects the parts that were created after this one. */
    connect: (connected: CaptureHooks): void => void Object.assign(hooks, connected),
    stop: (): void => scrolling?.stop(),
  }
}

export type Capture = ReturnType<typeof createCapture>['capture']
