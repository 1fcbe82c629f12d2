import { isUuid } from '../lib/uuid.ts'
import { type QuerySchemas, WHEN_INVALID, WHEN_MISSING } from './query.ts'
import { invalidInput } from './request.ts'

interface Rules {
  readonly type?: 'integer' | 'boolean' | 'string' | 'array'
  readonly enum?: readonly string[]
  readonly anyOf?: readonly { readonly const: string }[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Rules
  readonly default?: unknown
  readonly [WHEN_MISSING]?: string
  readonly [WHEN_INVALID]?: string
}

const MAX_TEXT = 1_000

/** Returns an integer within the bounds. Throws `ApiError` if the text is anything else. */
const toInteger = (name: string, text: string, { minimum: min = 0, maximum: max }: Rules): number => {
  const value = Number(text)
  if (/^\d{1,15}$/.test(text) && value >= min && value <= (max ?? Infinity)) return value
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
  throw invalidInput(name, `"${name}" must be an integer ${range}, got ${JSON.stringify(text)}.`)
}

const toBoolean = (name: string, text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidInput(name, `"${name}" must be true or false, got ${JSON.stringify(text)}.`)
}

/** Returns a text if it is valid, or `undefined` if it is empty. Throws `ApiError`. */
const toText = (name: string, text: string, rules: Rules): string | undefined => {
  if (text === '') return undefined
  const choices = rules.enum ?? rules.anyOf?.map((each) => each.const)
  if (choices && !choices.includes(text))
    throw invalidInput(name, rules[WHEN_INVALID] ?? `"${name}" must be one of ${choices.join(', ')}.`)
  const { maxLength = MAX_TEXT } = rules
  if (text.length > maxLength)
    throw invalidInput(name, `"${name}" may have at most ${maxLength.toLocaleString('en-US')} characters.`)
  if (rules.format === 'uuid') {
    if (!isUuid(text)) throw invalidInput(name, rules[WHEN_INVALID] ?? `"${name}" must be a UUID.`)
    return text.toLowerCase()
  }
  return text
}

const toList = (name: string, texts: readonly string[], { items = {}, maxItems = Infinity }: Rules): string[] => {
  const found = texts.filter((text) => text !== '')
  if (found.length > maxItems) throw invalidInput(name, `Pass "${name}" at most ${maxItems} times.`)
  return found.map((text) => toText(name, text, items)!)
}

const toValue = (name: string, texts: readonly string[], rules: Rules): unknown => {
  const [text] = texts
  if (rules.type === 'array') return toList(name, texts, rules)
  if (text === undefined) return undefined
  if (rules.type === 'integer') return toInteger(name, text, rules)
  if (rules.type === 'boolean') return toBoolean(name, text)
  return toText(name, text, rules)
}

/** Reads the query parameters that `schemas` describe. `all`: returns all values of a parameter. Throws `ApiError`. */
export const readQuery = (
  schemas: QuerySchemas,
  all: (name: string) => readonly string[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const rules = schema as Rules
      const value = toValue(name, all(name), rules) ?? rules.default
      if (value === undefined && rules[WHEN_MISSING] !== undefined) throw invalidInput(name, rules[WHEN_MISSING])
      return [name, value]
    }),
  )
