import { CONSOLE } from '../console/module.ts'
import type { Module } from '../module.ts'
import { createReadiness } from './readiness.ts'
import { STATUS_ROUTES, type StatusParts } from './routes.ts'

/** The home page, and what monitors request. */
export const STATUS: Module<StatusParts> = {
  create: ({ config, gate, metadata, metrics, use }) => ({
    console: use(CONSOLE).console,
    metrics: metrics.text,
    readiness: createReadiness({
      storage: gate.ingest,
      metadata,
      definitionsDir: config.databaseUrl ? undefined : config.dataDir,
    }),
  }),
  routes: STATUS_ROUTES,
}
