import { Type } from '@sinclair/typebox'
import { explained, orElse } from './query.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_EVENT_NAMES = 50

/** Query parameters of paged lists. */
export const PAGE = {
  limit: orElse(Type.Integer({ minimum: 1, maximum: MAX_LIMIT }), DEFAULT_LIMIT),
  cursor: Type.String({ description: 'The value of "next" of the previous page' }),
}

/** Query parameter with names of events. None: all events. */
export const EVENT_NAMES = Type.Array(Type.String(), {
  maxItems: MAX_EVENT_NAMES,
  description: 'Names of events. Repeat the parameter for several',
})

/** Query parameter with the id of a person. */
export const PERSON_ID = explained(
  Type.String({ format: 'uuid' }),
  '"person_id" must be the id of a person, which is a UUID.',
)
