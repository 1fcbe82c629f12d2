import { bootstrapApplication } from '@angular/platform-browser'
import { provideRouter, Router } from '@angular/router'
import { analytics } from 'trailmark'
import { provideTrailmark } from 'trailmark/angular'
import { App } from './app'
import { routes } from './routes'
import { settings } from './settings'

const { token, host: api_host } = settings

await bootstrapApplication(App, {
  providers: [
    provideRouter(routes),
    provideTrailmark({
      client: analytics,
      token,
      options: { api_host, defaults: '2026-01-30' },
      router: Router,
    }),
  ],
})
