import type { CompareOperator } from '../parse/ast.ts'
import type { Kind } from '../catalog/kinds.ts'
import { momentOf } from './timestamp.ts'
import { call, infix, text, type Sql } from '../catalog/physical.ts'
import type { Refuse, Span } from '../parse/queryError.ts'
import { value, type Value } from '../catalog/value.ts'

const NUMERIC_TEXT = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/
const SMALL_WHOLE = /^\d{1,4}$/
const UUID_TEXT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MILLISECONDS: Sql = { kind: 'number', digits: '3' }

const parameter = (kind: Kind, type: string, constant: string | number | boolean): Value => ({
  ...value(kind, { kind: 'parameter', type, value: constant }),
  constant,
})

const isTextual = ({ kind }: Value): boolean => kind === 'text' || kind === 'property'
const isMoment = ({ kind }: Value): boolean => kind === 'time' || kind === 'date'
const scalarOf = (of: Value): Sql => (of.scalar ?? of.read)()

/** Text that may hold a time, as a time; NULL where it holds none. */
export const timeOfText = (of: Sql, zone: Sql = text('UTC')): Sql =>
  call('parseDateTime64BestEffortOrNull', of, MILLISECONDS, zone)

/** Text that may hold a whole number, as one; a fraction is cut off, what is no number is NULL. */
export const integerOfText = (of: Sql, type: string): Sql => {
  const whole = call(`to${type}OrNull`, of)
  // Not ifNull: that works out its second side for every row.
  return call(
    'if',
    call('isNotNull', whole),
    whole,
    call('accurateCastOrNull', call('trunc', call('toFloat64OrNull', of)), text(type)),
  )
}

/** How a value is read where the query makes clear what it must be. A value that already is it, or that only the engine knows, stays as it is. */
export const createCoercions = (refuse: Refuse) => {
  const asText = (of: Value): Value => {
    if (of.kind === 'property') return { ...value('text', of.read(), true) }
    if (of.kind === 'json') return value('text', call('toJSONString', of.read()))
    return of
  }

  const asNumber = (of: Value): Value => {
    if (of.kind === 'property')
      return { kind: 'number', isNullable: true, width: 'float', read: () => call('toFloat64OrNull', scalarOf(of)) }
    if (typeof of.constant === 'string' && of.kind === 'text' && NUMERIC_TEXT.test(of.constant))
      return parameter('number', 'Float64', Number(of.constant))
    return of
  }

  const asBoolean = (of: Value): Value => {
    if (of.kind === 'property') {
      const read = () => {
        const scalar = scalarOf(of)
        const isFalse = call(
          'if',
          infix(scalar, '=', text('false')),
          { kind: 'boolean', value: false },
          { kind: 'null' },
        )
        return call('if', infix(scalar, '=', text('true')), { kind: 'boolean', value: true }, isFalse)
      }
      return { kind: 'boolean', isNullable: true, read }
    }
    if (of.kind === 'text' && (of.constant === 'true' || of.constant === 'false'))
      return value('boolean', { kind: 'boolean', value: of.constant === 'true' })
    return of
  }

  const asTime = (of: Value, span: Span): Value => {
    if (of.kind === 'property') return { kind: 'time', isNullable: true, read: () => timeOfText(scalarOf(of)) }
    if (of.kind !== 'text') return of
    if (typeof of.constant !== 'string') return value('time', timeOfText(of.read()), true)
    const moment = momentOf(of.constant)
    if (!moment)
      throw refuse(
        'date_invalid',
        `'${of.constant.slice(0, 40)}' is not a date`,
        span,
        'Write YYYY-MM-DD or YYYY-MM-DD hh:mm:ss',
      )
    return parameter('time', "DateTime64(3, 'UTC')", moment)
  }

  const asUuid = (of: Value): Value => {
    if (typeof of.constant === 'string' && of.kind === 'text' && UUID_TEXT.test(of.constant))
      return parameter('uuid', 'UUID', of.constant)
    return isTextual(of) ? value('uuid', call('toUUIDOrNull', scalarOf(of)), true) : of
  }

  const as: Readonly<Partial<Record<Kind, (of: Value, span: Span) => Value>>> = {
    text: asText,
    number: asNumber,
    boolean: asBoolean,
    time: asTime,
    date: asTime,
    uuid: asUuid,
  }

  const coerce = (of: Value, kind: Kind, span: Span): Value => as[kind]?.(of, span) ?? of

  // What the values that are sure of their kind agree on; constants of text yield to what they stand beside.
  const agreedKind = (values: readonly Value[]): Kind => {
    const firm = values.filter(
      (each) =>
        each.kind !== 'property' &&
        each.kind !== 'null' &&
        !(each.kind === 'text' && typeof each.constant === 'string'),
    )
    const kinds = firm.map((each) => each.kind)
    if (firm.some(isMoment)) return 'time'
    if (kinds.includes('uuid') && kinds.every((kind) => kind === 'uuid' || kind === 'text')) return 'uuid'
    return (
      (['number', 'boolean'] as const).find((kind) => kinds.includes(kind) && kinds.every((other) => other === kind)) ??
      'text'
    )
  }

  // The engine has no common type for Float64, Int64 and UInt64 and would make a Variant of them, which few of its functions take.
  // Small whole literals fit any of them.
  const sameWidth = (values: readonly Value[]): readonly Value[] => {
    const numbers = values.filter(
      (each) => each.kind === 'number' && (each.width !== undefined || !SMALL_WHOLE.test(String(each.constant))),
    )
    const [first] = numbers
    const isSame =
      numbers.length <= 1 || (first!.width !== undefined && numbers.every((each) => each.width === first!.width))
    if (isSame || values.some((each) => each.kind !== 'number' && each.kind !== 'null')) return values
    return values.map((each) =>
      each.kind === 'number' ? { ...each, width: 'float', read: () => call('toFloat64', each.read()) } : each,
    )
  }

  /** Values that are branches of one choice or members of one array, read alike. */
  const agree = (values: readonly Value[], spans: readonly Span[]): readonly Value[] =>
    sameWidth(sameKind(values, spans))

  const sameKind = (values: readonly Value[], spans: readonly Span[]): readonly Value[] => {
    if (values.every((each) => !isTextual(each) && each.kind !== 'json')) return values
    const kind = agreedKind(values)
    return values.map((each, at) =>
      each.kind === 'property' || each.kind === 'json' || kind === 'time' ? coerce(each, kind, spans[at]!) : each,
    )
  }

  // Text beside a number is compared as a number when the number is computed, as text when it is only written.
  const numberWithText = (number: Value, other: Value, span: Span): readonly [Value, Value] => {
    if (other.constant !== undefined) {
      const asked = asNumber(other)
      if (asked.kind !== 'number')
        throw refuse(
          'type_mismatch',
          `A number is compared with the text '${String(other.constant).slice(0, 40)}'`,
          span,
        )
      return [number, asked]
    }
    if (number.constant !== undefined) return [parameter('text', 'String', String(number.constant)), other]
    return [number, value('number', call('toFloat64OrNull', other.read()), true)]
  }

  // Compared with one written text, a property need not be read as JSON text unless that text could be some.
  const propertyAsText = (property: Value, other: Value): Value => {
    const isPlain = typeof other.constant === 'string' && !/^[[{]/.test(other.constant)
    return isPlain && property.scalar ? { ...property, kind: 'text', read: property.scalar } : asText(property)
  }

  /** Two sides of a comparison, each read as the other asks for. */
  const comparable = (
    left: Value,
    right: Value,
    [leftSpan, rightSpan]: readonly [Span, Span],
  ): readonly [Value, Value] => {
    if (left.kind === 'number' && right.kind === 'text') return numberWithText(left, right, rightSpan)
    if (right.kind === 'number' && left.kind === 'text') {
      const [number, other] = numberWithText(right, left, leftSpan)
      return [other, number]
    }
    const kind = agreedKind([left, right])
    if (kind === 'text') {
      if (left.kind === 'property') return [propertyAsText(left, right), asText(right)]
      return right.kind === 'property' ? [asText(left), propertyAsText(right, left)] : [asText(left), asText(right)]
    }
    return [coerce(left, kind, leftSpan), coerce(right, kind, rightSpan)]
  }

  return { coerce, agree, comparable, asText, asNumber, asBoolean, asTime }
}

export type Coercions = ReturnType<typeof createCoercions>

/**
 * A comparison as HogQL means it: it is true or false, never NULL. A missing value equals only another missing value, is different from
 * every value there is, and is neither more nor less than any.
 * `asFilter`: where NULL counts as false anyway, so that the plain operator will do and an index can serve it.
 */
export const comparison = (operator: CompareOperator, left: Value, right: Value, asFilter: boolean): Sql => {
  const [a, b] = [left.read(), right.read()]
  const plain = infix(a, operator, b)
  if (!left.isNullable && !right.isNullable) return plain
  const orElse = (otherwise: Sql) => call('ifNull', plain, otherwise)
  if (left.isNullable && right.isNullable) {
    // The engine's own null-safe operators refuse numbers of different types.
    if (operator === '=') return orElse(infix(call('isNull', a), 'AND', call('isNull', b)))
    if (operator === '!=') return orElse(infix(call('isNotNull', a), 'OR', call('isNotNull', b)))
  }
  return operator === '!='
    ? orElse({ kind: 'boolean', value: true })
    : asFilter
      ? plain
      : orElse({ kind: 'boolean', value: false })
}
