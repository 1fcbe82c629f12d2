import type { Module } from '../module.ts'
import { createDocs } from './files.ts'
import { DOCS_ROUTES, type DocsParts } from './routes.ts'

/** The docs site. */
export const DOCS: Module<DocsParts> = {
  create: ({ config: { docsDir: folder, consoleBase: base } }) => ({ docs: createDocs({ folder, base }) }),
  routes: DOCS_ROUTES,
}
