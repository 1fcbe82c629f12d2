import type { NavigationType, Routes } from '../shared/routes'

interface Location {
  path: string
  matched: readonly { path: string }[]
}

/** What the plugin uses of a router of vue-router. */
export interface RouterLike {
  afterEach(run: (to: Location, from: Location, failure?: unknown) => void): unknown
}

/** Reports the ends of a router's navigations. */
export const followRouter = (router: RouterLike, routes: Routes): void => {
  let isTraversal = false
  // In the capture phase, before the router's own listener.
  addEventListener('popstate', () => (isTraversal = true), true)
  router.afterEach((to, _from, failure) => {
    const { replaced } = (history.state ?? {}) as { replaced?: boolean }
    const type: NavigationType = isTraversal ? 'popstate' : replaced ? 'replaceState' : 'pushState'
    isTraversal = false
    if (!failure) routes.ended({ path: to.path, route: to.matched[to.matched.length - 1]?.path, type })
  })
}
