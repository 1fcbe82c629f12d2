import { markdownTable } from '../support/markdownTable.mjs'
import { digits, median, ratio, spread, summary } from '../support/statistics.mjs'

const BASE = 'posthog'
const kb = (bytes) => digits(bytes / 1000)

/** Returns the summary of a member, minus its median on the page without an SDK. */
export const overNone = (samples, name, member) =>
  summary(samples[name], member, samples.none ? median(samples.none.map((each) => each[member])) : 0)

/** Returns a table with one row per SDK. A column is its head and a function that returns the cell of an SDK. */
const sdkTable = (title, note, columns, sdks) =>
  `### ${title}\n\n${note}\n\n${markdownTable(
    ['SDK', ...columns.map(([head]) => head)],
    sdks.map(({ name }) => [name, ...columns.map(([, cell]) => cell(name))]),
  )}`

/** Returns two columns: the spread of a value, and its median relative to posthog's. */
const withRatio = (head, of) => [
  [head, (name) => spread(of(name))],
  ['× posthog', (name) => ratio(of(name), of(BASE))],
]

/** The tables of the report, as Markdown. `needs`: the measurements that a table requires. */
const TABLES = [
  {
    needs: [],
    table: (sdks, { forms }) =>
      `### Size\n\nkB of 1,000 bytes, gzip -9 and brotli 11. An import is bundled by Vite with the few lines of the page. "later": code that it may load after the start, gzip.\n\n${markdownTable(
        ['SDK', 'form', 'version', 'raw', 'gzip', 'brotli', 'later', 'gzip × posthog'],
        forms.map(({ sdk, version, kind, how, raw, gzip, brotli, later }) => [
          sdk,
          `${kind}: ${how}`,
          version,
          kb(raw),
          kb(gzip),
          kb(brotli),
          later ? kb(later) : '–',
          digits(gzip / forms.find((form) => form.sdk === BASE && form.kind === kind).gzip),
        ]),
      )}`,
  },
  {
    needs: ['load', 'slowLoad'],
    table: (sdks, { load, slowLoad }) =>
      sdkTable(
        'Load and init',
        'Main-thread CPU until 1 s (at 4x: 2 s) after the load event, and JavaScript heap after garbage collection, both minus those of the same page without an SDK.',
        [
          ...withRatio('CPU ms, 1x', (name) => overNone(load, name, 'cpuMs')),
          ...withRatio('CPU ms, 4x', (name) => overNone(slowLoad, name, 'cpuMs')),
          ...withRatio('heap kB', (name) => overNone(load, name, 'heapKb')),
        ],
        sdks,
      ),
  },
  {
    needs: ['scriptLoad', 'slowScriptLoad'],
    table: (sdks, { scriptLoad, slowScriptLoad }) =>
      sdkTable(
        'Load and init in a script tag',
        'The same with the published script in a script tag, for the SDKs of which a target is a ratio.',
        [
          ...withRatio('CPU ms, 1x', (name) => overNone(scriptLoad, name, 'cpuMs')),
          ...withRatio('CPU ms, 4x', (name) => overNone(slowScriptLoad, name, 'cpuMs')),
          ...withRatio('heap kB', (name) => overNone(scriptLoad, name, 'heapKb')),
        ],
        sdks.filter(({ name }) => scriptLoad[name]),
      ),
  },
  {
    needs: ['task', 'slowTask', 'scriptTask', 'slowScriptTask'],
    table: (sdks, { task, slowTask, scriptTask, slowScriptTask }) =>
      sdkTable(
        'Longest task at start',
        'CPU time in ms of the longest task of the main thread until 1 s (at 4x: 2 s) after the load event, from a trace, which costs time itself. The last row is the page without an SDK.',
        [
          ['script, 1x', (name) => spread(summary(scriptTask[name], 'taskMs'))],
          ['script, 4x', (name) => spread(summary(slowScriptTask[name], 'taskMs'))],
          ['import, 1x', (name) => spread(summary(task[name], 'taskMs'))],
          ['import, 4x', (name) => spread(summary(slowTask[name], 'taskMs'))],
        ],
        [...sdks.filter(({ name }) => task[name]), { name: 'none' }],
      ),
  },
  {
    needs: ['load', 'events'],
    table: (sdks, { load, events }) =>
      sdkTable(
        'capture()',
        'Spaced: calls 50 ms apart on a fresh page, wall time. Burst: 100 calls in one task, ten times. 1,000 events: total main-thread CPU, including sending and responses.',
        [
          ...withRatio('spaced µs', (name) => summary(load[name], 'captureUs')),
          ...withRatio('burst µs', (name) => summary(events[name], 'burstUs')),
          ...withRatio('1,000 events, CPU ms', (name) => summary(events[name], 'cpuMs')),
          ['arrived', (name) => spread(summary(events[name], 'arrived'))],
        ],
        sdks,
      ),
  },
  {
    needs: ['inline'],
    table: (sdks, { inline }) =>
      sdkTable(
        'Inline script',
        'The import, bundled by esbuild into an inline script. Start: main-thread CPU until 2.5 s after the load event. 1,000 events: 10 bursts of 100 from then on, a quarter of a second apart, until all have arrived. Both minus the same page without an SDK.',
        [
          ...withRatio('start, CPU ms', (name) => overNone(inline, name, 'startMs')),
          ...withRatio('burst µs', (name) => summary(inline[name], 'burstUs')),
          ...withRatio('1,000 events, CPU ms', (name) => overNone(inline, name, 'cpuMs')),
          ['requests', (name) => summary(inline[name], 'requests').median],
          ['arrived', (name) => spread(summary(inline[name], 'arrived'))],
        ],
        sdks.filter(({ name }) => inline[name]),
      ),
  },
  {
    needs: ['click', 'observed'],
    table: (sdks, { observed, click }) =>
      sdkTable(
        'Click',
        'A button at depth 20 of 2,000 nodes, minus the same page without an SDK. Synchronous: duration of `button.click()`, wall time. CPU: per click, including later work.',
        [
          ...withRatio('synchronous ms', (name) => overNone(click, name, 'syncMs')),
          ['slowest ms', (name) => digits(Math.max(...click[name].map(({ slowestMs }) => slowestMs)))],
          ...withRatio('CPU ms', (name) => overNone(click, name, 'cpuMs')),
          ['events of 10 clicks', (name) => observed[name].clicks],
        ],
        sdks.filter(({ name }) => click[name]),
      ),
  },
  {
    needs: ['smallClick', 'largeClick'],
    table: (sdks, { smallClick, largeClick }) =>
      sdkTable(
        'Click by size of the page',
        'The same button with dead clicks on, minus the page without an SDK. Synchronous ms.',
        [
          ['2,000 elements', (name) => spread(overNone(smallClick, name, 'syncMs'))],
          ['100,000 elements', (name) => spread(overNone(largeClick, name, 'syncMs'))],
        ],
        sdks.filter(({ name }) => smallClick[name]),
      ),
  },
  {
    needs: ['observed'],
    table: (sdks, { observed }) =>
      sdkTable(
        'Wire and storage',
        'A batch of 100 events as the SDK sends it by default: bytes per event of bodies and headers (HTTP/1.1). Requests at load, without the SDK itself and preflights: before the first request with an event, and until 1 s after it (5 s if there is none). Bytes stored at that time.',
        [
          ...withRatio('body B/event', (name) => summary(observed[name].wire, 'bodyBytes')),
          ['headers B/event', (name) => digits(summary(observed[name].wire, 'headBytes').median)],
          ['requests', (name) => summary(observed[name].wire, 'requests').median],
          ['preflights', (name) => summary(observed[name].wire, 'preflights').median],
          ['arrived', (name) => summary(observed[name].wire, 'arrived').median],
          ['requests before the first event', (name) => observed[name].beforeFirstEvent],
          ['until 1 s after it', (name) => observed[name].atLoad],
          ['cookies B', (name) => observed[name].cookieBytes],
          ['localStorage B', (name) => observed[name].localBytes],
          ['sessionStorage B', (name) => observed[name].sessionBytes],
          ['databases', (name) => observed[name].databases.length],
          ['requested foreign hosts', (name) => observed[name].foreign.join(' ') || '–'],
        ],
        sdks,
      ),
  },
]

/** Returns all tables whose measurements were taken. */
export const tables = (sdks, results) =>
  TABLES.filter(({ needs }) => needs.every((name) => results[name])).map(({ table }) => table(sdks, results))
