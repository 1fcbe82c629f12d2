import { Type } from '@sinclair/typebox'
import type { FeatureInput } from '../flags/earlyAccess.ts'
import { type Stage, STAGES } from '../flags/enrolment.ts'
import type { Route } from './route.ts'

const closed = { additionalProperties: false } as const

const NAME = Type.String({ minLength: 1, maxLength: 200 })
const FIELDS = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  stage: Type.Optional(Type.Unsafe<Stage>({ type: 'string', enum: Object.keys(STAGES) })),
  documentation_url: Type.Optional(Type.String({ maxLength: 2_000 })),
  payload: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}
const CREATE = Type.Object({ name: NAME, ...FIELDS, feature_flag_id: Type.Optional(Type.Integer()) }, closed)
const CHANGE = Type.Object({ name: Type.Optional(NAME), ...FIELDS }, closed)

const FEATURES = '/api/projects/:projectId/early_access_feature'

/** Features that visitors may ask for before everybody has them. */
export const EARLY_ACCESS_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: FEATURES,
    access: 'early_access_feature:read',
    handler: async ({ earlyAccess }, { projectId }) => {
      const results = await earlyAccess.list(projectId)
      return { body: { count: results.length, next: null, previous: null, results } }
    },
  },
  {
    method: 'POST',
    path: FEATURES,
    access: 'early_access_feature:write',
    summary: 'A feature that visitors may ask for; without "feature_flag_id" with a flag of its own',
    body: CREATE,
    handler: async ({ earlyAccess }, { projectId, body }) => ({
      status: 201,
      body: await earlyAccess.create(projectId, body as FeatureInput & { name: string }),
    }),
  },
  {
    method: 'GET',
    path: `${FEATURES}/:id`,
    access: 'early_access_feature:read',
    handler: async ({ earlyAccess }, { projectId, params }) => ({ body: await earlyAccess.get(projectId, params.id!) }),
  },
  {
    method: 'PATCH',
    path: `${FEATURES}/:id`,
    access: 'early_access_feature:write',
    body: CHANGE,
    handler: async ({ earlyAccess }, { projectId, params, body }) => ({
      body: await earlyAccess.update(projectId, params.id!, body as FeatureInput),
    }),
  },
  {
    method: 'DELETE',
    path: `${FEATURES}/:id`,
    access: 'early_access_feature:write',
    summary: 'The flag stays, without what visitors said of the feature',
    handler: async ({ earlyAccess }, { projectId, params }) => {
      await earlyAccess.remove(projectId, params.id!)
      return { status: 204 }
    },
  },
]
