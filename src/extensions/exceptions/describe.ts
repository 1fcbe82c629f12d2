import type { ExceptionReport } from '../../host'

/** What is known of something thrown, before its stack is parsed. */
export interface Thrown {
  type: string
  value: string
  stack: string
  /** Whether the stack is not that of the throw. */
  isSynthetic: boolean
  cause?: unknown
  errors?: unknown
}

const MAX_MESSAGE = 8_192
const MAX_KEYS = 20
const ERROR_TYPE = /^(?:[Uu]ncaught (?:exception: )?)?(?:(\w*(?:Error|Exception)): )?([^]*)$/

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
const textOf = (value: unknown, name: string): string => {
  const member = read(value, name)
  return member === undefined || member === null ? '' : text(member)
}

/** Returns the stack of an error, which is bounded where it is parsed; '' if it has none. */
const stackOf = (error: unknown): string => {
  const stack = read(error, 'stack')
  return typeof stack === 'string' ? stack : ''
}

const tagOf = (value: unknown): string => attempt(() => Object.prototype.toString.call(value).slice(8, -1)) ?? ''

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether it is an error of this page or another frame: by its tag, or by its message, such as errors of API clients. */
export const isError = (value: unknown): boolean => {
  const message = read(value, 'message')
  return (
    isObject(value) &&
    (/(Error|Exception)$/.test(tagOf(value)) ||
      (typeof message === 'string' && !!(message || textOf(value, 'stack') || textOf(value, 'name'))))
  )
}

/** Returns the thrown value. Unwraps the error of an `ErrorEvent` and the reason of a `PromiseRejectionEvent`. */
const unwrap = (value: unknown): unknown => {
  const tag = tagOf(value)
  if (tag === 'ErrorEvent') return read(value, 'error') ?? value
  if (tag === 'PromiseRejectionEvent') return read(value, 'reason')
  // Rejection events of Bluebird and of libraries that imitate it.
  if (tag === 'CustomEvent') return read(read(value, 'detail'), 'reason') ?? value
  return value
}

const keysOf = (value: object): string => {
  const keys = attempt(() => Object.keys(value).sort()) ?? []
  return keys.length ? `keys: ${keys.slice(0, MAX_KEYS).join(', ')}` : 'no keys'
}

/** Returns the name of a class of errors: of the platform by its tag, or else by its constructor. */
const nameOf = (error: unknown): string => {
  const tag = tagOf(error)
  const name = /^(Error|Object)$/.test(tag) ? textOf(read(error, 'constructor'), 'name') : tag
  return (name !== tag || tag !== 'Object' ? name : '') || 'Error'
}

const describeError = (error: unknown): Thrown => ({
  type: textOf(error, 'name') || nameOf(error),
  value: textOf(error, 'message'),
  stack: stackOf(error),
  isSynthetic: false,
  cause: read(error, 'cause'),
  errors: read(error, 'errors'),
})

/** Describes an `ErrorEvent` without an error, as for cross-origin scripts: its message, and its position as a stack. */
const describeErrorEvent = (event: unknown): Thrown => {
  const [, type = 'Error', value = ''] = ERROR_TYPE.exec(textOf(event, 'message')) ?? []
  const [file, line, column] = ['filename', 'lineno', 'colno'].map((name) => textOf(event, name))
  return { type, value, stack: file && Number(line) ? `?@${file}:${line}:${column}` : '', isSynthetic: false }
}

/**
 * Describes any thrown value, without its causes. Never throws, even if getters do. `trace`: an Error created by the call
 * that reported it, for its stack.
 */
export const describe = (reported: unknown, kind: ExceptionReport[0], trace: Error | undefined): Thrown => {
  const value = unwrap(reported)
  if (tagOf(value) === 'ErrorEvent') return describeErrorEvent(value)
  if (isError(value)) {
    const thrown = describeError(value)
    if (thrown.stack || (kind !== 'captured' && kind !== 'console')) return thrown
    return { ...thrown, stack: stackOf(trace), isSynthetic: true }
  }
  const isRejection = kind === 'unhandledrejection'
  const synthetic = { stack: kind === 'captured' || kind === 'console' ? stackOf(trace) : '', isSynthetic: true }
  if (!isObject(value)) {
    const [, type, message] = ERROR_TYPE.exec(text(value)) ?? []
    return {
      type: type ?? (isRejection ? 'UnhandledRejection' : 'Error'),
      value:
        typeof value === 'string' && !isRejection
          ? (message ?? '')
          : `${isRejection ? 'Rejected with' : 'Thrown'}: ${text(value)}`,
      ...synthetic,
    }
  }
  const tag = tagOf(value)
  const type = tag === 'Object' ? textOf(read(value, 'constructor'), 'name') || tag : tag
  const event = /Event$/.test(tag) ? `${type} "${textOf(value, 'type')}"` : ''
  return {
    type: isRejection ? 'UnhandledRejection' : type,
    value: event || `${type} with ${keysOf(value)}`,
    ...synthetic,
  }
}
