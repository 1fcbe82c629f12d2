import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { launchBrowser } from '../support/launchBrowser.mjs'
import { markdownTable } from '../support/markdownTable.mjs'
import { digits, median } from '../support/statistics.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BENCH = fileURLToPath(new URL('..', import.meta.url))

export const title = 'Recording: what recording a busy page costs'

/** npm scripts of the root to run first. */
export const needs = ['build:sdk']
export const needsPeers = true
/** `part`: only one of `busy`, `first` and `hostile`. `against`: names of recorders, separated by commas; `trailmark` alone needs least time. */
export const flags = ['part', 'against']

const REMOTE = {
  supportedCompression: ['gzip', 'gzip-js'],
  hasFeatureFlags: false,
  autocapture_opt_out: true,
  capturePerformance: false,
  heatmaps: false,
  surveys: false,
  flags: {},
  featureFlags: {},
  errorsWhileComputingFlags: false,
  sessionRecording: { endpoint: '/s/' },
}
const OPTIONS = `{ api_host: location.origin, autocapture: false, capture_pageview: false, capture_dead_clicks: false, rageclick: false, opt_out_useragent_filter: true }`

/**
 * The recorders. `files`: their scripts, `bundle`: a module whose exports become a global of the recorder's name
 * instead, `start`: code that starts them, `isRunning`: whether they record, `own`: their scripts in a profile. All
 * mask inputs and nothing else.
 */
const RECORDERS = [
  { name: 'none', files: {}, start: '', isRunning: 'true', own: /(?!)/ },
  {
    name: 'trailmark',
    files: Object.fromEntries(
      ['analytics', 'recorder', 'recorderPage', 'recorderPlugins'].map((each) => [
        `/${each}.js`,
        join(ROOT, `dist/${each}.js`),
      ]),
    ),
    start: `analytics.init('bench', ${OPTIONS})`,
    isRunning: 'analytics.sessionRecordingStarted()',
    hasBegun: `analytics.calculateEventProperties('x').$sdk_debug_replay_rrweb_attached`,
    stop: 'analytics.stopSessionRecording()',
    own: /\/(analytics|recorder|recorderPage|recorderPlugins)\.js/,
  },
  {
    name: 'posthog-js',
    files: {
      '/array.js': join(BENCH, 'node_modules/posthog-js/dist/array.full.js'),
      '/static/lazy-recorder.js': join(BENCH, 'node_modules/posthog-js/dist/lazy-recorder.js'),
      '/static/1.449.2/lazy-recorder.js': join(BENCH, 'node_modules/posthog-js/dist/lazy-recorder.js'),
    },
    start: `posthog.init('bench', ${OPTIONS})`,
    isRunning: 'posthog.sessionRecordingStarted()',
    own: /\/(array|lazy-recorder|posthog-recorder)\.js/,
  },
  {
    name: 'Sentry',
    // Bundled here, as in a site's own build.
    bundle: `export { getReplay, init, replayIntegration } from '@sentry/browser'`,
    start: `Sentry.init({
      dsn: location.origin.replace('//', '//key@') + '/1',
      integrations: [Sentry.replayIntegration({ maskAllText: false, blockAllMedia: false, maskAllInputs: true })],
      defaultIntegrations: false,
      replaysSessionSampleRate: 1,
    })`,
    isRunning: '!!Sentry.getReplay().getReplayId()',
    own: /\/sentry\.js/,
  },
  {
    name: 'rrweb, JSON of each event',
    files: { '/rrweb.js': join(ROOT, 'node_modules/@rrweb/record/dist/record.umd.min.cjs') },
    start: `window.sent = ''; rrwebRecord.record({ maskAllInputs: true, emit: (event) => { sent += JSON.stringify(event) } })`,
    isRunning: 'sent.length > 0',
    own: /\/rrweb\.js/,
  },
]

/** Returns the recorder with the script of its bundle among its files. */
const withBundle = async ({ bundle, name, files = {}, ...recorder }, folder) => {
  if (!bundle) return { ...recorder, name, files }
  const file = `${name.toLowerCase()}.js`
  await build({
    stdin: { contents: bundle, resolveDir: BENCH },
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: name,
    outfile: join(folder, file),
    logLevel: 'error',
  })
  return { ...recorder, name, files: { [`/${file}`]: join(folder, file) } }
}

/** Pages. `html`: the body; `run`: code that changes it `perSecond` times a second. */
const PAGES = [
  { name: '1,000 elements, 100 changes/s', elements: 1000, perSecond: 100 },
  { name: '10,000 elements, 1,000 changes/s', elements: 10_000, perSecond: 1000 },
  { name: '10,000 elements, 5,000 changes/s', elements: 10_000, perSecond: 5000 },
]

/** Pages whose first snapshot is measured. A row of 4 elements and 3 texts is 7 nodes. */
const SIZES = [1500, 10_000, 50_000, 152_000]
const sizedPage = (nodes) => ({
  name: `${nodes} nodes`,
  elements: Math.round((nodes / 7) * 4),
  perSecond: 0,
  isManual: true,
})

const SHADOW_ROOTS = `for (let index = 0; index < 300; index++) {
  const host = document.body.appendChild(document.createElement('my-card'))
  host.attachShadow({ mode: 'open' }).innerHTML = '<style>p { color: red }</style><p>text</p>'
}`
const FRAMES = `for (let index = 0; index < 50; index++) {
  const frame = document.createElement('iframe')
  frame.srcdoc = '<p>text</p>'
  document.body.append(frame)
}`
/** Changes texts, `perTurn` each 50 ms. `find`: code that returns the elements. */
const changing = (find, perTurn) => `{
  let count = 0
  setInterval(() => {
    const all = ${find}
    for (let each = 0; each < ${perTurn}; each++) all[count++ % all.length].textContent = 'text ' + count
  }, 50)
}`

/** Pages that are hard to record, whose frames are counted. `run`: code that runs once the page is recorded. */
const HOSTILE = [
  { name: '20,000 changes/s', elements: 2000, run: changing(`document.querySelectorAll('b')`, 1000) },
  {
    name: 'document replaced each second',
    elements: 400,
    run: `setInterval(() => {
      document.open()
      document.write('<!doctype html><body>' + '<p>text</p>'.repeat(400))
      document.close()
    }, 1000)`,
  },
  {
    name: 'patched prototypes',
    elements: 2000,
    run: `Element.prototype.matches = Element.prototype.closest = WeakMap.prototype.get = () => { throw new Error('patched') }
      ${changing(`document.querySelectorAll('b')`, 50)}`,
  },
  {
    name: '300 shadow roots',
    elements: 400,
    before: SHADOW_ROOTS,
    run: changing(
      `[...document.querySelectorAll('my-card')].map(({ shadowRoot }) => shadowRoot.querySelector('p'))`,
      50,
    ),
  },
  {
    name: '50 frames',
    elements: 400,
    before: FRAMES,
    run: changing(`[...document.querySelectorAll('iframe')].map(({ contentDocument }) => contentDocument.body)`, 50),
  },
]

const pageOf = (
  { files, start },
  { elements, perSecond, isManual, before = '' },
) => `<!doctype html><html><head><title>bench</title></head>
<body>${'<p class="row"><b>one</b><i>two</i><span title="x">three</span></p>'.repeat(elements / 4)}
${Object.keys(files)
  .filter((file) => !/recorder/.test(file))
  .map((file) => `<script src="${file}"></script>`)
  .join('')}
<script>${before}</script>
<script>window.start = () => { ${start} }
${isManual ? '' : 'start()'}
window.change = () => {
  const all = document.querySelectorAll('b')
  let index = 0
  window.changing = setInterval(() => {
    for (let count = 0; count < ${perSecond / 50}; count++) {
      const node = all[index++ % all.length]
      if (index % 3 === 0) node.textContent = 'text ' + index
      else if (index % 3 === 1) node.setAttribute('title', 'title ' + index)
      else { const added = document.createElement('u'); added.textContent = index; node.replaceChildren(added) }
    }
  }, 20)
}
</script></body></html>`

const startSite = async (recorder, page) => {
  const sent = []
  let latestAt = 0
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname
    const file = recorder.files[path]
    if (path === '/') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(pageOf(recorder, page))
    if (file)
      return void readFile(file).then((bytes) =>
        response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(bytes),
      )
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (path === '/s/' || path.endsWith('/envelope/')) {
        sent.push(Buffer.concat(chunks).length)
        latestAt = Date.now()
      }
      if (path.endsWith('config.js')) {
        response.writeHead(200, { 'Content-Type': 'text/javascript' })
        return response.end(`window._POSTHOG_REMOTE_CONFIG={bench:{config:${JSON.stringify(REMOTE)},siteApps:[]}}`)
      }
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(/flags|config/.test(path) ? REMOTE : { status: 1 }))
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    bytes: () => sent.reduce((sum, each) => sum + each, 0),
    /** When the latest recording arrived, ms since the epoch. */
    latestAt: () => latestAt,
    stop: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}

/** The share of samples in a profile with a frame of the recorder on the stack. */
const shareOf = ({ nodes, samples }, own) => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const isOwn = new Map()
  const visit = (node, inside) => {
    const is = inside || own.test(node.callFrame.url)
    isOwn.set(node.id, is)
    for (const child of node.children ?? []) visit(byId.get(child), is)
  }
  visit(nodes[0], false)
  return samples.filter((id) => isOwn.get(id)).length / samples.length
}

const measure = async (browser, recorder, page, seconds) => {
  const site = await startSite(recorder, page)
  const context = await browser.newContext()
  try {
    const tab = await context.newPage()
    await tab.goto(site.url)
    await tab.waitForFunction(recorder.isRunning, undefined, { timeout: 30_000 })
    // Recordings are sent from the first interaction on.
    await tab.mouse.click(5, 5)
    // Waits for the first snapshot, which must not count toward the share of CPU time.
    await tab.waitForTimeout(2500)
    const cdp = await context.newCDPSession(tab)
    const before = site.bytes()
    await cdp.send('Profiler.enable')
    await cdp.send('Profiler.setSamplingInterval', { interval: 500 })
    await tab.evaluate(() => {
      window.longest = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
      }).observe({ type: 'longtask' })
      window.change()
    })
    await cdp.send('Profiler.start')
    await tab.waitForTimeout(seconds * 1000)
    const { profile } = await cdp.send('Profiler.stop')
    const longest = await tab.evaluate(() => {
      clearInterval(window.changing)
      return window.longest
    })
    // The last chunk.
    await tab.waitForTimeout(6000)
    const raw = await tab.evaluate(() => (typeof sent === 'string' ? sent : ''))
    const bytes = raw ? gzipSync(raw).length : site.bytes() - before
    return { share: shareOf(profile, recorder.own) * 100, kilobytes: bytes / 1000 / seconds, longest }
  } finally {
    await context.close()
    await site.stop()
  }
}

const isTask = ({ name }) => /^(ThreadControllerImpl::)?RunTask$/.test(name)

/** Returns the size of the page's heap after two garbage collections, MB. */
const heapOf = async (cdp) => {
  await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 1e6
}

/**
 * Measures the first snapshot, from the start of the recorder on an idle page until the snapshot has arrived: the longest task of the main
 * thread, the same in CPU time, all tasks in CPU time, when recording began, how long it took, and by how much the heap has grown
 * afterwards (`left`: once recording has stopped). The visitor moves
 * the mouse, because some recorders send nothing before. A click would set the selection, which takes a large page longer than a
 * recorder's tasks.
 */
const measureFirst = async (browser, recorder, nodes, slowdown) => {
  const site = await startSite(recorder, sizedPage(nodes))
  const context = await browser.newContext()
  try {
    const tab = await context.newPage()
    await tab.goto(site.url)
    // The page's own work is over.
    await tab.waitForTimeout(1500)
    const cdp = await context.newCDPSession(tab)
    await cdp.send('Performance.enable')
    const heapBefore = await heapOf(cdp)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    const trace = await browser.newBrowserCDPSession()
    const events = []
    trace.on('Tracing.dataCollected', ({ value }) => events.push(...value))
    const categories = ['toplevel', 'devtools.timeline', 'blink.user_timing']
    await trace.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: categories, excludedCategories: ['*'] },
    })
    const before = site.bytes()
    const startedAt = Date.now()
    await tab.evaluate(() => {
      performance.mark('bench-start')
      start()
    })
    await tab.waitForFunction(recorder.isRunning, undefined, { timeout: 120_000 })
    if (recorder.hasBegun) await tab.waitForFunction(recorder.hasBegun, undefined, { timeout: 120_000 })
    const begins = Date.now() - startedAt
    for (let tries = 0; tries < 600 && site.bytes() === before; tries++) {
      if (await tab.evaluate(() => typeof sent === 'string' && sent.length > 0)) break
      await tab.mouse.move(5 + (tries % 20), 5)
      await tab.waitForTimeout(100)
    }
    const took = (site.latestAt() || Date.now()) - startedAt
    await tab.evaluate(() => performance.mark('bench-end'))
    const done = new Promise((resolve) => trace.once('Tracing.tracingComplete', resolve))
    await trace.send('Tracing.end')
    await done
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    const grown = (await heapOf(cdp)) - heapBefore
    if (recorder.stop) {
      await tab.evaluate(recorder.stop)
      await tab.waitForTimeout(2000)
    }
    const left = (await heapOf(cdp)) - heapBefore
    const markOf = (name) => events.find((each) => each.name === name)
    const [first, last] = [markOf('bench-start'), markOf('bench-end')]
    const own = events.filter(
      (each) =>
        isTask(each) &&
        each.pid === first.pid &&
        each.tid === first.tid &&
        each.ts + each.dur > first.ts &&
        each.ts < last.ts,
    )
    return {
      longest: Math.max(0, ...own.map(({ dur = 0 }) => dur / 1000)),
      cpu: Math.max(0, ...own.map(({ tdur = 0 }) => tdur / 1000)),
      total: own.reduce((sum, { tdur = 0 }) => sum + tdur / 1000, 0),
      begins,
      took,
      grown,
      left,
    }
  } finally {
    await context.close()
    await site.stop()
  }
}

/** Measures how many frames a hostile page draws a second, and the longest time between two. */
const measureFrames = async (browser, recorder, page, seconds) => {
  const site = await startSite(recorder, page)
  const context = await browser.newContext()
  try {
    const tab = await context.newPage()
    await tab.goto(site.url)
    await tab.waitForFunction(recorder.isRunning, undefined, { timeout: 30_000 })
    await tab.mouse.click(5, 5)
    await tab.waitForTimeout(2500)
    return await tab.evaluate(
      ([run, ms]) =>
        new Promise((done) => {
          const times = []
          const begin = performance.now()
          const draw = (now) => {
            times.push(now)
            if (now - begin < ms) return requestAnimationFrame(draw)
            const gaps = times.slice(1).map((each, index) => each - times[index])
            done({ perSecond: (times.length / (now - begin)) * 1000, longest: Math.max(...gaps) })
          }
          requestAnimationFrame(draw)
          const script = document.createElement('script')
          script.textContent = run
          document.body.append(script)
        }),
      [page.run, seconds * 1000],
    )
  } finally {
    await context.close()
    await site.stop()
  }
}

/** Returns rows of the table of goals: `[what, goal, value, isMet]`. */
const GOALS = {
  first: ({ nodes, slowdown, cpu, begins, left }) =>
    nodes === 152_000
      ? [
          [
            `Longest task, CPU, ${slowdown}x`,
            `≤ ${slowdown === 1 ? 16 : 50} ms`,
            cpu,
            cpu <= (slowdown === 1 ? 16 : 50),
          ],
          ...(slowdown === 1
            ? [
                ['Recording begins, on an idle page', '≤ 3,000 ms', begins, begins <= 3000],
                ['Memory once recording has stopped', '≤ 2 MB more', left, left <= 2],
              ]
            : []),
        ]
      : [],
  hostile: ({ page, without, recorded }) => [
    [`Frames, ${page}`, '≥ 55/s, or 90 % of those without', recorded, recorded >= Math.min(55, without * 0.9)],
  ],
}
const tableOfGoals = (goals) =>
  markdownTable(
    ['Goal at 152,000 nodes and on hard pages', 'Limit', 'Measured', 'Met'],
    goals.map(([what, limit, value, isMet]) => [what, limit, digits(value), isMet ? 'yes' : '**no**']),
  )

/** Runs the benchmark of hostile pages and resolves with its table. */
const runHostile = async (browser, recorders, { quick, say, goals }) => {
  const own = recorders.filter(({ name }) => name === 'none' || name === 'trailmark')
  const rows = []
  for (const page of HOSTILE) {
    const samples = own.map(() => [])
    for (let round = 0; round < (quick ? 1 : 5); round++)
      for (const [index, recorder] of own.entries()) {
        say(`hostile page: ${page.name}, ${recorder.name}, round ${round + 1}`)
        samples[index].push(await measureFrames(browser, recorder, page, quick ? 8 : 20))
      }
    const of = (member) => samples.map((all) => digits(median(all.map((each) => each[member]))))
    rows.push([page.name, ...of('perSecond'), ...of('longest')])
    const [without, recorded] = samples.map((all) => median(all.map(({ perSecond }) => perSecond)))
    goals.push(...GOALS.hostile({ page: page.name, without, recorded }))
  }
  const heads = [
    'Page',
    'Frames/s without',
    'Frames/s recorded',
    'Longest frame without, ms',
    'Longest frame recorded, ms',
  ]
  return markdownTable(heads, rows)
}

/** Runs the benchmark of first snapshots and resolves with its table. */
const runFirst = async (browser, recorders, { quick, say, goals }) => {
  const rows = []
  for (const slowdown of [1, 4])
    for (const nodes of SIZES)
      for (const recorder of recorders.filter(({ name }) => name !== 'none')) {
        const samples = []
        for (let round = 0; round < (quick ? 1 : 5); round++) {
          say(`first snapshot of ${nodes} nodes, ${recorder.name}, ${slowdown}x, round ${round + 1}`)
          samples.push(await measureFirst(browser, recorder, nodes, slowdown))
        }
        const valueOf = (member) => median(samples.map((each) => each[member]))
        const of = (member) => digits(valueOf(member))
        if (recorder.name === 'trailmark')
          goals.push(
            ...GOALS.first({ nodes, slowdown, cpu: valueOf('cpu'), begins: valueOf('begins'), left: valueOf('left') }),
          )
        rows.push([
          nodes,
          `${slowdown}x`,
          recorder.name,
          of('longest'),
          of('cpu'),
          of('total'),
          of('took'),
          of('grown'),
        ])
      }
  const columns = ['Longest task, ms', 'of it CPU, ms', 'All tasks, CPU ms', 'Until it arrives, ms', 'Heap grown, MB']
  return markdownTable(['Nodes', 'CPU', 'Recorder', ...columns], rows)
}

/** Runs the benchmark of pages that change and resolves with its table. */
const runBusy = async (browser, recorders, { quick, say }) => {
  const pages = quick ? PAGES.slice(2) : PAGES
  const [runs, seconds] = quick ? [1, 8] : [5, 15]
  const samples = new Map()
  for (let round = 0; round < runs; round++)
    for (const page of pages)
      for (const recorder of recorders) {
        say(`${page.name}, ${recorder.name}, round ${round + 1}`)
        const key = `${page.name} ${recorder.name}`
        samples.set(key, [...(samples.get(key) ?? []), await measure(browser, recorder, page, seconds)])
      }
  const rows = pages.flatMap((page) =>
    recorders.map(({ name }) => {
      const all = samples.get(`${page.name} ${name}`)
      const of = (member) => digits(median(all.map((each) => each[member])))
      return [page.name, name, of('share'), of('longest'), of('kilobytes')]
    }),
  )
  return markdownTable(['Page', 'Recorder', 'CPU share, %', 'Longest task, ms', 'kB/s, gzip'], rows)
}

const PARTS = {
  busy: [
    runBusy,
    'CPU share: samples of the profiler with a frame of the recorder, while the page changes, without the first snapshot:',
  ],
  first: [runFirst, 'The first snapshot. CPU: time of the thread, which other programs do not change:'],
  hostile: [runHostile, 'Pages that are hard to record, with requestAnimationFrame:'],
}

/** Runs the benchmark and resolves with its report as Markdown. `quick`: the busiest page, once. */
export const run = async ({ quick, say, part, against }) => {
  const folder = await mkdtemp(join(tmpdir(), 'trailmark-bench-'))
  const wanted = RECORDERS.filter(({ name }) => !against || name === 'none' || against.split(',').includes(name))
  const recorders = await Promise.all(wanted.map((each) => withBundle(each, folder)))
  const browser = await launchBrowser()
  const goals = []
  const report = [`Chromium ${browser.version()}, median of ${quick ? 1 : 5}`]
  try {
    for (const [name, [runPart, about]] of Object.entries(PARTS))
      if (!part || part === name) report.push(about, await runPart(browser, recorders, { quick, say, goals }))
    if (goals.length) report.push(tableOfGoals(goals))
    return report.join('\n\n')
  } finally {
    await browser.close()
    await rm(folder, { recursive: true })
  }
}
