import { gzipSync } from 'node:zlib'
import { launchBrowser } from '../support/launchBrowser.mjs'
import { send } from '../support/load.mjs'

const HOURS = 2
const CHUNK_SECONDS = 5
const CHUNKS = (HOURS * 3_600) / CHUNK_SECONDS
/** The recorder takes a full snapshot this often. */
const CHUNKS_OF_SNAPSHOT = 60
const CHUNKS_OF_REQUEST = 20
const NODES = 2_000
const CHANGES_OF_SECOND = 20
const SEEKS = 30
const CLOCK_ID = 5

const text = (id, textContent) => ({ type: 3, id, textContent })
const element = (id, tagName, attributes, ...childNodes) => ({ type: 2, id, tagName, attributes, childNodes })

/** A page of 2,000 rows, whose title has the second of the recording. */
const snapshotAt = (second) => {
  const rows = Array.from({ length: NODES / 2 }, (_, row) =>
    element(100 + row * 2, 'li', { class: 'row' }, text(101 + row * 2, `Row ${row} of the list`)),
  )
  const body = element(
    3,
    'body',
    {},
    element(4, 'h1', {}, text(CLOCK_ID, String(second))),
    element(6, 'ul', {}, ...rows),
  )
  const html = element(2, 'html', {}, element(7, 'head', {}), body)
  return { node: { type: 0, id: 1, childNodes: [html] }, initialOffset: { top: 0, left: 0 } }
}

const changes = (second) =>
  Array.from({ length: CHANGES_OF_SECOND }, (_, n) => ({
    id: 101 + ((second * 7 + n * 13) % (NODES / 2)) * 2,
    value: `Changed in second ${second}`,
  }))

const chunkEvents = (start, chunk) => {
  const events = []
  const at = (ms, type, data) => events.push({ type, timestamp: start + ms, data })
  for (let second = chunk * CHUNK_SECONDS; second < (chunk + 1) * CHUNK_SECONDS; second += 1) {
    if (second % (CHUNKS_OF_SNAPSHOT * CHUNK_SECONDS) === 0) {
      at(second * 1_000, 4, { href: 'https://shop.example/', width: 1_280, height: 800 })
      at(second * 1_000, 2, snapshotAt(second))
    }
    const texts = [...changes(second), { id: CLOCK_ID, value: String(second) }]
    at(second * 1_000 + 1, 3, { source: 0, texts, attributes: [], removes: [], adds: [] })
    at(second * 1_000 + 500, 3, { source: 2, type: 2, id: 6, x: 10, y: 10 })
  }
  return events
}

const record = async ({ url, token }, sessionId, start) => {
  for (let chunk = 0; chunk < CHUNKS; chunk += CHUNKS_OF_REQUEST) {
    const items = Array.from({ length: CHUNKS_OF_REQUEST }, (_, n) => ({
      event: '$snapshot',
      properties: {
        token,
        distinct_id: 'ada',
        $session_id: sessionId,
        $window_id: 'w',
        $snapshot_sequence: chunk + n,
        $snapshot_data: chunkEvents(start, chunk + n),
      },
    }))
    const body = gzipSync(JSON.stringify(items))
    const { status, text: response } = await send(`${url}/s/?compression=gzip-js`, { method: 'POST', body })
    if (status !== 200) throw new Error(response)
  }
}

const sessionIdAt = (time) => {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`
}

/** Runs in the page: moves the slider, and resolves with the ms until the recorded page shows that second. */
const seekTo = (second) =>
  new Promise((resolve) => {
    const shown = () =>
      document.querySelector('iframe').contentDocument.querySelector('iframe')?.contentDocument?.querySelector('h1')
        ?.textContent
    const begun = performance.now()
    const slider = document.querySelector('input[type=range]')
    slider.value = String(second * 1_000 + 900)
    slider.dispatchEvent(new Event('input', { bubbles: true }))
    const look = () => (shown() === String(second) ? resolve(performance.now() - begun) : requestAnimationFrame(look))
    look()
  })

/** Records two hours, and measures seeks in the console's player. Resolves with their ms. */
export const measureSeeks = async (service, say) => {
  const start = Date.now() - (HOURS + 1) * 3_600_000
  const sessionId = sessionIdAt(start)
  await record(service, sessionId, start)
  say('2 h recorded')
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
    await context.request.post(`${service.url}/api/console/session`, {
      headers: { origin: service.url },
      data: { key: service.key },
    })
    const page = await context.newPage()
    await page.goto(`${service.url}/console/projects/${service.projectId}/recordings/${sessionId}`)
    await page.frameLocator('iframe').frameLocator('iframe').getByRole('heading').waitFor()
    const times = []
    for (let n = 0; n < SEEKS; n += 1)
      times.push(await page.evaluate(seekTo, 17 + ((n * 2_833) % (HOURS * 3_600 - 60))))
    return times
  } finally {
    await browser.close()
  }
}
