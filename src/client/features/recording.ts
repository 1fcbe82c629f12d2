import { apiHost } from '../../delivery/hosts'
import { createOutbox } from '../../delivery/outbox'
import { createQueue } from '../../delivery/queue'
import { request } from '../../delivery/transport'
import { permittedUrl } from '../../lib/campaign'
import { toJson } from '../../lib/json'
import { redactUrls } from '../../lib/redact'
import { uuidv7 } from '../../lib/uuid'
import type { Properties } from '../../types'
import { VERSION } from '../../version'
import type { Feature } from '../feature'

/** Records sessions of projects that turn it on. The recorder is fetched only there. */
export const recording: Feature = {
  name: 'recording',
  connect: (client) => {
    const { context } = client
    const { config } = context
    let properties: Properties = {}
    let override: unknown
    const turnOff = (isOff: boolean) => {
      config.disable_session_recording = isOff
      client.align()
    }
    return {
      api: {
        startSessionRecording: (wanted) => {
          override = wanted
          turnOff(false)
        },
        stopSessionRecording: () => turnOff(true),
        sessionRecordingStarted: () => /active|sampled/.test(properties.$recording_status as string),
      },
      properties: () => properties,
      runs: {
        wanted: () =>
          context.remote.items.sessionRecording &&
          !config.disable_session_recording &&
          !config.advanced_disable_flags &&
          !context.isCookieless(),
        start: (host) => {
          // What the main script has anyway, so that the recorder need not contain it too.
          const parts = {
            ...client,
            ...context,
            version: VERSION,
            createOutbox,
            createQueue,
            request,
            apiHost,
            toJson,
            uuidv7,
            redactUrls,
            permittedUrl,
            override: () => override,
            report: (next: Properties) => (properties = next),
            startExtension: host.startExtension,
          }
          properties = { $recording_status: 'lazy_loading' }
          const stop = host.startExtension('recorder', parts)
          return () => {
            stop()
            properties = {}
          }
        },
      },
    }
  },
}
