import { VERSION } from '../../version'
import { createDefinitions } from './definitions'
import { createDelivery } from './delivery'
import { exceptionListOf } from './exceptions'
import { createFlags, propertiesOf } from './flags'
import type { Waiting } from './queue'
import { createSend } from './request'
import type {
  AliasMessage,
  DropReason,
  EventMessage,
  FlagOptions,
  GroupIdentifyMessage,
  IdentifyMessage,
  Properties,
  ServerAnalytics,
  ServerOptions,
} from './types'
import { uuidv7 } from './uuid'

const withoutBigInt = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

const HINTS: Record<DropReason, string> = {
  no_distinct_id: 'an event without a distinctId was dropped',
  invalid: 'an event that is not valid JSON was dropped',
  queue_full: 'events are dropped, because too many wait to be sent',
  refused_by_service: 'the service has refused events, for reasons that its console shows',
}

const asIdentify = ({ distinctId, properties = {} }: IdentifyMessage): EventMessage => {
  const { $set, $set_once, $anon_distinct_id, ...rest } = properties
  const set = { ...($set as Properties), ...rest }
  return { distinctId, event: '$identify', properties: { $set: set, $set_once: $set_once ?? {}, $anon_distinct_id } }
}
const asAlias = ({ distinctId, alias }: AliasMessage): EventMessage => ({
  distinctId,
  event: '$create_alias',
  properties: { distinct_id: distinctId, alias },
})
const asGroup = ({ groupType, groupKey, properties, distinctId }: GroupIdentifyMessage): EventMessage => ({
  distinctId: distinctId ?? `$${groupType}_${groupKey}`,
  event: '$groupidentify',
  properties: {
    $group_type: groupType,
    $group_key: groupKey,
    $group_set: properties ?? {},
  },
})
const asException = (error: unknown, distinctId?: string, properties?: Properties): EventMessage => ({
  distinctId: distinctId || uuidv7(),
  event: '$exception',
  properties: {
    $exception_list: exceptionListOf(error),
    $exception_level: 'error',
    ...(!distinctId && { $process_person_profile: false }),
    ...properties,
  },
})

const KINDS = {
  capture: (message: EventMessage) => message,
  identify: asIdentify,
  alias: asAlias,
  groupIdentify: asGroup,
  captureException: asException,
}
type Kind = keyof typeof KINDS

/**
 * Creates the analytics of a server: of Node, Deno, Bun, Workers or an edge runtime. `token`: the project token. Throws if
 * options are missing, and if a personal API key is used in a browser, where every visitor could read it.
 * @example const analytics = createAnalytics('YOUR_TOKEN', { host: 'https://events.example.com' })
 */
export const createAnalytics = (token: string, options: ServerOptions): ServerAnalytics => {
  if (!token || !options?.host) throw new Error('createAnalytics() needs the project token and the option "host".')
  if (options.personalApiKey && 'document' in globalThis)
    throw new Error('createAnalytics() accepts a personalApiKey on a server only, because every visitor could read it.')
  const log = (problem: string) => {
    try {
      if (options.onError) options.onError(new Error(problem))
      else console.error(`[trailmark] ${problem}.`)
    } catch {
      // The site's own function has failed.
    }
  }
  const dropped: Partial<Record<DropReason, number>> = {}
  const drop = (reason: DropReason, count: number): undefined => {
    if (count && !dropped[reason]) log(HINTS[reason])
    if (count) dropped[reason] = (dropped[reason] ?? 0) + count
  }
  const send = createSend(options, log)
  const delivery = createDelivery({ token, options, send, drop })
  const definitions = createDefinitions({ token, send, log }, options)

  const lineOf = ({ distinctId, event, properties, groups, timestamp = new Date(), uuid, flags }: EventMessage) =>
    JSON.stringify(
      {
        uuid,
        event,
        distinct_id: distinctId,
        properties: {
          $lib: 'trailmark-server',
          $lib_version: VERSION,
          $is_server: true,
          $geoip_disable: true,
          ...(groups && { $groups: groups }),
          ...(flags && propertiesOf(flags)),
          ...properties,
        },
        timestamp: timestamp.toISOString(),
      },
      withoutBigInt,
    )
  const add = (toEvent: () => EventMessage): Waiting | undefined => {
    try {
      const message = { uuid: uuidv7(), ...toEvent() }
      if (!String(message.distinctId ?? '').trim()) return drop('no_distinct_id', 1)
      return delivery.add(message.uuid, lineOf(message))
    } catch {
      return drop('invalid', 1)
    }
  }
  /** The two methods of each kind of event. */
  const methods = Object.fromEntries(
    Object.entries(KINDS).flatMap(([name, toEvent]) => {
      const call = (args: unknown[]): Waiting | undefined =>
        add(() => (toEvent as (...args: unknown[]) => EventMessage)(...args))
      return [
        [name, (...args: unknown[]): void => void call(args)],
        [`${name}Immediate`, (...args: unknown[]): Promise<boolean> => delivery.deliver(call(args))],
      ]
    }),
  ) as unknown as Pick<ServerAnalytics, Kind | `${Kind}Immediate`>

  const evaluateFlags: ServerAnalytics['evaluateFlags'] = createFlags({
    token,
    options,
    send,
    definitions,
    log,
    capture: methods.capture,
  })
  const one = (key: string, id: string, more?: FlagOptions) => evaluateFlags(id, { ...more, flagKeys: [key] })
  const shutdown = async (ms = 30_000): Promise<boolean> => {
    const unsent = await delivery.end(ms, !!options.onUnsent)
    if (unsent.length)
      await Promise.resolve(unsent)
        .then(options.onUnsent)
        .catch(() => log('onUnsent has failed'))
    return !unsent.length
  }

  return {
    ...methods,
    evaluateFlags,
    getFeatureFlag: async (key, id, more) => (await one(key, id, more)).getFlag(key, more),
    isFeatureEnabled: async (key, id, more) => {
      const value = (await one(key, id, more)).getFlag(key, more)
      return value === undefined ? value : value !== false
    },
    getFeatureFlagPayload: async (key, id, more) => (await one(key, id, more)).getFlagPayload(key),
    getAllFlags: async (id, more) => {
      const flags = await evaluateFlags(id, more)
      return Object.fromEntries(flags.keys.map((key) => [key, flags.getFlag(key, { sendFeatureFlagEvents: false })!]))
    },
    reloadFeatureFlags: definitions.reload,
    waitForLocalEvaluationReady: async () => !!(await definitions.get()),
    flush: delivery.flush,
    shutdown,
    resend: (events) => {
      for (const json of events)
        try {
          delivery.add((JSON.parse(json) as { uuid: string }).uuid, json)
        } catch {
          drop('invalid', 1)
        }
    },
    waiting: delivery.waiting,
    drops: () => ({ ...dropped }),
    [Symbol.asyncDispose]: () => shutdown().then(() => {}),
  }
}
