import { Type } from '@sinclair/typebox'
import { page } from '../../http/request.ts'
import { routesWith } from '../../http/route.ts'
import { oneOf, orNull, pageOf, TIME } from '../../http/schemas.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Imports } from '../imports.ts'
import type { ImportRecord } from '../store.ts'

/** What the routes use. */
export interface ImportParts {
  readonly imports: Imports
  readonly sheetStorage: Pick<Storage, 'rows'>
}

const route = routesWith<ImportParts>()

const IMPORTS = '/api/projects/:projectId/imports'

const IMPORT = Type.Object({
  id: Type.String(),
  source: Type.String(),
  state: oneOf(['running', 'stopped', 'done', 'undone']),
  read: Type.Integer({ description: 'Rows read' }),
  accepted: Type.Integer({ description: 'Events that are stored, by this import or before' }),
  refused: Type.Record(Type.String(), Type.Integer(), { description: 'Rows that are not imported, by reason' }),
  error: orNull(Type.String()),
  created_at: TIME,
  changed_at: TIME,
})

const viewOf = ({ id, source, state, position, error, createdAt, changedAt }: ImportRecord) => ({
  id,
  source,
  state,
  ...position.counts,
  error,
  created_at: createdAt,
  changed_at: changedAt,
})

const COUNTS = {
  read: Type.Integer({ description: 'Rows of this day in the files' }),
  moved: Type.Integer({ description: 'Rows that came from another day by their time zone, less those that went' }),
  refused: Type.Integer({ description: 'Rows that the service refused' }),
  repeated: Type.Integer({ description: 'Events that were stored before, or were deleted since' }),
  stored: Type.Integer(),
  unexplained: Type.Integer({
    description: 'Stored events without a row. 0, unless the import began with an older version',
  }),
}

const SHEET = Type.Object({
  read: Type.Integer({ description: 'Rows read' }),
  stored: Type.Integer({ description: 'Events that this import has stored' }),
  repeated: Type.Integer({ description: 'Events that were stored before, or were deleted since' }),
  refused: Type.Record(Type.String(), Type.Integer(), { description: 'Rows that are not imported, by reason' }),
  days: Type.Array(Type.Object({ day: Type.String(), event: Type.String(), ...COUNTS }), {
    description: 'Counts by UTC day and event, of at most 1,000',
  }),
  others: orNull(Type.Object(COUNTS, { description: 'Counts of all other days and events' })),
})

/** Imports of a project. */
export const IMPORT_ROUTES = [
  route({
    method: 'GET',
    path: IMPORTS,
    access: 'project:read',
    summary: 'List the last 50 imports with their progress, newest first',
    response: pageOf(IMPORT),
    handler: async ({ imports }, { projectId }) => page((await imports.list(projectId)).map(viewOf)),
  }),
  route({
    method: 'GET',
    path: `${IMPORTS}/:id/sheet`,
    access: 'project:read',
    summary: 'Compare what an import has read with what it has stored, by day and event',
    response: SHEET,
    handler: async ({ imports, sheetStorage }, { projectId, params }) => ({
      body: await imports.sheet(sheetStorage, projectId, params.id!),
    }),
  }),
  route({
    method: 'POST',
    path: `${IMPORTS}/:id/stop`,
    access: 'project:write',
    summary: 'Stop an import after its current delivery. It can be continued',
    response: IMPORT,
    handler: async ({ imports }, { projectId, params }) => ({
      body: viewOf(await imports.stop(projectId, params.id!)),
    }),
  }),
  route({
    method: 'POST',
    path: `${IMPORTS}/:id/undo`,
    access: 'project:write',
    summary: 'Delete the events that an import has stored',
    response: Type.Object({ deletion: Type.String({ description: 'Id of the deletion, which has the progress' }) }),
    handler: async ({ imports }, { projectId, params, key }) => ({
      body: { deletion: await imports.undo(projectId, params.id!, key.label) },
    }),
  }),
]
