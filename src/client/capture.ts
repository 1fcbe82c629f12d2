import type { EarlyMoment, Moment } from '../lib/moment'
import { hasPage } from '../browser/page'
import type { Queue } from '../delivery/queue'
import { expected } from '../lib/expected'
import { guarded, later } from '../lib/guard'
import { isoTime } from '../lib/isoTime'
import { toJson } from '../lib/json'
import { reportCaught } from '../lib/log'
import { memo } from '../lib/memo'
import { toDate } from '../lib/serialize'
import { isUuid, uuidv7 } from '../lib/uuid'
import { createPipeline } from '../pipeline/pipeline'
import { RATE_WARNING } from '../pipeline/stages/limitRate'
import type { CapturedEvent, CaptureOptions, DroppedEvent, Properties } from '../types'
import type { Context } from './createContext'
import type { Connection, Emit } from './feature'
import type { Ledger } from './ledger'
import { createStages } from './stages'

/**
 * Runs events through the pipeline, and passes them to the ledger and the queue. The pipeline is built for the first event, because
 * features that add stages to it capture events themselves.
 */
export const createCapture = (
  context: Context,
  ledger: Ledger,
  queue: Queue,
  features: readonly Connection[],
  emit: Emit,
  /** Returns the moment of a call that was queued, while it runs. */
  early: () => EarlyMoment | undefined,
  /** Runs before each event. */
  beforeEach: () => void,
) => {
  const { config, log, store, toProperties } = context
  let limited = 0
  const onRateLimit = () => {
    limited += 1
    log.error('rate_limiting drops events')
    capture(RATE_WARNING, {
      // URL and session id are separate properties, which the site may exclude.
      [`${RATE_WARNING}_message`]: `Rate limit reached ${limited} times, limits ${toJson(config.rate_limiting)}`,
    })
  }
  const pipeline = memo(() => {
    const { stages, fillers, layersNow } = createStages(context, features, onRateLimit)
    return {
      run: createPipeline(stages, drop),
      fill: createPipeline(fillers, () => {}),
      stageNames: Object.keys(stages),
      layersNow,
    }
  })
  const drop = (dropped: DroppedEvent) => ledger.dropped(dropped, pipeline().stageNames)
  context.session.onChange((id, _, reason) => {
    if (!reason?.noSessionId) context.attribution.endSession()
    context.attribution.beginSession(id)
  })

  /** Captures that wait for a later task. */
  const delayed: (() => void)[] = []
  const captureDelayed = (): void => {
    context.consent.renew()
    delayed.splice(0).forEach(guarded)
  }

  const moment = (): Moment => ({
    at: new Date(),
    // A worker's URL is not the URL of a page.
    url: hasPage() ? location.href : '',
    session: context.session.peek(),
    layers: pipeline().layersNow(),
    isIdentified: context.identity.isIdentified(),
    processesPerson: context.processesPerson(),
    person: context.person(),
  })
  const captureNow = (uuid: string, event: string, properties: unknown, options: CaptureOptions, moment?: Moment) => {
    captureDelayed()
    beforeEach()
    if (event === '') log.error(expected('capture()', 'the name of an event', event, 'The service will reject it'))
    const { $set, $set_once, $unset } = options
    const timestamp = toDate(options.timestamp)
    const call: EarlyMoment | undefined = moment ?? early()
    const isPast = (call?.person ?? context.person()) !== context.person()
    // Without a session, the event begins one, and is the first to have the properties of its entry.
    const then = call && (call.session || isPast ? { ...call, isPast } : { url: call.url })
    const now = call?.at ?? new Date()
    const own = toProperties(properties)
    // A later stage sets it on every event. Adding the name here is faster (addProperties.ts).
    own.$process_person_profile = undefined
    if (timestamp)
      Object.assign(own, { $event_time_override_provided: true, $event_time_override_system_time: isoTime(now) })
    // A session that begins is written with the campaign and the referrer of its first event.
    const captured = store.inOneWrite(() =>
      pipeline().run(
        { uuid, event, properties: own, $set, $set_once, $unset, timestamp: timestamp ?? now },
        options,
        then,
      ),
    )
    if (!captured) return undefined
    ledger.captured(captured, pipeline().stageNames)
    if (!isPast) emit((each) => each.onCapture?.(captured))
    const set = { ...(captured.properties.$set as Properties | undefined), ...captured.$set }
    const setOnce = { ...(captured.properties.$set_once as Properties | undefined), ...$set_once }
    if (!isPast && Object.keys({ ...set, ...setOnce }).length)
      emit((each) => each.onPersonProperties?.({ $set: set, $set_once: setOnce }))
    queue.add(captured, { now: !!options.send_instantly })
    return captured
  }
  /** Captures an event, of now or of an earlier moment. Returns it as it will be sent, or undefined when it was dropped. Never throws. */
  const capture = (
    event: string,
    properties?: unknown,
    options?: CaptureOptions | null,
    moment?: Moment,
  ): CapturedEvent | undefined => {
    let uuid: string | undefined
    try {
      const safeOptions = toProperties(options) as CaptureOptions
      uuid = isUuid(safeOptions.uuid) ? safeOptions.uuid : uuidv7()
      return captureNow(uuid, event, properties, safeOptions, moment)
    } catch (error) {
      // Counts the event as dropped, whether the site's code or the SDK threw.
      drop({ event, uuid, reason: 'internal_error' })
      reportCaught(error)
      return undefined
    }
  }

  return {
    capture,
    /** Returns what an event that is captured later takes from now. Stores the campaign of a new URL. */
    moment,
    /**
     * Captures an event of this moment, but in a later task, so that the page's listeners do not wait for it. `captureDelayed`
     * captures it earlier: before each other event and call, and when the page is left. `describe` returns its properties.
     */
    captureLater: (event: string, describe: () => Properties): void => {
      const then = moment()
      delayed.push(() => capture(event, describe(), undefined, then))
      // The event begins a session on this URL, which the page may change before the later task.
      if (then.session) later(captureDelayed)
      else captureDelayed()
    },
    captureDelayed,
    calculateEventProperties: (
      event: string,
      properties: Properties = {},
      timestamp = new Date(),
      uuid = uuidv7(),
    ): Properties => pipeline().fill({ uuid, event, properties: toProperties(properties), timestamp }, {})!.properties,
  }
}

export type Events = ReturnType<typeof createCapture>
export type Capture = Events['capture']
