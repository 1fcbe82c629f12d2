import { Replayer } from '@rrweb/replay'
import '@rrweb/replay/dist/style.css'
import { createIdleSpans, type IdleSpans, spanAt } from './idle.ts'
import type { FromPlayer, RecordedEvent, Span, ToPlayer } from './messages.ts'
import './player.css'
import { followPage, RULES, syncPopovers } from './shown.ts'

// The document that plays a recording. Its content security policy allows no request but its own script and style
// sheet: the recording may be hostile, and must not reveal to its sender who watches it. The parent page sends
// everything it shows.

const FULL_SNAPSHOT = 2
const TICK_MS = 100
const MAX_OVERDUE_TICKS = 10
/** Playing time of an idle period of any length. */
const IDLE_PASSES_MS = 1_500
const MAX_SPEED = 360

interface Wanted {
  readonly at: number
  readonly plays: boolean
}

let replayer: Replayer | undefined
let waiting: RecordedEvent[] = []
let idle: IdleSpans = createIdleSpans()
let gaps: readonly Span[] = []
let first = 0
let last = 0
let isEnd = false
let isPlaying = false
let wanted: Wanted | undefined
/** The last seek. */
let seekId = 0
let options = { speed: 1, skipsIdle: true }
let speed = 1
/** Ticks since the last event was due. */
let overdue = 0

const post = (message: FromPlayer) => parent.postMessage(message, location.origin)

const now = (): number => (replayer ? Math.min(first + replayer.getCurrentTime(), last) : (wanted?.at ?? first))

const report = () =>
  post({ type: 'time', id: seekId, at: wanted?.at ?? now(), isPlaying, isWaiting: wanted !== undefined })

const create = () => {
  const next = new Replayer(waiting, {
    root: document.body,
    // Sandboxed without scripts. Playing canvases (UNSAFE_replayCanvas) would allow them.
    UNSAFE_replayCanvas: false,
    mouseTail: { strokeStyle: '#0b5cad', lineWidth: 2 },
    triggerFocus: false,
    showWarning: false,
    insertStyleRules: RULES,
    logger: { log: () => {}, warn: () => {} },
    speed,
  })
  next.on('resize', (size) => {
    const { width, height } = size as { width: number; height: number }
    post({ type: 'size', width, height })
  })
  followPage(next)
  next.on('finish', () => {
    isPlaying = false
    // These were the loaded events, not the last ones: playing continues once more are loaded.
    if (!isEnd) wanted = { at: last, plays: true }
    report()
  })
  first = waiting[0]!.timestamp
  waiting = []
  return next
}

/** Whether an event is a full snapshot of a page. Others of its type make the replayer throw later. */
const isFullSnapshot = ({ type, data }: RecordedEvent) =>
  type === FULL_SNAPSHOT && Array.isArray((data as { node?: { childNodes?: unknown } } | null)?.node?.childNodes)

const show = ({ at, plays }: Wanted) => {
  const offset = Math.max(0, Math.min(at, last) - first)
  isPlaying = plays && offset < last - first
  if (isPlaying) replayer!.play(offset)
  else replayer!.pause(offset)
  syncPopovers(replayer!)
}

const fail = () => post({ type: 'failed' })

/** Creates the replayer and shows the wanted moment, once there are enough events. */
const advance = () => {
  if (!replayer && waiting.length >= 2 && waiting.some(isFullSnapshot)) replayer = create()
  if (!replayer && isEnd) return fail()
  if (!replayer || !wanted || (last <= wanted.at && !isEnd)) return
  const moment = wanted
  wanted = undefined
  show(moment)
  report()
}

const setSpeed = (next: number) => {
  if (next === speed) return
  speed = next
  replayer?.setConfig({ speed })
}

const on: { readonly [Type in ToPlayer['type']]: (message: Extract<ToPlayer, { type: Type }>) => void } = {
  open(message) {
    replayer?.destroy()
    replayer = undefined
    waiting = []
    idle = createIdleSpans()
    gaps = message.gaps
    document.body.classList.toggle('is-still', message.isStill === true)
    last = 0
    isEnd = false
    isPlaying = false
    wanted = undefined
  },
  events(message) {
    for (const event of message.events) {
      idle.add(event)
      last = Math.max(last, event.timestamp)
      if (replayer) replayer.addEvent(event)
      else waiting.push(event)
    }
    isEnd = message.isEnd
    // The replayer adds events in a microtask.
    setTimeout(advance)
  },
  seek({ id, at, plays }) {
    seekId = id
    wanted = { at, plays }
    advance()
    report()
  },
  options(message) {
    options = message
    setSpeed(options.speed)
  },
}

/** Skips gaps and idle periods, and reports the time. */
const tick = () => {
  if (!replayer) return
  syncPopovers(replayer)
  if (!isPlaying) return
  const time = now()
  // Detects the end here too, because a replayer that failed never reports it.
  if (isEnd && !wanted && time >= last) {
    overdue += 1
    if (overdue > MAX_OVERDUE_TICKS) {
      isPlaying = false
      replayer.pause()
      return report()
    }
  } else overdue = 0
  const gap = spanAt(gaps, time)
  const pause = options.skipsIdle ? idle.at(time) : undefined
  if (gap) wanted = { at: gap.to, plays: true }
  setSpeed(
    pause ? Math.max(options.speed, Math.min(MAX_SPEED, (pause.to - pause.from) / IDLE_PASSES_MS)) : options.speed,
  )
  advance()
  report()
}

// Errors of the replayer, also in its timers: the recording may be malformed, or of a newer release. An error event without
// an error is the browser's, about the order of layouts.
addEventListener('error', (event) => {
  if (!event.error) return
  event.preventDefault()
  fail()
})
addEventListener('unhandledrejection', (event) => {
  event.preventDefault()
  fail()
})
addEventListener('message', ({ source, origin, data }: MessageEvent<ToPlayer>) => {
  // Tools that inspect pages send messages too.
  if (source === parent && origin === location.origin && Object.hasOwn(on, data?.type)) on[data.type](data as never)
})
setInterval(tick, TICK_MS)
post({ type: 'ready' })
