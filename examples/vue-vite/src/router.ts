import { createRouter, createWebHistory } from 'vue-router'
import Home from './pages/Home.vue'
import Page from './pages/Page.vue'

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: '/', component: Home, meta: { title: () => 'Home' } },
    { path: '/pricing', component: Page, meta: { title: () => 'Pricing' } },
    { path: '/blog/:slug', component: Page, meta: { title: ({ slug }) => `Post ${slug}` } },
    {
      path: '/slow',
      component: Page,
      meta: { title: () => 'Slow' },
      beforeEnter: () => new Promise((done) => setTimeout(done, 3000)),
    },
  ],
})

router.afterEach(({ meta, params }, _from, failure) => {
  if (!failure) document.title = meta.title(params)
})

declare module 'vue-router' {
  interface RouteMeta {
    title(params: Record<string, string | string[] | undefined>): string
  }
}
