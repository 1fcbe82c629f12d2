import type { Sql } from '../../../sql/catalog/physical.ts'
import { isClock, some } from '../tree.ts'
import type { ViolationCode } from '../violation.ts'

/** Functions whose result changes between calls, or depends on more than one row. */
const UNREPEATABLE = /^(?:now|rand|generateUUID|arrayShuffle|arrayJoin$|dictGet|joinGet)/

/** Returns why an expression may have another value at a later run or, if evaluated `atRun`, in another part of the same run. */
export const instabilityOf = (sql: Sql, atRun = false): { code: ViolationCode; name?: string } | undefined => {
  let found: { code: ViolationCode; name?: string } | undefined
  some(sql, (node) => {
    if (node.kind === 'query' && !atRun) found ??= { code: 'subquery_in_aggregation' }
    if (node.kind === 'call' && UNREPEATABLE.test(node.name) && !(atRun && isClock(node)))
      found ??= { code: node.name === 'arrayJoin' ? 'array_join' : 'not_repeatable', name: node.name }
    return found !== undefined
  })
  return found
}

/** Message and fix of each. */
export const INSTABILITIES: Readonly<Partial<Record<ViolationCode, readonly [string, string]>>> = {
  subquery_in_aggregation: [
    'A subquery in WHERE, GROUP BY or an aggregate may return other rows later',
    'Leave the endpoint live, or filter without the subquery',
  ],
  not_repeatable: [
    'A function whose result changes between calls is used where its result would be stored',
    'Compare a column with it directly, such as timestamp >= now() - INTERVAL 7 DAY',
  ],
  array_join: [
    'arrayJoin() turns one row into several',
    'Leave the endpoint live, or use it in a SELECT around this one',
  ],
}
