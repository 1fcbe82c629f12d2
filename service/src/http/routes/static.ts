import { ApiError } from '../../lib/apiError.ts'
import { type Dependencies, type RouteResponse, route } from '../route.ts'

const sendStatic = ({ statics }: Dependencies, path: string): RouteResponse => {
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
    handler: (dependencies) => sendStatic(dependencies, 'array.js'),
  }),
  route({
    method: 'GET',
    path: '/static/*',
    access: 'public',
    handler: (dependencies, { params }) => sendStatic(dependencies, params['*']!),
  }),
]
