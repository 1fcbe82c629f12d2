import type { App } from 'vue'
import { createTrailmark, type RouterLike, type VueSettings } from 'trailmark/vue'

export * from 'trailmark/vue'

/** Members of Nuxt's app that `setupTrailmark` uses. */
export interface NuxtAppLike {
  vueApp: App
  $router?: unknown
  hook(name: 'vue:error', run: (error: unknown) => void): unknown
  hook(name: 'app:suspense:resolve' | 'page:finish', run: () => void): unknown
}

/**
 * Starts the SDK in a plugin of Nuxt, on the server and in the browser. Carry `bootstrap` in `useState`, so that both render the
 * same flags. Pageviews are those of the router, when the page has its title.
 * @example setupTrailmark(nuxtApp, { client: analytics, token: 'my-token', options: { api_host, bootstrap } })
 */
export const setupTrailmark = (nuxtApp: NuxtAppLike, { client, ...settings }: VueSettings): void => {
  const router = nuxtApp.$router as RouterLike | undefined
  nuxtApp.vueApp.use(
    createTrailmark({
      ...settings,
      client,
      router: router && {
        afterEach: (run) => {
          let last: (() => void) | undefined
          // The page of a navigation is shown later, when its data are there.
          const report = () => {
            last?.()
            last = undefined
          }
          router.afterEach((to, from, failure) => {
            if (failure) return
            last = () => run(to, from)
          })
          nuxtApp.hook('page:finish', report)
        },
      },
      errors: false,
      onHydrated: (run) => void nuxtApp.hook('app:suspense:resolve', run),
    }),
  )
  if (settings.errors ?? true) nuxtApp.hook('vue:error', (error) => void client.captureException(error))
}
