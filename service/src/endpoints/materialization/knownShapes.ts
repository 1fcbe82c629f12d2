import type { Derived } from '../../sql/catalog/constant.ts'
import type { SelectSql, Sql } from '../../sql/catalog/physical.ts'
import { keyOf, type ParsedQuery, visitSelects } from '../../sql/compile.ts'
import { createFittedStore, type Fitted, valuesFor, type Variables } from '../../sql/templates.ts'
import { checkRules } from './rules/rules.ts'
import { type Shape, shapeOf } from './shape.ts'
import { setOwn } from '../../lib/own.ts'

/** The materialized select of a run, and its shape. */
export interface FoundShape {
  readonly shape: Shape
  readonly sql: SelectSql
  /** Whether the select is the whole query. */
  readonly isWhole: boolean
}

interface KnownShape extends Fitted {
  /** Absent: the select cannot be materialized. */
  readonly found?: FoundShape | undefined
  readonly derived: ReadonlyMap<object, Derived>
}

/** Returns a copy of `node` in which some objects are replaced. It shares all unchanged parts with `node`. */
const replaced = <Node>(root: Node, replacements: ReadonlyMap<object, object>): Node => {
  const made = new Map<object, object>(replacements)
  const visit = (node: object): object => {
    const known = made.get(node)
    if (known) return known
    let copy: object | undefined
    for (const [name, part] of Object.entries(node)) {
      if (typeof part !== 'object' || part === null) continue
      const changed = visit(part as object)
      if (changed === part) continue
      copy ??= Array.isArray(node) ? [...(node as unknown[])] : { ...node }
      setOwn(copy as Record<string, unknown>, name, changed)
    }
    made.set(node, copy ?? node)
    return copy ?? node
  }
  return visit(root as object) as Node
}

const parameterOf = (node: object, value: unknown): Sql => ({
  kind: 'parameter',
  type: (node as { type: string }).type,
  value,
})

const fit = ({ found, facts, derived }: KnownShape, variables: Variables): { found?: FoundShape } | undefined => {
  const valueOf = valuesFor(facts, [...derived.values()], variables)
  if (!valueOf) return undefined
  if (!found) return {}
  return { found: replaced(found, new Map([...derived].map(([node, of]) => [node, parameterOf(node, valueOf(of))]))) }
}

const known = createFittedStore(fit)

// A node of a shape takes more memory than its JSON.
const CHARACTERS_PER_CHARACTER = 4

/** Keeps a shape without the values that it was found with. */
const toKnown = (found: FoundShape | undefined, { facts, derived }: ReturnType<typeof visitSelects>): KnownShape => {
  const empty = new Map([...derived.keys()].map((node) => [node, parameterOf(node, undefined)]))
  const without = found && replaced(found, empty)
  return {
    found: without,
    facts,
    derived: new Map([...derived].map(([node, of]) => [empty.get(node)!, of])),
    characters: without ? JSON.stringify(without).length * CHARACTERS_PER_CHARACTER : 0,
  }
}

/** Returns the shape of a run's materialized select, or `undefined` if it has none. Throws `QueryError`. */
export const shapeOfRun = (parsed: ParsedQuery, variables: Variables): FoundShape | undefined => {
  const key = keyOf(parsed, variables)
  const before = known.find(key, variables)
  if (before) return before.found
  const { target } = checkRules(parsed)
  let found: FoundShape | undefined
  const dependencies = visitSelects(parsed, variables, (node, sql) => {
    if (node !== target) return
    const shape = shapeOf(parsed, node, sql)
    if (!Array.isArray(shape)) found = { shape: shape as Shape, sql, isWhole: node === parsed.query }
  })
  // The names of the select refer to its items.
  const isKept = !found || found.sql.items.every((item) => replaced(item, dependencies.derived) === item)
  if (isKept) known.keep(key, toKnown(found, dependencies))
  return found
}
