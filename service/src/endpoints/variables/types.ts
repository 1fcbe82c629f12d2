import type { BoundValue } from '../../sql/compile.ts'

/** A type of variable. */
export interface VariableType {
  /** Values that the type accepts. Completes "… takes". */
  readonly takes: string
  /** Returns the value to bind, or `undefined` if it is not of this type. */
  readonly bind: (value: unknown, choices: readonly string[]) => BoundValue | undefined
}

const MAX_TEXT = 10_000
const MAX_ITEMS = 1_000

// The engine's Date ranges from 1970-01-01 to 2149-06-06, and silently clamps other dates.
const LAST_YEAR = 2149
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME =
  /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,3})?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/

const isRealDate = (text: string): boolean => {
  const [, year, month, day] = DATE.exec(text) ?? []
  if (!year || Number(year) < 1970 || Number(year) >= LAST_YEAR) return false
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

const bindDate = (value: unknown): BoundValue | undefined => {
  if (typeof value !== 'string') return undefined
  if (isRealDate(value)) return { type: 'Date', value }
  const [, date, hours, minutes, seconds = '00', fraction = '', zone = 'Z'] = TIME.exec(value) ?? []
  if (!date || !isRealDate(date)) return undefined
  const time = Date.parse(
    `${date}T${hours}:${minutes}:${seconds}${fraction}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`,
  )
  return { type: "DateTime64(3, 'UTC')", value: new Date(time).toISOString().replace('T', ' ').replace('Z', '') }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT

const bindList = (value: unknown, choices: readonly string[]): BoundValue | undefined => {
  const offered = (item: unknown): item is string => isText(item) && (!choices.length || choices.includes(item))
  if (offered(value)) return { type: 'String', value }
  if (Array.isArray(value) && value.length <= MAX_ITEMS && value.every(offered)) return { type: 'Array(String)', value }
  return undefined
}

export const VARIABLE_TYPES = {
  String: {
    takes: `a string of at most ${MAX_TEXT} characters`,
    bind: (value) => (isText(value) ? { type: 'String', value } : undefined),
  },
  Number: {
    takes: 'a number',
    bind: (value) =>
      typeof value === 'number' && Number.isFinite(value) ? { type: 'Float64', value: value + 0 } : undefined,
  }, // + 0 turns -0 into 0
  Boolean: {
    takes: 'true or false',
    bind: (value) => (typeof value === 'boolean' ? { type: 'Bool', value } : undefined),
  },
  List: { takes: `one of its values as a string, or a list of at most ${MAX_ITEMS} of them`, bind: bindList },
  Date: {
    takes: `a date YYYY-MM-DD, or a time YYYY-MM-DDTHH:MM:SS, of the years 1970 to ${LAST_YEAR - 1}`,
    bind: bindDate,
  },
} as const satisfies Readonly<Record<string, VariableType>>

export type VariableTypeName = keyof typeof VARIABLE_TYPES
