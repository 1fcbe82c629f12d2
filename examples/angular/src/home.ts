import { Component, signal } from '@angular/core'
import { injectFeatureFlag } from 'trailmark/angular'

@Component({
  template: `
    <h1>Home</h1>
    <p id="welcome">Welcome</p>
    <p>
      Checkout: <b id="flag">{{ checkout() ?? 'none' }}</b>
    </p>
    @if (hasFailed()) {
      <p role="alert">Something went wrong. We have been told.</p>
    } @else {
      <button id="fail" (click)="fail()">Break</button>
    }
  `,
})
export class Home {
  readonly checkout = injectFeatureFlag('new-checkout')
  readonly hasFailed = signal(false)

  fail() {
    this.hasFailed.set(true)
    throw new Error('Broken on purpose')
  }
}
