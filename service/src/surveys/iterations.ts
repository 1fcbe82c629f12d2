import type { Definition, SurveyState } from './survey.ts'
import type { SurveyRecord } from './store.ts'

const DAY_MS = 24 * 3_600_000

export interface Iteration {
  /** Counts from 1. 0: the survey has no iterations, or has not begun. */
  readonly number: number
  /** When it began, ms since the epoch. */
  readonly start: number
}

/** Returns the iteration of a survey at a time. Iterations count from the start date, and the last one does not end. */
export const iterationAt = (
  { definition, startDate }: Pick<SurveyRecord, 'definition' | 'startDate'>,
  now: number,
): Iteration => {
  const { schedule, iteration_count: count, iteration_frequency_days: days } = definition as Definition
  const start = startDate === null ? Infinity : Date.parse(startDate)
  if (schedule !== 'recurring' || !count || !days || start > now) return { number: 0, start }
  const number = Math.min(count, Math.floor((now - start) / (days * DAY_MS)) + 1)
  return { number, start: start + (number - 1) * days * DAY_MS }
}

/** Returns whether a survey is shown at a time, and why not. */
export const stateAt = (
  { startDate, endDate }: Pick<SurveyRecord, 'startDate' | 'endDate'>,
  now: number,
): SurveyState =>
  startDate === null
    ? 'draft'
    : endDate !== null && Date.parse(endDate) <= now
      ? 'stopped'
      : Date.parse(startDate) > now
        ? 'scheduled'
        : 'running'
