import type { EarlyAccess } from '../earlyAccess.ts'
import { Type } from '@sinclair/typebox'
import { type Stage, STAGES } from '../enrollment.ts'
import { tagged } from '../../http/etag.ts'
import { CLOSED, page, requireProject, type ProjectByToken } from '../../http/request.ts'
import { type Handler, routesWith } from '../../http/route.ts'
import { ANY_OBJECT, oneOf, pageOf, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface EarlyAccessParts {
  readonly earlyAccess: EarlyAccess
  readonly projectByToken: ProjectByToken
}

const route = routesWith<EarlyAccessParts>()

const NAME = Type.String({ minLength: 1, maxLength: 200 })
const FIELDS = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  stage: Type.Optional(Type.Unsafe<Stage>({ type: 'string', enum: Object.keys(STAGES) })),
  documentation_url: Type.Optional(Type.String({ maxLength: 2_000 })),
  payload: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}
const CREATE = Type.Object({ name: NAME, ...FIELDS, feature_flag_id: Type.Optional(Type.Integer()) }, CLOSED)
const CHANGE = Type.Object({ name: Type.Optional(NAME), ...FIELDS }, CLOSED)

const FEATURE_FIELDS = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  stage: oneOf(Object.keys(STAGES) as Stage[]),
  payload: ANY_OBJECT,
}
const FEATURE = Type.Object({
  ...FEATURE_FIELDS,
  feature_flag: Type.Object({ id: Type.Integer(), key: Type.Optional(Type.String()) }),
  documentation_url: Type.String(),
  created_at: TIME,
})
const OFFERED_FEATURE = Type.Object({ ...FEATURE_FIELDS, documentationUrl: Type.String(), flagKey: Type.String() })

const offered: Handler<EarlyAccessParts> = tagged(async (parts, { query, queryAll }) => {
  const { id } = await requireProject(parts, query.token)
  const stages = queryAll('stage')
  const features = await parts.earlyAccess.offered(id, stages.length ? stages : ['beta'])
  return { body: { earlyAccessFeatures: features } }
})

const FEATURES = '/api/projects/:projectId/early_access_feature'

/** Features that visitors can opt in to before their release. */
export const EARLY_ACCESS_ROUTES = [
  route({
    method: 'GET',
    path: '/api/early_access_features',
    summary: 'List the features that visitors can enroll in, by "stage" (default: beta)',
    access: 'public',
    query: { token: Type.String(), stage: Type.String() },
    response: Type.Object({ earlyAccessFeatures: Type.Array(OFFERED_FEATURE) }),
    handler: offered,
  }),
  route({
    method: 'GET',
    path: FEATURES,
    summary: 'List the early access features',
    access: 'early_access_feature:read',
    response: pageOf(FEATURE),
    handler: async ({ earlyAccess }, { projectId }) => page(await earlyAccess.list(projectId)),
  }),
  route({
    method: 'POST',
    path: FEATURES,
    access: 'early_access_feature:write',
    summary: 'Create a feature that visitors can opt in to. Creates a flag for it unless "feature_flag_id" names one',
    body: CREATE,
    response: FEATURE,
    handler: async ({ earlyAccess }, { projectId, body }) => ({
      status: 201,
      body: await earlyAccess.create(projectId, body),
    }),
  }),
  route({
    method: 'GET',
    path: `${FEATURES}/:id`,
    summary: 'Read an early access feature',
    access: 'early_access_feature:read',
    response: FEATURE,
    handler: async ({ earlyAccess }, { projectId, params }) => ({ body: await earlyAccess.get(projectId, params.id!) }),
  }),
  route({
    method: 'PATCH',
    path: `${FEATURES}/:id`,
    summary: 'Change an early access feature',
    access: 'early_access_feature:write',
    body: CHANGE,
    response: FEATURE,
    handler: async ({ earlyAccess }, { projectId, params, body }) => ({
      body: await earlyAccess.update(projectId, params.id!, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: `${FEATURES}/:id`,
    access: 'early_access_feature:write',
    summary: 'Delete a feature. Its flag stays, without the enrollments',
    handler: async ({ earlyAccess }, { projectId, params }) => {
      await earlyAccess.remove(projectId, params.id!)
      return { status: 204 }
    },
  }),
]
