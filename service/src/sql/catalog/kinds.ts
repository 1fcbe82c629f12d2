/**
 * Kind of a value, as known to the compiler. `property`: from JSON, so it may be a string, a number or a boolean, and its context
 * determines how it is read. `unknown`: only the engine knows.
 */
export type Kind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'time'
  | 'uuid'
  | 'array'
  | 'tuple'
  | 'json'
  | 'interval'
  | 'property'
  | 'null'
  | 'unknown'

// Kinds whose ClickHouse types cannot be Nullable.
const NEVER_NULLABLE: ReadonlySet<Kind> = new Set<Kind>(['array', 'tuple', 'json', 'interval', 'unknown'])

/** Whether a value of this kind can be Nullable. */
export const mayBeNullable = (kind: Kind): boolean => !NEVER_NULLABLE.has(kind)

interface CastType {
  readonly type: string
  readonly kind: Kind
}

/** The types of `::` and CAST, by their names in lower case. `Array(…)` and `Nullable(…)` of these are supported too. */
export const CAST_TYPES: Readonly<Record<string, CastType>> = {
  string: { type: 'String', kind: 'text' },
  text: { type: 'String', kind: 'text' },
  varchar: { type: 'String', kind: 'text' },
  char: { type: 'String', kind: 'text' },
  int: { type: 'Int64', kind: 'number' },
  integer: { type: 'Int64', kind: 'number' },
  bigint: { type: 'Int64', kind: 'number' },
  smallint: { type: 'Int16', kind: 'number' },
  int8: { type: 'Int8', kind: 'number' },
  int16: { type: 'Int16', kind: 'number' },
  int32: { type: 'Int32', kind: 'number' },
  int64: { type: 'Int64', kind: 'number' },
  uint8: { type: 'UInt8', kind: 'number' },
  uint16: { type: 'UInt16', kind: 'number' },
  uint32: { type: 'UInt32', kind: 'number' },
  uint64: { type: 'UInt64', kind: 'number' },
  float: { type: 'Float64', kind: 'number' },
  float32: { type: 'Float32', kind: 'number' },
  float64: { type: 'Float64', kind: 'number' },
  double: { type: 'Float64', kind: 'number' },
  real: { type: 'Float64', kind: 'number' },
  bool: { type: 'Bool', kind: 'boolean' },
  boolean: { type: 'Bool', kind: 'boolean' },
  date: { type: 'Date', kind: 'date' },
  datetime: { type: "DateTime64(3, 'UTC')", kind: 'time' },
  datetime64: { type: "DateTime64(3, 'UTC')", kind: 'time' },
  timestamp: { type: "DateTime64(3, 'UTC')", kind: 'time' },
  uuid: { type: 'UUID', kind: 'uuid' },
}

/** Functions that are casts: `toInt(x)` means `x::Int`. */
export const CAST_FUNCTIONS: Readonly<Record<string, string>> = {
  toString: 'string',
  toInt: 'int',
  toInt32: 'int32',
  toInt64: 'int64',
  toUInt32: 'uint32',
  toUInt64: 'uint64',
  toFloat: 'float',
  toFloat32: 'float32',
  toFloat64: 'float64',
  toBool: 'bool',
  toDate: 'date',
  toDateTime: 'datetime',
  toDateTime64: 'datetime',
  toUUID: 'uuid',
}
