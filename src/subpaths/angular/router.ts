import type { Navigation } from '../shared/routes'

interface Snapshot {
  routeConfig: { path?: string } | null
  firstChild: Snapshot | null
}

/** Members of Angular's `Router` that the providers use. */
export interface RouterLike {
  events: { subscribe(run: (event: object) => void): unknown }
  routerState: { snapshot: { root: Snapshot } }
  url: string
}

// The `type` of `NavigationStart` and `NavigationEnd`. The events of aborted navigations have others.
const START = 0
const END = 1

/** Returns the pattern of the active route, such as `/items/:id`. */
const patternOf = ({ routeConfig, firstChild }: Snapshot): string =>
  (routeConfig?.path ? `/${routeConfig.path}` : '') + (firstChild ? patternOf(firstChild) : '')

/** Reports the ends of a router's navigations. */
export const followRouter = (router: RouterLike, navigated: (navigation: Navigation) => void): void => {
  let isTraversal = false
  router.events.subscribe((event) => {
    const { type, navigationTrigger } = event as { type?: number; navigationTrigger?: string }
    if (type === START) isTraversal = navigationTrigger === 'popstate'
    if (type === END)
      navigated({
        path: router.url.replace(/[?#].*/, ''),
        route: patternOf(router.routerState.snapshot.root) || '/',
        type: isTraversal ? 'popstate' : 'pushState',
      })
  })
}
