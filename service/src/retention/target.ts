import { own } from '../lib/own.ts'
import type { Fields } from '../lib/fields.ts'
import { firstSession } from './policy.ts'

/** Events that a deletion selects. All conditions apply. */
export interface Target {
  /** Names of events. Absent: all. */
  readonly events?: readonly string[]
  /** Properties with their values as text. */
  readonly properties?: readonly { readonly key: string; readonly value: string }[]
  /** Earliest time, ISO 8601. */
  readonly from?: string
  /** End of the time range, exclusive, ISO 8601. Never later than the request, so that events that arrive later are kept. */
  readonly until: string
}

/** A condition with its parameters. */
export interface Condition {
  readonly where: string
  readonly params: Readonly<Record<string, unknown>>
}

const JSON_TEXT = 'toJSONString(properties)'

/** Returns the value of a property as text: a string as it is, any other value as JSON. */
const valueOf = (parameter: string) =>
  `if(JSONType(${JSON_TEXT}, {${parameter}:String}) = 'String', JSONExtractString(${JSON_TEXT}, {${parameter}:String}), JSONExtractRaw(${JSON_TEXT}, {${parameter}:String}))`

// The engine rewrites parts with its own settings, which encode a dot in a key as `%2E`.
const escapedKey = (key: string) => key.replaceAll('.', '%2E')

const propertyCondition = (place: number) =>
  `{value${place}:String} IN (${valueOf(`key${place}`)}, ${valueOf(`escaped${place}`)})`

const timeCondition = ({ from, until }: Target): Condition => ({
  where: `timestamp < fromUnixTimestamp64Milli({until:Int64})${from ? ' AND timestamp >= fromUnixTimestamp64Milli({from:Int64})' : ''}`,
  params: { until: Date.parse(until), ...(from ? { from: Date.parse(from) } : {}) },
})

const eventsCondition = (target: Target): Condition => {
  const { events, properties = [] } = target
  const time = timeCondition(target)
  return {
    where: [
      time.where,
      ...(events ? ['event IN {names:Array(String)}'] : []),
      ...properties.map((_, place) => propertyCondition(place)),
    ].join(' AND '),
    params: {
      ...time.params,
      ...(events ? { names: events } : {}),
      ...Object.fromEntries(
        properties.flatMap(({ key, value }, place) => [
          [`key${place}`, key],
          [`escaped${place}`, escapedKey(key)],
          [`value${place}`, value],
        ]),
      ),
    },
  }
}

// The id of a session contains its start if it is a UUIDv7.
const sessionsCondition = ({ from, until }: Target): Condition => ({
  where: `substring(session_id, 15, 1) = '7' AND session_id < {until:String}${from ? ' AND session_id >= {from:String}' : ''}`,
  params: {
    until: firstSession(Date.parse(until)),
    ...(from ? { from: firstSession(Date.parse(from)) } : {}),
  },
})

/** Returns the conditions of the rows to delete, by table. Heatmaps and recordings have no properties, and heatmaps belong to one event. */
export const conditionsOf = (target: Target): readonly (Condition & { readonly table: string })[] => {
  const { events, properties } = target
  const isOnlyTime = !events && !properties
  const hasHeatmaps = !properties && (!events || events.includes('$$heatmap'))
  return [
    { table: 'events', ...eventsCondition(target) },
    ...(hasHeatmaps ? [{ table: 'heatmaps', ...timeCondition(target) }] : []),
    ...(isOnlyTime
      ? ['recording_sessions', 'recording_chunks'].map((table) => ({ table, ...sessionsCondition(target) }))
      : []),
  ]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Whether a deletion is about an event. `properties`: returns its properties. */
export const isTarget = (
  { events, properties = [], from, until }: Target,
  event: { readonly name: string; readonly timestamp: number; readonly properties: () => Fields },
): boolean => {
  if (event.timestamp >= Date.parse(until) || (from && event.timestamp < Date.parse(from))) return false
  if (events && !events.includes(event.name)) return false
  if (!properties.length) return true
  const stored = event.properties()
  return properties.every(({ key, value }) => Object.hasOwn(stored, key) && textOf(own(stored, key)) === value)
}
