import {
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  TargetingKeyMissingError,
} from '@openfeature/server-sdk'
import type { Properties, ServerAnalytics } from 'trailmark/server'
import { resolve } from '../openfeature/resolve'

export interface ProviderOptions {
  /** Time between two requests for the definitions of flags, in ms. Default: 30,000. */
  pollingInterval?: number
}

// Longest wait for definitions. After it, the provider is ready and asks the service for each flag.
const MAX_WAIT_MS = 5_000

/** Starts a timer that does not keep the process alive. */
const startInterval = (run: () => void, ms: number): (() => void) => {
  const timer = setInterval(run, ms)
  ;(timer as { unref?(): void }).unref?.()
  return () => clearInterval(timer)
}

/**
 * Creates a provider of the flags of a server's analytics. `targetingKey` is the distinct id, `groups` and `groupProperties` are
 * reserved, and everything else in a context is a property of the person.
 * @example OpenFeature.setProvider(createTrailmarkProvider(analytics))
 */
export const createTrailmarkProvider = (
  analytics: ServerAnalytics,
  { pollingInterval = 30_000 }: ProviderOptions = {},
): Provider => {
  const events = new OpenFeatureEventEmitter()
  let stop: (() => void) | undefined

  const find = async <Value>(
    key: string,
    type: 'boolean' | 'string' | 'number' | 'object',
    defaultValue: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> => {
    const { targetingKey, groups, groupProperties, ...personProperties } = context
    if (!targetingKey) throw new TargetingKeyMissingError('The context needs "targetingKey", the distinct id.')
    const flags = await analytics.evaluateFlags(targetingKey, {
      flagKeys: [key],
      groups: groups as unknown as Record<string, string>,
      groupProperties: groupProperties as unknown as Record<string, Properties>,
      personProperties,
    })
    const value = flags.getFlag(key)
    return resolve(key, type, defaultValue, value === undefined ? value : { value, payload: flags.getFlagPayload(key) })
  }
  const poll = async () => {
    if (await analytics.reloadFeatureFlags()) events.emit(ProviderEvents.ConfigurationChanged)
  }

  return {
    metadata: { name: 'trailmark' },
    runsOn: 'server',
    events,
    initialize: async () => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const timeout = new Promise((done) => (timer = setTimeout(done, MAX_WAIT_MS)))
      await Promise.race([analytics.waitForLocalEvaluationReady(), timeout])
      clearTimeout(timer)
      stop = startInterval(() => void poll(), pollingInterval)
    },
    onClose: async () => {
      stop?.()
      await analytics.flush()
    },
    track: (name, { targetingKey }, details) =>
      analytics.capture({ distinctId: targetingKey ?? '', event: name, properties: { ...details } }),
    resolveBooleanEvaluation: (key, defaultValue, context) => find(key, 'boolean', defaultValue, context),
    resolveStringEvaluation: (key, defaultValue, context) => find(key, 'string', defaultValue, context),
    resolveNumberEvaluation: (key, defaultValue, context) => find(key, 'number', defaultValue, context),
    resolveObjectEvaluation: <Value extends JsonValue>(key: string, defaultValue: Value, context: EvaluationContext) =>
      find(key, 'object', defaultValue, context),
  }
}
