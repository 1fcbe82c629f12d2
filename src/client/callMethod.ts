import type { Log } from '../lib/log'
import type { Moment } from '../lib/moment'
import { has } from '../lib/objects'
import type { SurveyRenderReason } from '../types'
import { type Calls, isFunction, type Method } from './calls'
import type { CallMethod, Connection, Feature } from './feature'
import type { Missing } from './missingParts'

/** Returns the member at a path such as `people.set`. */
export const memberAt = (of: object, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], of)

export const whyAbsent = (method: string, reason = 'is not in this version'): string =>
  `${method} ${reason}; the call does nothing`

/** Why a method does not come if it would have nothing to do. */
export const NOTHING = 'no surveys'

interface Inputs {
  features: readonly Feature[]
  /** What the features have connected, in the same order. */
  connections: readonly Connection[]
  /** The methods that are there now. */
  api: object
  calls: Calls
  moment(): Moment
  log: Log
  missing: Missing
}

/**
 * Returns a function that calls a method. If the extension that has it may still come, the call waits. If it does not
 * come, its feature answers, or the console says why: a callback that expects a list receives an empty one, and a flag
 * listener is not called.
 */
export const createCallMethod = ({ features, connections, api, calls, moment, log, missing }: Inputs): CallMethod => {
  const callMethod: CallMethod = (path, args) => {
    const method = memberAt(api, path) as Method | undefined
    if (method) return method(...args)
    const owner = connections[features.findIndex(({ methods = {} }) => has(methods, path))]
    const absence = owner?.absence?.()
    if (absence === '' && calls.hasRoom()) {
      owner!.onWait?.()
      return calls.add(path, args, () => callMethod(path, args), { ...moment(), trace: new Error() }, true)
    }
    if (owner?.answer) return owner.answer(path, args)
    log.warn(whyAbsent(path, absence ? `(${absence})` : missing(path)))
    const [callback] = args
    if (isFunction(callback) && path !== 'onFeatureFlags')
      callback([], { isLoaded: absence === NOTHING, error: absence ?? 'not in this version' })
    if (!absence || !path.startsWith('can')) return undefined
    const answer: SurveyRenderReason = { visible: false, disabledReason: absence }
    return path === 'canRenderSurvey' ? answer : Promise.resolve(answer)
  }
  return callMethod
}
