import { routesWith } from '../http/route.ts'
import type { Docs } from './files.ts'

/** What the routes use. */
export interface DocsParts {
  readonly docs: Docs
}

const route = routesWith<DocsParts>()

/** The docs site. Public, because agents and developers of a site read it without a key. */
export const DOCS_ROUTES = [
  route({ method: 'GET', path: '/docs', access: 'public', handler: ({ docs }) => docs('') }),
  route({ method: 'GET', path: '/docs/*', access: 'public', handler: ({ docs }, { params }) => docs(params['*']!) }),
]
