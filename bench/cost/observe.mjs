import { openPage } from '../support/openPage.mjs'
import { captureBurst } from './captureBurst.mjs'
import { clickLeaves } from './click.mjs'
import { waitUntil } from './waitUntil.mjs'

const AT_LOAD_MS = 5000
const LONGEST_MS = 8000
const EVENTS = 100
const CLICKS = 10

/**
 * Measures what does not depend on the speed of the machine: requests at load, stored bytes, the bytes of a batch of 100
 * events, and how many clicks arrive as events.
 */
export const observe =
  ({ browser, site, collectors, batches }) =>
  async (sdk) => {
    const collector = collectors[sdk.name]
    collector.clear()
    const tab = await openPage(browser, `${site}/${sdk.name}/tree`)
    await waitUntil(() => collector.requests.some(({ isEvents }) => isEvents), AT_LOAD_MS)
    await tab.wait(1000)
    const atLoad = collector.requests.filter(({ method }) => method !== 'OPTIONS')
    const firstEvent = atLoad.findIndex(({ isEvents }) => isEvents)
    const stored = {
      ...(await tab.page.evaluate(readStored)),
      cookieBytes: sum((await tab.context.cookies()).map(({ name, value }) => name.length + value.length)),
    }

    const wire = []
    for (let batch = 0; batch < batches; batch += 1) wire.push(await sendBatch(tab, collector))

    await tab.page.evaluate(clickLeaves, CLICKS)
    if (sdk.click) await waitUntil(() => collector.arrived(sdk.click) >= CLICKS, LONGEST_MS)
    const clicks = sdk.click ? collector.arrived(sdk.click) : NaN
    await tab.close()
    return {
      atLoad: atLoad.length,
      beforeFirstEvent: firstEvent < 0 ? atLoad.length : firstEvent,
      ...stored,
      foreign: [...tab.foreign],
      wire,
      clicks,
    }
  }

/** Captures 100 events in one task. Resolves with the requests and bytes that delivered them. */
const sendBatch = async (tab, collector) => {
  collector.clear()
  await tab.page.evaluate(captureBurst, { name: 'bench_wire', count: EVENTS })
  await waitUntil(() => collector.arrived('bench_wire') >= EVENTS, LONGEST_MS)
  const requests = collector.requestsOf('bench_wire')
  const arrived = collector.arrived('bench_wire')
  return {
    arrived,
    bodyBytes: sum(requests.map(({ bodyBytes }) => bodyBytes)) / arrived,
    headBytes: sum(requests.map(({ headBytes }) => headBytes)) / arrived,
    requests: requests.length,
    preflights: collector.requests.filter(({ method }) => method === 'OPTIONS').length,
  }
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0)

// Runs in the page.
const readStored = async () => {
  const bytesOf = (area) => Object.entries(area).reduce((total, [key, value]) => total + key.length + value.length, 0)
  return {
    localBytes: bytesOf(localStorage),
    sessionBytes: bytesOf(sessionStorage),
    databases: (await indexedDB.databases()).map(({ name }) => name),
  }
}
