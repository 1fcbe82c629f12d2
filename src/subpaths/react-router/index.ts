import { useLocation, useNavigationType, useParams } from 'react-router'
import { routePattern } from '../shared/routePattern'
import { createRouterProvider } from '../shared/routerProvider'

const TYPES = { PUSH: 'pushState', REPLACE: 'replaceState', POP: 'popstate' } as const

/**
 * The provider for React Router: that of `trailmark/react`, which also counts the router's pages. Put it into the root route, so
 * that it is inside the router.
 */
export const TrailmarkProvider = createRouterProvider(() => {
  const { pathname } = useLocation()
  const type = TYPES[useNavigationType()]
  const { '*': rest, ...params } = useParams()
  return {
    path: pathname,
    route: routePattern(pathname, { ...params, '*': rest?.split('/') }, (name) => (name === '*' ? name : `:${name}`)),
    type,
  }
})

export * from '../shared/reactExports'
