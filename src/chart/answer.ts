import { checkDays, type Days, dayNames, daysOf } from './load/days'
import { ChartError } from './load/errors'
import { runChart } from './load/run'
import { sourceOf } from './load/tokens'
import type { ChartData } from './model'
import { readResult } from './read/result'
import { type ChartProperties, readDays, readRequest } from './settings'

/** First and last day. Empty: that of the service. */
export type Chosen = Pick<Days, 'from' | 'to'>

/** What a request depends on. */
export interface Question {
  readonly host: HTMLElement
  readonly properties: ChartProperties
  readonly defaultHost: string
  /** The days that the reader chose. Absent: those of the attributes. */
  readonly chosen: Chosen | undefined
  /** The days of the answer before, which has the limits. */
  readonly days: Days | undefined
}

/** The data to show, and the days that it has. */
export interface Answer {
  readonly data: ChartData
  readonly days: Days | undefined
}

/** Requests the data of a chart. Rejects with a `ChartError`. */
export const requestAnswer = async (
  { host, properties, defaultHost, chosen, days: limits }: Question,
  signal: AbortSignal,
): Promise<Answer> => {
  const request = readRequest(host, properties, defaultHost)
  const source = sourceOf(request.provider, request.token)
  const asked = chosen ?? readDays(host)
  if (chosen && limits) checkDays({ ...limits, ...chosen })
  const names = dayNames(await source.get())
  const variables = { ...request.variables }
  if (asked.from) variables[names.from] = asked.from
  if (asked.to) variables[names.to] = asked.to
  const response = await runChart({ ...request, variables }, source, signal)
  const data = readResult(response)
  if (!data) throw new ChartError('unreadable', `${request.host} did not return a result. Check "host".`)
  return { data, days: daysOf(response, asked) }
}
