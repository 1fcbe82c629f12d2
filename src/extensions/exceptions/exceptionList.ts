import { describe, type Thrown, type Kind } from './describe'
import { type Frame, framesOf } from './frames'

/** One error of `$exception_list`: what was thrown, then its causes (docs/guides/exceptions.md). */
export interface ExceptionItem {
  type: string
  value: string
  mechanism: { type: string; handled: boolean; synthetic: boolean; exception_id: number; parent_id?: number }
  stacktrace?: { type: 'raw'; frames: Frame[] }
}

const MAX_CAUSES = 4
const MAX_ERRORS = 10
// Maximum frames of all errors together. With more, serialization would cut the most deeply nested values.
const MAX_FRAMES = 150

const MECHANISM = {
  captured: 'generic',
  error: 'onerror',
  unhandledrejection: 'onunhandledrejection',
  console: 'console',
}

/**
 * Returns the errors of a report: what was thrown, up to four causes of it, and up to ten errors of an `AggregateError`.
 * Each error appears once. `hideTyped` removes what a person typed from messages.
 */
export const exceptionList = (
  kind: Kind,
  value: unknown,
  thrown: Thrown,
  chunkIds: Readonly<Record<string, string>>,
  hideTyped: (text: string) => string,
): ExceptionItem[] => {
  const items: ExceptionItem[] = []
  const seen = new Set<unknown>([value])
  let room = MAX_FRAMES

  const add = ({ type, value: message, stack, isSynthetic }: Thrown, parent?: number): number => {
    const frames = stack ? framesOf(stack, message, chunkIds).slice(-Math.max(1, room)) : []
    room -= frames.length
    items.push({
      type,
      value: hideTyped(message),
      mechanism: {
        type: parent === undefined ? MECHANISM[kind as keyof typeof MECHANISM] : 'chained',
        handled: kind === 'captured' || kind === 'console',
        synthetic: isSynthetic,
        exception_id: items.length,
        parent_id: parent,
      },
      ...(frames.length ? { stacktrace: { type: 'raw', frames } } : {}),
    })
    return items.length - 1
  }
  const addNew = (error: unknown, parent: number): { thrown: Thrown; id: number } | undefined => {
    if (error === undefined || error === null || seen.has(error)) return undefined
    seen.add(error)
    // Not with the stack of the call that reports, which is not where a cause comes from.
    const described = describe(error, 'error', undefined)
    return { thrown: described, id: add(described, parent) }
  }

  let last: { thrown: Thrown; id: number } | undefined = { thrown, id: add(thrown) }
  for (let depth = 0; last && depth < MAX_CAUSES; depth++) last = addNew(last.thrown.cause, last.id)
  if (Array.isArray(thrown.errors)) for (const each of thrown.errors.slice(0, MAX_ERRORS)) addNew(each, 0)
  return items
}
