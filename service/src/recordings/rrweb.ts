/** Constants and types of rrweb's events, which recordings consist of. */
export const EVENT_TYPE = {
  domContentLoaded: 0,
  load: 1,
  fullSnapshot: 2,
  incremental: 3,
  meta: 4,
  custom: 5,
  plugin: 6,
} as const

/** Sources of incremental events. */
export const SOURCE = {
  mutation: 0,
  mouseMove: 1,
  mouseInteraction: 2,
  scroll: 3,
  viewportResize: 4,
  input: 5,
  touchMove: 6,
  mediaInteraction: 7,
  styleSheetRule: 8,
  canvas: 9,
  font: 10,
  drag: 12,
  styleDeclaration: 13,
  adoptedStyleSheet: 15,
} as const

/** Number of clicks among the kinds of mouse interactions. */
export const CLICK = 2

export const CONSOLE_PLUGIN = 'rrweb/console@1'

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An event of rrweb. `timestamp`: ms since the epoch, by the visitor's clock. */
export interface RecordedEvent extends Fields {
  readonly type: number
  readonly timestamp: number
  readonly data: unknown
}

const MAX_TYPE = 6

/** Whether a value has the form of an event of rrweb. Its `data` may still be anything. */
export const isRecordedEvent = (value: unknown): value is RecordedEvent =>
  isFields(value) &&
  Number.isInteger(value.type) &&
  (value.type as number) >= 0 &&
  (value.type as number) <= MAX_TYPE &&
  Number.isFinite(value.timestamp)
