import type { Sql } from '../catalog/physical.ts'
import { propertyOfText } from '../catalog/properties.ts'
import type { Value } from '../catalog/value.ts'
import type { SelectItem } from '../parse/ast.ts'
import type { QueryContext } from './queryContext.ts'
import { checkName, noNames } from './resolveCommon.ts'
import type { Scope } from './scope.ts'

/** Computes a value on first use. */
export const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly it: T } | undefined
  return () => (made ??= { it: make() }).it
}

// A reference through an alias reads the column of the select. Properties are still converted by their context.
const named = (of: Value, name: string): Value => {
  const sql: Sql = { kind: 'name', path: [name], standsFor: of.read() }
  if (of.kind === 'property') return { ...propertyOfText(() => sql), pin: of.pin }
  return { ...of, read: () => sql }
}

/**
 * Defines the aliases of a SELECT, which are visible in every clause and in the other items. Inside its own expression an alias refers to
 * the column it shadows.
 */
export const defineAliases = (
  { reject, expressions }: QueryContext,
  items: readonly SelectItem[],
  scope: Scope,
  aliases: Map<string, () => Value | undefined>,
) => {
  const underWay = new Set<string>()
  for (const { value: node, alias } of items) {
    if (!alias) continue
    checkName(reject, alias)
    if (aliases.has(alias.text)) throw reject('name_duplicate', `Two columns are called '${alias.text}'`, alias)
    const resolved = lazily(() => expressions.resolve(node, { ...scope, lambdaNames: noNames }))
    aliases.set(alias.text, () => {
      if (underWay.has(alias.text)) return undefined
      underWay.add(alias.text)
      try {
        return named(resolved(), alias.text)
      } finally {
        underWay.delete(alias.text)
      }
    })
  }
}
