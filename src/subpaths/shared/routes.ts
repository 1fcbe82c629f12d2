import type { Analytics, BeforeSend, Options } from 'trailmark'

export type NavigationType = 'pushState' | 'replaceState' | 'popstate'

/** A navigation of a router that has ended and was not aborted. */
export interface Navigation {
  /** The path, which tells pages apart. */
  path: string
  /** The route's pattern, such as `/items/:id`: `$route` of `$pageview` and `$pageleave`. */
  route?: string
  type?: NavigationType
}

/** Captures the pageviews of a router. */
export interface Routes {
  /** Returns options of `init` with which the SDK leaves pageviews to the router. */
  options(options?: Options): Options
  /** Sets the instance that captures. */
  use(client: Analytics): void
  /** Takes the end of a navigation, the first one included. */
  ended(navigation: Navigation): void
}

/**
 * Creates the watch of a router. It captures one `$pageview` for each navigation, a task after its end, when the title is
 * there. The SDK captures the first one itself, so that prerendered pages, restored pages and consent work as without a router.
 */
export const createRoutes = (client: Analytics): Routes => {
  let isWanted = false
  let hasStarted = false
  let current: Navigation | undefined
  let pending: Navigation | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const addRoute: BeforeSend = (event) => {
    if (current?.route && /^\$page(view|leave)$/.test(event.event)) event.properties.$route = current.route
    return event
  }
  const capture = () => {
    clearTimeout(timer)
    if (!pending) return
    if (hasStarted) client.capture('$pageview', { navigation_type: pending.type ?? 'pushState' })
    else client.set_config({ capture_pageview: true })
    hasStarted = true
    pending = undefined
  }
  return {
    options: (options = {}) => {
      isWanted = options.capture_pageview !== false
      addEventListener('pagehide', capture)
      return { ...options, capture_pageview: false, before_send: [addRoute, options.before_send].flat() }
    },
    use: (instance) => {
      client = instance
    },
    ended: (navigation) => {
      const isSamePage = current?.path === navigation.path
      current = navigation
      if (!isWanted || isSamePage) return
      pending = navigation
      clearTimeout(timer)
      timer = setTimeout(capture, 1)
    },
  }
}
