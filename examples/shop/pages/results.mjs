import { ACTIVITY_MINUTES, ENDPOINTS } from '../server/endpoints.mjs'
import { html, raw } from '../server/html.mjs'
import { cellBar, columnChart } from '../views/charts.mjs'
import { price } from '../views/price.mjs'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const PERIODS = [
  { days: 1, name: 'Today' },
  { days: 7, name: '7 days' },
  { days: 30, name: '30 days' },
]

const isoDay = (time) => new Date(time).toISOString().slice(0, 10)
const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
// The engine returns times as `2026-01-30 12:00:00`, in UTC.
const toTime = (text) => Date.parse(`${String(text).replace(' ', 'T').slice(0, 19)}Z`)

/** Adds rows for the days without any, so that the time axis has no gaps. */
const everyDay = (rows, days, today) =>
  Array.from({ length: days }, (_, index) => {
    const day = isoDay(today - (days - 1 - index) * DAY_MS)
    const row = rows.find((each) => String(each.day).slice(0, 10) === day)
    return { day, purchases: Number(row?.purchases ?? 0), revenue: Number(row?.revenue ?? 0) }
  })

const everyMinute = (rows, now) => {
  const latest = Math.floor(now / MINUTE_MS) * MINUTE_MS
  return Array.from({ length: ACTIVITY_MINUTES }, (_, index) => {
    const ago = ACTIVITY_MINUTES - 1 - index
    return { ago, times: Number(rows.find((row) => toTime(row.minute) === latest - ago * MINUTE_MS)?.times ?? 0) }
  })
}

const source = ({ name, sql }) =>
  html`<details class="source">
    <summary><code>${name}</code></summary>
    <pre><code>${sql}</code></pre>
  </details>`

const nothing = (text) => html`<p class="nothing">${text}</p>`

const topPages = (rows) => {
  const most = Math.max(0, ...rows.map(({ views }) => Number(views)))
  return html` <section class="panel-card" aria-labelledby="top-pages">
    <h2 id="top-pages">Top pages</h2>
    ${
      rows.length === 0
        ? nothing('No page has been seen in this time.')
        : html` <table>
            <thead>
              <tr>
                <th scope="col">Page</th>
                <th scope="col" class="wide-cell"><span class="hidden">Share</span></th>
                <th scope="col" class="number">Views</th>
                <th scope="col" class="number">Visitors</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                ({ page, views, visitors }) =>
                  html`<tr>
                    <th scope="row"><code>${page ?? '—'}</code></th>
                    <td class="wide-cell">${cellBar(Number(views), most)}</td>
                    <td class="number">${views}</td>
                    <td class="number">${visitors}</td>
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
    ${source(ENDPOINTS.topPages)}
  </section>`
}

const purchases = (rows, days, now) => {
  const series = everyDay(rows, days, now)
  const sold = series.filter(({ purchases }) => purchases > 0)
  const revenue = sold.reduce((sum, row) => sum + row.revenue, 0)
  const count = sold.reduce((sum, row) => sum + row.purchases, 0)
  const step = days > 7 ? 7 : 1
  return html` <section class="panel-card" aria-labelledby="purchases">
    <h2 id="purchases">Purchases by day</h2>
    <p class="figure">
      <strong id="revenue">${price(revenue)}</strong>
      <span>in <b id="purchase-count">${count}</b> ${count === 1 ? 'purchase' : 'purchases'}</span>
    </p>
    ${days > 1 && columnChart(series.map(({ day, revenue: amount }, index) => ({ value: amount, text: price(amount), label: (days - 1 - index) % step === 0 ? shortDay.format(new Date(day)) : '' })))}
    ${
      sold.length === 0
        ? nothing('Nothing bought yet. The till is open.')
        : html` <table>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                <th scope="col" class="number">Purchases</th>
                <th scope="col" class="number">Revenue</th>
              </tr>
            </thead>
            <tbody>
              ${sold
                .toReversed()
                .slice(0, 7)
                .map(
                  (row) =>
                    html`<tr>
                      <th scope="row">${shortDay.format(new Date(row.day))}</th>
                      <td class="number">${row.purchases}</td>
                      <td class="number">${price(row.revenue)}</td>
                    </tr>`,
                )}
            </tbody>
          </table>`
    }
    ${source(ENDPOINTS.purchasesByDay)}
  </section>`
}

const activity = ({ rows, names, event, now }) => {
  const series = everyMinute(rows, now)
  const total = series.reduce((sum, { times }) => sum + times, 0)
  return html` <section class="panel-card across" aria-labelledby="activity">
    <h2 id="activity">The last half hour</h2>
    <p class="figure">
      <strong>${total}</strong> <span>× <code>${event}</code></span>
    </p>
    ${columnChart(series.map(({ ago, times }) => ({ value: times, text: String(times), label: ago % 10 === 0 ? (ago === 0 ? 'now' : `−${ago} min`) : '' })))}
    <p class="hidden">
      ${series.filter(({ times }) => times > 0).map(({ ago, times }) => (ago === 0 ? `${times} in this minute. ` : `${times} ${ago} min ago. `))}
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col" class="wide-cell"><span class="hidden">Share</span></th>
          <th scope="col" class="number">Times</th>
        </tr>
      </thead>
      <tbody>
        ${names.slice(0, 8).map(
          ({ event: name, times }) =>
            html`<tr ${name === event && raw('class="chosen"')}>
              <th scope="row"><code>${name}</code></th>
              <td class="wide-cell">${cellBar(Number(times), Number(names[0].times))}</td>
              <td class="number">${times}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <div class="sources">${source(ENDPOINTS.activity)}${source(ENDPOINTS.eventNames)}</div>
  </section>`
}

const choices = ({ days, event, names }) =>
  html` <form method="get" action="/results" class="choices" id="choices">
    <fieldset>
      <legend class="hidden">Since</legend>
      <div class="segments">
        ${PERIODS.map((period) => html`<label><input type="radio" name="days" value="${period.days}" ${period.days === days && 'checked'} /><span>${period.name}</span></label>`)}
      </div>
    </fieldset>
    <label
      >Event
      <select name="event">
        ${names.map((name) => html`<option ${name === event && 'selected'}>${name}</option>`)}
      </select></label
    >
    <button class="button quiet small">Show</button>
  </form>`

/** Runs the endpoints of the results page with the visitor's choices. */
const readResults = async (trailmark, { days, event, now }) => {
  const variables = { shop_since: isoDay(now - (days - 1) * DAY_MS) }
  const [pages, sold, names, minutes] = await Promise.all([
    trailmark.run(ENDPOINTS.topPages, variables),
    trailmark.run(ENDPOINTS.purchasesByDay, variables),
    trailmark.run(ENDPOINTS.eventNames, variables),
    trailmark.run(ENDPOINTS.activity, { shop_event: event }),
  ])
  return { pages, sold, names, minutes }
}

const page = (status, body) => ({
  status,
  title: 'Results',
  scripts: ['/results.js'],
  body: html` <div class="wide block">
    <header class="heading">
      <p class="eyebrow">What the service knows</p>
      <h1>Results</h1>
      <p class="lead">
        Four endpoints of the Trailmark service, run by the shop’s own server. Do something in the shop and watch the
        numbers follow.
      </p>
    </header>
    <div id="results">${body}</div>
  </div>`,
})

export const resultsPage = async ({ url, trailmark }) => {
  const now = Date.now()
  const days = PERIODS.find((period) => String(period.days) === url.searchParams.get('days'))?.days ?? 7
  const event = (url.searchParams.get('event') || '$pageview').slice(0, 200)
  try {
    const { pages, sold, names, minutes } = await readResults(trailmark, { days, event, now })
    const offered = [...new Set([event, ...names.map((row) => row.event)])]
    return page(
      200,
      html`${choices({ days, event, names: offered })}
        <div class="results-grid">
          ${topPages(pages)}${purchases(sold, days, now)}${activity({ rows: minutes, names, event, now })}
        </div>`,
    )
  } catch (error) {
    if (error.name !== 'ServiceError') throw error
    return page(503, html`<p class="notice" role="alert">There are no results to show: ${error.message}</p>`)
  }
}

const UUID = /^[0-9a-f-]{36}$/

/** Returns which of these events the service has stored. The panel needs it for events that the previous page sent while closing. */
export const storedEvents = async ({ url, trailmark }) => {
  const uuids = (url.searchParams.get('uuids') ?? '')
    .split(',')
    .filter((uuid) => UUID.test(uuid))
    .slice(0, 100)
  if (uuids.length === 0) return { json: { stored: [] } }
  try {
    const rows = await trailmark.run(ENDPOINTS.stored, { shop_uuids: uuids.join(',') })
    return { json: { stored: rows.map(({ id }) => id) } }
  } catch (error) {
    if (error.name !== 'ServiceError') throw error
    return { status: 503, json: { stored: [], detail: error.message } }
  }
}
