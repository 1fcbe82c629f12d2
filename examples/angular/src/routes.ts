import type { Routes } from '@angular/router'
import { Home } from './home'
import { Page } from './page'

export const routes: Routes = [
  { path: '', component: Home, title: 'Home' },
  { path: 'pricing', component: Page, title: 'Pricing' },
  { path: 'blog/:slug', component: Page, title: ({ params }) => `Post ${params['slug']}` },
  {
    path: 'slow',
    component: Page,
    title: 'Slow',
    resolve: { data: () => new Promise((done) => setTimeout(done, 3000)) },
  },
]
