/**
 * Opens an address in a context of its own: no cache, no cookies, a renderer process of its own. `cpuMs()` is what its
 * main thread has worked since, `foreign` the hosts it asked for that are not this machine.
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
  // Time of the thread, not of the clock: what other processes do meanwhile does not count.
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
      // Twice: what the first round finalises the second one frees.
      await cdp.send('HeapProfiler.collectGarbage')
      await cdp.send('HeapProfiler.collectGarbage')
      return (await metric('JSHeapUsedSize')) / 1000
    },
    wait: (ms) => new Promise((done) => setTimeout(done, ms)),
    close: () => context.close(),
  }
}
