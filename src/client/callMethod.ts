import type { Log } from '../lib/log'
import { has } from '../lib/objects'
import { isFunction, type Method } from './calls'
import type { CallMethod, Connection, Feature } from './feature'
import type { Missing } from './missingParts'

/** Returns the member at a path such as `people.set`. */
export const memberAt = (of: object, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], of)

export const whyAbsent = (method: string, reason = 'is not in this version'): string =>
  `${method} ${reason}; the call does nothing`

interface Inputs {
  features: readonly Feature[]
  /** Connections of the features, in the same order. */
  connections: readonly Connection[]
  /** The methods that are there now. */
  api: object
  log: Log
  missing: Missing
}

/**
 * Returns a function that calls a method by its path. If the method is not there, its feature decides, or else the console
 * says why: a callback that expects a list receives an empty one, and a flag listener is not called.
 */
export const createCallMethod =
  ({ features, connections, api, log, missing }: Inputs): CallMethod =>
  (path, args) => {
    const method = memberAt(api, path) as Method | undefined
    if (method) return method(...args)
    const owner = connections[features.findIndex(({ methods = {} }) => has(methods, path))]
    if (owner?.onMissing) return owner.onMissing(path, args)
    log.warn(whyAbsent(path, missing(path)))
    const [callback] = args
    if (isFunction(callback) && path !== 'onFeatureFlags')
      callback([], { isLoaded: false, error: 'not in this version' })
    return undefined
  }
