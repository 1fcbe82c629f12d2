import { isSent, type Plan, type Schema, type SchemaObject } from './plan'

/** The service's statistics of a property. */
export interface ObservedProperty {
  name: string
  /** Kinds of its values. */
  kinds: readonly string[]
  /** Share of the events that have it, 0 to 1. */
  share: number
  examples?: readonly string[]
  /** Its most frequent values, if it has strings. */
  values?: readonly { value: string; count: number }[]
}

export interface ObservedEvent {
  name: string
  properties: readonly ObservedProperty[]
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  datetime: 'string',
  number: 'number',
  boolean: 'boolean',
  list: 'array',
  object: 'object',
}

const MAX_VALUES = 12
/** Minimum count of each value in a list of choices. Names of people are less frequent. */
const MIN_COUNT = 5
// Words with few digits. Ids, mail addresses, URLs, phone numbers and dates do not match.
const WORDS = /^(?!.*\d{4})(?!.*\d.*[a-f].*\d.*[a-f].*\d)[\p{L}\p{N}][\p{L}\p{N} _+-]{0,39}$/u
const PERSONAL =
  /name|mail|phone|address|street|city|user|person|contact|token|secret|password|url|path|link|search|query|text|comment|message|(^|[_-])ip$|(^|[_-])id$|[a-z]I[dp]$/i

/** Returns the values of a property if they are choices, such as plans, and cannot be personal. */
const choicesOf = ({ name, values = [], examples = [] }: ObservedProperty): string[] | undefined => {
  const texts = values.map(({ value }) => value)
  const areChoices =
    texts.length > 0 &&
    texts.length <= MAX_VALUES &&
    !PERSONAL.test(name) &&
    values.every(({ value, count }) => WORDS.test(value) && count >= MIN_COUNT) &&
    examples.every((example) => texts.includes(example))
  return areChoices ? texts.sort() : undefined
}

/** Returns the schema of a property that was observed. */
const schemaOf = (property: ObservedProperty): SchemaObject => {
  const types = [...new Set(property.kinds.flatMap((kind) => TYPES[kind] ?? []))].sort()
  if (!types.length) return {}
  const choices = types.length === 1 && types[0] === 'string' ? choicesOf(property) : undefined
  return choices ? { type: 'string', enum: choices } : { type: types.length === 1 ? types[0]! : types }
}

/** Returns a plan of events as they were observed. The SDK's own names, which begin with `$`, are left out. */
export const observedPlan = (events: readonly ObservedEvent[]): Plan => {
  const isOwn = ({ name }: { name: string }) => !name.startsWith('$')
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
  const entries = events
    .filter(isOwn)
    .sort(byName)
    .map(({ name, properties }): [string, Schema] => {
      const known = properties.filter((each) => !isSent(each.name)).sort(byName)
      const required = known.filter(({ share }) => share >= 1).map((each) => each.name)
      return [
        name,
        {
          type: 'object',
          properties: Object.fromEntries(known.map((each) => [each.name, schemaOf(each)])),
          ...(required.length && { required }),
        },
      ]
    })
  return { events: Object.fromEntries(entries) }
}
