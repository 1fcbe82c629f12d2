import { Type } from '@sinclair/typebox'
import { invalidInput } from './request.ts'
import type { RouteRequest } from './route.ts'

export const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 1_000
const MAX_EVENT_NAMES = 50

/** Query parameters of paged lists. */
export const PAGE = {
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
  cursor: Type.String({ description: 'The value of "next" of the previous page' }),
}

export const EVENT_NAMES = Type.Array(Type.String(), {
  maxItems: MAX_EVENT_NAMES,
  description: 'Names of events. Repeat the parameter for several',
})

/** Returns the names in the query parameter `event`. Empty: all events. Throws `ApiError`. */
export const eventNames = ({ queryAll }: Pick<RouteRequest, 'queryAll'>): readonly string[] => {
  const names = queryAll('event').filter((name) => name !== '')
  if (names.length > MAX_EVENT_NAMES) throw invalidInput('event', `Pass "event" at most ${MAX_EVENT_NAMES} times.`)
  return names
}
