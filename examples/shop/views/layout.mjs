import { html, raw } from '../server/html.mjs'
import { scriptTag } from '../../snippet/scriptTag.mjs'
import { CATEGORIES } from '../catalog/products.mjs'
import { icon, mark } from './art.mjs'

const SECTIONS = [
  ...CATEGORIES.map(({ slug, name }) => ({ path: `/category/${slug}`, name })),
  { path: '/app', name: 'Trip planner' },
  { path: '/behind', name: 'Behind the counter' },
  { path: '/results', name: 'Results' },
]

const sectionLink = (section, pathname) => {
  const current = pathname === section.path || pathname.startsWith(`${section.path}/`)
  return html`<li><a href="${section.path}" ${current && raw('aria-current="page"')}>${section.name}</a></li>`
}

// The demo shows events as they happen: they are sent after half a second instead of three.
const configOf = (trailmark) => ({
  api_host: trailmark.url,
  defaults: '2026-01-30',
  request_queue_config: { flush_interval_ms: 500 },
  capture_exceptions: true,
  capture_performance: true,
  capture_heatmaps: true,
})

// The panel loads after the first events. This queues events for it until then.
const KEEP_FOR_PANEL = `
  window.panelNotices = []
  for (const name of ['eventCaptured', 'eventsDelivered', 'eventDropped']) analytics.on(name, (value) => panelNotices.push({ name, value, at: Date.now() }))
`

/**
 * A whole page around `body`. `scripts`: files of public/ that only this page needs. The head has the snippet of the
 * README; the nonce is for the page's Content-Security-Policy.
 */
export const layout = ({ title, body, scripts = [], bodyClass = '' }, { url, basket, person, trailmark, nonce }) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Larch &amp; Lantern</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/shop.css" />
        <link rel="stylesheet" href="/panel.css" />
        ${raw(scriptTag({ token: trailmark.token, config: configOf(trailmark), nonce }))}
        <script nonce="${nonce}">
          ${raw(KEEP_FOR_PANEL)}
        </script>
        <script type="module" src="/shop.js"></script>
        <script type="module" src="/panel.js"></script>
        ${scripts.map((file) => html`<script type="module" src="${file}"></script>`)}
      </head>
      <body class="${bodyClass}">
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <div class="wide top-row">
            <a class="brand" href="/"
              >${mark}<span>Larch <i>&amp;</i> Lantern</span></a
            >
            <nav aria-label="Main">
              <ul>
                ${SECTIONS.map((section) => sectionLink(section, url.pathname))}
              </ul>
            </nav>
            <div class="top-tools">
              <a id="account-link" href="${person ? '/account' : '/sign-in'}"
                >${icon('person')}<span>${person ? person.name.split(' ')[0] : 'Sign in'}</span></a
              >
              <a
                id="basket-link"
                href="/basket"
                aria-label="Basket, ${basket.count} ${basket.count === 1 ? 'thing' : 'things'}"
                >${icon('basket')}<span class="count">${basket.count}</span></a
              >
            </div>
          </div>
        </header>
        <main id="main" tabindex="-1">${body}</main>
        <footer class="foot">
          <div class="wide foot-row">
            <p class="brand">
              ${mark}<span>Larch <i>&amp;</i> Lantern</span>
            </p>
            <div>
              <p>
                A shop that does not exist, to show Trailmark at work. Nothing here is for sale, and what you do stays
                on this machine.
              </p>
              <ul>
                <li><a href="/results">What the service knows</a></li>
                <li><a href="/behind">Recording, errors, web vitals and heatmaps</a></li>
                <li><a href="/app">Trip planner</a></li>
              </ul>
            </div>
          </div>
        </footer>
      </body>
    </html>`
