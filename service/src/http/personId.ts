import { ApiError } from '../lib/apiError.ts'
import { isUuid } from '../lib/uuid.ts'
import type { RouteRequest } from './route.ts'

export const PERSONS = '/api/projects/:projectId/persons'

/** Returns the id of the person in the path. Throws `ApiError` if it is not one. */
export const personId = ({ params }: RouteRequest): string => {
  if (!isUuid(params.id))
    throw new ApiError('not_found', {
      detail: 'A person\'s id is a UUID. To find a person by distinct id, use "?distinct_id=".',
    })
  return params.id.toLowerCase()
}
