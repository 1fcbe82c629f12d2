import type { RecorderParts } from '../../host'
import type { RecordingReason, Stop } from '../../types'
import type { Extension } from '../contract'
import { SESSION_RECORDING } from './members'
import type { RecorderHost } from './pageParts'
import { startRecording } from './recording'
import { isStale, rememberSettings, settingsOf } from './settings'
import { createUpload } from './upload'

/** One recorder runs on a page: rrweb's state belongs to the page, and a second recording would end the first. */
const RUNNING = Symbol.for('trailmark.recorder')
const page = () => self as unknown as Record<symbol, unknown>

/** Runs when the page has loaded, so that recording does not slow it down. */
const whenLoaded = (host: RecorderHost, run: () => void): Stop => {
  if (document.readyState === 'complete') {
    const timer = host.later(run, 0)
    return () => clearTimeout(timer)
  }
  return host.listen(self, ['load'], () => host.later(run, 0))
}

/** Records sessions, as options, remote configuration and triggers decide. Starts again when options or settings have changed. */
export const start: Extension<RecorderParts>['start'] = (host) => {
  if (page()[RUNNING]) {
    host.log.warn('Another instance already records this page. This one does not')
    host.shared.properties = { $recording_status: 'disabled', $sdk_debug_replay_stop_reason: 'another_instance' }
    return () => {}
  }
  page()[RUNNING] = true
  host.defineMembers({ session_recording: SESSION_RECORDING })
  const upload = createUpload(host)
  let stopRecording: Stop | undefined
  let started: unknown[] = []
  let lastMessage = ''
  /** Why the next recording starts. */
  let reason = 'recording_initialized'

  const stop = () => {
    stopRecording?.()
    stopRecording = undefined
    started = []
  }
  /** Reports why nothing is recorded, once in a row. */
  const fail = (message: string, $recording_status: string, $sdk_debug_replay_stop_reason: RecordingReason) => {
    if (message !== lastMessage) host.log.error(`${message}. The session is not recorded`)
    lastMessage = message
    host.shared.properties = { $recording_status, $sdk_debug_replay_stop_reason }
  }
  const restart = () => {
    stopRecording?.()
    stopRecording = undefined
    try {
      if (settingsOf(host.remote.items.sessionRecording)?.masking?.isStrict)
        host.log.warn("the project's sessionRecording.masking expects an object. Everything is masked")
      // Nothing is recorded, because what a wrong selector should mask would not be.
      const refuse = (message: string) => {
        stopRecording?.()
        stopRecording = undefined
        fail(message, 'disabled', 'invalid_settings')
      }
      stopRecording = startRecording(host, upload, reason, refuse)
    } catch (error) {
      host.ledger.lost({ event: '$snapshot', uuid: '' }, 'internal_error')
      fail(String(error), 'rrweb_error', 'internal_error')
    }
  }
  let isEnded = false
  const align = () => {
    if (isEnded) return
    const { session_recording, enable_recording_console_log } = host.config
    const settings = host.remote.items.sessionRecording
    const current = [
      JSON.stringify([settingsOf(settings), isStale(settings)]),
      session_recording,
      enable_recording_console_log,
      host.shared._forceAllowLocalhostNetworkCapture,
      // A page that `document.open` has replaced has lost all listeners.
      document.documentElement,
    ]
    if (current.every((each, index) => each === started[index])) return
    started = current
    restart()
  }
  let timer: ReturnType<typeof setTimeout>
  const alignLater = () => {
    timer = host.later(() => {
      alignLater()
      align()
    }, 1000)
  }
  rememberSettings(host)
  const stops = [
    whenLoaded(host, () => {
      align()
      alignLater()
    }),
    host.onLeave((isNextPerson) => {
      if (!isNextPerson || !started.length) return
      // Nothing that rrweb, its plugins or requests still hold of this person gets into the next recording.
      stop()
      reason = 'session_id_changed'
      host.later(align, 0)
    }),
    host.remote.onChange(() => {
      rememberSettings(host)
      if (started.length) align()
    }),
  ]
  return () => {
    clearTimeout(timer)
    stops.forEach((each) => each())
    stop()
    isEnded = true
    upload.stop()
    rememberSettings(host)
    page()[RUNNING] = undefined
  }
}
