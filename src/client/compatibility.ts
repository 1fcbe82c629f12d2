/**
 * Oddities of the protocol that callers may rely on, in one place. Nobody would invent them again; a site that comes
 * from another SDK of the protocol keeps working by them (docs/reference/posthog-js.md).
 */
import { guarded } from '../lib/guard'
import { objectOf } from '../lib/objects'
import type { Properties } from '../types'

/** `init` with one of these names initialises the object itself. */
export const PRIMARY_NAMES = ['analytics', 'posthog']

/** What `register_once` takes for no value, unless told otherwise. */
export const NO_VALUE = 'None'

/** What `alias` answers when the alias is the current id, which then counts as `identify`. */
export const ALIAS_IS_IDENTITY = -1

export type PeopleArguments = [name: string | Properties, value?: unknown, callback?: (answer: object) => void]

/** `people.set(name, value, callback)` and `people.set_once`: `setPersonProperties` in other words. */
export const peopleOf = (setPersonProperties: (set?: Properties, setOnce?: Properties) => void) => {
  const read = ([name, value, callback]: PeopleArguments) => {
    if (typeof callback === 'function') guarded(() => callback({}))
    return typeof name === 'string' ? { [name]: value } : name
  }
  return {
    set: (...given: PeopleArguments): void => setPersonProperties(read(given)),
    set_once: (...given: PeopleArguments): void => setPersonProperties(undefined, read(given)),
  }
}

/** `captureTraceFeedback` and `captureTraceMetric`: events about a trace of an AI model, all values as text. */
export const tracesOf = (capture: (event: string, properties: Properties) => unknown) => ({
  captureTraceFeedback: (traceId: string | number, text: string): unknown =>
    capture('$ai_feedback', { $ai_trace_id: String(traceId), $ai_feedback_text: text }),
  captureTraceMetric: (traceId: string | number, name: string, value: string | number | boolean): unknown =>
    capture('$ai_metric', {
      $ai_trace_id: String(traceId),
      $ai_metric_name: String(name),
      $ai_metric_value: String(value),
    }),
})

/** `logger` where logs are not sent: it has the methods, and they do nothing. */
export const LOGGER = objectOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], () => () => {})
