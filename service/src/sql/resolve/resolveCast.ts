import { CAST_TYPES } from '../catalog/kinds.ts'
import { call, text, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression } from '../parse/ast.ts'
import type { Span } from '../parse/queryError.ts'
import { integerOfText, isTextual, timeOfText } from './coerce.ts'
import type { Coercions } from './coercions.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'
import type { Scope } from './scope.ts'
import { suggest } from './suggest.ts'
import { own } from '../../lib/own.ts'

const widthOf = (type: string): Value['width'] =>
  type === 'Float64' ? 'float' : type === 'Int64' ? 'integer' : undefined

/** Casts a value to a type of `CAST_TYPES`. An invalid string becomes NULL. The engine converts everything else. */
export type Cast = (of: Value, typeName: string, span: Span, zone?: Sql) => Value

export const createCast =
  (coercions: Coercions): Cast =>
  (of, typeName, span, zone = text('UTC')) => {
    const row = own(CAST_TYPES, typeName)!
    if (row.kind === 'text')
      return coercions.asString(of).kind === 'text'
        ? coercions.asString(of)
        : value('text', call('toString', of.read()), of.isNullable)
    if (row.kind === 'boolean') {
      const read = isTextual(of) ? coercions.asBoolean(of) : of
      if (read !== of) return read
    }
    if (row.kind === 'time' || row.kind === 'date') {
      const asTime =
        (of.kind === 'text' && !of.constant) || of.kind === 'property'
          ? value('time', timeOfText((of.scalar ?? of.read)(), zone), true)
          : coercions.asTime(of, span)
      const read = asTime.read()
      return value(
        row.kind,
        row.kind === 'date' ? call('toDate', read) : call('toDateTime64', read, { kind: 'number', digits: '3' }, zone),
        asTime.isNullable,
      )
    }
    if (of.kind === 'text' || of.kind === 'property') {
      const scalar = (of.scalar ?? of.read)()
      if (row.type.startsWith('Float'))
        return { ...value('number', call(`to${row.type}OrNull`, scalar), true), width: widthOf(row.type) }
      if (row.kind === 'number')
        return { ...value('number', integerOfText(scalar, row.type), true), width: widthOf(row.type) }
      if (row.kind === 'uuid') return value('uuid', call('toUUIDOrNull', scalar), true)
    }
    return {
      ...value(
        row.kind,
        call('CAST', of.read(), text(of.isNullable ? `Nullable(${row.type})` : row.type)),
        of.isNullable,
      ),
      width: widthOf(row.type),
    }
  }

/** Resolves `::` and CAST. */
export const createCastResolver = ({ reject, resolve, textual }: ResolverContext, cast: Cast): Resolvers<'cast'> => {
  const resolveCast = (node: Extract<Expression, { kind: 'cast' }>, scope: Scope): Value => {
    const of = resolve(node.of, scope)
    const written = node.type.text.replaceAll(' ', '').toLowerCase()
    const inNullable = /^nullable\((\w+)\)$/.exec(written)?.[1]
    const name = inNullable ?? written.replace(/^(datetime64)\(.*\)$/, '$1')
    if (Object.hasOwn(CAST_TYPES, name)) return cast(of, name, node.of)
    const inArray = /^array\((?:nullable\()?(\w+)\)*$/.exec(written)?.[1]
    if (inArray && Object.hasOwn(CAST_TYPES, inArray)) {
      const { type } = own(CAST_TYPES, inArray)!
      const member = written.includes('nullable(') ? `Nullable(${type})` : type
      // A property that contains a list is read as JSON, which needs its own conversion to an array.
      const sql =
        of.kind === 'property'
          ? call('JSONExtract', call('ifNull', of.read(), text('[]')), text(`Array(${member})`))
          : call('CAST', textual(of), text(`Array(${member})`))
      return {
        ...value('array', sql),
        members: [value(own(CAST_TYPES, inArray)!.kind, { kind: 'null' }, written.includes('nullable('))],
      }
    }
    throw reject(
      'type_unknown',
      `There is no type '${node.type.text}' to cast to`,
      node.type,
      suggest(name, Object.keys(CAST_TYPES)) ??
        'Types: String, Int, Float, Bool, Date, DateTime, UUID, Array(…) of these',
    )
  }

  return { cast: resolveCast }
}
