import { timestampOf } from './timestamp.ts'
import type { Kind } from '../catalog/kinds.ts'

/** A value bound to `{variables.X}`. `type`: the ClickHouse type that it is bound as. */
export interface BoundValue {
  readonly type: 'String' | 'Float64' | 'Int64' | 'Bool' | 'Date' | "DateTime64(3, 'UTC')" | 'Array(String)'
  readonly value: unknown
}

interface Row {
  readonly kind: Kind
  readonly width?: 'float' | 'integer'
  /** Returns the value for the engine, or `undefined` if it is not of this type. The engine would misread some such values. */
  readonly accept: (given: unknown) => string | number | boolean | readonly string[] | undefined
}

const INT64 = /^-?\d{1,19}$/
const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n

const timestampOfValue = (given: unknown): string | undefined =>
  given instanceof Date && !Number.isNaN(given.getTime())
    ? timestampOf(given.toISOString())
    : typeof given === 'string'
      ? timestampOf(given)
      : undefined

const integerOf = (given: unknown): string | number | undefined => {
  if (typeof given === 'number') return Number.isSafeInteger(given) ? given : undefined
  const digits = String(given)
  if ((typeof given !== 'bigint' && typeof given !== 'string') || !INT64.test(digits)) return undefined
  const whole = BigInt(digits)
  return whole >= MIN_INT64 && whole <= MAX_INT64 ? digits : undefined
}

/** The types that a variable may be bound as. */
export const VARIABLE_TYPES: Readonly<Record<BoundValue['type'], Row>> = {
  String: { kind: 'text', accept: (given) => (typeof given === 'string' ? given : undefined) },
  Float64: {
    kind: 'number',
    width: 'float',
    accept: (given) => (typeof given === 'number' && Number.isFinite(given) ? given : undefined),
  },
  Int64: { kind: 'number', width: 'integer', accept: integerOf },
  Bool: { kind: 'boolean', accept: (given) => (typeof given === 'boolean' ? given : undefined) },
  Date: { kind: 'date', accept: (given) => timestampOfValue(given)?.slice(0, 10) },
  "DateTime64(3, 'UTC')": { kind: 'time', accept: timestampOfValue },
  'Array(String)': {
    kind: 'array',
    accept: (given) => (Array.isArray(given) && given.every((each) => typeof each === 'string') ? given : undefined),
  },
}
