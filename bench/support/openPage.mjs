/**
 * Opens a URL in a new context, without cache and cookies, in its own renderer process. `cpuMs()` returns the CPU time of
 * its main thread since then. `foreign`: hosts outside this machine that the page requested.
 */
export const openPage = async (browser, url, { slowdown = 1 } = {}) => {
  const context = await browser.newContext()
  const foreign = new Set()
  context.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') foreign.add(hostname)
  })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  // Thread time instead of wall time, so that other processes do not count.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  if (slowdown > 1) await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.goto(url, { waitUntil: 'load' })

  const metric = async (name) =>
    (await cdp.send('Performance.getMetrics')).metrics.find((each) => each.name === name).value
  return {
    context,
    page,
    foreign,
    cpuMs: async () => 1000 * (await metric('TaskDuration')),
    heapKb: async () => {
      // Twice, because the second collection frees what the first one finalized.
      await cdp.send('HeapProfiler.collectGarbage')
      await cdp.send('HeapProfiler.collectGarbage')
      return (await metric('JSHeapUsedSize')) / 1000
    },
    wait: (ms) => new Promise((done) => setTimeout(done, ms)),
    close: () => context.close(),
  }
}
