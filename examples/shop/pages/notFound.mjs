import { html } from '../server/html.mjs'

export const notFoundPage = () => ({
  status: 404,
  title: 'Off the map',
  body: html` <div class="narrow block empty">
    <p class="eyebrow">404</p>
    <h1>Off the map</h1>
    <p class="lead">There is no path here. The last marker was a while ago.</p>
    <p><a class="button" href="/">Back to the start</a></p>
  </div>`,
})
