/**
 * Opens a URL in a new context, without cache and cookies, in its own renderer process. `cpuMs()` returns the CPU time of
 * its main thread since then, and with `isTraced`, which costs time itself, `longestTaskMs()` that of its longest task.
 * `foreign`: hosts outside this machine that the page requested.
 */
export const openPage = async (browser, url, { slowdown = 1, isTraced = false } = {}) => {
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
  if (isTraced) await browser.startTracing(page, { categories: ['-*', 'disabled-by-default-devtools.timeline'] })
  await page.goto(url, { waitUntil: 'load' })

  const metric = async (name) =>
    (await cdp.send('Performance.getMetrics')).metrics.find((each) => each.name === name).value
  return {
    context,
    page,
    foreign,
    cpuMs: async () => 1000 * (await metric('TaskDuration')),
    longestTaskMs: async () => longestTask(JSON.parse(await browser.stopTracing())),
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

/** Returns the thread time in ms of the longest task of the renderers' main threads in a trace. */
const longestTask = ({ traceEvents }) => {
  const threads = traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`)
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && threads.includes(`${pid} ${tid}`))
  // A task that runs when the trace begins or ends has no duration.
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}
