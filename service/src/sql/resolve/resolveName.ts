import { call, text } from '../catalog/physical.ts'
import { valueOfKind } from '../catalog/properties.ts'
import { RESERVED_COLUMNS } from '../catalog/tables.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression, Name } from '../parse/ast.ts'
import type { Reject, Span } from '../parse/queryError.ts'
import type { ResolverContext, Resolvers } from './resolverContext.ts'
import { findColumn, findRelated, type Scope, type SourceColumns, unknownColumn } from './scope.ts'
import { suggest } from './suggest.ts'

// Returns the position of a literal index, or `undefined` for any other expression.
const positionOf = (node: Expression): number | undefined => {
  if (node.kind === 'minus' && node.of.kind === 'number') return -Number(node.of.digits)
  return node.kind === 'number' ? Number(node.digits) : undefined
}

/** Resolves a column among the columns of a source or a related row: `table.column…`, `table.related.column…` or `related.column…`. */
const columnIn = (
  reject: Reject,
  columns: SourceColumns,
  related: SourceColumns | undefined,
  [first, second, ...rest]: readonly Name[],
  descend: (from: Value, names: readonly Name[]) => Value,
): Value => {
  if (related) return columnIn(reject, related, undefined, [second!, ...rest], descend)
  if (!second)
    throw reject(
      'column_unknown',
      `'${first!.text}' is a row, not a value`,
      first!,
      `Write ${first!.text}.name, with a name of ${columns.columnNames.join(', ')}`,
    )
  const column = columns.column(second.text)
  if (!column)
    throw reject(
      'column_unknown',
      `'${first!.text}' has no column '${second.text}'`,
      second,
      suggest(second.text, columns.columnNames) ?? `It has ${columns.columnNames.join(', ')}`,
    )
  return descend(column, rest)
}

/** Resolves names, and access to a value by name or position. */
export const createNameResolvers = ({
  reject,
  coercions,
  resolve,
  textual,
  plain,
}: ResolverContext): Resolvers<'field' | 'member' | 'index' | 'tupleMember'> => {
  const child = (of: Value, key: string, span: Span): Value => {
    if (of.child) {
      if (key === '') throw reject('property_invalid', 'A property needs a name', span)
      return of.child(key)
    }
    if (of.kind === 'tuple' || of.kind === 'unknown')
      return value('unknown', call('tupleElement', of.read(), text(key)), true)
    throw reject('column_unknown', `'${key}' cannot be read from this value`, span)
  }

  const underWay = new Set<Expression>()
  const commonValue = (name: Name, scope: Scope): Value | undefined => {
    const node = scope.commonValues.get(name.text)
    if (node) {
      if (underWay.has(node)) throw reject('column_unknown', `The definition of '${name.text}' refers to itself`, name)
      underWay.add(node)
      try {
        return resolve(node, { ...scope, lambdaNames: new Map() })
      } finally {
        underWay.delete(node)
      }
    }
    // From an outer query, only values that need none of its tables are visible.
    return (
      scope.outer &&
      commonValue(name, { ...scope.outer, sources: [], aliases: new Map(), arrayMembers: new Map(), shared: new Map() })
    )
  }

  const rejectReserved = (path: readonly Name[], scope: Scope) => {
    const [first] = path
    const reserved = path
      .slice(0, 2)
      .find(
        (each) =>
          RESERVED_COLUMNS.has(each.text.toLowerCase()) &&
          (each === first || scope.sources.some((source) => source.alias === first!.text)),
      )
    if (reserved)
      throw reject(
        'column_reserved',
        `'${reserved.text}' is not available: queries only see their own project`,
        reserved,
      )
  }

  const field = (path: readonly Name[], scope: Scope): Value => {
    const [first, second] = path as readonly [Name, ...Name[]]
    rejectReserved(path, scope)
    const descend = (from: Value, names: readonly Name[]) =>
      names.reduce((of, each) => child(of, each.text, each), from)
    const lambdaArgument = scope.lambdaNames.get(first.text)
    if (lambdaArgument) return descend(lambdaArgument, path.slice(1))
    const source = second && scope.sources.find((each) => each.alias === first.text)
    if (source) return columnIn(reject, source, source.related(second.text), path, descend)
    const found =
      scope.aliases.get(first.text)?.() ??
      scope.arrayMembers.get(first.text) ??
      findColumn(scope, first, reject) ??
      commonValue(first, scope)
    if (found) return descend(found, path.slice(1))
    const related = findRelated(scope, first, reject)
    if (!related) throw unknownColumn(scope, first, first, reject)
    return columnIn(reject, related, undefined, path, descend)
  }

  const index = (node: Extract<Expression, { kind: 'index' }>, scope: Scope): Value => {
    const of = resolve(node.of, scope)
    if (of.child) {
      if (node.at.kind === 'text') return child(of, node.at.value, node.at)
      const position = positionOf(node.at)
      if (position !== undefined && Number.isSafeInteger(position) && position !== 0) return of.child(position)
      throw reject(
        'property_invalid',
        'A property must be read by a literal name or position',
        node.at,
        "properties['name'] or properties.list[1]",
      )
    }
    const at = coercions.asNumber(resolve(node.at, scope))
    const whole = at.width === 'float' ? call('toInt64', at.read()) : textual(at)
    return valueOfKind(of.members?.[0]?.kind ?? 'unknown', call('arrayElement', of.read(), whole), true)
  }

  return {
    field: ({ path }, scope) => field(path, scope),
    member: (node, scope) => child(resolve(node.of, scope), node.name, node),
    index,
    tupleMember: (node, scope) =>
      value(
        'unknown',
        call('tupleElement', plain(node.of, scope), { kind: 'number', digits: String(node.position) }),
        true,
      ),
  }
}
