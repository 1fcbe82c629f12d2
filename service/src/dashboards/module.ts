import type { Module } from '../module.ts'
import { createDashboards } from './dashboards.ts'
import { DASHBOARD_ROUTES, type DashboardParts } from './routes.ts'
import { createDashboardStore } from './store.ts'

/** Dashboards: tiles with endpoints and queries on a grid. */
export const DASHBOARDS: Module<DashboardParts> = {
  create: ({ metadata }) => ({ dashboards: createDashboards(metadata.store(createDashboardStore)) }),
  routes: DASHBOARD_ROUTES,
}
