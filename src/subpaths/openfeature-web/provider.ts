import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
} from '@openfeature/web-sdk'
import type { Analytics } from 'trailmark'
import { resolve } from '../openfeature/resolve'

/** The members of `analytics` that the provider uses. */
export type FlagClient = Pick<
  Analytics,
  | 'capture'
  | 'getFeatureFlagResult'
  | 'onFeatureFlags'
  | 'resetPersonPropertiesForFlags'
  | 'setGroupPropertiesForFlags'
  | 'setPersonPropertiesForFlags'
> & { featureFlags: Pick<Analytics['featureFlags'], 'reloadFeatureFlagsAsync'> }

// Longest wait for flags. After it, the provider is ready with stored flags.
const MAX_WAIT_MS = 5_000

/** Waits for a promise, for at most five seconds. */
const briefly = async (promise: Promise<unknown>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([promise, new Promise((done) => (timer = setTimeout(done, MAX_WAIT_MS)))])
  clearTimeout(timer)
}

/** Lets flags be evaluated for a context. `targetingKey` and `groups` are ignored: the SDK knows its visitor. */
const applyContext = (analytics: FlagClient, context: EvaluationContext, before: EvaluationContext): boolean => {
  const { targetingKey: _key, groups: _groups, groupProperties, ...person } = context
  const isRemoved = Object.keys(before).some((key) => !(key in context))
  if (isRemoved) analytics.resetPersonPropertiesForFlags(false)
  if (Object.keys(person).length) analytics.setPersonPropertiesForFlags(person, false)
  if (groupProperties)
    analytics.setGroupPropertiesForFlags(groupProperties as unknown as Record<string, Record<string, unknown>>, false)
  return isRemoved || Object.keys(person).length > 0 || !!groupProperties
}

/**
 * Creates a provider of the flags of `analytics`, which must be initialized. It identifies nobody.
 * @example OpenFeature.setProvider(createTrailmarkProvider(analytics))
 */
export const createTrailmarkProvider = (analytics: FlagClient): Provider => {
  const events = new OpenFeatureEventEmitter()
  let stop: (() => void) | undefined
  let isStale = false

  const find = <Value>(key: string, type: 'boolean' | 'string' | 'number' | 'object', defaultValue: Value) => {
    const found = analytics.getFeatureFlagResult(key)
    return resolve(key, type, defaultValue, found && { value: found.variant ?? found.enabled, payload: found.payload })
  }
  const changeContext = async (context: EvaluationContext, before: EvaluationContext): Promise<void> => {
    if (applyContext(analytics, context, before)) await briefly(analytics.featureFlags.reloadFeatureFlagsAsync())
  }
  const report = (hasFailed: boolean) => {
    if (hasFailed) events.emit(ProviderEvents.Stale)
    else if (isStale) events.emit(ProviderEvents.Ready)
    if (!hasFailed) events.emit(ProviderEvents.ConfigurationChanged)
    isStale = hasFailed
  }

  return {
    metadata: { name: 'trailmark' },
    runsOn: 'client',
    events,
    initialize: async (context = {}) => {
      let isLoaded = false
      await briefly(
        new Promise<void>((done) => {
          stop = analytics.onFeatureFlags((_keys, _values, { errorsLoading } = {}) => {
            if (isLoaded) report(!!errorsLoading)
            isLoaded = true
            done()
          })
        }),
      )
      isLoaded = true
      await changeContext(context, {})
    },
    onContextChange: (before, context) => changeContext(context, before),
    onClose: () => {
      stop?.()
      return Promise.resolve()
    },
    track: (name, _context, details) => void analytics.capture(name, { ...details }),
    resolveBooleanEvaluation: (key, defaultValue) => find(key, 'boolean', defaultValue),
    resolveStringEvaluation: (key, defaultValue) => find(key, 'string', defaultValue),
    resolveNumberEvaluation: (key, defaultValue) => find(key, 'number', defaultValue),
    resolveObjectEvaluation: <Value extends JsonValue>(key: string, defaultValue: Value): ResolutionDetails<Value> =>
      find(key, 'object', defaultValue),
  }
}
