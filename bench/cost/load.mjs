import { openPage } from '../support/openPage.mjs'
import { median } from '../support/statistics.mjs'

// Long enough for the start of an SDK, including the response of /flags; too short for its first batch.
const SETTLED_MS = 1000
const CALLS = 12

/** Loads a page. Measures the main-thread CPU time of parsing, compiling, running and starting the SDK, then the heap. */
export const measureLoad =
  ({ browser, site, slowdown = 1, page = '' }) =>
  async ({ name }) => {
    const tab = await openPage(browser, `${site}/${name}/${page}`, { slowdown })
    await tab.wait(SETTLED_MS * Math.sqrt(slowdown))
    const sample = { cpuMs: await tab.cpuMs() }
    if (slowdown === 1) {
      sample.heapKb = await tab.heapKb()
      const took = await tab.page.evaluate(callSpaced, CALLS)
      sample.captureUs = 1000 * median(took)
    }
    await tab.close()
    return sample
  }

/** Loads a page and measures the CPU time of the longest task of its main thread. */
export const measureLongestTask =
  ({ browser, site, slowdown = 1, page = '' }) =>
  async ({ name }) => {
    const tab = await openPage(browser, `${site}/${name}/${page}`, { slowdown, isTraced: true })
    await tab.wait(SETTLED_MS * Math.sqrt(slowdown))
    const sample = { taskMs: await tab.longestTaskMs() }
    await tab.close()
    return sample
  }

// Runs in the page.
const callSpaced = async (calls) => {
  const took = []
  for (let call = 0; call < calls; call += 1) {
    await new Promise((done) => setTimeout(done, 50))
    const properties = { item: `sku-${call}`, price: call * 1.25, currency: 'EUR' }
    const start = performance.now()
    window.capture('bench_spaced', properties)
    took.push(performance.now() - start)
  }
  return took
}
