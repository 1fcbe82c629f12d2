import type { InfixOperator, Sql } from '../../sql/catalog/physical.ts'
import type { RunTerm } from './shape.ts'

/** A timeRange of time, in ms since the epoch: from the first up to, and without, the second. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

// What the engine's times can hold, with room for a bucket beside each end.
const FIRST = Date.UTC(1900, 0, 2)
const LAST = Date.UTC(2299, 11, 30)

/** Units whose length does not depend on when they begin. */
const UNITS: Readonly<Record<string, number>> = {
  toIntervalSecond: 1_000,
  toIntervalMinute: 60_000,
  toIntervalHour: 3_600_000,
  toIntervalDay: 86_400_000,
  toIntervalWeek: 604_800_000,
}

const lengthOf = (sql: Sql): number | undefined => {
  if (sql.kind !== 'call' || sql.args.length !== 1 || !Object.hasOwn(UNITS, sql.name)) return undefined
  const [count] = sql.args
  return count!.kind === 'number' && /^\d+$/.test(count.digits) ? Number(count.digits) * UNITS[sql.name]! : undefined
}

/** The instant that an expression is in UTC; `undefined`: only the engine knows. */
const instantOf = (sql: Sql): number | undefined => {
  if (sql.kind === 'parameter' && sql.type === 'Date') return Date.parse(sql.value as string)
  if (sql.kind === 'parameter' && sql.type.startsWith('DateTime64'))
    return Date.parse(`${(sql.value as string).replace(' ', 'T')}Z`)
  if (sql.kind !== 'infix') return undefined
  return sql.rest.reduce<number | undefined>((instant, { operator, right }) => {
    const length = lengthOf(right)
    if (instant === undefined || length === undefined) return undefined
    return operator === '+' ? instant + length : operator === '-' ? instant - length : undefined
  }, instantOf(sql.first))
}

const MIRRORED: Readonly<Partial<Record<InfixOperator, InfixOperator>>> = {
  '>=': '<=',
  '>': '<',
  '<=': '>=',
  '<': '>',
  '=': '=',
}

/** The times, whole milliseconds, that an operator lets pass beside an instant. */
const PASSES: Readonly<Partial<Record<InfixOperator, (instant: number) => TimeRange>>> = {
  '>=': (instant) => ({ from: instant, to: Infinity }),
  '>': (instant) => ({ from: instant + 1, to: Infinity }),
  '<=': (instant) => ({ from: -Infinity, to: instant + 1 }),
  '<': (instant) => ({ from: -Infinity, to: instant }),
  '=': (instant) => ({ from: instant, to: instant + 1 }),
}

/** The times that all terms let pass; `undefined`: only the engine can tell. */
export const timeRangeOf = (terms: readonly RunTerm[]): TimeRange | undefined => {
  const timeRanges = terms.map(({ operator, bound, isColumnLeft }) => {
    const instant = instantOf(bound)
    const known = isColumnLeft ? operator : MIRRORED[operator]
    return instant !== undefined && instant > FIRST && instant < LAST && known ? PASSES[known]?.(instant) : undefined
  })
  if (!timeRanges.every((each) => each !== undefined)) return undefined
  return { from: Math.max(...timeRanges.map(({ from }) => from)), to: Math.min(...timeRanges.map(({ to }) => to)) }
}
