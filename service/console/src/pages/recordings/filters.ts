import { periodOf, toDateRange } from '../../lib/period.ts'

/** Returns the filters in the URL as query parameters of the API. */
export const filtersOf = (parameters: URLSearchParams) => {
  const text = (name: string) => parameters.get(name) || undefined
  const seconds = Number(text('longer'))
  const errors = text('errors')
  return {
    ...toDateRange(periodOf(parameters)),
    ...(text('page') ? { page: text('page')! } : {}),
    ...(text('person') ? { person_id: text('person')!.split(',') } : {}),
    ...(parameters.has('event') ? { event: parameters.getAll('event') } : {}),
    ...(Number.isSafeInteger(seconds) && seconds > 0 ? { min_duration: seconds } : {}),
    ...(errors === 'true' || errors === 'false' ? { has_errors: errors === 'true' } : {}),
  }
}

const NAMES = ['period', 'from', 'to', 'page', 'person', 'event', 'errors', 'longer']

/** Returns the parameters of the list in a URL, for links to its recordings, from which the next one is opened. */
export const listSearch = (parameters: URLSearchParams): [string, string][] => [
  ...[...parameters].filter(([name]) => NAMES.includes(name)),
  // Without a parameter, the list has its default period.
  ...(parameters.has('period') || parameters.has('from')
    ? []
    : [['period', periodOf(parameters).name] satisfies [string, string]]),
]
