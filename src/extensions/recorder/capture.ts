import type { eventWithTime } from '@rrweb/types'
import type { RecordedEvent, RecorderParts } from '../../host'
import type { RecordingReason, Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { createActivity } from './activity'
import { MAX_ELEMENTS } from './budget'
import { clock, resetClock } from './clock'
import { CUSTOM, FONT, FULL_SNAPSHOT, INCREMENTAL, INPUT, META, MUTATION } from './eventTypes'
import { createLadder, FLUSH } from './ladder'
import { createLimiter, type Mutation } from './limiter'
import { attempt, isHidden } from './page'
import type { Policy } from './sanitize/policy'
import { createSanitizer, type Sanitize } from './sanitize/sanitize'
import { watchShown } from './shown'
import { addCustomEvent, idOf, nodeOf, startRrweb, takeSnapshot } from './startRrweb'

const SNAPSHOT_MS = 300_000
const IDLE_TIMEOUT_MS = 2000
/** Fonts that scripts add, which are recorded again after each full snapshot. */
const MAX_FONTS = 50

type Host = ExtensionHost & RecorderParts

/** Runs `run` when the browser is idle, after two seconds at the latest. */
const whenIdle = (host: Host, run: () => void): void => {
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in self) requestIdleCallback(() => host.later(run, 0), { timeout: IDLE_TIMEOUT_MS })
  else host.later(run, 200)
}

/**
 * Passes events on, except those that repeat the masked value of a field, which would reveal how many keys were
 * pressed.
 */
const withoutRepeats = (record: (event: eventWithTime) => void) => {
  let values = new Map<number, string>()
  const isRepeated = ({ type, data }: eventWithTime): boolean => {
    const { source, id, text, isChecked } = data as { source?: number; id: number; text: string; isChecked: boolean }
    if ((type as number) !== INCREMENTAL || source !== INPUT) return false
    const value = `${isChecked} ${text}`
    if (values.get(id) === value) return true
    values.set(id, value)
    return false
  }
  return {
    record: (event: eventWithTime | undefined): void => {
      if (event && !isRepeated(event)) record(event)
    },
    forget: (): void => {
      values = new Map()
    },
  }
}

/**
 * Records events of the window and its connection. `onRestored`: called when the page returns from the back/forward
 * cache.
 */
const watchWindow = ({ listen }: Host, mark: (tag: string) => void, onRestored: () => void): Stop => {
  const stops = [
    listen(self, ['online', 'offline'], ({ type }) => mark(`browser ${type}`)),
    listen(self, ['visibilitychange'], () => mark(`window ${document.visibilityState}`)),
    listen(self, ['pageshow'], (event) => (event as PageTransitionEvent).persisted && onRestored()),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Takes full snapshots when the browser is idle. */
const createSnapshots = (host: Host, mayTake: () => boolean) => {
  let isWaiting = true
  let takenAt = 0
  return {
    /** Whether events cannot be played before the next one. */
    isWaiting: () => isWaiting,
    /** Time since the last one was taken or requested, ms. */
    age: () => clock() - takenAt,
    /** Takes a periodic full snapshot, which the player can seek to. Recording continues until then. */
    renew: (): void => {
      takenAt = clock()
      whenIdle(host, () => {
        if (mayTake()) takeSnapshot()
      })
    },
    /** Takes a full snapshot without which later events cannot be played. Nothing is recorded until then. */
    soon: (): void => {
      isWaiting = true
      whenIdle(host, () => {
        if (isWaiting && mayTake()) takeSnapshot()
      })
    },
    /** Called before rrweb starts, which takes a full snapshot. */
    expect: (): void => {
      isWaiting = true
    },
    begin: (timestamp: number): void => {
      isWaiting = false
      takenAt = timestamp
    },
  }
}

interface CaptureInputs {
  host: Host
  policy: Policy
  /** Receives events that may leave the page. */
  record(event: eventWithTime): void
  /** Characters recorded of the session. */
  size(): number
  snapshotEveryMs(): number | undefined
  /** Counts changes that were left out. */
  onDropped(count: number): void
  /** Called before each event is recorded. */
  onEvent(): void
  /** Called when a full snapshot was recorded. */
  onSnapshot(): void
  /** Called when the visitor did something. */
  onInteraction(): void
  /** Called when rrweb failed, or the budget has stopped the recording. */
  onFailure(reason: RecordingReason): void
}

/**
 * Runs rrweb, and passes its events to `record`: limited by the budget (`limiter`, `ladder`), none while the visitor is idle or the URL is
 * excluded, each sanitized.
 */
export const createCapture = (inputs: CaptureInputs) => {
  const { host, policy, onFailure } = inputs
  const options = host.config.session_recording
  const onError = () => inputs.onDropped(1)
  const sanitizer = createSanitizer(policy, nodeOf, host.outgoingUrl, onError)
  const { record, forget } = withoutRepeats(inputs.record)
  const limiter = createLimiter(inputs.onDropped, options.attributeFilter)
  let stopRrweb: Stop | undefined
  let isStarting = false
  /** Whether rrweb runs or is being started. What it calls later, such as throttled moves, is not recorded. */
  let isOn = false
  let isPaused = false
  let count = 0

  const isOpen = () => !!stopRrweb && !isPaused && !activity.isIdle()
  const snapshots = createSnapshots(host, isOpen)
  const mark = (tag: string, payload?: object): void => {
    if (stopRrweb && !snapshots.isWaiting()) attempt(() => addCustomEvent(tag, payload))
  }
  const add = (event: eventWithTime, sanitize: Sanitize = sanitizer.sanitize) => record(sanitize(event))
  const activity = createActivity({
    host,
    onInteraction: inputs.onInteraction,
    onIdle: (lastActivity, timestamp) =>
      add({ type: CUSTOM, data: { tag: 'sessionIdle', payload: { lastActivity } }, timestamp }),
    onReturn: () => {
      mark('sessionNoLongerIdle', { reason: 'input' })
      snapshots.soon()
    },
  })
  /** Fonts that scripts have added. A player needs them after each full snapshot. */
  const fonts: eventWithTime[] = []
  const emit = (event: eventWithTime, sanitize?: Sanitize) => {
    if (!isOn) return
    const type = event.type as number
    if (type === CUSTOM && (event.data as { tag: string }).tag === FLUSH) return
    inputs.onEvent()
    activity.observe(event)
    if (activity.isIdle() || isPaused) return
    if (type === META) {
      snapshots.begin(event.timestamp)
      forget()
    }
    if (type === INCREMENTAL && (event.data as { source?: number }).source === FONT && fonts.length < MAX_FONTS)
      fonts.push(event)
    if (snapshots.isWaiting()) return
    const { data } = event as { data: Mutation & { source?: number; isAttachIframe?: true } }
    if (type === INCREMENTAL && data.source === MUTATION && !limiter.limit(data) && !data.isAttachIframe) return
    add(event, sanitize)
    if (type !== FULL_SNAPSHOT) return
    limiter.reset()
    count += 1
    for (const font of fonts) add({ ...font, timestamp: event.timestamp })
    shownState.begin()
    inputs.onSnapshot()
  }
  const start = () => {
    isStarting = false
    if (isPaused || stopRrweb) return
    if (document.getElementsByTagName('*').length > MAX_ELEMENTS) return onFailure('page_too_large')
    // A recording belongs to a session.
    host.session.touch()
    snapshots.expect()
    isOn = true
    const fail = () => {
      stop()
      onFailure('rrweb')
    }
    const { sanitizeOne: sanitize } = sanitizer
    stopRrweb = attempt(() =>
      startRrweb({ options, policy, emit, sanitize, onError, onFailure: () => host.later(fail, 0) }),
    )
    isOn = !!stopRrweb
    if (!isOn) onFailure('rrweb')
  }
  const stop = () => {
    isOn = false
    ladder.release()
    fonts.length = 0
    const stopNow = stopRrweb
    stopRrweb = undefined
    if (stopNow) attempt(stopNow)
  }
  const startSoon = () => {
    if (isStarting || stopRrweb || ladder.isPausing()) return
    isStarting = true
    whenIdle(host, () => isStarting && start())
  }
  const ladder = createLadder({
    later: host.later,
    limiter,
    size: inputs.size,
    mark,
    snapshotSoon: snapshots.soon,
    stopRrweb: stop,
    startSoon,
    onStop: () => onFailure('budget'),
  })
  const stopWatching = watchWindow(host, mark, snapshots.soon)
  const shownState = watchShown({
    host,
    idOf,
    add: (type, data) => stopRrweb && emit({ type, data, timestamp: Date.now() }),
    mark,
  })

  return {
    start: startSoon,
    isRunning: () => !!stopRrweb,
    /** Whether nothing is recorded until the visitor does something. */
    isIdle: activity.isIdle,
    /** Called each second. */
    tick: (): void => {
      if (!stopRrweb || isHidden()) return
      ladder.tick()
      const every = inputs.snapshotEveryMs() ?? options.full_snapshot_interval_millis ?? SNAPSHOT_MS
      if (isOpen() && !snapshots.isWaiting() && ladder.isUnlimited() && snapshots.age() > every) snapshots.renew()
    },
    /** Leaves everything out until `resume`, for example on a page whose URL is excluded. */
    pause: (): void => {
      if (!isPaused) mark('recording paused', { reason: 'url' })
      isPaused = true
    },
    resume: (): void => {
      if (!isPaused) return
      isPaused = false
      if (stopRrweb) snapshots.soon()
      else startSoon()
    },
    /** Called when the session has changed. The new one begins with a full snapshot. */
    restart: (): void => {
      resetClock()
      activity.reset()
      ladder.reset()
      if (stopRrweb) snapshots.soon()
    },
    mark,
    /** Returns the number of full snapshots. */
    snapshots: () => count,
    /** Adds an event that is not rrweb's, and whose source has removed what must not leave the page. Returns whether it was recorded. */
    addRaw: (type: number, data: object): boolean => {
      const event = { type, data, timestamp: clock() }
      inputs.onEvent()
      activity.observe(event)
      if (!isOpen() || snapshots.isWaiting()) return false
      record(event)
      return true
    },
    /** Records an event of a frame. */
    receive: (event: RecordedEvent, sanitize: Sanitize): void =>
      void (stopRrweb && emit({ ...event, timestamp: clock() }, sanitize)),
    /** Called with the characters of each full snapshot. */
    onSnapshotText: ladder.allow,
    /** Returns a URL as it may be recorded. */
    pageUrl: sanitizer.pageUrl,
    /** Returns the id of an element whose content may be recorded; undefined if it must not be, or is not in the recording. */
    openId: (element: Element): number | undefined => {
      const id = stopRrweb ? idOf(element) : -1
      return id > 0 && sanitizer.isOpen(element) ? id : undefined
    },
    suspend: stop,
    stop: (): void => {
      isStarting = false
      stopWatching()
      shownState.stop()
      ladder.stop()
      stop()
    },
  }
}

export type Capture = ReturnType<typeof createCapture>
