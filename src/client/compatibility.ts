/**
 * Quirks of the protocol that sites migrating from another SDK may rely on (docs/reference/posthog-js.md).
 */
import { guarded } from '../lib/guard'
import { objectOf } from '../lib/objects'
import type { Properties } from '../types'

/** `init` with one of these instance names initializes the object itself. */
export const PRIMARY_NAMES = ['analytics', 'posthog']

/** The value that `register_once` treats as unset by default. */
export const NO_VALUE = 'None'

/** What `alias` returns when the alias is the current id. The call then counts as `identify`. */
export const ALIAS_IS_IDENTITY = -1

export type PeopleArguments = [name: string | Properties, value?: unknown, callback?: (answer: object) => void]

/** `people.set(name, value, callback)` and `people.set_once`: older forms of `setPersonProperties`. */
export const peopleOf = (setPersonProperties: (set?: Properties, setOnce?: Properties) => void) => {
  const read = ([name, value, callback]: PeopleArguments) => {
    if (typeof callback === 'function') guarded(() => callback({}))
    return typeof name === 'string' ? { [name]: value } : name
  }
  return {
    set: (...args: PeopleArguments): void => setPersonProperties(read(args)),
    set_once: (...args: PeopleArguments): void => setPersonProperties(undefined, read(args)),
  }
}

/** `captureTraceFeedback` and `captureTraceMetric`: events about a trace of an AI model, with all values as strings. */
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

/** `logger`, whose methods do nothing because logs are not sent. */
export const LOGGER = objectOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], () => () => {})
