import type { Analytics, BeforeSend, Options } from 'trailmark'

export type NavigationType = 'pushState' | 'replaceState' | 'popstate'

/** A navigation of a router that has ended and was not aborted. */
export interface Navigation {
  /** The path, which tells pages apart. */
  path: string
  /** The route's pattern, such as `/items/:id`: `$route` of `$pageview` and `$pageleave`. */
  route?: string | null
  type?: NavigationType
}

/**
 * Creates the watch of a router. It captures one `$pageview` for each navigation, a task after its end, when the title is
 * there. The SDK captures the first one itself, so that prerendered pages, restored pages and consent work as without a
 * router. `options`: of the SDK. Returns them so that pageviews are left to the router.
 */
export const createRoutes = (client: () => Analytics, options: Options) => {
  let hasStarted = false
  let current: Navigation | undefined
  let isPending = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const addRoute: BeforeSend = (event) => {
    if (current?.route && /^\$page(view|leave)$/.test(event.event)) event.properties.$route = current.route
    return event
  }
  const isWanted = options.capture_pageview !== false
  const capture = (isLeaving?: boolean) => {
    if (!isPending) return
    isPending = false
    // While the page is left, the SDK's own first pageview would come too late.
    if (hasStarted || isLeaving) client().capture('$pageview', { navigation_type: current?.type })
    else client().set_config({ capture_pageview: true })
    hasStarted = true
  }
  return {
    options: { ...options, capture_pageview: false, before_send: [addRoute, options.before_send].flat() },
    navigated: (navigation: Navigation): void => {
      isPending ||= isWanted && current?.path !== navigation.path
      current = navigation
      clearTimeout(timer)
      timer = setTimeout(() => capture(), 1)
    },
    /** Captures what waits. The page may be left before the router's first navigation has ended. */
    leave: (): void => {
      isPending ||= isWanted && !hasStarted && !(document as { prerendering?: boolean }).prerendering
      capture(true)
    },
  }
}
