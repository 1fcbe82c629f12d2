import { Type } from '@sinclair/typebox'
import { PERSONS, personId } from '../http/personId.ts'
import { orElse } from '../http/query.ts'
import { routesWith } from '../http/route.ts'
import { STORING } from '../ingest/storing.ts'
import type { AnyModule, Module } from '../module.ts'
import type { Schema } from '../storage/schema/schema.ts'
import { createErase, type Erase } from './erase.ts'
import { PEOPLE } from './module.ts'

/** What the routes use. */
export interface ErasureParts {
  readonly erase: Erase
}

const route = routesWith<ErasureParts>()

const ROUTES = [
  route({
    method: 'DELETE',
    path: `${PERSONS}/:id`,
    access: 'person:write',
    summary: 'Delete a person and, with "delete_events=true", their events. Responds once they are deleted',
    query: { delete_events: orElse(Type.Boolean(), false) },
    handler: async ({ erase }, request) => {
      const withEvents = request.values.delete_events
      await erase({ projectId: request.projectId, id: personId(request), withEvents })
      return { status: 204 }
    },
  }),
]

/** Returns the module that erases persons from `modules` and their `tables`. */
export const erasureFrom = (
  modules: readonly AnyModule[],
  { tables }: Pick<Schema, 'tables'>,
): Module<ErasureParts> => ({
  create: ({ gate, use, log }) => ({
    erase: createErase({
      log,
      storage: gate.background,
      persons: use(PEOPLE).persons,
      forget: use(STORING).forgetPerson,
      tables: tables.flatMap(({ name, hasEvents }) => (hasEvents ? [name] : [])),
      erasers: modules.flatMap((module) => module.eraser?.(use(module) as never) ?? []),
    }),
  }),
  routes: ROUTES,
})
