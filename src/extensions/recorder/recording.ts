import type { Properties, RecordingReason, Stop } from '../../types'
import { type Chunks, createChunks } from './chunks'
import { decide, type Status } from './decide'
import { createGate } from './gate'
import { isHidden } from './page'
import type { RecorderHost, RecorderPage, RecorderPageParts } from './pageParts'
import { isStale, settingsOf } from './settings'
import { createTabState } from './tabState'
import { createTriggers, type Triggers } from './triggers'
import type { Upload } from './upload'

const PENDING_SNAPSHOT_MS = 60_000
const REPORT_EVERY_MS = 30_000

const between = (value: unknown, min: number, max: number, fallback: number) =>
  typeof value === 'number' ? Math.min(max, Math.max(min, value)) : fallback

/** Returns the time between full snapshots while a trigger is pending, ms. */
const pendingSnapshotMs = ({ session_recording: options }: RecorderHost['config']) =>
  between(options.trigger_pending_buffer_interval_millis, 1000, 3_600_000, PENDING_SNAPSHOT_MS)

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
  reason: RecordingReason | undefined,
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
  ...(reason ? { $sdk_debug_replay_stop_reason: reason } : {}),
})

/**
 * Records the page with the current options and settings: decides each second and with each trigger whether the session
 * is recorded, and when its chunks are sent. `firstReason`: why it starts, if no trigger is the reason. `onInvalid` receives what is
 * wrong with options or settings. Returns a function that stops it.
 */
export const startRecording = (
  host: RecorderHost,
  upload: Upload,
  firstReason: string,
  onInvalid: (message: string) => void,
): Stop => {
  const { config, session } = host
  const settings = settingsOf(host.remote.items.sessionRecording)
  const hasSettings = !isStale(host.remote.items.sessionRecording)
  let status: Status = 'awaiting_config'
  /** Why recording has stopped. */
  let failure: RecordingReason | undefined
  let isRefused = false
  /** Why nothing of the session is sent, or was lost; undefined if all of it is sent. */
  let reason: RecordingReason | undefined
  let reportedAt = 0
  let reported = ''
  /** Why the session is recorded; undefined until it is. */
  let startReason: string | undefined
  let url = location.href
  /** Reader of the page, once it has loaded. */
  let page: RecorderPage | undefined
  let stopPage: Stop | undefined
  const tab = createTabState(host)
  const triggers = createTriggers(host, settings ?? {})
  const chunks = createChunks({
    host,
    isStrict: () => page!.isStrict,
    tab,
    upload: upload.send,
    drop: upload.drop,
    startText: (...args) => page!.startText(...args),
    onSnapshotText: (length) => page!.onSnapshotText(length),
    onTooLarge: () => fail('page_too_large'),
  })
  const gate = createGate({ host, chunks, tab, projectMinimumMs: settings?.minimumDurationMilliseconds ?? 0 })
  /** Decides again on another page of the site, which may be excluded. */
  const followUrl = () => {
    if (url === location.href) return
    url = location.href
    evaluate()
    page?.mark('$url_changed', { href: url })
  }
  const fail = (why: RecordingReason) => {
    failure = why
    // The recording ends with what stopped it.
    chunks.cut()
    evaluate()
  }
  /** Records from a full snapshot on, for another session or another page around this one. */
  const beginAgain = () => {
    chunks.clear()
    page?.restart()
    evaluate()
  }
  const loadPage = () => {
    const parts: RecorderPageParts = {
      settings: settings ?? {},
      use: (loaded) => {
        page = loaded
        evaluate()
      },
      onInvalid,
      record: chunks.add,
      size: () => tab.read(session.current() ?? '', session.windowId()).size,
      snapshotEveryMs: () => (status === 'buffering' ? pendingSnapshotMs(config) : undefined),
      onDropped: chunks.onDropped,
      onEvent: followUrl,
      onInteraction: () => {
        if (gate.onInteraction()) evaluate()
      },
      onFailure: fail,
      onParentChange: beginAgain,
    }
    stopPage ??= host.startExtension('recorderPage', { ...host, ...parts }, () => fail('recorder_unavailable'))
  }

  const report = (facts: Facts) => {
    reportedAt = Date.now()
    host.shared.properties = propertiesOf(status, facts, chunks.sizes(), !!page?.isRunning(), startReason, reason)
  }
  /** Decides again whether the session is recorded, and applies the decision. */
  const evaluate = () => {
    const own = triggers.facts()
    const facts = page?.factsOf(own) ?? own
    const [next, why] = decide({
      ...facts,
      hasFailed: !!failure,
      hasSettings,
      isUnreachable: host.remote.hasFailed,
      isEnabled: !!settings && !isRefused,
    })
    status = next
    const waitsFor = /active|sampled/.test(status) ? gate.waitsFor(facts.groups) : undefined
    const isIdle = page?.isIdle() && 'idle'
    reason = failure ?? (isRefused ? 'refused_by_service' : why) ?? waitsFor ?? (isIdle || upload.lost())
    if (/active|sampled/.test(status)) startReason ??= facts.startReason ?? firstReason
    if (/disabled|error|config/.test(status)) {
      page?.suspend()
      chunks.clear()
    } else if (status === 'paused') {
      chunks.cut()
      page?.pause()
    } else {
      loadPage()
      page?.resume()
      page?.start()
      if (status === 'buffering') chunks.hold(true)
      else if (!waitsFor) chunks.release()
      else chunks.hold(false)
    }
    const state = [status, reason, page?.isRunning()].join()
    if (state !== reported || Date.now() - reportedAt > REPORT_EVERY_MS) report(facts)
    reported = state
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
      upload.forgetLost()
      startReason = undefined
      reportedAt = 0
      firstReason = 'session_id_changed'
      beginAgain()
    }),
    host.ledger.on('eventCaptured', (event) => {
      triggers.onCaptured(event)
      if (event.event === '$pageview') page?.mark('$pageview', { href: location.href })
      if (status === 'buffering') evaluate()
    }),
    upload.onRefused(() => {
      isRefused = true
      evaluate()
    }),
    host.onLeave((isNextPerson) => isNextPerson || onLeave()),
    // A hidden tab may never be shown again.
    host.listen(self, ['visibilitychange'], () => (isHidden() ? onLeave() : gate.onVisibilityChange())),
    everySecond(host, () => {
      followUrl()
      evaluate()
      page?.tick()
    }),
  ]
  // The page around this one may record it, whatever this one decides.
  if (config.session_recording.recordCrossOriginIframes) loadPage()
  evaluate()
  return () => {
    stops.forEach((stop) => stop())
    chunks.cut()
    chunks.clear()
    stopPage?.()
  }
}
