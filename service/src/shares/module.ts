import { DASHBOARDS } from '../dashboards/module.ts'
import { ENDPOINTS } from '../endpoints/module.ts'
import type { Module } from '../module.ts'
import { MANAGEMENT_ROUTES, type ShareParts } from './routes/management.ts'
import { VIEWER_ROUTES } from './routes/viewer.ts'
import { createPages } from './pages.ts'
import { createShares } from './shares.ts'
import { createStandings } from './standing.ts'
import { createShareStore } from './store.ts'
import { createViewing } from './viewing.ts'

/** Shares: dashboards and endpoints that people without a key read by a link, or in a frame. */
export const SHARES: Module<ShareParts> = {
  create({ metadata, config: { consoleDir: folder, consoleBase: base }, use }) {
    const { run, materializations } = use(ENDPOINTS)
    const { dashboards } = use(DASHBOARDS)
    const store = metadata.store(createShareStore)
    const parts = { metadata, dashboards, takesDates: materializations.takesDates }
    const standings = createStandings(parts)
    return {
      shares: createShares({ ...parts, store, standings }),
      viewing: createViewing({ store, standings, metadata, run }),
      standings,
      pages: createPages({ folder, base }),
    }
  },
  routes: [...MANAGEMENT_ROUTES, ...VIEWER_ROUTES],
}
