import { onPageLeft, onPageRestored } from '../../browser/pageExit'
import { isHidden, onVisibilityChange } from '../../browser/visibility'
import { steadyTime } from '../../delivery/waiting'
import { request } from '../../delivery/transport'
import type { RecorderParts } from '../../host'
import { createListeners } from '../../lib/listeners'
import type { Properties } from '../../types'
import { VERSION } from '../../version'
import type { Feature } from '../feature'

// Characters of chunks that may wait, whatever `outbox_max_bytes` says. They must not take the room of events.
const MAX_WAITING = 5e6

/** Records sessions of projects that turn it on. The recorder is fetched only there. */
export const recording: Feature = {
  name: 'recording',
  connect: ({ context, delivery, ledger, align }) => {
    const { config, remote, tabKeys } = context
    const refused = createListeners<[]>()
    const settings = () => remote.items.sessionRecording as { endpoint?: string } | false | undefined
    let properties: Properties = {}
    let override: unknown

    // Local storage is left to events.
    const { queue, outbox, mayKeep } = delivery.openQueue(
      'trailmark-recording',
      {
        config: Object.assign(Object.create(config), { outbox_max_bytes: MAX_WAITING }),
        path: () => (settings() || {}).endpoint ?? '/s/',
        // Chunks are large, so they are compressed once, when they are sent.
        prepareAfter: Infinity,
        send: async (...args) => {
          // Events go first.
          delivery.queue.flush()
          const result = await request(...args)
          if ((result.json as { quota_limited?: unknown } | undefined)?.quota_limited) refused.emit()
          return result
        },
      },
      () => undefined,
    )
    return {
      api: {
        startSessionRecording: (wanted) => {
          override = wanted
          config.disable_session_recording = false
          align()
        },
        stopSessionRecording: () => {
          config.disable_session_recording = true
          align()
        },
        sessionRecordingStarted: () => /active|sampled/.test(properties.$recording_status as string),
      },
      properties: () => properties,
      onAlign: () => {
        if (mayKeep()) return
        queue.clear('opted_out')
        outbox.align()
      },
      onOnline: queue.retryNow,
      onEnd: queue.stop,
      runs: {
        wanted: () =>
          settings() && !config.disable_session_recording && !config.advanced_disable_flags && !context.isCookieless(),
        start: (host) => {
          outbox.align()
          queue.adoptOrphans()
          properties = { $recording_status: 'lazy_loading' }
          const parts: RecorderParts = {
            ...context,
            version: VERSION,
            tabKey: tabKeys[3],
            onCaptured: (listener) => ledger.on('eventCaptured', listener),
            send: (uuid, text) => queue.addEntry({ event: '$snapshot', uuid, at: steadyTime(), text }, true),
            onRefused: refused.add,
            override: () => override,
            report: (next) => (properties = next),
            startExtension: host.startExtension,
          }
          const stops = [
            host.startExtension('recorder', parts),
            onVisibilityChange(() => isHidden() && queue.flush()),
            onPageLeft(queue.onPageLeave),
            onPageRestored(() => {
              outbox.align()
              queue.retryNow()
            }),
            () => (properties = {}),
          ]
          return () => stops.forEach((stop) => stop())
        },
      },
    }
  },
}
