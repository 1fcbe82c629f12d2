import { ApiError } from '../lib/apiError.ts'
import { type RouteResponse, routesWith } from '../http/route.ts'
import type { Statics } from './statics.ts'

/** What the routes use. */
export interface StaticParts {
  readonly statics: Statics
}

const route = routesWith<StaticParts>()

const sendStatic = ({ statics }: StaticParts, path: string): RouteResponse => {
  const response = statics(path)
  if (!response) throw new ApiError('not_found')
  return response
}

/** Scripts of the browser SDK. */
export const STATIC_ROUTES = [
  route({
    method: 'GET',
    path: '/array/:token/array.js',
    access: 'public',
    handler: (parts) => sendStatic(parts, 'array.js'),
  }),
  route({
    method: 'GET',
    path: '/static/*',
    access: 'public',
    handler: (parts, { params }) => sendStatic(parts, params['*']!),
  }),
]
