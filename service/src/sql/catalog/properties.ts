import { call, infix, text, type Sql } from './physical.ts'
import type { Kind } from './kinds.ts'
import { value, type Value } from './value.ts'

const NULLABLE_TEXT = text('Nullable(String)')

// A dot inside a key is stored escaped. An unescaped dot is a step into an object.
const escapeKey = (key: string): string => key.replaceAll('.', '%2E')

const scalarText = (column: Sql): Sql => call('CAST', column, NULLABLE_TEXT)

// A cast writes arrays in ClickHouse's notation and ignores objects, whose values are separate columns. The type of a value is a string
// computed for each row, so it is read only where the cast string begins like an array.
const fullText = (column: Sql, object: Sql): Sql => {
  const scalar = scalarText(column)
  const isArray = infix(
    call('startsWith', scalar, text('[')),
    'AND',
    call('startsWith', call('dynamicType', column), text('Array')),
  )
  return call(
    'if',
    call('isNotNull', scalar),
    call('if', isArray, call('toJSONString', column), scalar),
    call('nullIf', call('toJSONString', object), text('{}')),
  )
}

/** Returns whether a value of a JSON column is an object or an array. */
export const isStructured = (column: Sql, key: string): Sql => {
  const path = [escapeKey(key)]
  const type = call('dynamicType', { kind: 'subColumn', of: column, path })
  const object = call('toJSONString', { kind: 'subObject', of: column, path })
  return infix(call('startsWith', type, text('Array')), 'OR', infix(object, '!=', text('{}')))
}

const placeOf = (key: string | number): Sql => {
  if (typeof key === 'string') return text(key)
  const digits: Sql = { kind: 'number', digits: String(Math.abs(key)) }
  return key < 0 ? call('negate', digits) : digits
}

const memberOfText = (json: Sql, path: readonly (string | number)[]): Sql => {
  if (path.length === 0) return json
  const place = path.map(placeOf)
  const raw = call('nullIf', call('nullIf', call('JSONExtractRaw', json, ...place), text('')), text('null'))
  return call(
    'if',
    infix(call('JSONType', json, ...place), '=', text('String')),
    call('JSONExtractString', json, ...place),
    raw,
  )
}

/** Returns a property whose JSON is available as a string only: from a subquery or an array. */
export const propertyOfText = (json: () => Sql, path: readonly (string | number)[] = []): Value => ({
  kind: 'property',
  isNullable: true,
  read: () => memberOfText(json(), path),
  scalar: () => memberOfText(json(), path),
  child: (key) => propertyOfText(json, [...path, key]),
})

/** Makes a column's table select an expression over the column. Returns the expression's name outside. */
export type Demand = (key: string, sql: Sql) => Sql

/** Whether no value of a key of a JSON column has ever been an object or an array, so that a cast writes each of them. */
export type IsPlain = (key: string) => boolean

interface PropertyOptions {
  readonly demand: Demand
  readonly known: Map<string, Value>
  readonly isPlain?: IsPlain | undefined
}

/** Returns the value at `path` in a JSON column. */
export const propertyOfColumn = (column: Sql, path: readonly string[], options: PropertyOptions): Value => {
  const { demand, known, isPlain } = options
  const id = JSON.stringify(path)
  const before = known.get(id)
  if (before) return before
  const escaped = path.map(escapeKey)
  const sub: Sql = { kind: 'subColumn', of: column, path: escaped }
  const scalar = () => demand(`${id} scalar`, scalarText(sub))
  const read = () =>
    path.length === 1 && isPlain?.(path[0]!)
      ? scalar()
      : demand(`${id} text`, fullText(sub, { kind: 'subObject', of: column, path: escaped }))
  let isPinned = false
  const property: Value = {
    kind: 'property',
    isNullable: true,
    read,
    scalar: () => (isPinned ? read() : scalar()),
    child: (key) =>
      typeof key === 'string' ? propertyOfColumn(column, [...path, key], options) : propertyOfText(read, [key]),
    pin: () => {
      isPinned = true
    },
  }
  known.set(id, property)
  return property
}

/** Returns SQL of a known kind as a value. A property remains one: its context determines how it is read. */
export const valueOfKind = (kind: Kind, sql: Sql, isNullable: boolean): Value =>
  kind === 'property' ? propertyOfText(() => sql) : value(kind, sql, isNullable)
