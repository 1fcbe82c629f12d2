import { openPage } from '../support/openPage.mjs'
import { median } from '../support/statistics.mjs'

const CLICKS = 40

/** Clicks buttons at depth 20 of a page. Measures the synchronous time of a click and its CPU time, including later work. */
export const measureClick =
  ({ browser, site, page = 'tree' }) =>
  async ({ name }) => {
    const tab = await openPage(browser, `${site}/${name}/${page}`)
    await tab.wait(1000)
    const before = await tab.cpuMs()
    const took = await tab.page.evaluate(clickLeaves, CLICKS)
    await tab.wait(500)
    const sample = {
      syncMs: median(took),
      slowestMs: Math.max(...took),
      cpuMs: ((await tab.cpuMs()) - before) / CLICKS,
    }
    await tab.close()
    return sample
  }

/** Runs in the page: clicks one leaf after the other. Resolves with the durations of the clicks in ms. */
export const clickLeaves = async (clicks) => {
  const leaves = document.querySelectorAll('.leaf')
  const took = []
  for (let click = 0; click < clicks; click += 1) {
    await new Promise((done) => setTimeout(done, 30))
    const start = performance.now()
    leaves[click % leaves.length].click()
    took.push(performance.now() - start)
  }
  return took
}
