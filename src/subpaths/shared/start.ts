import type { Analytics, Options } from 'trailmark'
import { createRoutes, type Navigation } from './routes'
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
  /** Takes the end of a navigation, the first one included. */
  navigated(navigation: Navigation): void
  /** The options it was started with, as text. */
  config: string
}

/** Whether there is a page, as opposed to a server. */
export const hasPage = (): boolean => typeof document !== 'undefined'

/** Throws an error that says what the site has to add. Bundlers leave `what` out of production builds. */
export const missing = (what: string | false): never => {
  throw new Error(`[trailmark] ${what}`)
}

/** Returns options as text, to compare them. Bootstrapped values are data of one page, and functions are never equal. */
const toText = (options?: Options) => JSON.stringify({ ...options, bootstrap: 0 })

/**
 * Starts the SDK, once for each token and name: a further call returns what the first has started. `hasRouter`: whether the
 * caller reports the end of navigations, which then replaces the SDK's own watch of the URL. On a server the SDK stays off.
 */
export const start = ({ client, token, options = {}, name = '' }: Settings, hasRouter?: boolean): Started => {
  if (process.env.NODE_ENV !== 'production' && !client?.init)
    missing(`"client" is missing. Add: import { analytics } from 'trailmark', and pass client: analytics`)
  // Kept on the page, because modules are evaluated again when they are edited, and each sub-path has its own copy of this code.
  const page = globalThis as { __trailmark_helpers__?: Record<string, Started> }
  const registry = hasPage() ? (page.__trailmark_helpers__ ??= {}) : {}
  const key = `${token} ${name}`
  const before = registry[key]
  if (before?.client.__loaded) {
    if (process.env.NODE_ENV !== 'production' && before.config !== toText(options))
      console.warn(
        '[trailmark] the options have changed after the start, and the first ones stay. Reload the page, or use set_config',
      )
    return before
  }
  const routes = createRoutes(() => started.client, options)
  // Without a token it ignores calls, which would otherwise wait for a start.
  const instance = hasPage() ? client.init(token, hasRouter ? routes.options : options, name) : client.init('')
  const started: Started = {
    client: instance,
    store: createStore(instance, options.bootstrap),
    navigated: routes.navigated,
    config: toText(options),
  }
  if (hasPage() && hasRouter) addEventListener('pagehide', routes.leave)
  return (registry[key] = started)
}
