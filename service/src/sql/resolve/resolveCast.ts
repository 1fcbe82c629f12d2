import { CAST_TYPES } from '../catalog/kinds.ts'
import { call, text } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression } from '../parse/ast.ts'
import type { Span } from '../parse/queryError.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'
import type { Scope } from './scope.ts'
import { suggest } from './suggest.ts'

type Cast = (of: Value, typeName: string, span: Span) => Value

/** Resolves `::` and CAST. */
export const createCastResolver = ({ refuse, resolve, textual }: ResolverContext, cast: Cast): Resolvers<'cast'> => {
  const resolveCast = (node: Extract<Expression, { kind: 'cast' }>, scope: Scope): Value => {
    const of = resolve(node.of, scope)
    const written = node.type.text.replaceAll(' ', '').toLowerCase()
    const inNullable = /^nullable\((\w+)\)$/.exec(written)?.[1]
    const name = inNullable ?? written.replace(/^(datetime64)\(.*\)$/, '$1')
    if (Object.hasOwn(CAST_TYPES, name)) return cast(of, name, node.of)
    const inArray = /^array\((?:nullable\()?(\w+)\)*$/.exec(written)?.[1]
    if (inArray && Object.hasOwn(CAST_TYPES, inArray)) {
      const { type } = CAST_TYPES[inArray]!
      const member = written.includes('nullable(') ? `Nullable(${type})` : type
      // A property that holds a list is read as JSON, which needs its own conversion to an array.
      const sql =
        of.kind === 'property'
          ? call('JSONExtract', call('ifNull', of.read(), text('[]')), text(`Array(${member})`))
          : call('CAST', textual(of), text(`Array(${member})`))
      return {
        ...value('array', sql),
        members: [value(CAST_TYPES[inArray]!.kind, { kind: 'null' }, written.includes('nullable('))],
      }
    }
    throw refuse(
      'type_unknown',
      `There is no type '${node.type.text}' to cast to`,
      node.type,
      suggest(name, Object.keys(CAST_TYPES)) ??
        'Types: String, Int, Float, Bool, Date, DateTime, UUID, Array(…) of these',
    )
  }

  return { cast: resolveCast }
}
