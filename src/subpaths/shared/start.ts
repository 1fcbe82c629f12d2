import type { Analytics, Options } from 'trailmark'
import { createRoutes, type Routes } from './routes'
import { createStore, type Store } from './store'

/** What every framework's function of `trailmark` takes. */
export interface Settings {
  /** The SDK: `analytics` of `trailmark`, or the one that the site has made of `trailmark/core`. */
  client: Analytics
  /** The project's public token. */
  token: string
  /** Options of `init`. `bootstrap`: the flags that the server has rendered the page with. */
  options?: Options
  /** Name of the instance, for another one than the primary. */
  name?: string
}

/** A started SDK and what helpers of frameworks need of it. */
export interface Started {
  client: Analytics
  store: Store
  routes: Routes
  /** The options it was started with, as text. */
  config: string
}

/** Whether there is a page, as opposed to a server. */
export const hasPage = (): boolean => typeof document !== 'undefined'

export const warn = (message: string): void => console.warn(`[trailmark] ${message}`)

// Kept on the page, because modules are evaluated again when they are edited, and each sub-path has its own copy of this code.
const registry = () => {
  const page = globalThis as { __trailmark_helpers__?: Record<string, Started> }
  return (page.__trailmark_helpers__ ??= {})
}

/** Returns options as text, to compare them. Bootstrapped values are data of one page, and functions are never equal. */
const toText = (options: Options = {}) => JSON.stringify({ ...options, bootstrap: undefined })

/**
 * Starts the SDK, once for each token and name: a further call returns what the first has started. `hasRouter`: whether the
 * caller reports the end of navigations, which then replaces the SDK's own watch of the URL. On a server nothing is started.
 */
export const start = ({ client, token, options, name }: Settings, hasRouter: boolean): Started => {
  if (!client?.init)
    throw new Error(
      `[trailmark] "client" is missing. Add: import { analytics } from 'trailmark', and pass client: analytics`,
    )
  const store = (of: Analytics) => createStore(of, options?.bootstrap)
  const config = toText(options)
  if (!hasPage()) return { client, store: store(client), routes: createRoutes(client), config }
  const key = `${token} ${name ?? ''}`
  const before = registry()[key]
  if (before?.client.__loaded) {
    if (before.config !== config)
      warn('the options have changed after the start, and the first ones stay. Reload the page, or use set_config')
    return before
  }
  const routes = createRoutes(client)
  const instance = client.init(token, hasRouter ? routes.options(options) : options, name)
  routes.use(instance)
  return (registry()[key] = { client: instance, store: store(instance), routes, config })
}
