import type { eventWithTime } from '@rrweb/types'
import type { RecorderParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { MAX_ELEMENTS } from './budget'
import type { Chunks } from './chunks'
import { CUSTOM, FULL_SNAPSHOT, INCREMENTAL, INPUT, META, MUTATION } from './eventTypes'
import { createIdle, isActive } from './idle'
import { createLadder, FLUSH } from './ladder'
import { createLimiter, type Mutation } from './limiter'
import { attempt, isHidden } from './page'
import type { Policy } from './sanitize/policy'
import { createSanitizer } from './sanitize/sanitize'
import { addCustomEvent, idOf, nodeOf, startRrweb, takeSnapshot } from './startRrweb'

const IDLE_MS = 300_000
const SNAPSHOT_MS = 300_000
const IDLE_TIMEOUT_MS = 2000
const TOUCH_EVERY_MS = 1000

type Host = ExtensionHost & RecorderParts

/** Runs when the browser is idle, at latest after two seconds. */
const whenIdle = (host: Host, run: () => void): void => {
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in self) requestIdleCallback(() => host.later(run, 0), { timeout: IDLE_TIMEOUT_MS })
  else host.later(run, 200)
}

/** Whether an event repeats the masked value of a field, which would tell how many keys were pressed. */
const createRepeats = () => {
  let values = new Map<number, string>()
  return {
    isRepeated: ({ type, data }: eventWithTime): boolean => {
      const { source, id, text, isChecked } = data as { source?: number; id: number; text: string; isChecked: boolean }
      if ((type as number) !== INCREMENTAL || source !== INPUT) return false
      const value = `${isChecked} ${text}`
      if (values.get(id) === value) return true
      values.set(id, value)
      return false
    },
    forget: (): void => {
      values = new Map()
    },
  }
}

interface CaptureInputs {
  host: Host
  policy: Policy
  chunks: Chunks
  /** Characters recorded of the session. */
  size(): number
  snapshotEveryMs(): number | undefined
  /** Counts changes that were left out. */
  onDropped(count: number): void
  /** Called before each event is recorded. */
  onEvent(): void
  /** The person did something. */
  onInteraction(): void
  /** rrweb failed, or the page is too much for it. */
  onFailure(reason: string): void
}

/**
 * Runs rrweb, and passes its events to the chunks: limited by the budget (`limiter`, `ladder`), none while the visitor is idle or the URL is
 * excluded, each sanitized.
 */
export const createCapture = (inputs: CaptureInputs) => {
  const { host, policy, chunks, onFailure } = inputs
  const options = host.config.session_recording
  const { sanitize, isOpen, pageUrl } = createSanitizer(policy, nodeOf, (url) =>
    host.redact(host.permittedUrl(url, host.config)),
  )
  const repeats = createRepeats()
  const idle = createIdle(() => options.session_idle_threshold_ms ?? IDLE_MS, Date.now())
  const limiter = createLimiter(inputs.onDropped, options.attributeFilter)
  let stopRrweb: Stop | undefined
  let isStarting = false
  let isPaused = false
  /** Events between a change of the session and its full snapshot cannot be played. */
  let waitsForSnapshot = true
  let snapshotAt = 0
  let lastTouch = 0

  const isAdding = () => stopRrweb && !waitsForSnapshot && !isPaused && !idle.isIdle()
  const mark = (tag: string, payload?: object): void => {
    if (stopRrweb && !waitsForSnapshot) attempt(() => addCustomEvent(tag, payload))
  }
  const snapshotSoon = () => {
    waitsForSnapshot = true
    whenIdle(host, () => {
      if (stopRrweb && waitsForSnapshot && !isPaused && !idle.isIdle()) takeSnapshot()
    })
  }
  const add = (event: eventWithTime) => {
    const sanitized = sanitize(event)
    if (sanitized && !repeats.isRepeated(sanitized)) chunks.add(sanitized)
  }
  /** Follows what the person does. */
  const observe = (event: eventWithTime) => {
    if (isActive(event)) {
      // Another tab may have ended the session, or the person comes back after a long time.
      if (event.timestamp - lastTouch > TOUCH_EVERY_MS) {
        lastTouch = event.timestamp
        host.session.touch()
      }
      inputs.onInteraction()
    }
    const change = idle.next(event)
    if (change === 'active') {
      mark('sessionNoLongerIdle', { reason: 'input' })
      snapshotSoon()
    }
    if (change === 'idle') {
      const data = { tag: 'sessionIdle', payload: { lastActivity: idle.lastActive() } }
      add({ type: CUSTOM, data, timestamp: event.timestamp })
    }
  }
  const emit = (event: eventWithTime) => {
    const type = event.type as number
    if (type === CUSTOM && (event.data as { tag: string }).tag === FLUSH) return
    inputs.onEvent()
    observe(event)
    if (idle.isIdle() || isPaused) return
    if (type === META) {
      waitsForSnapshot = false
      snapshotAt = event.timestamp
      repeats.forget()
    }
    if (waitsForSnapshot) return
    const { data } = event as { data: Mutation & { source?: number; isAttachIframe?: true } }
    if (type === INCREMENTAL && data.source === MUTATION && !limiter.limit(data) && !data.isAttachIframe) return
    add(event)
    if (type === FULL_SNAPSHOT) limiter.reset()
  }
  const start = () => {
    isStarting = false
    if (isPaused || stopRrweb) return
    if (document.getElementsByTagName('*').length > MAX_ELEMENTS) return onFailure('page_too_large')
    // A recording belongs to a session.
    host.session.touch()
    waitsForSnapshot = true
    stopRrweb = attempt(() => startRrweb({ options, policy, emit }))
    if (!stopRrweb) onFailure('rrweb')
  }
  const stop = () => {
    ladder.release()
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
    snapshotSoon,
    stopRrweb: stop,
    startSoon,
    onStop: () => onFailure('budget'),
  })
  const { listen } = host
  const stops = [
    listen(self, ['online'], () => mark('browser online')),
    listen(self, ['offline'], () => mark('browser offline')),
    listen(self, ['visibilitychange'], () => mark(isHidden() ? 'window hidden' : 'window visible')),
    listen(self, ['pageshow'], (event) => (event as PageTransitionEvent).persisted && snapshotSoon()),
  ]

  return {
    start: startSoon,
    isRunning: () => !!stopRrweb,
    /** Called each second. */
    tick: (): void => {
      if (!stopRrweb || isHidden()) return
      ladder.tick()
      const every = inputs.snapshotEveryMs() ?? options.full_snapshot_interval_millis ?? SNAPSHOT_MS
      if (isAdding() && ladder.isUnlimited() && Date.now() - snapshotAt > every) snapshotSoon()
    },
    /** Leaves everything out until `resume`, for example on a page whose URL is excluded. */
    pause: (): void => {
      if (isPaused) return
      mark('recording paused', { reason: 'url' })
      isPaused = true
    },
    resume: (): void => {
      if (!isPaused) return
      isPaused = false
      if (stopRrweb) snapshotSoon()
      else startSoon()
    },
    /** The session has changed: what follows begins with a full snapshot. */
    restart: (): void => {
      ladder.reset()
      if (stopRrweb) snapshotSoon()
    },
    mark,
    /** Adds an event that is not rrweb's, and whose source has removed what must not leave the page. Returns whether it was recorded. */
    addRaw: (type: number, data: object): boolean => {
      inputs.onEvent()
      if (!isAdding()) return false
      chunks.add({ type, data, timestamp: Date.now() })
      return true
    },
    /** Returns a URL as it may be recorded. */
    pageUrl,
    /** Returns the id of an element whose content may be recorded; undefined if it must not be, or is not in the recording. */
    openId: (element: Element): number | undefined => {
      const id = stopRrweb ? idOf(element) : -1
      return id > 0 && isOpen(element) ? id : undefined
    },
    suspend: stop,
    stop: (): void => {
      isStarting = false
      stops.forEach((each) => each())
      ladder.stop()
      stop()
    },
  }
}

export type Capture = ReturnType<typeof createCapture>
