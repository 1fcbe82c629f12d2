import { call, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import type { Expression, SelectItem } from '../parse/ast.ts'
import type { QueryContext } from './queryContext.ts'
import type { Scope } from './scope.ts'
import { suggest } from './suggest.ts'

// Longer expressions are truncated in column names.
const MAX_NAME = 120

/** A column of a select: its value, its SQL and its name. */
export interface NamedValue {
  readonly of: Value
  readonly sql: Sql
  readonly name: string
}

/** Resolves the items of a SELECT into named columns. */
export const createItemResolver = ({ text, reject, expressions }: QueryContext) => {
  const nameItems = (items: readonly SelectItem[], scope: Scope, isRoot: boolean): readonly NamedValue[] => {
    const taken = new Set(items.flatMap(({ alias }) => (alias ? [alias.text] : [])))
    const used = new Map<string, number>()
    const free = (wanted: string): string => {
      for (let count = used.get(wanted) ?? 0; ; count++) {
        const name = count === 0 ? wanted : `${wanted}_${count}`
        if (taken.has(name)) continue
        taken.add(name)
        used.set(wanted, count + 1)
        return name
      }
    }
    // The caller receives JSON as a string, regardless of how the output format writes the engine's type.
    const output = (of: Value, name: string): NamedValue =>
      isRoot && of.kind === 'json'
        ? { of: value('text', call('toJSONString', of.read())), sql: call('toJSONString', of.read()), name }
        : { of, sql: of.read(), name }
    return items.flatMap(({ value: node, alias }) => {
      if (node.kind === 'star') return star(node, scope).map(({ of, name }) => output(of, free(name)))
      const of = alias ? ownValue(node, alias.text, scope) : expressions.resolve(node, scope)
      return [output(of, alias?.text ?? free(impliedName(node)))]
    })
  }

  const ownValue = (node: Expression, alias: string, scope: Scope): Value =>
    expressions.resolve(node, { ...scope, aliases: new Map([...scope.aliases].filter(([each]) => each !== alias)) })

  const impliedName = (node: Expression): string => {
    if (node.kind === 'field') return node.path.at(-1)!.text
    if (node.kind === 'index' && node.at.kind === 'text') return node.at.value
    const written = text.slice(node.start, node.end).replace(/\s+/g, ' ')
    return written.length > MAX_NAME ? `${written.slice(0, MAX_NAME - 1)}…` : written
  }

  const star = (node: Extract<Expression, { kind: 'star' }>, scope: Scope): readonly { of: Value; name: string }[] => {
    const sources = node.table ? scope.sources.filter((each) => each.alias === node.table!.text) : scope.sources
    if (sources.length === 0)
      throw reject(
        node.table ? 'table_unknown' : 'syntax_error',
        node.table ? `There is no table '${node.table.text}' here` : '* requires FROM',
        node,
      )
    const columns = sources.flatMap((source) => source.starNames.map((name) => ({ name, of: source.column(name)! })))
    const isUsed = new Set<string>()
    const kept = columns.flatMap(({ name, of }) => {
      const shared = node.table ? undefined : scope.shared.get(name)
      if (shared && isUsed.has(name)) return []
      isUsed.add(name)
      return [{ name, of: shared ?? of }]
    })
    const missing = node.except.find((each) => !kept.some(({ name }) => name === each.text))
    if (missing)
      throw reject(
        'column_unknown',
        `There is no column '${missing.text}' to exclude`,
        missing,
        suggest(
          missing.text,
          kept.map(({ name }) => name),
        ),
      )
    return kept.filter(({ name }) => !node.except.some((each) => each.text === name))
  }

  return nameItems
}
