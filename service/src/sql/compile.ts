import { createDependencies, type Dependencies } from './catalog/constant.ts'
import type { Expression, Query, Select } from './parse/ast.ts'
import { type After, keysetPage } from './resolve/keyset.ts'
import { measure } from './print/measure.ts'
import { parse } from './parse/parseQuery.ts'
import { name, type QuerySql, type SelectSql, type Sql } from './catalog/physical.ts'
import { print } from './print/print.ts'
import { QueryError, rejectIn, type Span } from './parse/queryError.ts'
import type { ResolveOptions } from './resolve/queryContext.ts'
import { resolveQuery } from './resolve/resolveQuery.ts'
import type { ResolvedQuery } from './resolve/resolverContext.ts'
import { type BoundValue, VARIABLE_TYPES } from './resolve/variable.ts'
import { type Compiled, createFittedStore, fill, type Template, templateOf } from './templates.ts'
import { RELATED } from './catalog/tables.ts'
import { value, type Value } from './catalog/value.ts'
import { own } from '../lib/own.ts'

export { QueryError } from './parse/queryError.ts'
export type { BoundValue } from './resolve/variable.ts'
export type { Compiled } from './templates.ts'

// The engine rejects syntax trees deeper than 1,000 and statements longer than 256 kB. These limits leave some room.
const MAX_ENGINE_DEPTH = 900
const MAX_ENGINE_NODES = 100_000
const MAX_ENGINE_TEXT = 250_000

/** A query whose syntax is correct. `checkQuery` and `compileQuery` check its names. */
export interface ParsedQuery {
  readonly text: string
  /** The names in `{variables.name}`, without repeats, in order of appearance. */
  readonly variables: readonly string[]
  /** Names that may be properties of events. */
  readonly properties: readonly string[]
  readonly query: Query
}

export interface CompileOptions {
  readonly projectId: number
  readonly variables: Readonly<Record<string, BoundValue>>
  /** Maximum number of rows. A LIMIT in the query still applies. */
  readonly limit?: number
  /** Number of rows to skip. */
  readonly offset?: number
  /**
   * Pages by position: orders the rows without ties, starts after `after` and appends the keys to each row. Excludes
   * `offset`.
   */
  readonly keyset?: { readonly after?: After | undefined }
  /** Returns the SQL to use instead of one of the query's resolved selects. */
  readonly replace?: ResolveOptions['replace']
  /** Whether each id of the project is its own person, so that no person is looked up. Default: false. */
  readonly isUnmerged?: boolean | undefined
  /** Properties of events that have never been objects or arrays. Default: none. */
  readonly plain?: readonly string[] | undefined
}

const variablesIn = (query: Query): readonly string[] => {
  const names = new Map<string, number>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { kind, name, start } = node as Expression & { name?: unknown }
    if (kind === 'variable' && typeof name === 'string') names.set(name, Math.min(start, names.get(name) ?? start))
    else Object.values(node).forEach(visit)
  }
  visit(query)
  return Object.freeze([...names].sort(([, a], [, b]) => a - b).map(([name]) => name))
}

const PROPERTIES = 'properties'

/** Returns the name after `properties` in a path, unless it is a property of a person or group. */
const propertyIn = (path: readonly { readonly text: string }[]): string | undefined => {
  const at = path.findIndex(({ text }) => text === PROPERTIES)
  return at >= 0 && !Object.hasOwn(RELATED, path[at - 1]?.text ?? '') ? path[at + 1]?.text : undefined
}

/** Returns the names of `a.b.c` or `a.b['c']`. */
const pathOf = (node: Expression): readonly { readonly text: string }[] => {
  if (node.kind === 'field') return node.path
  if (node.kind !== 'index' || node.of.kind !== 'field' || node.at.kind !== 'text') return []
  return [...node.of.path, { text: node.at.value }]
}

const propertiesIn = (query: Query): readonly string[] => {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const property = propertyIn(pathOf(node as Expression))
    if (property !== undefined) found.add(property)
    Object.values(node).forEach(visit)
  }
  visit(query)
  return Object.freeze([...found].sort())
}

/** Parses a query. Throws `QueryError`. */
export const parseQuery = (text: string): ParsedQuery => {
  const query = parse(text)
  return Object.freeze({ text, query, variables: variablesIn(query), properties: propertiesIn(query) })
}

const resolveWithin = ({ text, query }: ParsedQuery, options: Omit<ResolveOptions, 'text'>): ResolvedQuery => {
  const resolved = resolveQuery(query, { text, ...options })
  const { nodes, depth } = measure(resolved.query)
  const reject = rejectIn(text)
  if (depth > MAX_ENGINE_DEPTH)
    throw reject(
      'query_too_deep',
      'The query chains or nests expressions too deeply for the engine',
      query,
      'Split it into parts with WITH … AS',
    )
  if (nodes > MAX_ENGINE_NODES) throw reject('query_too_complex', 'The query is too large when compiled', query)
  return resolved
}

const unboundVariable = (): Value => value('unknown', { kind: 'null' }, true)

/** Checks the tables, columns, functions and clauses of a query without values for its variables. Throws `QueryError`. */
export const checkQuery = (query: ParsedQuery): void => {
  resolveWithin(query, { variable: unboundVariable })
}

const boundVariables = (
  text: string,
  variables: CompileOptions['variables'],
  constantOf: Dependencies['constant'],
): ResolveOptions['variable'] => {
  const reject = rejectIn(text)
  const made = new Map<string, Value>()
  const bind = (name: string, span: Span): Value => {
    const bound = own(variables, name)
    if (!bound) throw reject('variable_missing', `The variable '${name}' has no value`, span)
    const row = VARIABLE_TYPES[bound.type]
    const accepted = row.accept(bound.value)
    if (accepted === undefined)
      throw reject('variable_invalid', `The value of the variable '${name}' is not of its type`, span)
    const constant = constantOf(name, accepted)
    return {
      ...value(row.kind, constant.toSql(bound.type)),
      constant,
      ...(row.width && { width: row.width }),
      ...(row.kind === 'array' && { members: [value('text', { kind: 'null' })] }),
    }
  }
  return (name, span) => {
    const known = made.get(name) ?? bind(name, span)
    made.set(name, known)
    return known
  }
}

const countOf = (sql: Sql | undefined): number | undefined =>
  sql?.kind === 'number' ? Number(sql.digits) : sql?.kind === 'parameter' ? Number(sql.value) : undefined

const rows = (count: number): Sql => ({ kind: 'parameter', type: 'UInt64', value: count })

const wrapped = ({ query, columns }: ResolvedQuery): SelectSql => ({
  kind: 'select',
  items: columns.map((column) => ({ value: name('__page', column.name), name: column.name })),
  from: { kind: 'named', query, name: '__page' },
})

/**
 * Returns how many rows of a select a page skips, and how many it has at most, within the select's own LIMIT and OFFSET. Absent
 * `count`: all.
 */
export const pageOf = (
  select: Pick<SelectSql, 'limit' | 'offset'>,
  limit: number | undefined,
  offset = 0,
): { readonly skip: number; readonly count?: number | undefined } => {
  const ceiling = countOf(select.limit)
  const left = ceiling === undefined ? undefined : Math.max(0, ceiling - offset)
  return {
    skip: (countOf(select.offset) ?? 0) + offset,
    count: left === undefined ? limit : Math.min(left, limit ?? left),
  }
}

/** Returns a page of the query's rows, within its own LIMIT and OFFSET. */
const paged = (resolved: ResolvedQuery, limit: number | undefined, offset: number): QuerySql => {
  if (limit === undefined && offset === 0) return resolved.query
  const select = resolved.query.kind === 'select' ? resolved.query : wrapped(resolved)
  const { skip, count } = pageOf(select, limit, offset)
  return {
    ...select,
    limit: count === undefined ? undefined : rows(count),
    offset: skip > 0 ? rows(skip) : undefined,
  }
}

const checkCount = (count: number | undefined, what: string): void => {
  if (count !== undefined && !(Number.isSafeInteger(count) && count >= 0))
    throw new QueryError('limit_invalid', `${what} must be an integer of at least 0`)
}

const check = ({ projectId, limit, offset }: CompileOptions): void => {
  if (!Number.isInteger(projectId) || projectId < 0 || projectId > 0xffff_ffff) throw new Error('projectId is a UInt32')
  checkCount(limit, 'limit')
  checkCount(offset, 'offset')
}

/** Identifies a query with the types of its variables. */
export const keyOf = ({ text, variables: names }: ParsedQuery, variables: CompileOptions['variables']): string =>
  JSON.stringify([text, names.map((name) => own(variables, name)?.type)])

/** Resolves a query, calls `visit` with each select, and returns what was read of the variables until then. Throws `QueryError`. */
export const visitSelects = (
  query: ParsedQuery,
  variables: CompileOptions['variables'],
  visit: (node: Select, sql: SelectSql) => void,
): Dependencies => {
  const dependencies = createDependencies()
  resolveWithin(query, {
    variable: boundVariables(query.text, variables, dependencies.constant),
    replace: (node, sql) => (visit(node, sql), sql),
  })
  dependencies.close()
  return dependencies
}

/** Compiles a query. Returns the result and its dependencies. */
export const compileAnew = (
  query: ParsedQuery,
  { projectId, variables, limit, offset = 0, keyset, replace, isUnmerged, plain = [] }: CompileOptions,
): { readonly compiled: Compiled; readonly template: Template } => {
  const dependencies = createDependencies()
  const variable = boundVariables(query.text, variables, dependencies.constant)
  const resolved = resolveWithin(query, { variable, replace, isUnmerged, isPlain: (key) => plain.includes(key) })
  const page = keyset
    ? keysetPage(resolved, limit, keyset.after)
    : { query: paged(resolved, limit, offset), keyCount: 0 }
  dependencies.close()
  const printed = print(page.query, projectId)
  if (printed.text.length > MAX_ENGINE_TEXT)
    throw rejectIn(query.text)('query_too_complex', 'The query is too long when compiled', query.query)
  const compiled = { text: printed.text, params: Object.freeze(printed.params), keyCount: page.keyCount }
  return { compiled: Object.freeze(compiled), template: templateOf(compiled, printed.names, dependencies) }
}

const templates = createFittedStore(fill)

/**
 * Compiles a query to SQL for one project. Values of variables are seldom part of the text, so a text is compiled once for all values
 * that give the same. Throws `QueryError`.
 */
export const compileQuery = (query: ParsedQuery, options: CompileOptions): Compiled => {
  check(options)
  const { projectId, variables, limit, offset, keyset, replace, isUnmerged, plain = [] } = options
  // A cursor has values of rows. What replaces a select depends on more than the query.
  if (replace || keyset?.after) return compileAnew(query, options).compiled
  const terms = [projectId, limit, offset, Boolean(keyset), Boolean(isUnmerged), plain]
  const key = JSON.stringify([keyOf(query, variables), ...terms])
  const known = templates.find(key, variables)
  if (known) return known
  const { compiled, template } = compileAnew(query, options)
  templates.keep(key, template)
  return compiled
}
