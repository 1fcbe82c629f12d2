import { checkDays, type Days, dayNames, daysOf } from './load/days'
import { ChartError } from './load/errors'
import { runChart } from './load/run'
import { sourceOf } from './load/tokens'
import type { ChartData } from './model'
import { readResult } from './read/result'
import { type ChartProperties, readDays, readRequest } from './settings'

/** First and last day. An empty day is the service's default. */
export type Chosen = Pick<Days, 'from' | 'to'>

/** Inputs of a request. */
export interface Question {
  readonly host: HTMLElement
  readonly properties: ChartProperties
  readonly defaultHost: string
  /** The days that the reader chose. Unset: the days of the attributes. */
  readonly chosen: Chosen | undefined
  /** The days of the previous answer, which has the limits. */
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
