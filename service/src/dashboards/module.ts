import type { Module } from '../module.ts'
import { createDashboards } from './dashboards.ts'
import { DASHBOARD_ROUTES, type DashboardParts } from './routes.ts'

/** Dashboards: tiles with endpoints and queries on a grid. */
export const DASHBOARDS: Module<DashboardParts> = {
  create: ({ metadata }) => ({ dashboards: createDashboards(metadata) }),
  routes: DASHBOARD_ROUTES,
}
