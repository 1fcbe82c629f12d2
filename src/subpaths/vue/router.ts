import type { Navigation } from '../shared/routes'

interface Location {
  path: string
  matched: readonly { path: string }[]
}

/** Members of a vue-router router that the plugin uses. */
export interface RouterLike {
  afterEach(run: (to: Location, from: Location, failure?: unknown) => void): unknown
}

/** Reports the ends of a router's navigations. */
export const followRouter = (router: RouterLike, navigated: (navigation: Navigation) => void): void => {
  let isTraversal = false
  // In the capture phase, before the router's own listener.
  addEventListener('popstate', () => (isTraversal = true), true)
  router.afterEach(({ path, matched }, _from, failure) => {
    const { replaced } = (history.state ?? {}) as { replaced?: boolean }
    const type = isTraversal ? 'popstate' : replaced ? 'replaceState' : 'pushState'
    isTraversal = false
    if (!failure) navigated({ path, route: matched[matched.length - 1]?.path, type })
  })
}
