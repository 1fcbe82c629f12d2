/** A stack frame of an event. Lines and columns start at 1. */
export interface Frame {
  readonly filename: string
  readonly function: string
  readonly line: number | undefined
  readonly column: number | undefined
  readonly inApp: boolean
  /** Debug id of its file. '': unknown. */
  readonly mapId: string
}

/** One error of an event. The first was thrown, the others are its causes. */
export interface Exception {
  readonly type: string
  readonly value: string
  readonly isHandled: boolean
  /** Whether its stack is not that of a throw. */
  readonly isSynthetic: boolean
  /** The throwing frame first, then its callers. */
  readonly frames: readonly Frame[]
}

const MAX_EXCEPTIONS = 20
const MAX_FRAMES = 50
const MAX_TYPE = 200
const MAX_VALUE = 8_192
const MAX_NAME = 1_000
const MAX_STACK = 100_000

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
/** Returns a URL without its parameters and hash. */
export const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0]!

const textOf = (value: unknown, max: number): string => (typeof value === 'string' ? value.slice(0, max) : '')
const positionOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

const toFrame = (value: unknown): Frame => {
  const frame = fieldsOf(value)
  return {
    filename: textOf(frame.filename, MAX_NAME),
    function: textOf(frame.function, MAX_NAME),
    line: positionOf(frame.lineno),
    column: positionOf(frame.colno),
    inApp: frame.in_app !== false,
    mapId: textOf(frame.chunk_id, 100).toLowerCase(),
  }
}

const V8_LINE = /^\s*at (?:(.{0,500}?) \()?([^()\s]{1,1000}):(\d{1,9}):(\d{1,9})\)?$/
const OTHER_LINE = /^([^@]{0,500})@(\S{1,1000}?):(\d{1,9}):(\d{1,9})$/

/** Parses a stack trace as text, which the SDK sends if its stack parser could not load. */
const parseStack = (stack: string): Frame[] =>
  stack.split('\n').flatMap((line) => {
    const [, name = '', filename, lineNumber, column] = V8_LINE.exec(line) ?? OTHER_LINE.exec(line) ?? []
    if (filename === undefined) return []
    return [toFrame({ function: name, filename, lineno: Number(lineNumber), colno: Number(column) })]
  })

const MESSAGE_WITH_TYPE = /^(?:Uncaught )?(\w*(?:Error|Exception)): ([^]*)$/

const toException = (value: unknown): Exception => {
  const exception = fieldsOf(value)
  const mechanism = fieldsOf(exception.mechanism)
  const { frames } = fieldsOf(exception.stacktrace)
  const text = textOf(exception.value, MAX_VALUE)
  const [, typeInText, rest] = (exception.type ? undefined : MESSAGE_WITH_TYPE.exec(text)) ?? []
  return {
    type: textOf(exception.type, MAX_TYPE) || typeInText || 'Error',
    value: rest ?? text,
    isHandled: mechanism.handled === true,
    isSynthetic: mechanism.synthetic === true,
    frames: (Array.isArray(frames)
      ? frames.slice(-MAX_FRAMES).map(toFrame).reverse()
      : parseStack(textOf(exception.stack, MAX_STACK))
    ).slice(0, MAX_FRAMES),
  }
}

/** Reads `$exception_list` of any event. Values of other types are left out. */
export const exceptionsOf = (list: unknown): Exception[] =>
  Array.isArray(list) ? list.slice(0, MAX_EXCEPTIONS).map(toException) : []
