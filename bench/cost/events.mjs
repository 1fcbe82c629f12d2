import { openPage } from '../support/openPage.mjs'
import { median } from '../support/statistics.mjs'
import { captureBurst } from './captureBurst.mjs'
import { waitUntil } from './waitUntil.mjs'

const BURSTS = 10
const IN_A_BURST = 100
const LONGEST_MS = 8000

/** Captures 1,000 events in bursts of 100 and waits until all have arrived. Measures the time per call and the total CPU time. */
export const measureEvents =
  ({ browser, site, collectors }) =>
  async ({ name }) => {
    const collector = collectors[name]
    const tab = await openPage(browser, `${site}/${name}/`)
    await tab.wait(1000)
    collector.clear()
    const before = await tab.cpuMs()
    const took = []
    for (let burst = 0; burst < BURSTS; burst += 1) {
      took.push(await tab.page.evaluate(captureBurst, { name: 'bench_burst', count: IN_A_BURST }))
      await tab.wait(100)
    }
    await waitUntil(() => collector.arrived('bench_burst') >= BURSTS * IN_A_BURST, LONGEST_MS)
    // Includes processing of the last responses.
    await tab.wait(300)
    const sample = {
      burstUs: (1000 * median(took)) / IN_A_BURST,
      cpuMs: (await tab.cpuMs()) - before,
      arrived: collector.arrived('bench_burst'),
    }
    await tab.close()
    return sample
  }
