import type { eventWithTime } from '@rrweb/types'
import { isHidden } from '../../browser/visibility'
import { listen } from '../../browser/signal'
import { attempt } from '../../lib/guard'
import type { RecorderParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { busiestElement, createAttributeBucket, type Load, MAX_ELEMENTS, NO_LOAD, nextLoad, PAUSE_MS } from './budget'
import type { Chunks } from './chunks'
import { createIdle, isActive } from './idle'
import type { Policy } from './sanitize/policy'
import { createSanitizer } from './sanitize/sanitize'
import { addCustomEvent, freeze, idOf, nodeOf, startRrweb, takeSnapshot } from './startRrweb'
import type { Tab } from './tabState'

const FULL_SNAPSHOT = 2
const INCREMENTAL = 3
const META = 4
const CUSTOM = 5
/** A custom event that makes rrweb emit what it has collected while frozen. It is not recorded. */
const FLUSH = 'trailmark flush'
const COALESCE_MS = 500
const IDLE_MS = 300_000
const SNAPSHOT_MS = 300_000
const SAMPLED_NODES = 200
const IDLE_TIMEOUT_MS = 2000
const TOUCH_EVERY_MS = 1000

/** Runs when the browser is idle, at latest after two seconds. */
export const whenIdle = (host: Pick<ExtensionHost, 'later'>, run: () => void): void => {
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in self) requestIdleCallback(() => host.later(run, 0), { timeout: IDLE_TIMEOUT_MS })
  else host.later(run, 200)
}

interface Mutation {
  texts: { id: number }[]
  attributes: { id: number }[]
  adds: { parentId: number; node: { id: number } }[]
  removes: { parentId: number }[]
}

interface CaptureInputs {
  host: ExtensionHost & RecorderParts
  policy: Policy
  chunks: Chunks
  tab: Tab
  snapshotEveryMs(): number | undefined
  /** Counts changes that were left out. */
  onDropped(count: number): void
  /** rrweb failed, or the page is too much for it. */
  onFailure(reason: string): void
}

/** Runs rrweb within the budget, and passes its events, sanitized, to the chunks. */
export const createCapture = ({ host, policy, chunks, tab, snapshotEveryMs, onDropped, onFailure }: CaptureInputs) => {
  const { config } = host
  const { sanitize, isOpen } = createSanitizer(policy, nodeOf, (url) => host.redactUrls(host.permittedUrl(url, config)))
  const bucket = createAttributeBucket()
  const idle = createIdle(() => config.session_recording.session_idle_threshold_ms ?? IDLE_MS, Date.now())
  let stopRrweb: Stop | undefined
  let isStarting = false
  let isPaused = false
  /** Events between a change of the session and its full snapshot cannot be played. */
  let waitsForSnapshot = true
  let snapshotAt = 0
  let lastTouch = 0
  let load: Load = NO_LOAD
  let hot: Element | undefined
  let changes = 0
  let changed: number[] = []
  let minute = { since: 0, size: 0 }
  let pauseTimer: ReturnType<typeof setTimeout> | undefined
  let freezeTimer: ReturnType<typeof setTimeout> | undefined
  let inputs = new Map<number, string>()

  const mark = (tag: string, payload?: object) => {
    if (stopRrweb && !waitsForSnapshot) attempt(() => addCustomEvent(tag, payload))
  }
  const snapshotSoon = () => {
    waitsForSnapshot = true
    whenIdle(host, () => {
      if (stopRrweb && waitsForSnapshot && !isPaused && !idle.isIdle()) takeSnapshot()
    })
  }
  /** Removes what the budget leaves out of a mutation. Returns false if nothing is left. */
  const limit = (data: Mutation): boolean => {
    const isHot = (id: number) => !!hot && hot.contains(nodeOf(id))
    const count = () => data.texts.length + data.attributes.length + data.adds.length + data.removes.length
    const before = count()
    changes += before
    if (changed.length < SAMPLED_NODES)
      changed.push(
        ...[...data.texts, ...data.attributes, ...data.adds.map(({ node }) => node)]
          .slice(0, SAMPLED_NODES)
          .map(({ id }) => id),
      )
    data.attributes = data.attributes.filter(({ id }) => bucket.takes(id) && !isHot(id))
    if (hot) {
      data.texts = data.texts.filter(({ id }) => !isHot(id))
      data.adds = data.adds.filter(({ parentId }) => !isHot(parentId))
      data.removes = data.removes.filter(({ parentId }) => !isHot(parentId))
    }
    if (before > count()) onDropped(before - count())
    return count() > 0
  }
  /** Whether the event repeats the masked value of a field, which would tell how many keys were pressed. */
  const isRepeated = ({ type, data }: eventWithTime): boolean => {
    const input = data as { source?: number; id: number; text: string; isChecked: boolean }
    if ((type as number) !== INCREMENTAL || input.source !== 5) return false
    const value = `${input.isChecked} ${input.text}`
    if (inputs.get(input.id) === value) return true
    inputs.set(input.id, value)
    return false
  }
  const add = (event: eventWithTime) => {
    const sanitized = sanitize(event)
    if (sanitized && !isRepeated(sanitized)) chunks.add(sanitized)
  }
  const emit = (event: eventWithTime) => {
    const type = event.type as number
    if (type === CUSTOM && (event.data as { tag: string }).tag === FLUSH) return
    // Another tab may have ended the session, or the person comes back after a long time.
    if (isActive(event) && event.timestamp - lastTouch > TOUCH_EVERY_MS) {
      lastTouch = event.timestamp
      host.session.touch()
    }
    const change = idle.next(event)
    if (change === 'active') {
      mark('sessionNoLongerIdle', { reason: 'input' })
      snapshotSoon()
    }
    if (change === 'idle')
      add({
        type: CUSTOM,
        data: { tag: 'sessionIdle', payload: { lastActivity: idle.lastActive() } },
        timestamp: event.timestamp,
      })
    if (idle.isIdle() || isPaused) return
    if (type === META) {
      waitsForSnapshot = false
      snapshotAt = event.timestamp
      inputs = new Map()
    }
    if (waitsForSnapshot) return
    const { data } = event as { data: Mutation & { source?: number; isAttachIframe?: true } }
    if (type === INCREMENTAL && data.source === 0 && !limit(data) && !data.isAttachIframe) return
    add(event)
    if (type === FULL_SNAPSHOT) changes = 0
  }
  const start = () => {
    isStarting = false
    if (isPaused || stopRrweb) return
    const count = document.getElementsByTagName('*').length
    if (count > MAX_ELEMENTS) return onFailure('page_too_large')
    // A recording belongs to a session.
    host.session.touch()
    waitsForSnapshot = true
    stopRrweb = attempt(() => startRrweb({ options: config.session_recording, policy, emit }))
    if (!stopRrweb) onFailure('rrweb')
  }
  const stop = () => {
    clearTimeout(freezeTimer)
    freezeTimer = undefined
    hot = undefined
    const stopNow = stopRrweb
    stopRrweb = undefined
    if (stopNow) attempt(stopNow)
  }
  const startSoon = () => {
    // A pause of the budget ends by itself.
    if (isStarting || stopRrweb || pauseTimer) return
    isStarting = true
    whenIdle(host, () => isStarting && start())
  }
  const coalesce = () => {
    freezeTimer = host.later(() => {
      attempt(() => {
        addCustomEvent(FLUSH)
        freeze()
      })
      coalesce()
    }, COALESCE_MS)
  }
  /** Applies a step of the budget, and says so in the recording. */
  const apply = (next: Load, reason: string) => {
    const { step } = next
    const before = load.step
    load = next
    if (step === before) return
    mark('recording degraded', { step, reason })
    if (step === 'none') {
      clearTimeout(freezeTimer)
      freezeTimer = undefined
      attempt(() => addCustomEvent(FLUSH))
      if (hot) snapshotSoon()
      hot = undefined
    }
    if (step === 'coalesce' && !freezeTimer) coalesce()
    if (step === 'block') hot = busiest()
    if (step === 'pause') {
      stop()
      pauseTimer = host.later(() => {
        pauseTimer = undefined
        minute = { since: Date.now(), size: minute.size }
        startSoon()
      }, PAUSE_MS)
    }
    if (step === 'stop') {
      stop()
      onFailure('budget')
    }
  }
  const busiest = () => busiestElement(changed.flatMap((id) => nodeOf(id) ?? []))
  /** Called each second. */
  const tick = () => {
    if (!stopRrweb || isHidden()) return
    bucket.trim()
    const now = Date.now()
    const { size } = tab.read(host.session.current() ?? '', host.session.windowId())
    if (now - minute.since > 60_000) minute = { since: now, size }
    const canBlock = load.busy > 1 && !!busiest()
    const next = nextLoad(load, { changes, minute: size - minute.size, session: size, canBlock })
    apply(next, next.step === 'pause' && changes < 1000 ? 'bytes' : 'changes')
    changes = 0
    changed = []
    const every = snapshotEveryMs() ?? config.session_recording.full_snapshot_interval_millis ?? SNAPSHOT_MS
    if (!waitsForSnapshot && !idle.isIdle() && load.step === 'none' && now - snapshotAt > every) snapshotSoon()
  }
  const stops = [
    listen(self, ['online'], () => mark('browser online')),
    listen(self, ['offline'], () => mark('browser offline')),
    listen(self, ['visibilitychange'], () => mark(isHidden() ? 'window hidden' : 'window visible')),
    listen(self, ['pageshow'], (event) => (event as PageTransitionEvent).persisted && snapshotSoon()),
  ]
  let timer: ReturnType<typeof setTimeout>
  const tickLater = () => {
    timer = host.later(() => {
      tickLater()
      tick()
    }, 1000)
  }
  tickLater()

  return {
    start: startSoon,
    isRunning: () => !!stopRrweb,
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
      load = { ...NO_LOAD }
      if (stopRrweb) snapshotSoon()
    },
    mark,
    /** Adds an event of recorderPlugins, which removes what must not leave the page itself. */
    addRaw: (type: number, data: object): void => {
      if (!stopRrweb || waitsForSnapshot || isPaused || idle.isIdle()) return
      chunks.add({ type, data, timestamp: Date.now() })
    },
    /** Returns the id of an element whose content may be recorded; undefined if it must not be, or is not in the recording. */
    openId: (element: Element): number | undefined => {
      const id = stopRrweb ? idOf(element) : -1
      return id > 0 && isOpen(element) ? id : undefined
    },
    suspend: stop,
    stop: (): void => {
      isStarting = false
      clearTimeout(timer)
      clearTimeout(pauseTimer)
      stops.forEach((each) => each())
      stop()
    },
  }
}
