import { createElement, type ReactElement, useEffect, useRef } from 'react'
import { type Analytics, analytics, type Options } from 'trailmark'
import { TrailmarkProvider, type TrailmarkProviderProps, useTrailmark } from 'trailmark/react'
import { createRoutes, type Navigation } from './routes'
import { whenTitled } from './whenTitled'

interface Watched {
  client: Analytics
  routes: ReturnType<typeof createRoutes>
}

/** The watch of each instance, by its name. */
const watches: Record<string, Watched> = {}

const watchOf = ({ client, name = '', options }: TrailmarkProviderProps): Watched => {
  const key = client ? client.toString() : name
  if (watches[key]) return watches[key]
  const watched: Watched = (watches[key] = {
    client: client ?? analytics,
    // A copy, because the client's own object changes below.
    routes: createRoutes(() => watched.client, { ...(client ? client.config : options) }),
  })
  // It may have captured its first pageview already, and then captures none when the watch starts.
  if (client) client.set_config(ofRouter(watched))
  addEventListener('pagehide', watched.routes.leave)
  return watched
}

/** The options that leave pageviews to the router. */
const ofRouter = ({ routes }: Watched): Options => {
  const { capture_pageview, before_send } = routes.options
  return { capture_pageview, before_send }
}

/** Tells the watch about each page, once it has its title. */
const Watch = ({ watched, useNavigation }: { watched: Watched | undefined; useNavigation: () => Navigation }): null => {
  const navigation = useNavigation()
  const client = useTrailmark()
  const last = useRef<{ path: string; title: string }>(undefined)
  const { path } = navigation
  useEffect(() => {
    const tell = () => {
      last.current = { path, title: document.title }
      watched!.client = client
      watched!.routes.navigated(navigation)
    }
    if (last.current && last.current.path !== path) return whenTitled(last.current.title, tell)
    tell()
    return undefined
  }, [client, path])
  return null
}

/**
 * Creates a provider that leaves pageviews to a router: one for each navigation, with the route's pattern as `$route`.
 * `useNavigation`: a hook that returns the page that the router shows.
 */
export const createRouterProvider =
  (useNavigation: () => Navigation) =>
  ({ children, ...props }: TrailmarkProviderProps): ReactElement => {
    // Servers count no pageviews.
    const watched = typeof window === 'undefined' ? undefined : watchOf(props)
    return createElement(
      TrailmarkProvider,
      watched && !props.client ? { ...props, options: { ...props.options, ...ofRouter(watched) } } : props,
      createElement(Watch, { watched, useNavigation }),
      children,
    )
  }
