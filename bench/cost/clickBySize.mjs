/**
 * Measures the synchronous cost of a click by size of the document: `node bench/cost/clickBySize.mjs`, after `npm run
 * build`. Prints the medians without the SDK, and with autocapture, rage clicks and dead clicks.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { chromium } from 'playwright'
import { median } from '../support/statistics.mjs'

const CLICKS = 40
const SIZES = [1_000, 10_000, 100_000]
const DIST = new URL('../../dist/', import.meta.url)
const TYPES = { js: 'text/javascript', html: 'text/html', json: 'application/json' }

const pageOf = (size, withSdk) => `<!doctype html><title>x</title>
${withSdk ? `<script src="/static/analytics.js"></script><script>analytics.init('token', { api_host: location.origin, opt_out_useragent_filter: true, capture_dead_clicks: true, rate_limiting: { events_per_second: 1000 } })</script>` : ''}
<main><section><p><button id="b">Dead</button></p></section></main><div id="much"></div>
<script>much.innerHTML = '<div><i></i><i></i><i></i><i></i></div>'.repeat(${size / 5})</script>`

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const send = (type, body) => response.writeHead(200, { 'Content-Type': TYPES[type] }).end(body)
  request.resume()
  if (pathname.startsWith('/static/')) return send('js', readFileSync(new URL(pathname.split('/').pop(), DIST)))
  if (pathname === '/') return send('html', pageOf(+searchParams.get('size'), searchParams.has('sdk')))
  return send('json', '{"status":1,"featureFlags":{}}')
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const origin = `http://127.0.0.1:${server.address().port}`
const executablePath = process.env.TRAILMARK_BROWSER ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })

for (const size of SIZES)
  for (const sdk of ['', '&sdk']) {
    const page = await browser.newPage()
    await page.goto(`${origin}/?size=${size}${sdk}`)
    await page.waitForTimeout(1000)
    const took = await page.evaluate(async (clicks) => {
      const times = []
      for (let click = -2; click < clicks; click++) {
        await new Promise((done) => setTimeout(done, 30))
        const start = performance.now()
        document.getElementById('b').click()
        times.push(performance.now() - start)
      }
      // The first two clicks load and compile the click detection.
      return times.slice(2)
    }, CLICKS)
    console.log(
      `${size} elements, ${sdk ? 'with' : 'without'} the SDK: median ${median(took).toFixed(2)} ms, slowest ${Math.max(...took).toFixed(2)} ms`,
    )
    await page.close()
  }
await browser.close()
server.close()
