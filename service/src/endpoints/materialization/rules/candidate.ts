import type { SelectSql, Sql } from '../../../sql/catalog/physical.ts'
import type { ParsedQuery } from '../../../sql/compile.ts'
import type { Select } from '../../../sql/parse/ast.ts'
import type { Span } from '../../../sql/parse/queryError.ts'
import type { Names } from '../names.ts'
import { INSTABILITIES, instabilityOf } from './stability.ts'
import { type Violation, type ViolationCode, violationAt } from '../violation.ts'

/** A select that may be materialized, and what prevents it. */
export interface Candidate {
  readonly node: Select
  readonly sql: SelectSql
  readonly names: Names
  readonly violations: readonly Violation[]
  readonly reject: (code: ViolationCode, message: string, span: Span, fix: string) => void
  /** Reports an expression whose value may differ at a later run or, if it is evaluated `atRun`, in another part of the same run. */
  readonly rejectUnstable: (of: Sql, span?: Span, atRun?: boolean) => void
}

interface Node {
  readonly kind?: string
  readonly name?: { readonly text?: string }
  readonly path?: readonly { readonly text: string }[]
}

const firstIn = (part: unknown, test: (node: Node) => boolean): Span | undefined => {
  if (typeof part !== 'object' || part === null) return undefined
  if (test(part)) return part as Span
  for (const inner of Object.values(part)) {
    const found = firstIn(inner, test)
    if (found) return found
  }
  return undefined
}

/** Returns where a function is called that compiles to `name`, or else the select. */
export const spanOfCall = ({ node }: Pick<Candidate, 'node'>, name = ''): Span =>
  firstIn(
    [node.items, node.where, node.having, node.groupBy, node.orderBy],
    ({ kind, name: { text } = {} }) =>
      kind === 'call' && Boolean(text) && name.toLowerCase().startsWith(text!.toLowerCase().slice(0, 3)),
  ) ?? node

/** Returns where a select names a session, or else the select. */
export const spanOfSession = ({ node }: Pick<Candidate, 'node'>): Span =>
  firstIn(node, ({ kind, path }) => kind === 'field' && path!.some((each) => each.text === 'session')) ?? node

export const createCandidate = (
  parsed: Pick<ParsedQuery, 'text'>,
  select: Pick<Candidate, 'node' | 'sql' | 'names'>,
): Candidate => {
  const violations: Violation[] = []
  const reject: Candidate['reject'] = (code, message, span, fix) =>
    void violations.push(violationAt(parsed, code, message, span, fix))
  return {
    ...select,
    violations,
    reject,
    rejectUnstable(of, span, atRun) {
      const found = instabilityOf(of, atRun)
      if (!found) return
      const [message, fix] = INSTABILITIES[found.code]!
      reject(found.code, message, span ?? spanOfCall(select, found.name), fix)
    },
  }
}
