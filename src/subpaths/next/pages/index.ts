import { useRouter } from 'next/router.js'
import { createRouterProvider } from '../../shared/routerProvider'

/** The provider for the pages router: that of `trailmark/react`, which also counts the router's pages. */
export const TrailmarkProvider = createRouterProvider(() => {
  const { asPath, pathname } = useRouter()
  return { path: asPath.split(/[?#]/)[0]!, route: pathname }
})

export * from '../../shared/reactExports'
