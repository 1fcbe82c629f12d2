import type { Constant, Plain, Question } from '../catalog/constant.ts'
import type { Kind } from '../catalog/kinds.ts'
import { call, infix, text, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Reject, Span } from '../parse/queryError.ts'
import { timestampOf } from './timestamp.ts'

const MILLISECONDS: Sql = { kind: 'number', digits: '3' }

/** Returns a constant that is sent as a query parameter of an engine type. */
export const parameter = (kind: Kind, type: string, constant: Constant): Value => ({
  ...value(kind, constant.toSql(type)),
  constant,
})

/** Returns a question: whether a constant is a string that matches. */
const isText =
  (pattern: RegExp): Question<boolean> =>
  (of) =>
    typeof of === 'string' && pattern.test(of)

const isNumeric = isText(/^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/)
const isUuid = isText(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
/** Whether a constant is not a string that may be a JSON array or object. */
export const isPlainText = isText(/^(?![[{])/)
const booleanIn: Question<boolean | undefined> = (of) => (of === 'true' ? true : of === 'false' ? false : undefined)
const toTime = (of: Plain): string => timestampOf(of as string)!
const isTime: Question<boolean> = (of) => Boolean(timestampOf(of as string))
/** Returns a constant as error messages quote it. */
export const shortText: Question<string> = (of) => String(of).slice(0, 40)

/** Whether a value is a string, or a property that may be one. */
export const isTextual = ({ kind }: Value): boolean => kind === 'text' || kind === 'property'
const scalarOf = (of: Value): Sql => (of.scalar ?? of.read)()

/** Parses a string as a time. NULL: not a time. */
export const timeOfText = (of: Sql, zone: Sql = text('UTC')): Sql =>
  call('parseDateTime64BestEffortOrNull', of, MILLISECONDS, zone)

/** Parses a string as an integer and truncates a fraction. NULL: not a number. */
export const integerOfText = (of: Sql, type: string): Sql => {
  const whole = call(`to${type}OrNull`, of)
  // Not ifNull, which evaluates its second argument for every row.
  return call(
    'if',
    call('isNotNull', whole),
    whole,
    call('accurateCastOrNull', call('trunc', call('toFloat64OrNull', of)), text(type)),
  )
}

// A value that already has the kind, or whose kind only the engine knows, stays as it is.

/** Reads a value as a string. */
export const asString = (of: Value): Value => {
  if (of.kind === 'property') return { ...value('text', of.read(), true) }
  if (of.kind === 'json') return value('text', call('toJSONString', of.read()))
  return of
}

/** Reads a value as a number. */
export const asNumber = (of: Value): Value => {
  if (of.kind === 'property')
    return { kind: 'number', isNullable: true, width: 'float', read: () => call('toFloat64OrNull', scalarOf(of)) }
  if (of.kind === 'text' && of.constant?.ask(isNumeric)) return parameter('number', 'Float64', of.constant.map(Number))
  return of
}

/** Reads a value as a boolean. */
export const asBoolean = (of: Value): Value => {
  if (of.kind === 'property') {
    const read = () => {
      const scalar = scalarOf(of)
      const isFalse = call('if', infix(scalar, '=', text('false')), { kind: 'boolean', value: false }, { kind: 'null' })
      return call('if', infix(scalar, '=', text('true')), { kind: 'boolean', value: true }, isFalse)
    }
    return { kind: 'boolean', isNullable: true, read }
  }
  const constant = of.kind === 'text' ? of.constant?.ask(booleanIn) : undefined
  return constant === undefined ? of : value('boolean', { kind: 'boolean', value: constant })
}

const asUuid = (of: Value): Value => {
  if (of.kind === 'text' && of.constant?.ask(isUuid)) return parameter('uuid', 'UUID', of.constant)
  return isTextual(of) ? value('uuid', call('toUUIDOrNull', scalarOf(of)), true) : of
}

/** Reads values as the kind that their context requires. */
export const createConversions = (reject: Reject) => {
  const asTime = (of: Value, span: Span): Value => {
    if (of.kind === 'property') return { kind: 'time', isNullable: true, read: () => timeOfText(scalarOf(of)) }
    if (of.kind !== 'text') return of
    if (!of.constant) return value('time', timeOfText(of.read()), true)
    if (!of.constant.ask(isTime))
      throw reject(
        'date_invalid',
        `'${of.constant.ask(shortText)}' is not a date`,
        span,
        'Write YYYY-MM-DD or YYYY-MM-DD hh:mm:ss',
      )
    return parameter('time', "DateTime64(3, 'UTC')", of.constant.map(toTime))
  }

  const as: Readonly<Partial<Record<Kind, (of: Value, span: Span) => Value>>> = {
    text: asString,
    number: asNumber,
    boolean: asBoolean,
    time: asTime,
    date: asTime,
    uuid: asUuid,
  }

  /** Reads a value as `kind`. */
  const coerce = (of: Value, kind: Kind, span: Span): Value => as[kind]?.(of, span) ?? of

  return { coerce, asTime }
}

export type Conversions = ReturnType<typeof createConversions>
