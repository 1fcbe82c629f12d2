import type { VariableDefinitions } from '../variables/definitions.ts'
import { type Static, Type } from '@sinclair/typebox'
import { SCHEMA_TYPES, type SchemaTypeName } from '../variables/schema.ts'
import { VARIABLE_TYPES, type VariableTypeName } from '../variables/types.ts'
import { isUuid } from '../../lib/uuid.ts'
import { assertNameOfUrl, CLOSED, invalidInput, page } from '../../http/request.ts'
import { type Handler, routesWith } from '../../http/route.ts'
import { oneOf, orNull, pageOf, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface VariableParts {
  readonly variables: VariableDefinitions
}

const route = routesWith<VariableParts>()

const NAME = Type.String({ minLength: 1, maxLength: 400 })
const VALUES = Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { maxItems: 1_000 })
const BOUND = Type.Union([Type.Number(), Type.String({ maxLength: 40 })])
const COUNT = Type.Integer({ minimum: 0 })
const SCHEMA = Type.Object(
  {
    type: Type.Unsafe<SchemaTypeName>({ type: 'string', enum: Object.keys(SCHEMA_TYPES) }),
    minimum: Type.Optional(BOUND),
    maximum: Type.Optional(BOUND),
    minLength: Type.Optional(COUNT),
    maxLength: Type.Optional(COUNT),
    pattern: Type.Optional(Type.String({ maxLength: 500 })),
    enum: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]), { minItems: 1, maxItems: 1_000 })),
    minItems: Type.Optional(COUNT),
    maxItems: Type.Optional(COUNT),
  },
  CLOSED,
)

const CREATE = Type.Object(
  {
    name: NAME,
    code_name: Type.Optional(Type.String()),
    type: Type.Unsafe<VariableTypeName>({ type: 'string', enum: Object.keys(VARIABLE_TYPES) }),
    default_value: Type.Optional(Type.Unknown()),
    values: Type.Optional(Type.Union([VALUES, Type.Null()])),
    schema: Type.Optional(Type.Union([SCHEMA, Type.Null()])),
  },
  CLOSED,
)
const CHANGE = Type.Partial(CREATE, CLOSED)

const VARIABLE = Type.Object({
  id: Type.String(),
  name: Type.String(),
  code_name: Type.String(),
  type: oneOf(Object.keys(VARIABLE_TYPES)),
  /** null: none. */
  default_value: Type.Unknown(),
  values: Type.Array(Type.String()),
  schema: orNull(SCHEMA),
  created_at: TIME,
})

/** Treats `values: null` as absent. */
const withoutNullValues = <Input extends { values?: Static<typeof VALUES> | null }>({ values, ...rest }: Input) => ({
  ...rest,
  ...(values ? { values } : {}),
})

const change: Handler<VariableParts, Static<typeof CHANGE>> = async ({ variables }, { projectId, params, body }) => ({
  body: await variables.update(projectId, params.id!, withoutNullValues(body)),
})

/** Changes a variable by its id. By its code name, creates the variable if the project has none with that name, or changes it. */
const put: Handler<VariableParts, Static<typeof CHANGE>> = async (parts, request) => {
  const { variables } = parts
  const { projectId, params } = request
  const codeName = params.id!
  if (isUuid(params.id)) return change(parts, request)
  const input = withoutNullValues(request.body)
  const existing = (await variables.list(projectId)).find((variable) => variable.code_name === codeName)
  if (existing) return { body: await variables.update(projectId, existing.id, input) }
  assertNameOfUrl('code_name', 'variable', input.code_name, codeName)
  const { name = codeName, type } = input
  if (type === undefined)
    throw invalidInput('type', `This project has no variable "${codeName}" yet. Creating it requires "type".`)
  return { status: 201, body: await variables.create(projectId, { ...input, name, type, code_name: codeName }) }
}

const VARIABLES = '/api/projects/:projectId/insight_variables'

/** Variables of queries. */
export const VARIABLE_ROUTES = [
  route({
    method: 'GET',
    path: VARIABLES,
    summary: 'List the variables',
    access: 'insight_variable:read',
    response: pageOf(VARIABLE),
    handler: async ({ variables }, { projectId }) => page(await variables.list(projectId)),
  }),
  route({
    method: 'POST',
    path: VARIABLES,
    summary: 'Define a variable',
    access: 'insight_variable:write',
    body: CREATE,
    response: VARIABLE,
    handler: async ({ variables }, { projectId, body }) => ({
      status: 201,
      body: await variables.create(projectId, withoutNullValues(body)),
    }),
  }),
  route({
    method: 'GET',
    path: `${VARIABLES}/:id`,
    summary: 'Read a variable',
    access: 'insight_variable:read',
    response: VARIABLE,
    handler: async ({ variables }, { projectId, params }) => ({ body: await variables.get(projectId, params.id!) }),
  }),
  route({
    method: 'PATCH',
    path: `${VARIABLES}/:id`,
    summary: 'Change a variable',
    access: 'insight_variable:write',
    body: CHANGE,
    response: VARIABLE,
    handler: change,
  }),
  route({
    method: 'PUT',
    path: `${VARIABLES}/:id`,
    summary: 'Change a variable by its id. By its code name, create or change it',
    access: 'insight_variable:write',
    body: CHANGE,
    response: VARIABLE,
    handler: put,
  }),
  route({
    method: 'DELETE',
    path: `${VARIABLES}/:id`,
    summary: 'Delete a variable that no endpoint uses',
    access: 'insight_variable:write',
    handler: async ({ variables }, { projectId, params }) => {
      await variables.remove(projectId, params.id!)
      return { status: 204 }
    },
  }),
]
