import { call, infix, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { CompareOperator } from '../parse/ast.ts'
import type { Reject, Span } from '../parse/queryError.ts'
import { agreedKind } from './agree.ts'
import { asNumber, asString, type Conversions, isPlainText, parameter, shortText } from './coerce.ts'

// Compared with a constant string that cannot be JSON, a property need not be read as JSON.
const propertyAsText = (property: Value, other: Value): Value => {
  return property.scalar && other.constant?.ask(isPlainText)
    ? { ...property, kind: 'text', read: property.scalar }
    : asString(property)
}

/** Reads the two sides of a comparison so that they can be compared. */
export const createComparable = (reject: Reject, { coerce }: Conversions) => {
  // A string compared with a computed number is parsed as a number. A number literal compared with a string is read as a string.
  const numberWithText = (number: Value, other: Value, span: Span): readonly [Value, Value] => {
    if (other.constant) {
      const parsed = asNumber(other)
      if (parsed.kind !== 'number')
        throw reject('type_mismatch', `A number is compared with the string '${other.constant.ask(shortText)}'`, span)
      return [number, parsed]
    }
    if (number.constant) return [parameter('text', 'String', number.constant.map(String)), other]
    return [number, value('number', call('toFloat64OrNull', other.read()), true)]
  }

  return (left: Value, right: Value, [leftSpan, rightSpan]: readonly [Span, Span]): readonly [Value, Value] => {
    if (left.kind === 'number' && right.kind === 'text') return numberWithText(left, right, rightSpan)
    if (right.kind === 'number' && left.kind === 'text') {
      const [number, other] = numberWithText(right, left, leftSpan)
      return [other, number]
    }
    const kind = agreedKind([left, right])
    if (kind === 'text') {
      if (left.kind === 'property') return [propertyAsText(left, right), asString(right)]
      return right.kind === 'property'
        ? [asString(left), propertyAsText(right, left)]
        : [asString(left), asString(right)]
    }
    return [coerce(left, kind, leftSpan), coerce(right, kind, rightSpan)]
  }
}

/**
 * Returns a comparison with HogQL's meaning: true or false, never NULL. A missing value equals only another missing
 * value, differs from every present value, and is neither less nor greater than any.
 * `asFilter`: NULL counts as false here, so the plain operator is enough and can use an index.
 */
export const comparison = (operator: CompareOperator, left: Value, right: Value, asFilter: boolean): Sql => {
  const [a, b] = [left.read(), right.read()]
  const plain = infix(a, operator, b)
  if (!left.isNullable && !right.isNullable) return plain
  const orElse = (otherwise: Sql) => call('ifNull', plain, otherwise)
  if (left.isNullable && right.isNullable) {
    // The engine's own null-safe operators reject numbers of different types.
    if (operator === '=') return orElse(infix(call('isNull', a), 'AND', call('isNull', b)))
    if (operator === '!=') return orElse(infix(call('isNotNull', a), 'OR', call('isNotNull', b)))
  }
  return operator === '!='
    ? orElse({ kind: 'boolean', value: true })
    : asFilter
      ? plain
      : orElse({ kind: 'boolean', value: false })
}
