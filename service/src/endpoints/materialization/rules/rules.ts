import type { CommonPart, Expression, Query, Select, Source } from '../../../sql/parse/ast.ts'
import type { ParsedQuery } from '../../../sql/compile.ts'
import { TABLES } from '../../../sql/catalog/tables.ts'
import { type Violation, violationAt } from '../violation.ts'
import { checkTerm, find, type Finding } from './whereRules.ts'

/** The result of checking a query. */
export interface Verdict {
  readonly violations: readonly Violation[]
  /** The SELECT that can read a table. Absent if there are violations. */
  readonly target?: Select
}

/** The names of a SELECT's clauses, except WHERE. */
const CLAUSES = {
  common: 'WITH',
  items: 'SELECT',
  from: 'JOIN',
  arrayJoin: 'ARRAY JOIN',
  groupBy: 'GROUP BY',
  having: 'HAVING',
  orderBy: 'ORDER BY',
  limitBy: 'LIMIT BY',
  limit: 'LIMIT',
  offset: 'OFFSET',
} as const satisfies Partial<Record<keyof Select, string>>

/** Returns the conditions that AND joins. */
const termsOf = (node: Expression): readonly Expression[] =>
  node.kind === 'logic' && node.operator === 'and' ? node.terms.flatMap(termsOf) : [node]

/** Whether a SELECT reads only the events table. `common`: names that WITH defines. */
const isEvents = ({ from }: Select, common: ReadonlySet<string>): boolean =>
  from?.kind === 'table' &&
  Object.hasOwn(TABLES, from.name.text) &&
  from.name.text === 'events' &&
  !common.has('events')

/** Returns the subqueries in FROM. */
const sourceQueries = (source: Source | undefined): readonly Query[] =>
  source?.kind === 'join'
    ? [...sourceQueries(source.left), ...sourceQueries(source.right)]
    : source?.kind === 'derived'
      ? [source.query]
      : []

const withNames = (parts: readonly CommonPart[], outer: ReadonlySet<string>) =>
  new Set([...outer, ...parts.flatMap((part) => (part.kind === 'table' ? [part.name.text] : []))])

/** Returns the variables of a subquery that returns a value, at any depth. */
const checkValueQuery = (query: Query): readonly Finding[] => {
  const visit = (part: unknown): readonly Finding[] => {
    const { variables, queries } = find(part)
    return [
      ...variables.map((variable): Finding => ({
        code: 'variable_in_subquery',
        message: `{variables.${variable.name}} is in a subquery that returns a value`,
        span: variable,
        fix: 'Move the subquery to FROM or WITH, or leave the endpoint live',
      })),
      ...queries.flatMap((each) => visit(Object.values(each))),
    ]
  }
  return visit(Object.values(query))
}

/** Checks a SELECT's clauses except WHERE, which may not have variables. */
const checkClauses = (select: Select, sources: readonly Query[]): readonly Finding[] =>
  Object.entries(CLAUSES).flatMap(([clause, word]) => {
    const part =
      clause === 'common'
        ? select.common.map((each) => (each.kind === 'value' ? each.value : undefined))
        : select[clause as keyof Select]
    const { variables, queries } = find(part)
    return [
      ...variables.map((variable): Finding => ({
        code: clause === 'having' ? 'variable_in_having' : 'variable_not_in_where',
        message: `{variables.${variable.name}} is used in ${word}`,
        span: variable,
        fix: 'A materialized endpoint may have variables in WHERE only. Leave the endpoint live, or write a value here',
      })),
      ...queries.filter((each) => clause !== 'from' || !sources.includes(each)).flatMap(checkValueQuery),
    ]
  })

interface Visited {
  readonly findings: Finding[]
  /** SELECTs with variables in WHERE, and the names that WITH defines for them. */
  readonly filtered: { readonly select: Select; readonly common: ReadonlySet<string> }[]
  /** SELECTs without variables that read events. */
  readonly plain: Select[]
}

/** Checks every SELECT of a query. */
const visitSelects = (query: Query): Visited => {
  const visited: Visited = { findings: [], filtered: [], plain: [] }
  const { findings, filtered, plain } = visited

  const visitSelect = (select: Select, outer: ReadonlySet<string>) => {
    const common = withNames(select.common, outer)
    visitCommon(select.common, outer)
    const sources = sourceQueries(select.from)
    for (const each of sources) visitQuery(each, common)
    const { variables, queries } = find(select.where)
    findings.push(
      ...checkClauses(select, sources),
      ...queries.flatMap(checkValueQuery),
      ...(select.where ? termsOf(select.where).flatMap((term) => checkTerm(term) ?? []) : []),
    )
    if (variables.length > 0) filtered.push({ select, common })
    else if (isEvents(select, common)) plain.push(select)
  }

  const visitCommon = (parts: readonly CommonPart[], outer: ReadonlySet<string>) => {
    parts.forEach((part, at) => {
      if (part.kind === 'table') visitQuery(part.query, withNames(parts.slice(0, at), outer))
    })
  }

  const visitQuery = (part: Query, common: ReadonlySet<string>): void => {
    if (part.kind === 'select') return visitSelect(part, common)
    visitCommon(part.common, common)
    const within = withNames(part.common, common)
    for (const each of [part.first, ...part.rest.map((link) => link.query)]) visitQuery(each, within)
  }

  visitQuery(query, new Set())
  return visited
}

/** Checks that exactly one SELECT can read a table, given the violations found before. */
const checkTarget = (query: Query, { findings, filtered: [first, second], plain }: Visited): readonly Finding[] => [
  ...(second
    ? [
        {
          code: 'variable_in_several_queries' as const,
          message: 'More than one SELECT has variables in WHERE',
          span: find(second.select.where).variables[0]!,
          fix: 'Filter in one SELECT. Read the events once in WITH, with all variables, and use its name',
        },
      ]
    : []),
  ...(first && !isEvents(first.select, first.common)
    ? [
        {
          code: 'source_not_supported' as const,
          message: 'The SELECT with the variables does not read the events table alone',
          span: first.select.from ?? first.select,
          fix: 'Move the comparison into a subquery FROM events, and join its result',
        },
      ]
    : []),
  ...(!first && plain.length !== 1 && findings.length === 0
    ? [
        {
          code: 'source_not_supported' as const,
          message:
            plain.length === 0
              ? 'No SELECT reads the events table alone'
              : 'More than one SELECT reads the events table',
          span: query,
          fix: 'Read the events once in WITH, and use its name',
        },
      ]
    : []),
]

/** Checks a query against the rules of materialization. Returns all violations, in the order of the text. */
export const checkRules = (parsed: ParsedQuery): Verdict => {
  const visited = visitSelects(parsed.query)
  const { findings, filtered, plain } = visited
  const violations = [...findings, ...checkTarget(parsed.query, visited)].map(({ code, message, span, fix }) =>
    violationAt(parsed, code, message, span, fix),
  )
  const position = ({ position: at }: Violation) => at?.start ?? 0
  const target = filtered[0]?.select ?? (plain.length === 1 ? plain[0] : undefined)
  return {
    violations: violations.sort((a, b) => position(a) - position(b)),
    ...(target && violations.length === 0 ? { target } : {}),
  }
}
