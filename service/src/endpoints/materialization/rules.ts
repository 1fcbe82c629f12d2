import type { CommonPart, CompareOperator, Expression, Query, Select, Source } from '../../sql/parse/ast.ts'
import type { ParsedQuery } from '../../sql/compile.ts'
import { TABLES } from '../../sql/catalog/tables.ts'
import { type Obstacle, type ObstacleCode, obstacleAt } from './obstacle.ts'

type Variable = Extract<Expression, { kind: 'variable' }>

/** The one select of a query that is answered from what is stored. */
export interface Verdict {
  readonly obstacles: readonly Obstacle[]
  /** Absent: there is none, and `obstacles` says why. */
  readonly target?: Select
}

/** What a variable may be compared with. These hold for all times between two for which they hold. */
export const OPERATORS: ReadonlySet<CompareOperator> = new Set<CompareOperator>(['=', '>=', '>', '<', '<='])
const OPERATOR_WORDS = [...OPERATORS].join(', ')

/** What the clauses of a select are called, besides WHERE. */
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

/** How a part of WHERE that holds a variable and is no comparison is called, and under which code it is refused. */
const UNSUPPORTED: Readonly<Partial<Record<Expression['kind'], readonly [ObstacleCode, string]>>> = {
  match: ['unsupported_operator', 'LIKE and regular expressions'],
  between: ['unsupported_operator', 'BETWEEN'],
  in: ['unsupported_operator', 'IN'],
  isNull: ['unsupported_operator', 'IS NULL'],
  logic: ['variable_in_or', 'OR'],
  not: ['variable_in_not', 'NOT'],
}

const FIXES: Readonly<Partial<Record<Expression['kind'], string>>> = {
  match: 'Compare with =, or leave the endpoint live',
  between: 'Write column >= {variables.a} AND column <= {variables.b}',
  in: 'Compare with =, one value a run, or leave the endpoint live',
  logic: 'Give each side an endpoint of its own, or join the conditions with AND',
  not: 'Turn the comparison around: NOT (a < b) is a >= b',
}

interface Found {
  readonly variables: readonly Variable[]
  readonly queries: readonly Query[]
  readonly hasColumn: boolean
}

/** What stands in a part of a query, without what stands in its subqueries. */
const find = (part: unknown): Found => {
  const variables: Variable[] = []
  const queries: Query[] = []
  let hasColumn = false
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { kind } = node as { kind?: string }
    if (kind === 'select' || kind === 'set') return void queries.push(node as Query)
    if (kind === 'variable') variables.push(node as Variable)
    if (kind === 'field' || kind === 'star') hasColumn = true
    Object.values(node).forEach(visit)
  }
  visit(part)
  return { variables, queries, hasColumn }
}

/** The parts of a condition that must all hold. */
const termsOf = (node: Expression): readonly Expression[] =>
  node.kind === 'logic' && node.operator === 'and' ? node.terms.flatMap(termsOf) : [node]

const isEvents = ({ from }: Select, common: ReadonlySet<string>): boolean =>
  from?.kind === 'table' &&
  Object.hasOwn(TABLES, from.name.text) &&
  from.name.text === 'events' &&
  !common.has('events')

/** Checks a query against the rules of materialization. Everything that is in the way is told, in the order of the text. */
export const checkRules = (parsed: ParsedQuery): Verdict => {
  const obstacles: Obstacle[] = []
  const refuse = (code: ObstacleCode, message: string, at: { start: number; end: number }, fix: string) =>
    void obstacles.push(obstacleAt(parsed, code, message, at, fix))
  const filtered: { select: Select; common: ReadonlySet<string> }[] = []
  const plain: Select[] = []

  const judge = (term: Expression) => {
    const { variables } = find(term)
    const [variable] = variables
    if (!variable) return
    const name = `{variables.${variable.name}}`
    const unsupported = UNSUPPORTED[term.kind]
    if (unsupported) {
      const [code, word] = unsupported
      return refuse(
        code,
        code === 'unsupported_operator'
          ? `${name} is used with ${word}; a materialized endpoint compares with ${OPERATOR_WORDS}`
          : `${name} stands inside ${word}`,
        term,
        FIXES[term.kind] ?? `Compare a column with ${OPERATOR_WORDS}`,
      )
    }
    if (term.kind !== 'compare')
      return refuse(
        'invalid_where_usage',
        `${name} is no side of a comparison`,
        term,
        `Write column = ${name}, with one of ${OPERATOR_WORDS}`,
      )
    if (!OPERATORS.has(term.operator))
      return refuse(
        'unsupported_operator',
        `${name} is used with ${term.operator}; a materialized endpoint compares with ${OPERATOR_WORDS}`,
        term,
        'Turn the condition around, or leave the endpoint live',
      )
    const [left, right] = [find(term.left), find(term.right)]
    const [own, other] = left.variables.length > 0 ? [left, right] : [right, left]
    if (own.hasColumn || own.queries.length > 0)
      return refuse(
        'variable_beside_column',
        `${name} stands beside a column on one side of the comparison`,
        term,
        `Bring all columns to the other side: column ${term.operator} ${name} + 1`,
      )
    if (!other.hasColumn)
      return refuse(
        'variable_without_column',
        `${name} is not compared with a column`,
        term,
        `Write column ${term.operator} ${name}`,
      )
    if (other.variables.length > 0)
      refuse(
        'variable_beside_column',
        `A variable stands on both sides of the comparison`,
        term,
        'Leave the variables on one side and the column on the other',
      )
  }

  const inValue = (query: Query) => {
    const visit = (part: unknown): void => {
      const { variables, queries } = find(part)
      for (const each of variables)
        refuse(
          'variable_in_subquery',
          `{variables.${each.name}} stands in a subquery that gives a value`,
          each,
          'Move the subquery to FROM or WITH, or leave the endpoint live',
        )
      for (const each of queries) visit(Object.values(each))
    }
    visit(Object.values(query))
  }

  const sourceQueries = (source: Source | undefined): readonly Query[] =>
    source?.kind === 'join'
      ? [...sourceQueries(source.left), ...sourceQueries(source.right)]
      : source?.kind === 'derived'
        ? [source.query]
        : []

  const withNames = (parts: readonly CommonPart[], outer: ReadonlySet<string>) =>
    new Set([...outer, ...parts.flatMap((part) => (part.kind === 'table' ? [part.name.text] : []))])

  const visitSelect = (select: Select, outer: ReadonlySet<string>) => {
    const common = withNames(select.common, outer)
    visitCommon(select.common, outer)
    const sources = sourceQueries(select.from)
    for (const each of sources) visitQuery(each, common)
    for (const [clause, word] of Object.entries(CLAUSES)) {
      const part =
        clause === 'common'
          ? select.common.map((each) => (each.kind === 'value' ? each.value : undefined))
          : select[clause as keyof Select]
      const { variables, queries } = find(part)
      for (const each of variables)
        refuse(
          clause === 'having' ? 'variable_in_having' : 'variable_not_in_where',
          `{variables.${each.name}} is used in ${word}`,
          each,
          'A materialized endpoint takes variables in WHERE only: leave the endpoint live, or write a value here',
        )
      if (clause !== 'from') queries.forEach(inValue)
      else queries.filter((each) => !sources.includes(each)).forEach(inValue)
    }
    const { variables, queries } = find(select.where)
    queries.forEach(inValue)
    if (select.where) termsOf(select.where).forEach(judge)
    if (variables.length > 0) filtered.push({ select, common })
    else if (isEvents(select, common)) plain.push(select)
  }

  const visitCommon = (parts: readonly CommonPart[], outer: ReadonlySet<string>) => {
    parts.forEach((part, at) => {
      if (part.kind === 'table') visitQuery(part.query, withNames(parts.slice(0, at), outer))
    })
  }

  const visitQuery = (query: Query, common: ReadonlySet<string>): void => {
    if (query.kind === 'select') return visitSelect(query, common)
    visitCommon(query.common, common)
    const within = withNames(query.common, common)
    for (const each of [query.first, ...query.rest.map((link) => link.query)]) visitQuery(each, within)
  }

  visitQuery(parsed.query, new Set())

  const [first, second] = filtered
  if (second) {
    const [variable] = find(second.select.where).variables
    refuse(
      'variable_in_several_queries',
      'Variables stand in the WHERE of more than one SELECT',
      variable!,
      'Filter in one SELECT: read the events once in WITH, with all the variables, and use that',
    )
  }
  if (first && !isEvents(first.select, first.common)) {
    refuse(
      'source_not_supported',
      'The SELECT with the variables does not read the table events alone',
      first.select.from ?? first.select,
      'Move the comparison into a subquery FROM events, and join what that gives',
    )
  }
  if (!first && plain.length !== 1 && obstacles.length === 0) {
    refuse(
      'source_not_supported',
      plain.length === 0 ? 'No SELECT reads the table events alone' : 'More than one SELECT reads the table events',
      parsed.query,
      'Read the events once in WITH, and use that',
    )
  }
  const position = ({ position: at }: Obstacle) => at?.start ?? 0
  const target = first?.select ?? (plain.length === 1 ? plain[0] : undefined)
  return {
    obstacles: obstacles.sort((a, b) => position(a) - position(b)),
    ...(target && obstacles.length === 0 ? { target } : {}),
  }
}
