export default defineNuxtConfig({
  compatibilityDate: '2026-01-30',
  devtools: { enabled: false },
  app: { head: { link: [{ rel: 'icon', href: 'data:,' }] } },
  // NUXT_PUBLIC_TRAILMARK_HOST and NUXT_PUBLIC_TRAILMARK_TOKEN
  runtimeConfig: { public: { trailmarkHost: '', trailmarkToken: '' } },
})
