import { OFF } from '../../../config/options'
import { typing } from '../../../browser/typing'
import type { RecorderParts, SharedWithRecorder } from '../../../host'
import { isToggle, parseJson, toJson } from '../../../lib/json'
import { SENSITIVE_NAME, withoutSensitive } from '../../../lib/sensitive'
import type { RecordingReason } from '../../../types'
import { VERSION } from '../../../version'
import type { Feature, FeatureHost } from '../../feature'
import { RECORDING_METHODS } from './methods'

/** Reasons that may end while the session lasts. */
const WAITS = /^(lazy_loading|(awaiting|missing)_config|trigger|blocked_url|no_activity|minimum_duration|idle)$/

/** Records sessions of projects that turn it on. The recorder is fetched only there. */
export const recording = {
  name: 'recording',
  methods: RECORDING_METHODS,
  options: {
    disable_session_recording: OFF,
    enable_recording_console_log: OFF,
    session_recording: [{}, 'object'],
  },
  remote: { sessionRecording: [isToggle], capturePerformance: [isToggle] },
  connect: (client) => {
    const { context } = client
    const { items } = context.remote
    const shared: SharedWithRecorder = {
      log: () => {},
      properties: {},
      tryAddCustomEvent: () => false,
      get status() {
        return (shared.properties.$recording_status as string | undefined) ?? 'disabled'
      },
    }
    // The stored settings, until the service responds. The recorder stores them, and checks their age. Those that an older
    // release stored may be JSON text, and without a time, which makes them too old.
    const stored = context.store.get('$session_recording_remote_config')
    items.sessionRecording = stored && { cache_timestamp: 0, ...(parseJson(stored) ?? stored) }
    /** Why the recorder is not wanted. */
    const whyOff = (): RecordingReason => {
      const { config, remote, isCookieless } = context
      if (context.isOptedOut()) return 'opted_out'
      if (isCookieless()) return 'cookieless'
      if (config.disable_session_recording || config.advanced_disable_flags) return 'turned_off_by_site'
      if (items.sessionRecording === undefined) return remote.hasFailed ? 'missing_config' : 'awaiting_config'
      return 'turned_off_by_service'
    }
    client.ledger.explainBy('$snapshot', () => {
      const { $recording_status: status, $sdk_debug_replay_stop_reason: known } = shared.properties
      if (/active|sampled/.test(shared.status) && !known) return { state: 'delivered' }
      const reason = (known ?? (status === 'lazy_loading' ? status : whyOff())) as RecordingReason
      return { state: WAITS.test(reason) ? 'waiting' : 'dropped', reason }
    })
    return {
      api: {
        sessionRecordingStarted: () => /active|sampled/.test(shared.status),
        startSessionRecording: (wanted) => {
          shared.override = wanted
          client.configure({ disable_session_recording: false })
        },
        stopSessionRecording: () => client.configure({ disable_session_recording: true }),
        sessionRecording: shared,
      },
      properties: () => shared.properties,
      runs: {
        // The recorder begins a new recording, and keeps its queue of chunks.
        isOfPage: true,
        wanted: () =>
          items.sessionRecording &&
          !context.isCookieless() &&
          !context.config.disable_session_recording &&
          !context.config.advanced_disable_flags,
        start: (host) => {
          // Parts of the main script. The recorder receives them, so that it need not contain them too.
          const parts: Omit<RecorderParts, keyof FeatureHost> = {
            createOutbox: context.createOutbox,
            createQueue: context.createQueue,
            shared,
            toJson,
            sensitiveName: SENSITIVE_NAME,
            withoutSensitive,
            typing,
            version: VERSION,
          }
          shared.properties = { $recording_status: 'lazy_loading' }
          const stop = host.startExtension('recorder', parts, () => {
            shared.properties = {
              $recording_status: 'disabled',
              $sdk_debug_replay_stop_reason: 'recorder_unavailable',
            }
          })
          return () => {
            stop()
            shared.properties = {}
          }
        },
      },
    }
  },
} satisfies Feature
