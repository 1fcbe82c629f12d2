import { type Static, Type } from '@sinclair/typebox'
import { FILTERS } from '../../flags/filters.ts'
import { ApiError } from '../../lib/apiError.ts'
import { assertNameOfUrl, CLOSED, page } from '../request.ts'
import { type Handler, type RouteRequest, route } from '../route.ts'
import { pageOf, TIME } from '../schemas.ts'

const FIELDS = {
  name: Type.Optional(Type.String({ maxLength: 10_000 })),
  active: Type.Optional(Type.Boolean()),
  filters: Type.Optional(FILTERS),
  evaluation_contexts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 400 }), { maxItems: 100 })),
}
const CREATE = Type.Object({ key: Type.String(), ...FIELDS }, CLOSED)
const CHANGE = Type.Object({ key: Type.Optional(Type.String()), ...FIELDS }, CLOSED)

const FLAG = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  name: Type.String(),
  active: Type.Boolean(),
  filters: FILTERS,
  /** Contexts in which the flag is evaluated. Empty: all. */
  evaluation_contexts: Type.Array(Type.String()),
  /** Increases with each change. */
  version: Type.Integer(),
  deleted: Type.Boolean(),
  created_at: TIME,
  updated_at: TIME,
})

const flagId = ({ params }: RouteRequest): number => {
  if (!/^\d{1,15}$/.test(params.id!))
    throw new ApiError('not_found', { detail: 'This project has no feature flag with this id.' })
  return Number(params.id)
}

const change: Handler<Static<typeof CHANGE>> = async ({ flags }, request) => ({
  body: await flags.update(request.projectId, flagId(request), request.body),
})

/** Changes a flag by its id. By its key, creates the flag if the project has none with that key, or changes it. */
const put: Handler<Static<typeof CHANGE>> = async (dependencies, request) => {
  const key = request.params.id!
  if (/^\d+$/.test(key)) return change(dependencies, request)
  const { flags } = dependencies
  const { projectId, body } = request
  const existing = (await flags.list(projectId)).find((flag) => flag.key === key)
  if (existing) return { body: await flags.update(projectId, Number(existing.id), body) }
  assertNameOfUrl('key', 'flag', body.key, key)
  return { status: 201, body: await flags.create(projectId, { ...body, key }) }
}

const FLAGS = '/api/projects/:projectId/feature_flags'

/** Definitions of feature flags. */
export const FLAG_ROUTES = [
  route({
    method: 'GET',
    path: FLAGS,
    summary: 'List the feature flags',
    access: 'feature_flag:read',
    response: pageOf(FLAG),
    handler: async ({ flags }, { projectId }) => page(await flags.list(projectId)),
  }),
  route({
    method: 'POST',
    path: FLAGS,
    summary: 'Create a feature flag',
    access: 'feature_flag:write',
    body: CREATE,
    response: FLAG,
    handler: async ({ flags }, { projectId, body }) => ({ status: 201, body: await flags.create(projectId, body) }),
  }),
  route({
    method: 'GET',
    path: `${FLAGS}/:id`,
    summary: 'Read a feature flag',
    access: 'feature_flag:read',
    response: FLAG,
    handler: async ({ flags }, request) => ({ body: await flags.get(request.projectId, flagId(request)) }),
  }),
  route({
    method: 'PATCH',
    path: `${FLAGS}/:id`,
    summary: 'Change a feature flag',
    access: 'feature_flag:write',
    body: CHANGE,
    response: FLAG,
    handler: change,
  }),
  route({
    method: 'PUT',
    path: `${FLAGS}/:id`,
    summary: 'Change a feature flag by its id. By its key, create or change it',
    access: 'feature_flag:write',
    body: CHANGE,
    response: FLAG,
    handler: put,
  }),
  route({
    method: 'DELETE',
    path: `${FLAGS}/:id`,
    summary: 'Delete a feature flag',
    access: 'feature_flag:write',
    handler: async ({ flags }, request) => {
      await flags.remove(request.projectId, flagId(request))
      return { status: 204 }
    },
  }),
]
