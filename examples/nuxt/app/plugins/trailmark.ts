import { analytics, type Bootstrap } from 'trailmark'
import { setupTrailmark } from 'trailmark/nuxt'

export default defineNuxtPlugin((nuxtApp) => {
  const { trailmarkHost: api_host, trailmarkToken: token } = useRuntimeConfig().public
  // The server knows the visitor's flags (server/middleware/flags.ts) and passes them on to the browser.
  const bootstrap = useState<Bootstrap | undefined>('trailmark', () => useRequestEvent()?.context.bootstrap)
  setupTrailmark(nuxtApp, {
    client: analytics,
    token,
    options: { api_host, defaults: '2026-01-30', bootstrap: bootstrap.value },
  })
})
