import type { CDPSession } from 'playwright/test'
import { ready } from '../support/ready'
import { expect, test } from '../support/world'

// A busy page in its own time: Playwright moves its clock. By default a quarter of an hour, with `TEST_SOAK_S=1800` half an hour.

const SOAK_S = Number(process.env.TEST_SOAK_S ?? 900)
const QUARTER_S = SOAK_S / 4
const STEP_S = 15
const CAPTURES_A_SECOND = 2
const CLICK_EVERY_S = 3
const PAGE_EVERY_S = 30
const LONG_TASK_MS = 50

const median = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!

interface Memory {
  heapKb: number
  nodes: number
  listeners: number
}

/** The page's memory after garbage collection. */
const readMemory = async (cdp: CDPSession): Promise<Memory> => {
  // Twice, because the second round frees what the first one finalizes.
  await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  const metric = (name: string) => metrics.find((each) => each.name === name)!.value
  return { heapKb: metric('JSHeapUsedSize') / 1000, nodes: metric('Nodes'), listeners: metric('JSEventListeners') }
}

interface HeapSnapshot {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } }
  nodes: number[]
}

/** Bytes of the page's own objects and strings after garbage collection. V8's code, which grows while it optimizes, is left out. */
const readHeap = async (cdp: CDPSession): Promise<number> => {
  let text = ''
  const append = ({ chunk }: { chunk: string }) => void (text += chunk)
  cdp.on('HeapProfiler.addHeapSnapshotChunk', append)
  await cdp.send('HeapProfiler.takeHeapSnapshot', {})
  cdp.off('HeapProfiler.addHeapSnapshotChunk', append)
  const { snapshot, nodes } = JSON.parse(text) as HeapSnapshot
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')]
  let bytes = 0
  for (let node = 0; node < nodes.length; node += fields.length)
    if (!['code', 'native', 'hidden'].includes(types[0][nodes[node + type]!]!)) bytes += nodes[node + size]!
  return bytes
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** CPU time of the thread, µs: excludes the work of other processes. */
  tdur?: number
  args: { name?: string }
}

/** CPU time of the tasks of the renderers' main threads, ms. */
const taskTimes = (trace: Buffer): number[] => {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const keyOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const mains = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(keyOf),
  )
  // Without a time: it was running when the trace ended.
  return traceEvents.flatMap((each) =>
    each.name === 'ThreadControllerImpl::RunTask' && each.tdur && mains.has(keyOf(each)) ? [each.tdur / 1000] : [],
  )
}

/** Number of actions of the page, by the event they cause. */
type Done = Record<'x' | '$autocapture' | '$pageview', number>

test('captures, clicks and navigations of a long visit: memory stays flat, no task is long, every event arrives', async ({
  browser,
  world,
  site,
  service,
  putShop,
}) => {
  putShop('/', {
    capture_pageview: 'history_change',
    autocapture: true,
    request_queue_config: { flush_interval_ms: 5000 },
  })
  const { page, network } = world
  const cdp = await world.context.newCDPSession(page)
  await cdp.send('Performance.enable')
  await page.clock.install()

  const begin = async () => {
    await page.goto(site.url)
    await ready(page)
    await page.evaluate(
      ([perSecond, clickS, pageS]) => {
        document.body.innerHTML = Array.from(
          { length: 100 },
          (_, index) => `<section><p>${index}</p><button class="buy large">Buy ${index}</button></section>`,
        ).join('')
        const buttons = [...document.querySelectorAll('button')]
        const done: Done = { x: 0, $autocapture: 0, $pageview: 1 }
        const timers = [
          setInterval(
            () => window.analytics.capture('x', { index: done.x++, text: 'as much as somebody says '.repeat(4) }),
            1000 / perSecond!,
          ),
          setInterval(() => buttons[done.$autocapture++ % buttons.length]!.click(), 1000 * clickS!),
          setInterval(() => history.pushState(null, '', `/page/${done.$pageview++}`), 1000 * pageS!),
        ]
        const end = () => {
          timers.forEach(clearInterval)
          return done
        }
        Object.assign(window, { end })
      },
      [CAPTURES_A_SECOND, CLICK_EVERY_S, PAGE_EVERY_S],
    )
  }
  const quarter = async (afterStep?: () => Promise<void>) => {
    for (let second = 0; second < QUARTER_S; second += STEP_S) {
      const before = network.requests()
      await page.clock.runFor(1000 * STEP_S)
      // The page's clock runs fast, but responses take real time.
      await expect.poll(() => network.requests(), { intervals: [20] }).toBeGreaterThan(before)
      await afterStep?.()
    }
  }
  const tasksOf = async (what: () => Promise<void>) => {
    await browser.startTracing(page, { categories: ['toplevel'] })
    await what()
    return taskTimes(await browser.stopTracing())
  }
  const memoryOf = async (what: (afterStep: () => Promise<void>) => Promise<void>) => {
    const samples: Memory[] = []
    await what(async () => {
      // The page keeps a batch until its response, and on a slow machine one batch follows another.
      let sample: Memory
      let requests: number
      do {
        await expect.poll(() => network.pending(), { intervals: [20] }).toBe(0)
        requests = network.requests()
        sample = await readMemory(cdp)
      } while (network.requests() > requests)
      samples.push(sample)
    })
    const all = (member: keyof Memory) => samples.map((sample) => sample[member])
    return {
      most: Math.max(...all('heapKb')),
      heapKb: median(all('heapKb')),
      nodes: median(all('nodes')),
      listeners: median(all('listeners')),
    }
  }

  // Alternating, because garbage collection is a long task.
  const first = await tasksOf(async () => {
    await begin()
    await quarter()
  })
  const second = await memoryOf(quarter)
  const secondHeap = await readHeap(cdp)
  const third = await tasksOf(quarter)
  const last = await memoryOf(quarter)
  const lastHeap = await readHeap(cdp)

  expect(Math.min(first.length, third.length)).toBeGreaterThan(2 * QUARTER_S)
  expect([...first, ...third].filter((ms) => ms >= LONG_TASK_MS)).toEqual([])
  expect(last.nodes).toBe(second.nodes)
  // Listeners of pending requests vary; a leak of one per request would be hundreds.
  expect(last.listeners).toBeLessThan(second.listeners + 50)
  // A leak of 100 bytes per event would be more. Memory does not grow in between either.
  expect(lastHeap - secondHeap).toBeLessThan(100 * CAPTURES_A_SECOND * 2 * QUARTER_S)
  expect(Math.max(second.most, last.most)).toBeLessThan(1.25 * second.heapKb)

  const done = await page.evaluate(() => (window as unknown as { end(): Done }).end())
  await page.goto('about:blank')
  // Counts, because reading thousands of events at each poll takes seconds.
  const arrived = async () => {
    const rows = await service.query<[keyof Done, number, number]>(
      `SELECT event, count(), uniqExact(properties.index) FROM events
        WHERE properties.$host = '${site.host}' AND event IN ('x', '$autocapture', '$pageview') GROUP BY event`,
    )
    return Object.fromEntries(rows.map(([event, events, indices]) => [event, event === 'x' ? indices : events]))
  }
  await expect.poll(arrived).toEqual(done)
  expect(done.x).toBeGreaterThan(0.8 * SOAK_S * CAPTURES_A_SECOND)
})
