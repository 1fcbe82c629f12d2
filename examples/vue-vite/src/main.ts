import { analytics } from 'trailmark'
import { createTrailmark } from 'trailmark/vue'
import { createApp } from 'vue'
import App from './App.vue'
import { router } from './router'

const { VITE_TRAILMARK_TOKEN: token = '', VITE_TRAILMARK_HOST: api_host } = import.meta.env

createApp(App)
  .use(createTrailmark({ client: analytics, token, options: { api_host, defaults: '2026-01-30' }, router }))
  .use(router)
  .mount('#app')
