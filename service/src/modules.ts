import { CONSOLE } from './console/module.ts'
import { DASHBOARDS } from './dashboards/module.ts'
import { DOCS } from './docs/module.ts'
import { ENDPOINTS } from './endpoints/module.ts'
import { ERROR_TRACKING } from './errorTracking/module.ts'
import { EVENTS } from './events/module.ts'
import { evaluationWith } from './flags/evaluation.ts'
import { FLAGS } from './flags/module.ts'
import { HEATMAPS } from './heatmaps/module.ts'
import { apiDocument } from './http/apiDocument.ts'
import { type Route, routesWith } from './http/route.ts'
import { captureFor } from './ingest/module.ts'
import { REJECTIONS as INGEST_REJECTIONS } from './ingest/read.ts'
import type { Rejections } from './ingest/sink.ts'
import { STORING } from './ingest/storing.ts'
import { METRICS, type MetricRows } from './lib/metrics.ts'
import { agentsFor } from './mcp/module.ts'
import type { AnyModule } from './module.ts'
import { erasureFrom } from './persons/erasure.ts'
import { PEOPLE } from './persons/module.ts'
import { PLAN } from './plan/module.ts'
import { PROJECTS } from './projects/module.ts'
import { RECORDINGS } from './recordings/module.ts'
import { ERASURES, retentionOf } from './retention/module.ts'
import { SHARES } from './shares/module.ts'
import { STATICS } from './statics/module.ts'
import { STATUS } from './status/module.ts'
import { CORE_SCHEMA } from './storage/schema/core.ts'
import { combineSchemas, type Schema } from './storage/schema/schema.ts'
import { SURVEYS } from './surveys/module.ts'
import { TRANSFERS } from './transfers/module.ts'
import { TOOLBAR } from './toolbar/module.ts'

/** The parts of the product. To add or remove one, add or remove its folder and its row. */
const PRODUCTS: readonly AnyModule[] = [
  STATUS,
  STATICS,
  CONSOLE,
  DOCS,
  PROJECTS,
  STORING,
  PEOPLE,
  ERASURES,
  EVENTS,
  PLAN,
  FLAGS,
  SURVEYS,
  RECORDINGS,
  HEATMAPS,
  ERROR_TRACKING,
  ENDPOINTS,
  DASHBOARDS,
  SHARES,
  TOOLBAR,
  TRANSFERS,
]

const joined = <Value>(tables: readonly (Readonly<Record<string, Value>> | undefined)[]) =>
  Object.fromEntries(tables.flatMap((table = {}) => Object.entries(table)))

/** Why events are rejected. */
export const REJECTIONS: Rejections = {
  ...INGEST_REJECTIONS,
  ...joined(PRODUCTS.map(({ rejections }) => rejections)),
}

/** Tables of the event store, and the migrations that create them. */
export const SCHEMA: Schema = combineSchemas([CORE_SCHEMA, ...PRODUCTS.flatMap(({ schema = [] }) => schema)])

/** All modules: the products, and what collects the members of all of them. */
export const MODULES: readonly AnyModule[] = [
  ...PRODUCTS,
  captureFor(PRODUCTS, Object.keys(REJECTIONS)),
  evaluationWith(PRODUCTS),
  erasureFrom(PRODUCTS, SCHEMA),
  retentionOf(PRODUCTS),
  agentsFor(PRODUCTS),
]

/** Metrics of modules. */
export const MODULE_METRICS: MetricRows = joined(MODULES.map(({ metrics }) => metrics))

/** All metrics of `/metrics`. */
export const ALL_METRICS: MetricRows = { ...METRICS, ...MODULE_METRICS }

/** The document of all routes, which is one of them. */
export const DOCUMENT_ROUTE = routesWith<unknown>()({
  method: 'GET',
  path: '/api/openapi.json',
  access: 'public',
  summary: 'This document',
  handler: () => ({ body: apiDocument(ROUTES) }),
})

/** All routes of the service. */
export const ROUTES: readonly Route[] = [...MODULES.flatMap(({ routes = [] }) => routes), DOCUMENT_ROUTE]
