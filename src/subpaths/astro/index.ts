import type { Analytics, Bootstrap, FlagValue, Options, Stop } from 'trailmark'
import { type Settings, start, type Started } from '../shared/start'
import { valueOf } from '../shared/store'

export type { Settings } from '../shared/start'

/** What the integration takes: the values of options that JSON has. */
export interface AstroSettings {
  /** The project's public token. */
  token: string
  options?: Options
}

// Scripts of pages may run before that of the integration.
let provide!: (started: Started) => void
const ready = new Promise<Started>((resolve) => (provide = resolve))

const BOOTSTRAP = 'trailmark-bootstrap'

const bootstrapOf = (): Bootstrap | undefined => {
  const text = document.getElementById(BOOTSTRAP)?.textContent
  return text ? (JSON.parse(text) as Bootstrap) : undefined
}

const routeOf = () => document.querySelector<HTMLMetaElement>('meta[name="trailmark-route"]')?.content

/**
 * Starts the SDK in the browser, once. With `<ClientRouter />` there is one pageview for each page it shows. A page's
 * `<meta name="trailmark-route" content={Astro.routePattern}>` is `$route` of its pageview. The integration calls it on every page.
 */
export const startTrailmark = (settings: Settings): Analytics => {
  const bootstrap = bootstrapOf()
  const started = start({ ...settings, options: { ...settings.options, ...(bootstrap && { bootstrap }) } }, true)
  const { client, store, navigated } = started
  let type: 'pushState' | 'replaceState' | 'popstate' | undefined
  const view = () => navigated({ path: location.pathname, route: routeOf(), type })
  document.addEventListener('astro:before-preparation', (event) => {
    const { navigationType } = event as Event & { navigationType?: string }
    type = navigationType === 'traverse' ? 'popstate' : navigationType === 'replace' ? 'replaceState' : 'pushState'
  })
  document.addEventListener('astro:page-load', view)
  // Without the router there is no such event.
  view()
  store.follow()
  provide(started)
  return client
}

/**
 * Calls `run` with the value of a flag, and with each new one: true, false or the variant's name; undefined before flags have
 * loaded. Captures `$feature_flag_called`, once per value. Returns a function that stops it.
 */
export const featureFlag = (key: string, run: (value: FlagValue | undefined) => void): Stop => {
  let stop: Stop | undefined
  let isStopped = false
  void ready.then(({ client, store }) => {
    if (isStopped) return
    stop = store.subscribe((state) => {
      client.getFeatureFlag(key)
      run(valueOf(state, key))
    })
  })
  return () => {
    isStopped = true
    stop?.()
  }
}

/** Returns the element with the flags that the server has rendered the page with. Use it as `<Fragment set:html={…} />`. */
export const bootstrapElement = (bootstrap: Bootstrap): string =>
  `<script type="application/json" id="${BOOTSTRAP}">${JSON.stringify(bootstrap).replace(/</g, '\\u003c')}</script>`

/** Returns the value of a flag that the server knows. */
export const bootstrappedFlag = ({ featureFlags = {} }: Bootstrap, key: string): FlagValue | undefined =>
  Object.prototype.hasOwnProperty.call(featureFlags, key) ? featureFlags[key] : undefined

/** What the integration uses of Astro's. */
interface SetupContext {
  injectScript(stage: 'page', code: string): void
  logger: { warn(message: string): void }
}

/**
 * The integration. It starts the SDK on every page.
 * @example export default defineConfig({ integrations: [trailmark({ token: 'my-token', options: { api_host } })] })
 */
const trailmark = (settings: AstroSettings) => ({
  name: 'trailmark',
  hooks: {
    'astro:config:setup': ({ injectScript, logger }: SetupContext): void => {
      const { token, options = {} } = settings
      const functions = Object.keys(options).filter((name) => typeof options[name as keyof Options] === 'function')
      if (functions.length)
        logger.warn(
          `${functions.join(', ')}: an integration cannot pass functions to pages. Remove the integration, and call startTrailmark in a <script> of your layout`,
        )
      const settingsText = JSON.stringify({ token, options })
      injectScript(
        'page',
        `import { analytics } from 'trailmark'; import { startTrailmark } from 'trailmark/astro'; startTrailmark({ client: analytics, ...${settingsText} })`,
      )
    },
  },
})

export default trailmark
