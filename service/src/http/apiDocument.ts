import { DOCUMENT } from '../endpoints/openapi.ts'
import type { Route } from './route.ts'

const WITHOUT_KEY: ReadonlySet<Route['access']> = new Set(['public', 'console', 'console_page', 'viewer', 'toolbar'])

const PARAMETER = /:(\w+)|\*/g

const toPath = (path: string): string => path.replace(PARAMETER, (_, name: string | undefined) => `{${name ?? 'path'}}`)

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/**
 * Returns the name of a route for generated clients: `getPersonsById` for `GET /api/projects/:projectId/persons/:id`. It changes
 * only if the method or the path does.
 */
export const operationIdOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => {
  const parts = path
    .replace(/^\/api\/projects\/:projectId(?=\/)/, '')
    .replace(/^\/api(?=\/projects)/, '')
    .replace(PARAMETER, (_, name: string | undefined) => `by ${name ?? 'path'}`)
  const words = parts.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return method.toLowerCase() + (words.map(capitalized).join('') || 'Home')
}

const parametersOf = ({ path, query = {} }: Route) => [
  ...[...path.matchAll(PARAMETER)].map(([, name = 'path']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
]

const toOperation = (route: Route) => {
  const { access, toolbarScope, orScope, takesRunTokens, body, response, summary } = route
  return {
    operationId: operationIdOf(route),
    ...(summary ? { summary } : {}),
    ...(WITHOUT_KEY.has(access)
      ? {
          security: [],
          ...(toolbarScope
            ? { description: `Requires a session of the toolbar whose key has the scope ${toolbarScope}.` }
            : {}),
        }
      : {
          description:
            access === 'agent'
              ? 'Requires a key. Its scopes decide which tools there are.'
              : `Requires a key with the scope ${access}${orScope ? ` or ${orScope}` : ''}${takesRunTokens ? ', or a run token' : ''}.`,
        }),
    parameters: parametersOf(route),
    ...(body
      ? { requestBody: { content: body === 'raw' ? { '*/*': {} } : { 'application/json': { schema: body } } } }
      : {}),
    responses: {
      '2XX': { description: 'Done.', ...(response ? { content: { 'application/json': { schema: response } } } : {}) },
      default: { $ref: '#/components/responses/Refusal' },
    },
  }
}

/** Returns the OpenAPI document of all routes, from their schemas. */
export const apiDocument = (routes: readonly Route[]): Readonly<Record<string, unknown>> => {
  const operations = new Map<string, Record<string, unknown>>()
  for (const route of routes) {
    const path = toPath(route.path)
    operations.set(path, { ...operations.get(path), [route.method.toLowerCase()]: toOperation(route) })
  }
  const paths = Object.fromEntries(operations)
  return { ...DOCUMENT, info: { title: 'Trailmark', version: '2' }, security: [{ personalApiKey: [] }], paths }
}
