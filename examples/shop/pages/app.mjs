import { html } from '../server/html.mjs'

/** The single-page app: the same document for every path below /app. planner.js renders the path. */
export const appPage = () => ({
  title: 'Trip planner',
  bodyClass: 'planner',
  scripts: ['/planner/planner.js'],
  body: html` <div class="wide block">
    <header class="heading"><p class="eyebrow">Trip planner</p></header>
    <nav class="tabs" aria-label="Trip planner">
      <a href="/app" data-inside>Walks</a> <a href="/app/packing" data-inside>Packing</a>
    </nav>
    <div id="planner" aria-live="polite">
      <noscript>The planner draws its pages in the browser and needs JavaScript.</noscript>
    </div>
  </div>`,
})
