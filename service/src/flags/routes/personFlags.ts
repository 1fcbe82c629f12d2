import { type Static, Type } from '@sinclair/typebox'
import type { FlagsHandler } from '../flags.ts'
import { PERSONS, personId } from '../../http/personId.ts'
import { invalidInput } from '../../http/request.ts'
import { type Handler, routesWith } from '../../http/route.ts'
import { orNull } from '../../http/schemas.ts'
import type { Persons } from '../../persons/lookup.ts'

/** What the routes use. */
export interface PersonFlagParts {
  readonly persons: Pick<Persons, 'distinctIds' | 'mainId'>
  readonly handleFlags: FlagsHandler
}

const route = routesWith<PersonFlagParts>()

const FLAG = Type.Object({
  key: Type.String(),
  enabled: Type.Boolean(),
  variant: orNull(Type.String()),
  reason: Type.Object({
    code: Type.String(),
    condition_index: orNull(Type.Integer()),
    description: Type.String(),
  }),
  metadata: Type.Object({
    id: Type.Integer(),
    version: Type.Integer(),
    description: orNull(Type.String()),
    payload: orNull(Type.String()),
  }),
  failed: Type.Optional(Type.Literal(true)),
})

const evaluateFlags: Handler<PersonFlagParts> = async ({ persons, handleFlags }, request) => {
  const { projectId, query, receivedAt, signal } = request
  const id = personId(request)
  if (
    query.distinct_id !== undefined &&
    !(await persons.distinctIds(projectId, id, signal)).includes(query.distinct_id)
  )
    throw invalidInput('distinct_id', '"distinct_id" must be an id of this person. Omit it for the main id.')
  const distinctId = query.distinct_id ?? (await persons.mainId(projectId, id, signal))
  const { flags } = await handleFlags({
    // Only remote config needs the token.
    project: { id: projectId, token: '' },
    request: { distinct_id: distinctId },
    withConfig: false,
    version: 2,
    receivedAt,
    signal,
  })
  const results: readonly Static<typeof FLAG>[] = Object.values(flags)
  return { body: { distinct_id: distinctId, results } }
}

/** The flags of a person. */
export const PERSON_FLAG_ROUTES = [
  route({
    method: 'GET',
    path: `${PERSONS}/:id/flags`,
    access: 'person:read',
    summary: 'Evaluate the active feature flags for a person with the stored properties',
    query: { distinct_id: Type.String({ description: 'An id of the person. Default: the main id' }) },
    response: Type.Object({ distinct_id: Type.String(), results: Type.Array(FLAG) }),
    handler: evaluateFlags,
  }),
]
