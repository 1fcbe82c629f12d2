import { wellFormed } from '../lib/storableJson.ts'
import { CLICK, CONSOLE_PLUGIN, EVENT_TYPE, isFields, type RecordedEvent, SOURCE } from './rrweb.ts'

/** Counts of one chunk. */
export interface Figures {
  readonly clicks: number
  readonly keypresses: number
  readonly consoleErrors: number
  /** Slots of time in which the visitor did something, counted from 1970. */
  readonly activeSlots: readonly number[]
  /** URLs of the pages, in order, without repetitions. */
  readonly urls: readonly string[]
}

/** Length of a slot. A visitor who does something is active for this long. */
export const SLOT_MS = 5_000

const MAX_SLOTS = 1_000
const MAX_URLS = 50
const MAX_URL = 2_000

/** Sources of events that a visitor causes. */
const ACTIVE: ReadonlySet<unknown> = new Set([
  SOURCE.mouseMove,
  SOURCE.mouseInteraction,
  SOURCE.scroll,
  SOURCE.viewportResize,
  SOURCE.input,
  SOURCE.touchMove,
  SOURCE.mediaInteraction,
  SOURCE.drag,
])

const urlOf = ({ type, data }: RecordedEvent): string | undefined => {
  if (!isFields(data)) return undefined
  const payload =
    type === EVENT_TYPE.meta ? data : type === EVENT_TYPE.custom && isFields(data.payload) ? data.payload : {}
  const { href } = payload
  return typeof href === 'string' && href && href.length <= MAX_URL ? wellFormed(href) : undefined
}

const isConsoleError = ({ type, data }: RecordedEvent): boolean =>
  type === EVENT_TYPE.plugin &&
  isFields(data) &&
  data.plugin === CONSOLE_PLUGIN &&
  isFields(data.payload) &&
  data.payload.level === 'error'

/** Counts the events of a chunk by kind. `shiftMs`: time by which the visitor's clock is behind the service's. */
export const figuresOf = (events: readonly RecordedEvent[], shiftMs: number): Figures => {
  let [clicks, keypresses, consoleErrors] = [0, 0, 0]
  const slots = new Set<number>()
  const urls = new Set<string>()
  for (const event of events) {
    const source = event.type === EVENT_TYPE.incremental && isFields(event.data) ? event.data.source : undefined
    if (ACTIVE.has(source) && slots.size < MAX_SLOTS) slots.add(Math.floor((event.timestamp + shiftMs) / SLOT_MS))
    if (source === SOURCE.mouseInteraction && (event.data as { type?: unknown }).type === CLICK) clicks += 1
    if (source === SOURCE.input) keypresses += 1
    if (isConsoleError(event)) consoleErrors += 1
    const url = urlOf(event)
    if (url && urls.size < MAX_URLS) urls.add(url)
  }
  return { clicks, keypresses, consoleErrors, activeSlots: [...slots], urls: [...urls] }
}
