import type { RecorderParts } from '../../host'
import { listen } from '../../browser/signal'
import { isHidden } from '../../browser/visibility'
import type { Properties, Stop } from '../../types'
import type { Extension, ExtensionHost } from '../contract'
import { createCapture } from './capture'
import { createChunks } from './chunks'
import { decide, type Status } from './decide'
import { createPolicy } from './sanitize/policy'
import { settingsOf } from './settings'
import { createTabState } from './tabState'
import { createTriggers } from './triggers'
import { createUpload, type Upload } from './upload'

const PENDING_SNAPSHOT_MS = 60_000
const REPORT_EVERY_MS = 30_000
const PAST_MINIMUM = '$session_past_minimum_duration'

type RecorderHost = ExtensionHost & RecorderParts

/** One recorder runs on a page: rrweb's state belongs to the page, and a second recording would end the first. */
const RUNNING = Symbol.for('trailmark.recorder')
const page = () => self as unknown as Record<symbol, unknown>

const between = (value: unknown, min: number, max: number, fallback: number) =>
  typeof value === 'number' ? Math.min(max, Math.max(min, value)) : fallback

/** Records the page with the current options and settings. Returns what stops it; a message if they are invalid. */
const startRecording = (host: RecorderHost, upload: Upload, fail: (reason: string) => void): Stop | string => {
  const { config, session, store } = host
  const options = config.session_recording
  const settings = settingsOf(host.remote.items.sessionRecording)
  const policy = createPolicy(options, settings ?? {}, host.redactUrls)
  if (typeof policy === 'string') return policy

  let dropped = 0
  let status: Status = 'awaiting_config'
  let hasFailed = false
  let reportedAt = 0
  let isRefused = false
  let url = location.href
  const tab = createTabState(host)
  const triggers = createTriggers(host, settings ?? {}, tab)
  const takeDropped = () => {
    const count = dropped
    dropped = 0
    return count
  }
  const chunks = createChunks({ host, policy, tab, takeDropped, upload: upload.send })
  const capture = createCapture({
    host,
    policy,
    chunks,
    tab,
    snapshotEveryMs: () =>
      status === 'buffering'
        ? between(options.trigger_pending_buffer_interval_millis, 1000, 3_600_000, PENDING_SNAPSHOT_MS)
        : undefined,
    onDropped: (count) => (dropped += count),
    onFailure: (reason) => {
      fail(reason)
      hasFailed = true
      evaluate()
    },
  })

  /** Whether the session has lasted long enough to be sent. */
  const isLongEnough = (): boolean => {
    const minimum = triggers.minimumMs()
    const id = session.current()
    if (!minimum || store.get(PAST_MINIMUM) === id) return true
    const span = chunks.span()
    if (!span) return false
    const from = options.strictMinimumDuration ? span.from : (session.startedAt() ?? span.from)
    if (span.to - from < minimum) return false
    store.set({ [PAST_MINIMUM]: id })
    return true
  }
  const report = (facts: ReturnType<typeof triggers.facts>) => {
    reportedAt = Date.now()
    const { waiting, size, flushed } = chunks.sizes()
    const properties: Properties = {
      $recording_status: status,
      $sdk_debug_replay_internal_buffer_length: waiting,
      $sdk_debug_replay_internal_buffer_size: size,
      $sdk_debug_replay_flushed_size: flushed,
      $sdk_debug_replay_rrweb_attached: capture.isRunning(),
      $sdk_debug_replay_url_trigger_status: facts.url,
      $sdk_debug_replay_event_trigger_status: facts.event,
      $sdk_debug_replay_linked_flag_trigger_status: facts.flag,
    }
    host.report(properties)
  }
  /** Decides again whether the session is recorded, and applies the decision. */
  const evaluate = () => {
    const facts = triggers.facts()
    const before = status
    status = decide({ ...facts, hasFailed, hasSettings: true, isEnabled: !!settings && !isRefused })
    if (status === 'disabled' || status === 'rrweb_error') {
      capture.suspend()
      chunks.clear()
    } else if (status === 'paused') {
      chunks.cut()
      capture.pause()
    } else {
      capture.resume()
      capture.start()
      if (status === 'buffering') chunks.hold(true)
      else if (isLongEnough()) chunks.release()
      else chunks.hold(false)
    }
    if (status !== before || Date.now() - reportedAt > REPORT_EVERY_MS) report(facts)
  }
  const tick = () => {
    if (url !== location.href) {
      url = location.href
      capture.mark('$url_changed', { href: url })
    }
    evaluate()
  }
  let timer: ReturnType<typeof setTimeout>
  const tickLater = () => {
    timer = host.later(() => {
      tickLater()
      tick()
    }, 1000)
  }

  const network = settings?.networkPayloadCapture
  const performance = host.remote.items.capturePerformance as { network_timing?: boolean } | boolean | undefined
  // The project's settings can turn bodies and headers off, and not on.
  const plugins = {
    recordsCanvas: policy.recordsCanvas,
    capturesConsole: config.enable_recording_console_log || settings?.consoleLogRecordingEnabled === true,
    network: {
      timing: performance === true || (!!performance && performance.network_timing === true),
      headers: !policy.isStrict && options.recordHeaders === true && network?.recordHeaders !== false,
      body: !policy.isStrict && options.recordBody === true && network?.recordBody !== false,
    },
  }
  const stops = [
    session.onChange(() => {
      chunks.cut()
      chunks.clear()
      isRefused = false
      capture.restart()
      evaluate()
    }),
    host.ledger.on('eventCaptured', (event) => {
      triggers.onCaptured(event)
      if (event.event === '$pageview') capture.mark('$pageview', { href: location.href })
      if (status === 'buffering') evaluate()
    }),
    upload.onRefused(() => {
      isRefused = true
      evaluate()
    }),
    host.onPageLeave(chunks.cut),
    // A hidden tab may never be shown again.
    listen(self, ['visibilitychange'], () => isHidden() && chunks.cut()),
    plugins.capturesConsole || plugins.recordsCanvas || Object.values(plugins.network).some(Boolean)
      ? host.startExtension('recorderPlugins', {
          ...plugins,
          isStrict: policy.isStrict,
          add: capture.addRaw,
          openId: capture.openId,
        })
      : () => {},
  ]
  evaluate()
  tickLater()
  return () => {
    clearTimeout(timer)
    stops.forEach((stop) => stop())
    chunks.cut()
    chunks.clear()
    capture.stop()
  }
}

/** Runs when the page has loaded, so that recording does not slow it down. */
const whenLoaded = (host: RecorderHost, run: () => void): Stop => {
  if (document.readyState === 'complete') {
    const timer = host.later(run, 0)
    return () => clearTimeout(timer)
  }
  return listen(self, ['load'], () => host.later(run, 0))
}

/** Records sessions, as options, remote configuration and triggers decide. */
export const start: Extension<RecorderParts>['start'] = (host) => {
  if (page()[RUNNING]) {
    host.log.warn('Another instance already records this page. This one does not')
    return () => {}
  }
  page()[RUNNING] = true
  const upload = createUpload(host)
  let stopRecording: Stop | undefined
  let started: unknown[] = []
  let lastMessage = ''

  const restart = () => {
    stopRecording?.()
    stopRecording = undefined
    const result = startRecording(host, upload, (reason) =>
      host.report({ $recording_status: 'rrweb_error', $sdk_debug_replay_stop_reason: reason }),
    )
    if (typeof result !== 'string') {
      stopRecording = result
      return
    }
    // Nothing is recorded, because what a wrong selector should mask would not be.
    if (result !== lastMessage) host.log.error(`${result}. The session is not recorded`)
    lastMessage = result
    host.report({ $recording_status: 'disabled', $sdk_debug_replay_stop_reason: 'invalid_settings' })
  }
  /** Starts again when options or settings have changed. */
  const align = () => {
    const { session_recording, enable_recording_console_log } = host.config
    const current = [
      JSON.stringify(host.remote.items.sessionRecording),
      session_recording,
      enable_recording_console_log,
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
  const stops = [
    whenLoaded(host, () => {
      align()
      alignLater()
    }),
    host.remote.onChange(() => started.length && align()),
  ]
  return () => {
    clearTimeout(timer)
    stops.forEach((stop) => stop())
    stopRecording?.()
    upload.stop()
    page()[RUNNING] = undefined
  }
}
