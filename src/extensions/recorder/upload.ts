import type { RecorderParts } from '../../host'
import { isoTime } from '../../lib/isoTime'
import type { RecordingReason, Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { encodeInSlices } from './encodeInSlices'
import { isHidden } from './page'
import { settingsOf } from './settings'

// Characters of chunks that may wait, regardless of `outbox_max_bytes`. They must not take the room of events. Enough for a full
// snapshot of a very large page.
const MAX_WAITING = 20e6
const WRITE_LATER_ABOVE = 500_000

/**
 * Sends chunks through a queue like that of events, with a separate outbox: a chunk that cannot be sent waits in the
 * browser, and the next page sends it.
 */
export const createUpload = (host: ExtensionHost & RecorderParts) => {
  const { config, token, delivery, ledger, listen } = host
  let onRefused: (() => void) | undefined
  const partsOf = new WeakMap<object, readonly string[]>()
  /** Why a part of a recording was lost last. */
  let lost: RecordingReason | undefined
  const onDropped: typeof ledger.lost = (event, reason) => {
    // Every reason to drop an event that can be one for a chunk.
    lost = reason as RecordingReason
    ledger.lost(event, reason)
  }
  const own = Object.assign(Object.create(config) as typeof config, { outbox_max_bytes: MAX_WAITING })
  const outbox = host.createOutbox({
    name: `trailmark-recording ${token} ${config.api_host}`,
    config: own,
    mayKeep: delivery.mayKeep,
    // Writing the text of a large full snapshot would be a long task.
    writeLaterAbove: WRITE_LATER_ABOVE,
    // Local storage is left to events.
    journals: () => undefined,
    onOrphaned: () => queue.adoptOrphans(),
    onDropped,
  })
  const queue = host.createQueue({
    config: own,
    token,
    outbox,
    path: () => settingsOf(host.remote.items.sessionRecording)?.endpoint ?? '/s/',
    encode: delivery.encode,
    encodeBatch: (batch: readonly { text: string }[]) =>
      encodeInSlices(
        [
          `{"api_key":${host.toJson(token)},"batch":[`,
          ...batch.flatMap((each, index) => [index ? ',' : '', ...(partsOf.get(each) ?? [each.text])]),
          `],"sent_at":"${isoTime(new Date())}"}`,
        ],
        delivery.encode,
      ),
    // Chunks are large, so each is compressed only once, right before it is sent.
    prepareAfter: Infinity,
    send: async (...args: unknown[]) => {
      // Events are sent before recordings.
      delivery.queue.flush()
      const result = await host.request(...args)
      const { quota_limited } = (result.json ?? {}) as { quota_limited?: unknown }
      if (Array.isArray(quota_limited) && quota_limited.includes('recordings')) onRefused?.()
      return result
    },
    onDelivered: () => {},
    onDropped,
    onRequestError: delivery.onRequestError,
  })
  const stops: Stop[] = [
    listen(self, ['visibilitychange'], () => isHidden() && queue.flush()),
    listen(self, ['online'], queue.retryNow),
    // After the listeners of the event queue, so that events are sent first.
    listen(self, ['pagehide'], queue.onPageLeave, {}),
    listen(self, ['pageshow'], (event) => {
      if (!(event as PageTransitionEvent).persisted) return
      outbox.align()
      queue.retryNow()
    }),
  ]
  outbox.align()
  queue.adoptOrphans()
  return {
    /** Queues a chunk: the JSON text of a `$snapshot` event, in parts. */
    send: (uuid: string, parts: readonly string[]): void => {
      const at = performance.timeOrigin + performance.now()
      // Engines join these when the text is read, which `encodeBatch` does not do.
      const entry = { event: '$snapshot', uuid, at, text: parts.reduce((all, part) => all + part) }
      partsOf.set(entry, parts)
      queue.addEntry(entry, true)
    },
    /** Counts a chunk that is not sent. */
    drop: onDropped,
    /** Returns why a part of a recording was lost since the session began; undefined if none was. */
    lost: () => lost,
    /** Forgets that, for a new session. */
    forgetLost: (): void => {
      lost = undefined
    },
    /** Calls back when the service takes no more of the session. */
    onRefused: (listener: () => void): Stop => {
      onRefused = listener
      return () => (onRefused = undefined)
    },
    stop: (): void => {
      stops.forEach((stop) => stop())
      // The visitor may have opted out.
      if (!delivery.mayKeep()) {
        queue.clear('opted_out')
        outbox.align()
      }
      queue.onPageLeave()
      queue.stop()
    },
  }
}

export type Upload = ReturnType<typeof createUpload>
