import type { createDefinitions } from './definitions'
import type { Evaluated } from './local/evaluate'
import type { Send } from './request'
import type { EventMessage, FlagEvaluations, FlagOptions, Properties, ReadOptions, ServerOptions } from './types'

interface RemoteFlag {
  enabled: boolean
  variant: string | null
  failed?: boolean
  reason?: { description?: string }
  metadata?: { id?: number; version?: number; payload?: string | null }
}

interface FlagsInputs {
  token: string
  options: ServerOptions
  send: Send
  definitions: ReturnType<typeof createDefinitions>
  capture(message: EventMessage): void
  log(problem: string): void
}

// Reads that are remembered, so that each is captured once.
const MAX_READS = 10_000

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toEvaluated = ({ enabled, variant, reason, metadata = {} }: RemoteFlag): Evaluated => ({
  value: variant ?? enabled,
  ...(enabled && metadata.payload && { payload: jsonOf(metadata.payload) }),
  id: metadata.id,
  version: metadata.version,
  reason: reason?.description,
  isLocal: false,
})

/** Returns the properties that an event has of flags. */
export const propertiesOf = (flags: FlagEvaluations): Properties => {
  const silent = { sendFeatureFlagEvents: false }
  return {
    ...Object.fromEntries(flags.keys.map((key) => [`$feature/${key}`, flags.getFlag(key, silent)])),
    $active_feature_flags: flags.keys.filter((key) => flags.isEnabled(key, silent)),
  }
}

/** Creates the evaluation of flags: by their definitions where these suffice, otherwise by one request. */
export const createFlags = ({ token, options, send, definitions, capture, log }: FlagsInputs) => {
  const reads = new Set<string>()

  const request = async (distinctId: string, keys: string[] | undefined, more: FlagOptions) => {
    const body = JSON.stringify({
      token,
      distinct_id: distinctId,
      groups: more.groups ?? {},
      person_properties: more.personProperties ?? {},
      group_properties: more.groupProperties ?? {},
      ...(keys && { flag_keys_to_evaluate: keys }),
    })
    const { status, json, text } = await send('/flags/?v=2', {
      body,
      timeoutMs: options.featureFlagsRequestTimeout ?? 3_000,
    })
    const { flags } = (json ?? {}) as { flags?: Record<string, RemoteFlag> }
    if (!flags && status) log(`flags cannot be evaluated: ${status} ${text.slice(0, 200)}`)
    return Object.entries(flags ?? {}).filter(([, flag]) => !flag.failed)
  }

  const report = (distinctId: string, key: string, flag: Evaluated | undefined, groups: FlagOptions['groups']) => {
    const read = JSON.stringify([distinctId, key, flag?.value, groups])
    if (reads.has(read)) return
    if (reads.size >= MAX_READS) reads.clear()
    reads.add(read)
    const properties = {
      $feature_flag: key,
      $feature_flag_response: flag?.value,
      [`$feature/${key}`]: flag?.value,
      $feature_flag_id: flag?.id,
      $feature_flag_version: flag?.version,
      $feature_flag_reason: flag?.reason,
      $feature_flag_payload: flag?.payload,
      locally_evaluated: !!flag?.isLocal,
      ...(!flag && { $feature_flag_error: 'flag_missing' }),
    }
    capture({ distinctId, event: '$feature_flag_called', properties, groups })
  }

  const toEvaluations = (
    distinctId: string,
    flags: ReadonlyMap<string, Evaluated>,
    groups: FlagOptions['groups'],
  ): FlagEvaluations => {
    const getFlag = (key: string, { sendFeatureFlagEvents = true }: ReadOptions = {}) => {
      const flag = flags.get(key)
      if (sendFeatureFlagEvents) report(distinctId, key, flag, groups)
      return flag?.value
    }
    return {
      keys: [...flags.keys()],
      getFlag,
      isEnabled: (key, read = {}) => (getFlag(key, read) ?? read.defaultValue ?? false) !== false,
      getFlagPayload: (key) => flags.get(key)?.payload,
    }
  }

  return async (distinctId: string, more: FlagOptions = {}): Promise<FlagEvaluations> => {
    if (!distinctId) return toEvaluations('', new Map(), undefined)
    const known = await definitions.get()
    const wanted = more.flagKeys ?? (known && [...known.flags.keys()])
    const found = known
      ? await (await import('trailmark/server/local')).evaluateLocally(known, wanted!, distinctId, more)
      : new Map<string, Evaluated>()
    // Definitions have inactive flags too, which have no value.
    const missing = wanted?.filter((key) => !found.has(key) && known?.flags.get(key)?.active !== false)
    if (!more.onlyEvaluateLocally && (missing ? missing.length : true))
      for (const [key, flag] of await request(distinctId, missing, more)) found.set(key, toEvaluated(flag))
    return toEvaluations(distinctId, found, more.groups)
  }
}
