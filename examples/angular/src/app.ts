import { Component, inject } from '@angular/core'
import { Router, RouterLink, RouterOutlet } from '@angular/router'
import { injectAnalytics } from 'trailmark/angular'

@Component({
  selector: 'app-root',
  imports: [RouterLink, RouterOutlet],
  template: `
    <nav>
      <a id="home" routerLink="/">Home</a>
      <a id="pricing" routerLink="/pricing">Pricing</a>
      <a id="post" routerLink="/blog/hello">Post</a>
      <a id="slow" routerLink="/slow">Slow</a>
    </nav>
    <main><router-outlet /></main>
    <button id="capture" (click)="capture()">Capture an event</button>
  `,
})
export class App {
  private readonly analytics = injectAnalytics()
  private readonly router = inject(Router)

  capture() {
    this.analytics.capture('button pressed', { place: this.router.url })
  }
}
