import { useParams, usePathname } from 'next/navigation.js'
import { routePattern } from '../shared/routePattern'
import { createRouterProvider } from '../shared/routerProvider'

const nameOf = (name: string, isMany: boolean) => (isMany ? `[...${name}]` : `[${name}]`)

/** The provider for the app router: that of `trailmark/react`, which also counts the router's pages. */
export const TrailmarkProvider = createRouterProvider(() => {
  const path = usePathname() ?? ''
  const params = useParams<Record<string, string | string[]>>() ?? {}
  return { path, route: routePattern(path, params, nameOf) }
})

export * from '../shared/reactExports'
