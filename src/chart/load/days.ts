import { isRecord } from '../read/cells'
import { ChartError } from './errors'
import { claimsOf } from './tokens'

/** First and last day of a run, and the first and last day that a reader may choose. An empty `min` or `max` sets no limit. */
export interface Days {
  readonly from: string
  readonly to: string
  readonly min: string
  readonly max: string
}

const DAY = /^\d{4}-\d\d-\d\d$/
const isDay = (value: unknown): value is string => typeof value === 'string' && DAY.test(value)

/** Returns the names of the variables that have the days, which a token may name. */
export const dayNames = (token: string): { readonly from: string; readonly to: string } => {
  const { date_range: range } = claimsOf(token)
  const names = isRecord(range) && isRecord(range.variables) ? range.variables : {}
  const nameOf = (edge: 'from' | 'to') => (typeof names[edge] === 'string' ? names[edge] : `date_${edge}`)
  return { from: nameOf('from'), to: nameOf('to') }
}

/**
 * Returns the days that the service used, and those of the token. Without them, those that the page asked for, if any.
 * `undefined`: the reader can choose no days.
 */
export const daysOf = (response: unknown, asked: { from: string; to: string }): Days | undefined => {
  const days = isRecord(response) ? response.days : undefined
  if (isRecord(days) && isDay(days.min) && isDay(days.max)) return days as unknown as Days
  return asked.from || asked.to ? { ...asked, min: '', max: '' } : undefined
}

/** Throws a `ChartError` unless the reader may choose these days. */
export const checkDays = ({ from, to, min, max }: Days): void => {
  if ([from, to].some((day) => (min && day < min) || (max && day > max)))
    throw new ChartError('days_outside', `Choose days from ${min} to ${max}.`)
  if (from > to) throw new ChartError('days_reversed', 'The first day must not be after the last day.')
}
