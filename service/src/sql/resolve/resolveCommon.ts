import { RESERVED_COLUMNS } from '../catalog/tables.ts'
import type { CommonPart, Name } from '../parse/ast.ts'
import type { Reject } from '../parse/queryError.ts'
import type { Scope } from './scope.ts'

/** Prefix of the compiler's own names, which a query must not use. */
export const OWN_PREFIX = '__'

export const noNames = new Map<string, never>()

/** Throws on a name that a query must not define. */
export const checkName = (reject: Reject, { text: written, start, end }: Name) => {
  if (written.startsWith(OWN_PREFIX))
    throw reject('name_reserved', `Names that begin with ${OWN_PREFIX} are reserved`, { start, end })
  if (RESERVED_COLUMNS.has(written.toLowerCase()))
    throw reject('column_reserved', `'${written}' is not available: queries only see their own project`, {
      start,
      end,
    })
}

/** Returns the scope of a query with its WITH parts. */
export const commonScope = (reject: Reject, parts: readonly CommonPart[], outer: Scope | undefined): Scope => {
  const scope: Scope = {
    sources: [],
    shared: noNames,
    aliases: noNames,
    arrayMembers: noNames,
    lambdaNames: noNames,
    commonTables: noNames,
    commonValues: noNames,
    outer,
  }
  // Each part sees only the ones before it, which rules out recursion.
  return parts.reduce<Scope>((before, part) => {
    checkName(reject, part.name)
    if (before !== scope && (before.commonTables.has(part.name.text) || before.commonValues.has(part.name.text)))
      throw reject('name_duplicate', `WITH names '${part.name.text}' twice`, part.name)
    return part.kind === 'table'
      ? {
          ...scope,
          commonTables: new Map([...before.commonTables, [part.name.text, { query: part.query, scope: before }]]),
          commonValues: before.commonValues,
        }
      : {
          ...scope,
          commonTables: before.commonTables,
          commonValues: new Map([...before.commonValues, [part.name.text, part.value]]),
        }
  }, scope)
}
