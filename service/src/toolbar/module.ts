import { ENDPOINTS } from '../endpoints/module.ts'
import { FLAGS } from '../flags/module.ts'
import type { Module } from '../module.ts'
import { TOOLBAR_ROUTES, type ToolbarParts } from './routes.ts'
import { createToolbarSessions } from './sessions.ts'
import { createToolbarStore } from './store.ts'

/** The toolbar on pages of sites. Modules add what it reads of them by `toolbarRead`. */
export const TOOLBAR: Module<ToolbarParts> = {
  create: ({ metadata, log, use }) => ({
    toolbar: createToolbarSessions({ metadata, store: metadata.store(createToolbarStore), log }),
    consoleUrl: async () => (await metadata.console.instance()).url,
    projectByToken: metadata.projects.byToken,
    flags: use(FLAGS).flags,
    run: use(ENDPOINTS).run,
  }),
  routes: TOOLBAR_ROUTES,
}
