/** Source of a report: a call of `captureException`, the browser or the console. */
export type Kind = 'captured' | 'error' | 'unhandledrejection' | 'console'

/** A thrown value before its stack is parsed. */
export interface Thrown {
  type: string
  value: string
  stack: string
  /** Whether the stack was made elsewhere than at the throw. */
  isSynthetic: boolean
  cause?: unknown
  errors?: unknown
}

const MAX_MESSAGE = 8_192
// Maximum length of the keys that title an object.
const MAX_KEYS = 40
// A message of one line, with the name of a class of the language, as browsers begin those of error events.
const ERROR_TEXT =
  /^(?:[Uu]ncaught (?:exception: )?)?(?:((?:Eval|Internal|Range|Reference|Syntax|Type|URI)?Error): )?(.*)$/

/** Returns what `run` returns; undefined if it throws. Imports nothing of the core, which would split its chunk. */
export const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Returns a member of anything; undefined if reading it throws. */
export const read = (value: unknown, name: string): unknown =>
  attempt(() => (value as Record<string, unknown> | null | undefined)?.[name])

/** Returns a value as a bounded string; '' if it has none. */
const text = (value: unknown): string => attempt(() => String(value).slice(0, MAX_MESSAGE)) ?? ''
/** Returns a value as text; '' if there is none. */
export const textOfAny = (value: unknown): string => (value === undefined || value === null ? '' : text(value))
const textOf = (value: unknown, name: string): string => textOfAny(read(value, name))

/** Returns the stack of an error, which is bounded where it is parsed; '' if it has none. */
const stackOf = (error: unknown): string => {
  const stack = read(error, 'stack')
  return typeof stack === 'string' ? stack : ''
}

const tagOf = (value: unknown): string => attempt(() => Object.prototype.toString.call(value).slice(8, -1)) ?? ''

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether it is an error, of this page or of another frame, which has other classes. */
export const isError = (value: unknown): boolean =>
  isObject(value) && (/(Error|Exception)$/.test(tagOf(value)) || attempt(() => value instanceof Error) === true)

/** Returns the thrown value. Unwraps the error of an `ErrorEvent` and the reason of a `PromiseRejectionEvent`. */
const unwrap = (value: unknown): unknown => {
  const tag = tagOf(value)
  if (tag === 'ErrorEvent') return read(value, 'error') ?? value
  if (tag === 'PromiseRejectionEvent') return read(value, 'reason')
  // Rejection events of Bluebird and of libraries that imitate it.
  if (tag === 'CustomEvent') return read(read(value, 'detail'), 'reason') ?? value
  // Results of API clients, such as `{ data, error }`.
  if (isObject(value) && !isError(value))
    return attempt(() => (Object.values(value) as unknown[]).find(isError)) ?? value
  return value
}

const describeError = (error: unknown): Thrown => {
  const tag = tagOf(error)
  const name = textOf(error, 'name') || (isError(error) && tag !== 'Object' ? tag : 'Error')
  const deep = read(read(read(error, 'message'), 'error'), 'message')
  const message = typeof deep === 'string' ? text(deep) : textOf(error, 'message')
  const isOfPlatform = tag === 'DOMException'
  return {
    type: isOfPlatform ? tag : name,
    value: isOfPlatform ? [name, message].filter(Boolean).join(': ') : message,
    stack: stackOf(error),
    isSynthetic: false,
    cause: read(error, 'cause'),
    errors: read(error, 'errors'),
  }
}

type Title = Pick<Thrown, 'type' | 'value'>

const titleOfText = (value: string): Title => {
  const [, type = 'Error', message = value] = ERROR_TEXT.exec(value) ?? []
  return { type, value: message }
}

const titleOfPrimitive = (value: unknown, isRejection: boolean): Title => {
  if (isRejection)
    return { type: 'UnhandledRejection', value: `Non-Error promise rejection captured with value: ${text(value)}` }
  if (typeof value === 'string') return titleOfText(text(value))
  return { type: 'Error', value: `Primitive value captured as exception: ${text(value)}` }
}

/** Returns the keys of an object in order, as many as fit. */
const keysOf = (value: object): string => {
  const keys = attempt(() => Object.keys(value).sort()) ?? []
  let fit = keys.length
  while (fit > 1 && keys.slice(0, fit).join(', ').length > MAX_KEYS) fit--
  return keys.slice(0, fit).join(', ').slice(0, MAX_KEYS) || '[object has no keys]'
}

/** Titles an object by its name and message, or else by its keys, not by values, which may be personal. */
const titleOfObject = (value: object): Title => {
  const tag = tagOf(value)
  const titleOf = (className: string) => `${className} captured as exception with keys: ${keysOf(value)}`
  if (/Event$/.test(tag)) return { type: tag, value: titleOf(tag) }
  const [name, message] = ['name', 'message'].map((each) => read(value, each))
  if (typeof name === 'string') {
    const quoted = typeof message === 'string' ? ` with message: '${text(message)}'` : ''
    return { type: text(name) || 'Error', value: `'${text(name)}' captured as exception${quoted}` }
  }
  if (typeof message === 'string') return { type: 'Error', value: text(message) }
  const className = textOf(read(value, 'constructor'), 'name') || 'Object'
  return { type: 'Error', value: titleOf(className === 'Object' ? className : `'${className}'`) }
}

/** Returns the position of an `ErrorEvent` without an error, as for cross-origin scripts, as a stack. */
const positionOf = (event: object): string => {
  const [file, line, column] = ['filename', 'lineno', 'colno'].map((name) => textOf(event, name))
  return file && Number(line) ? `?@${file}:${line}:${column}` : ''
}

/**
 * Describes any thrown value, without its causes, by the same titles as posthog-js. Never throws, even if getters do.
 * `trace`: an Error created by the call that reported it, for its stack.
 */
export const describe = (reported: unknown, kind: Kind, trace: Error | undefined): Thrown => {
  const value = unwrap(reported)
  if (isError(value) && tagOf(value) !== 'ErrorEvent') return describeError(value)
  const ofCall = kind === 'captured' || kind === 'console' ? stackOf(trace) : ''
  if (!isObject(value))
    return { ...titleOfPrimitive(value, kind === 'unhandledrejection'), stack: ofCall, isSynthetic: true }
  const message = tagOf(value) === 'ErrorEvent' && textOf(value, 'message')
  return message
    ? { ...titleOfText(message), stack: positionOf(value), isSynthetic: true }
    : { ...titleOfObject(value), stack: stackOf(value) || ofCall, isSynthetic: true }
}
