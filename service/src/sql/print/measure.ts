import type { FromSql, QuerySql, Sql, WindowSql } from '../catalog/physical.ts'

/** The size of a printed query. Shared parts count at each use; `depth` is that of the engine's syntax tree. */
export interface Size {
  readonly nodes: number
  readonly depth: number
}

type Part = Sql | FromSql | QuerySql

const windowParts = ({ partitionBy, orderBy, frame }: WindowSql): readonly (Part | undefined)[] => [
  ...partitionBy,
  ...orderBy.map(({ by }) => by),
  frame?.from.offset,
  frame?.to?.offset,
]

const parts = (node: Part): readonly (Part | undefined)[] => {
  switch (node.kind) {
    case 'call':
      return [...node.args, ...(node.parameters ?? []), ...(node.over ? windowParts(node.over) : [])]
    case 'infix':
      return [node.first, ...node.rest.map(({ right }) => right)]
    case 'in':
      return [node.left, node.right]
    case 'lambda':
      return [node.body]
    case 'name':
      return [node.standsFor]
    case 'query':
    case 'named':
      return [node.query]
    case 'subColumn':
    case 'subObject':
      return [node.of]
    case 'join':
      return [node.left, node.right, node.on]
    case 'set':
      return [node.first, ...node.rest.map(({ query }) => query)]
    case 'select':
      return [
        ...node.items.map(({ value }) => value),
        node.from,
        ...(node.arrayJoin?.items.map(({ value }) => value) ?? []),
        node.where,
        ...(node.groupBy ?? []),
        node.having,
        ...(node.orderBy?.map(({ by }) => by) ?? []),
        ...(node.limitBy?.by ?? []),
      ]
    default:
      return []
  }
}

// Levels of the engine's tree per node: a function has two (itself and its arguments), a select about eight. `a + b + c` is one node
// here and left-leaning there; AND and OR remain flat.
const levels = (node: Part): number => {
  if (node.kind === 'select') return 8
  if (node.kind === 'infix' && node.rest[0]!.operator !== 'AND' && node.rest[0]!.operator !== 'OR')
    return 2 * node.rest.length
  return 2
}

/** Measures a query. Takes time linear in its distinct parts, however often they are shared. */
export const measure = (root: QuerySql): Size => {
  const known = new Map<Part, Size>()
  const sizeOf = (node: Part): Size => {
    const before = known.get(node)
    if (before) return before
    const inner = parts(node).flatMap((part) => (part ? [sizeOf(part)] : []))
    const size = {
      nodes: inner.reduce((sum, each) => sum + each.nodes, 1),
      depth: inner.reduce((most, each) => Math.max(most, each.depth), 0) + levels(node),
    }
    known.set(node, size)
    return size
  }
  return sizeOf(root)
}
