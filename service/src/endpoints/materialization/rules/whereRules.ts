import type { CompareOperator, Expression, Query } from '../../../sql/parse/ast.ts'
import type { Span } from '../../../sql/parse/queryError.ts'
import type { ViolationCode } from '../violation.ts'

type Variable = Extract<Expression, { kind: 'variable' }>

/** A violated rule and the part of the query that violates it. */
export interface Finding {
  readonly code: ViolationCode
  readonly message: string
  readonly span: Span
  readonly fix: string
}

/** The operators that compare a column with a variable. Each that is true for two times is true for all times between them. */
export const OPERATORS: ReadonlySet<CompareOperator> = new Set<CompareOperator>(['=', '>=', '>', '<', '<='])
const OPERATOR_LIST = [...OPERATORS].join(', ')

const COMPARE = `Compare a column with ${OPERATOR_LIST}`
/** The code, name and fix of each construct that may not contain a variable in WHERE. */
const UNSUPPORTED: Readonly<Partial<Record<Expression['kind'], readonly [ViolationCode, string, string]>>> = {
  match: ['unsupported_operator', 'LIKE and regular expressions', 'Compare with =, or leave the endpoint live'],
  between: ['unsupported_operator', 'BETWEEN', 'Write column >= {variables.a} AND column <= {variables.b}'],
  in: ['unsupported_operator', 'IN', 'Compare with =, one value per run, or leave the endpoint live'],
  isNull: ['unsupported_operator', 'IS NULL', COMPARE],
  logic: ['variable_in_or', 'OR', 'Create an endpoint for each side, or combine the conditions with AND'],
  not: ['variable_in_not', 'NOT', 'Invert the comparison: NOT (a < b) is a >= b'],
}

export interface Found {
  readonly variables: readonly Variable[]
  readonly queries: readonly Query[]
  readonly hasColumn: boolean
}

/** Finds the variables and columns in a part of a query, and its subqueries, without searching those. */
export const find = (part: unknown): Found => {
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

/** Checks one condition of WHERE. Returns the rule that it violates, if any. */
export const checkTerm = (term: Expression): Finding | undefined => {
  const [variable] = find(term).variables
  if (!variable) return undefined
  const name = `{variables.${variable.name}}`
  const found = (code: ViolationCode, message: string, fix: string): Finding => ({ code, message, span: term, fix })

  const unsupported = UNSUPPORTED[term.kind]
  if (unsupported) {
    const [code, word, fix] = unsupported
    return found(
      code,
      code === 'unsupported_operator'
        ? `${name} is used with ${word}. A materialized endpoint compares with ${OPERATOR_LIST}`
        : `${name} is inside ${word}`,
      fix,
    )
  }
  if (term.kind !== 'compare')
    return found(
      'invalid_where_usage',
      `${name} is not one side of a comparison`,
      `Write column = ${name}, with one of ${OPERATOR_LIST}`,
    )
  const { operator } = term
  if (!OPERATORS.has(operator))
    return found(
      'unsupported_operator',
      `${name} is used with ${operator}. A materialized endpoint compares with ${OPERATOR_LIST}`,
      'Rewrite the condition, or leave the endpoint live',
    )
  const [left, right] = [find(term.left), find(term.right)]
  const [own, other] = left.variables.length > 0 ? [left, right] : [right, left]
  if (own.hasColumn || own.queries.length > 0)
    return found(
      'variable_beside_column',
      `${name} is on the same side of the comparison as a column`,
      `Move all columns to the other side: column ${operator} ${name} + 1`,
    )
  if (!other.hasColumn)
    return found('variable_without_column', `${name} is not compared with a column`, `Write column ${operator} ${name}`)
  if (other.variables.length > 0)
    return found(
      'variable_beside_column',
      'Both sides of the comparison contain a variable',
      'Keep the variables on one side and the column on the other',
    )
  return undefined
}
