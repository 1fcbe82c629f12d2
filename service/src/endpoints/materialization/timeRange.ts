import type { InfixOperator, Sql } from '../../sql/catalog/physical.ts'
import type { RunTerm } from './rules/terms.ts'
import { own } from '../../lib/own.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** A time range in ms since the epoch. `to` is exclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** Joins time ranges that overlap or touch. */
export const joined = (timeRanges: readonly TimeRange[]): TimeRange[] =>
  [...timeRanges]
    .sort((a, b) => a.from - b.from)
    .reduce<TimeRange[]>((all, next) => {
      const last = all.at(-1)
      if (last && next.from <= last.to) all[all.length - 1] = { from: last.from, to: Math.max(last.to, next.to) }
      else all.push(next)
      return all
    }, [])

// The range of the engine's timestamps, with room for a bucket at each end.
const FIRST = Date.UTC(1900, 0, 2)
const LAST = Date.UTC(2299, 11, 30)

/** Units of constant length, in ms. */
const UNITS: Readonly<Record<string, number>> = {
  toIntervalSecond: 1_000,
  toIntervalMinute: 60_000,
  toIntervalHour: HOUR_MS,
  toIntervalDay: DAY_MS,
  toIntervalWeek: 7 * DAY_MS,
}

const lengthOf = (sql: Sql): number | undefined => {
  if (sql.kind !== 'call' || sql.args.length !== 1 || !Object.hasOwn(UNITS, sql.name)) return undefined
  const [count] = sql.args
  return count!.kind === 'number' && /^\d+$/.test(count.digits)
    ? Number(count.digits) * own(UNITS, sql.name)!
    : undefined
}

/** Returns the value of an expression in ms since the epoch, or `undefined` if only the engine can compute it. */
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

/** The times that satisfy a comparison with an instant, in whole ms. */
const RANGES: Readonly<Partial<Record<InfixOperator, (instant: number) => TimeRange>>> = {
  '>=': (instant) => ({ from: instant, to: Infinity }),
  '>': (instant) => ({ from: instant + 1, to: Infinity }),
  '<=': (instant) => ({ from: -Infinity, to: instant + 1 }),
  '<': (instant) => ({ from: -Infinity, to: instant }),
  '=': (instant) => ({ from: instant, to: instant + 1 }),
}

/** Returns the times that satisfy all terms, or `undefined` if only the engine can compute them. */
export const timeRangeOf = (terms: readonly RunTerm[]): TimeRange | undefined => {
  const timeRanges = terms.map(({ operator, bound, isColumnLeft }) => {
    const instant = instantOf(bound)
    const known = isColumnLeft ? operator : MIRRORED[operator]
    return instant !== undefined && instant > FIRST && instant < LAST && known ? RANGES[known]?.(instant) : undefined
  })
  if (!timeRanges.every((each) => each !== undefined)) return undefined
  return { from: Math.max(...timeRanges.map(({ from }) => from)), to: Math.min(...timeRanges.map(({ to }) => to)) }
}
