import { call, infix, type Sql } from '../../../sql/catalog/physical.ts'
import { number } from '../select.ts'
import { every } from '../source.ts'
import type { Visits } from './visits.ts'

const HALF: Sql & { kind: 'number' } = { kind: 'number', digits: '0.5' }

/** Returns the exact median of the rows for which `isIn` holds: the mean of the two middle values. */
export const median = (value: Sql, isIn?: Sql): Sql => ({
  kind: 'call',
  name: isIn ? 'quantileExactInclusiveIf' : 'quantileExactInclusive',
  parameters: [HALF],
  args: [value, ...(isIn ? [isIn] : [])],
})

/** Number of persons who reached the goal, in sessions that meet the conditions. */
export const convertedPersons = ({ person, conversions }: Visits, isIn: readonly Sql[] = []): Sql =>
  call('uniqExactIf', person, every([...isIn, infix(conversions, '>', number(0))]))
