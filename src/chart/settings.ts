import { ChartError } from './load/errors'
import type { TokenProvider } from './load/tokens'
import { CHART_TYPES, type ChartType } from './model'
import { isRecord } from './read/cells'
import { type Words, WORDS } from './view/words'

/** Attributes that say whose data a chart shows. */
export const DATA_ATTRIBUTES = ['endpoint', 'host', 'token', 'token-provider']
/** Other attributes that change its requests. */
export const REQUEST_ATTRIBUTES = ['variables', 'refresh', 'from', 'to']
/** Attributes that change how it looks. */
export const LOOK_ATTRIBUTES = ['type', 'theme', 'locale', 'title', 'empty-text']

/** Values that are not text, set as properties of the element. */
export interface ChartProperties {
  variables?: Readonly<Record<string, unknown>> | undefined
  tokenProvider?: TokenProvider | undefined
  words?: Partial<Words> | undefined
}

/** Appearance of a chart. */
export interface Look {
  /** Type of the chart. Unset: the type that suits the data. */
  readonly type: ChartType | undefined
  readonly locale: string | undefined
  readonly title: string
  readonly emptyText: string
  readonly words: Words
}

/** Parameters of a chart's request. */
export interface Request {
  readonly host: string
  readonly endpoint: string
  readonly token: string
  readonly provider: TokenProvider | string | undefined
  readonly variables: Readonly<Record<string, unknown>>
}

/** Least time between two requests of a chart, in seconds. */
const MIN_REFRESH = 5

const invalid = (message: string) => new ChartError('invalid_settings', message)

/** Reads attributes of the look. They cannot be wrong: unknown values count as absent. */
export const readLook = (element: HTMLElement, { words = {} }: ChartProperties): Look => {
  const type = element.getAttribute('type') as ChartType
  return {
    type: CHART_TYPES.includes(type) ? type : undefined,
    locale: element.getAttribute('locale') || element.closest('[lang]')?.getAttribute('lang') || undefined,
    title: element.title,
    emptyText: element.getAttribute('empty-text') ?? '',
    words: { ...WORDS, ...words },
  }
}

const readHost = (element: HTMLElement, defaultHost: string): string => {
  const host = element.getAttribute('host') || defaultHost
  if (!/^https?:\/\/[^/]/.test(host))
    throw invalid('Set "host" to the address of the Trailmark service, such as https://events.example.com.')
  return host.replace(/\/+$/, '')
}

const readVariables = (element: HTMLElement, { variables }: ChartProperties): Readonly<Record<string, unknown>> => {
  const text = element.getAttribute('variables')
  if (variables !== undefined || !text) return isRecord(variables) ? variables : {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // Reported below.
  }
  if (isRecord(parsed)) return parsed
  throw invalid('"variables" must be a JSON object, such as {"plan": "pro"}.')
}

/** Reads what a chart asks for. Throws a `ChartError`. */
export const readRequest = (element: HTMLElement, properties: ChartProperties, defaultHost: string): Request => {
  const endpoint = element.getAttribute('endpoint')
  if (!endpoint) throw invalid('Set "endpoint" to the name of an endpoint.')
  const token = element.getAttribute('token') ?? ''
  const provider = properties.tokenProvider ?? (element.getAttribute('token-provider') || undefined)
  if (!token && !provider)
    throw invalid('Set "token" to a run token, or "token-provider" to an address of your server that returns one.')
  return {
    host: readHost(element, defaultHost),
    endpoint,
    token,
    provider,
    variables: readVariables(element, properties),
  }
}

/** Returns the days that the page asks for. */
export const readDays = (element: HTMLElement): { readonly from: string; readonly to: string } => ({
  from: element.getAttribute('from') ?? '',
  to: element.getAttribute('to') ?? '',
})

/** Returns the time between requests, in ms; `undefined` if there is only one request. */
export const readRefresh = (element: HTMLElement): number | undefined => {
  const seconds = Number(element.getAttribute('refresh'))
  return seconds > 0 ? Math.min(Math.max(seconds, MIN_REFRESH), 86_400) * 1_000 : undefined
}
