import type { RecorderParts } from '../../host'
import type { Properties, Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { type Capture, createCapture } from './capture'
import { type Chunks, createChunks } from './chunks'
import { decide, type Status } from './decide'
import { createFrames } from './frames'
import { createGate } from './gate'
import { isHidden } from './page'
import { hideNow } from './snapshotText'
import { createPolicy, type Policy } from './sanitize/policy'
import { isStale, type RemoteSettings, settingsOf } from './settings'
import { createSiteEvents } from './siteEvents'
import { createTabState } from './tabState'
import { createTriggers, type Triggers } from './triggers'
import type { Upload } from './upload'

const PENDING_SNAPSHOT_MS = 60_000
const REPORT_EVERY_MS = 30_000

export type RecorderHost = ExtensionHost & RecorderParts

const between = (value: unknown, min: number, max: number, fallback: number) =>
  typeof value === 'number' ? Math.min(max, Math.max(min, value)) : fallback

/** Returns the time between full snapshots while a trigger is pending, ms. */
const pendingSnapshotMs = ({ session_recording: options }: RecorderHost['config']) =>
  between(options.trigger_pending_buffer_interval_millis, 1000, 3_600_000, PENDING_SNAPSHOT_MS)

/**
 * Returns the settings of the plugins. The project's settings can turn bodies and headers off, but not on. Requests on
 * localhost are not recorded, because they are a developer's.
 */
const pluginSettings = ({ config, remote, shared }: RecorderHost, settings: RemoteSettings, policy: Policy) => {
  const { recordHeaders, recordBody } = config.session_recording
  const { networkPayloadCapture: allowed } = settings
  const performance = remote.items.capturePerformance as { network_timing?: boolean } | boolean | undefined
  const mayCapture =
    !!shared._forceAllowLocalhostNetworkCapture || !/^(localhost|127\.0\.0\.1)$/.test(location.hostname)
  const network = {
    timing: performance === true || (!!performance && performance.network_timing === true),
    headers: !policy.isStrict && recordHeaders === true && allowed?.recordHeaders !== false,
    body: !policy.isStrict && recordBody === true && allowed?.recordBody !== false,
  }
  return {
    recordsCanvas: policy.recordsCanvas,
    capturesConsole: config.enable_recording_console_log || settings.consoleLogRecordingEnabled === true,
    network: mayCapture && Object.values(network).some(Boolean) && network,
  }
}

/** Starts the plugins that `settings` turn on. Returns a function that stops them. */
const startPlugins = (
  host: RecorderHost,
  settings: RemoteSettings,
  policy: Policy,
  { addRaw: add, openId, pageUrl, snapshots }: Capture,
): Stop => {
  const wanted = pluginSettings(host, settings, policy)
  return Object.values(wanted).some(Boolean)
    ? host.startExtension('recorderPlugins', {
        ...host,
        ...wanted,
        add,
        openId,
        pageUrl,
        snapshots,
        hideTyped: (text) => {
          policy.forgetTyped()
          return policy.hideTyped(text)
        },
        hideTypedInRequest: (text) => {
          policy.forgetTyped()
          return policy.hideTypedInRequest(text)
        },
        isStrict: policy.isStrict,
      })
    : () => {}
}

/** Calls `run` each second until stopped. */
const everySecond = ({ later }: RecorderHost, run: () => void): Stop => {
  let timer: ReturnType<typeof setTimeout>
  const tick = () => {
    timer = later(() => {
      tick()
      run()
    }, 1000)
  }
  tick()
  return () => clearTimeout(timer)
}

type Facts = ReturnType<Triggers['facts']>

/** Returns the properties that recording adds to every event. */
const propertiesOf = (
  status: Status,
  { url, event, flag }: Facts,
  { waiting, size, flushed }: ReturnType<Chunks['sizes']>,
  isRunning: boolean,
  startReason: string | undefined,
  failure: string | undefined,
): Properties => ({
  $recording_status: status,
  $sdk_debug_replay_internal_buffer_length: waiting,
  $sdk_debug_replay_internal_buffer_size: size,
  $sdk_debug_replay_flushed_size: flushed,
  $sdk_debug_replay_rrweb_attached: isRunning,
  $sdk_debug_replay_url_trigger_status: url,
  $sdk_debug_replay_event_trigger_status: event,
  $sdk_debug_replay_linked_flag_trigger_status: flag,
  ...(startReason ? { $session_recording_start_reason: startReason } : {}),
  ...(failure ? { $sdk_debug_replay_stop_reason: failure } : {}),
})

/**
 * Records the page with the current options and settings: decides each second and with each trigger whether the session
 * is recorded, and when its chunks are sent. `reason`: why it starts, if no trigger is the reason. Returns a function that
 * stops it; a message if options or settings are invalid.
 */
export const startRecording = (host: RecorderHost, upload: Upload, reason: string): Stop | string => {
  const { config, session } = host
  const settings = settingsOf(host.remote.items.sessionRecording)
  const policy = createPolicy(config.session_recording, settings ?? {}, host)
  if (typeof policy === 'string') return policy

  const hasSettings = !isStale(host.remote.items.sessionRecording)
  let status: Status = 'awaiting_config'
  /** Why recording has stopped. */
  let failure: string | undefined
  let isRefused = false
  let reportedAt = 0
  /** Why the session is recorded; undefined until it is. */
  let startReason: string | undefined
  let firstReason = reason
  let url = location.href
  const tab = createTabState(host)
  const frames = createFrames(host, policy)
  const triggers = createTriggers(host, settings ?? {})
  const chunks = createChunks({
    host,
    policy,
    tab,
    upload: upload.send,
    onSnapshotText: (length) => capture.onSnapshotText(length),
    onTooLarge: () => fail('page_too_large'),
  })
  const gate = createGate({ host, chunks, tab, projectMinimumMs: settings?.minimumDurationMilliseconds ?? 0 })
  /** Decides again on another page of the site, which may be excluded. */
  const followUrl = () => {
    if (url === location.href) return
    url = location.href
    evaluate()
    capture.mark('$url_changed', { href: url })
  }
  const fail = (reason: string) => {
    failure = reason
    // The recording ends with what stopped it.
    chunks.cut()
    evaluate()
  }
  const capture = createCapture({
    host,
    policy,
    record: (event) => {
      const post = frames.toParent()
      if (post) post(hideNow(event))
      else chunks.add(event)
    },
    size: () => tab.read(session.current() ?? '', session.windowId()).size,
    snapshotEveryMs: () => (status === 'buffering' ? pendingSnapshotMs(config) : undefined),
    onDropped: chunks.onDropped,
    onEvent: followUrl,
    onSnapshot: frames.onSnapshot,
    onInteraction: () => {
      if (gate.onInteraction()) evaluate()
    },
    onFailure: fail,
  })

  const report = (facts: Facts) => {
    reportedAt = Date.now()
    host.shared.properties = propertiesOf(status, facts, chunks.sizes(), capture.isRunning(), startReason, failure)
  }
  /** Decides again whether the session is recorded, and applies the decision. */
  const evaluate = () => {
    const facts = frames.factsOf(triggers.facts())
    const before = status
    status = decide({
      ...facts,
      hasFailed: !!failure,
      hasSettings,
      isUnreachable: host.remote.hasFailed,
      isEnabled: !!settings && !isRefused,
    })
    if (/active|sampled/.test(status)) startReason ??= facts.startReason ?? firstReason
    if (/disabled|error|config/.test(status)) {
      capture.suspend()
      chunks.clear()
    } else if (status === 'paused') {
      chunks.cut()
      capture.pause()
    } else {
      capture.resume()
      capture.start()
      if (status === 'buffering') chunks.hold(true)
      else if (gate.isOpen(facts.groups)) chunks.release()
      else chunks.hold(false)
    }
    if (status !== before || Date.now() - reportedAt > REPORT_EVERY_MS) report(facts)
  }
  /** Records from a full snapshot on, for another session or another page around this one. */
  const beginAgain = () => {
    chunks.clear()
    capture.restart()
    evaluate()
  }
  const onLeave = () => {
    gate.onVisibilityChange()
    chunks.cut()
    evaluate()
  }

  const stops = [
    host.typing.follow(),
    session.onChange(() => {
      chunks.cut()
      isRefused = false
      startReason = undefined
      reportedAt = 0
      firstReason = 'session_id_changed'
      beginAgain()
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
    host.onLeave((isNextPerson) => isNextPerson || onLeave()),
    // A hidden tab may never be shown again.
    host.listen(self, ['visibilitychange'], () => (isHidden() ? onLeave() : gate.onVisibilityChange())),
    startPlugins(host, settings ?? {}, policy, capture),
    frames.start(capture, beginAgain),
    everySecond(host, () => {
      followUrl()
      evaluate()
      capture.tick()
    }),
  ]
  Object.assign(host.shared, createSiteEvents(host, policy, capture.addRaw))
  evaluate()
  return () => {
    stops.forEach((stop) => stop())
    chunks.cut()
    chunks.clear()
    capture.stop()
  }
}
